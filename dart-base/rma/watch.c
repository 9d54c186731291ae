/* See watch.h. */
#include "rma/watch.h"

#include <linux/membarrier.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/last_call.h"
#include "base/profile.h"
#include "far/run.h"
#include "model/world.h"
#include "p2p/twosided.h"
#include "rma/compare.h"

DART__PROFILED(dart_inline_wrote);

/* The states of a note. */
enum { FREE, TAKEN, OPEN };

#define SEVERAL UINT32_MAX

#define FEW_BYTES 64 /* of dart__watch_wrote_few */

_Alignas(DART__WATCH_PAGE) char dart__watch_page[DART__WATCH_PAGE];

static bool has_barrier;
static void watch_applied(const dart__deferred_t *queue, uint32_t end);

static _Atomic uint32_t *count; /* where the page is in the pool; NULL: between exit and init */

void dart__watch_register(void)
{
  has_barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

/* ---- the page ------------------------------------------------------------------------------ */

static bool is_page(void)
{
  return sysconf(_SC_PAGESIZE) == DART__WATCH_PAGE;
}

static void map_zeros(void)
{
  syscall(SYS_mmap, dart__watch_page, DART__WATCH_PAGE, PROT_READ | PROT_WRITE,
          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* Memory of the pool is mapped from the start of a page on in each process, so pages of one are those of all. A length
 * of 0 leaves the pages where they are, and maps them once more. By syscall, for libraries that watch the program's
 * memory (UCX) intercept the function, and would take the pool's pages for gone. Where it fails, the page may have been
 * unmapped before, as Linux does it. */
void dart__watch_open(void)
{
  dart__team_t *all = dart__teams[DART_TEAM_ALL];
  char         *notes_end =
      (char *)(dart__twosided_sleepers(dart__team_member(all, all->node_units[0])).watches + 1);
  char *page = notes_end + (-(uintptr_t)notes_end & (DART__WATCH_PAGE - 1));

  count                  = (_Atomic uint32_t *)(void *)page;
  dart__deferred.applied = watch_applied;
  if (is_page() && syscall(SYS_mremap, page, 0, DART__WATCH_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
                           dart__watch_page) == -1)
    map_zeros();
}

void dart__watch_close(void)
{
  if (count != NULL && is_page())
    map_zeros();
  dart__deferred.applied = NULL;
  count                  = NULL;
}

/* ---- notes: the pointer as two words --------------------------------------------------------- */

static uint64_t first_word(dart_gptr_t gptr)
{
  uint64_t head;

  memcpy(&head, &gptr, sizeof head);
  return head;
}

static dart_gptr_t pointer_of(uint64_t head, uint64_t offset)
{
  dart_gptr_t gptr;

  memcpy(&gptr, &head, sizeof head);
  gptr.addr_or_offs.offset = offset;
  return gptr;
}

/* Reads the note. False: there is none. */
static bool read_note(const dart__watch_t *from, dart__watched_t *what_out)
{
  dart__watch_t *watch = (dart__watch_t *)(uintptr_t)from; /* atomic loads want it so */
  uint32_t       what;

  /* acquire: pairs with the release in note. What changes meanwhile is the note of a wait that begins after
   * this store, and finds it. */
  if (atomic_load_explicit(&watch->state, memory_order_acquire) != OPEN)
    return false;
  what                 = atomic_load_explicit(&watch->what, memory_order_relaxed);
  what_out->gptr       = pointer_of(atomic_load_explicit(&watch->head, memory_order_relaxed),
                                    atomic_load_explicit(&watch->from, memory_order_relaxed));
  what_out->nbytes     = atomic_load_explicit(&watch->nbytes, memory_order_relaxed);
  what_out->value      = atomic_load_explicit(&watch->value, memory_order_relaxed);
  what_out->is_several = what == SEVERAL;
  what_out->type       = (dart_datatype_t)(what >> 8);
  what_out->comparison = (dart_comparison_t)(what & 0xff);
  return true;
}

/* ---- sleepers ------------------------------------------------------------------------------ */

static int take_note(dart__watch_t *watches)
{
  for (int i = 0; i < DART__WATCHES; i++) {
    uint32_t state = FREE;

    /* acquire: pairs with the release in dart__watch_end */
    if (atomic_compare_exchange_strong_explicit(&watches[i].state, &state, TAKEN,
                                                memory_order_acquire, memory_order_relaxed))
      return i;
  }
  return -1;
}

/* Returns its index; -1: there is no room. */
static int note(const dart__watched_t *what)
{
  dart__watch_t *watches = dart__twosided_sleepers(dart__world.me).watches->watch;
  int            i       = take_note(watches);

  if (i < 0)
    return -1;
  atomic_store_explicit(&watches[i].what,
                        what->is_several ? SEVERAL
                                         : (uint32_t)what->type << 8 | (uint32_t)what->comparison,
                        memory_order_relaxed);
  atomic_store_explicit(&watches[i].head, first_word(what->gptr), memory_order_relaxed);
  atomic_store_explicit(&watches[i].from, what->gptr.addr_or_offs.offset, memory_order_relaxed);
  atomic_store_explicit(&watches[i].nbytes, what->nbytes, memory_order_relaxed);
  atomic_store_explicit(&watches[i].value, what->value, memory_order_relaxed);
  /* release: pairs with the acquire in read_note */
  atomic_store_explicit(&watches[i].state, OPEN, memory_order_release);
  /* relaxed: the barrier, of this process, too, comes after it */
  atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
  return i;
}

void dart__watch_begin(const dart__watched_t what[], int n, int watches_out[])
{
  for (int i = 0; i < n; i++)
    watches_out[i] = has_barrier ? note(&what[i]) : -1;
  if (has_barrier && n > 0)
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

void dart__watch_end(int watch)
{
  if (watch < 0)
    return;
  atomic_fetch_sub_explicit(count, 1, memory_order_relaxed);
  /* release: what the next wait notes comes after it; pairs with the acquire in take_note */
  atomic_store_explicit(&dart__twosided_sleepers(dart__world.me).watches->watch[watch].state, FREE,
                        memory_order_release);
}

/* ---- writers ------------------------------------------------------------------------------- */

/* Without a log line: a note that changes while it is read says anything. */
static bool find_watched(const dart__watched_t *what, dart__address_t *at_out)
{
  dart_gptr_t      gptr = what->gptr;
  dart__team_t    *team;
  dart__segment_t *segment = dart__locate_segment(gptr, &team);

  if (segment == NULL || gptr.unitid < 0 || gptr.unitid >= team->nunits)
    return false;
  if (gptr.addr_or_offs.offset > dart__segment_size(segment, gptr.unitid) ||
      what->nbytes > dart__segment_size(segment, gptr.unitid) - gptr.addr_or_offs.offset)
    return false;
  /* by the name of the caller's call: it is what others see of this thread */
  return dart__locate(dart__call, gptr, what->nbytes, at_out) == DART_OK && at_out->near != NULL;
}

/* Whether the word does not have what its sleeper waits for: then the next unit that changes it looks again. A word that two
 * units have changed in parts at a time can be in vain for both: the contract has words changed as a whole. */
static bool is_in_vain(const dart__watched_t *what)
{
  dart__comparison_t how;
  dart__address_t    at;

  return !what->is_several && find_watched(what, &at) &&
         dart__comparison_of(what->type, what->comparison, &how) &&
         !dart__compares(how, at.near, &what->value);
}

/* What was written, and whether a note is about that. */
typedef bool concerns_t(const dart__watched_t *what, const void *written);

/* Wake the threads of a unit if one waits for what was written: all, by one event. */
static void tell(dart__sleepers_t sleepers, concerns_t *concerns, const void *written)
{
  dart__watched_t what;

  for (int i = 0; sleepers.watches != NULL && i < DART__WATCHES; i++)
    if (read_note(&sleepers.watches->watch[i], &what) && concerns(&what, written) &&
        !is_in_vain(&what)) {
      dart__event_add(sleepers.event);
      return;
    }
}

/* Bytes behind a pointer. */
typedef struct {
  dart_gptr_t gptr;
  uint64_t    nbytes;
} behind_t;

static bool is_behind(const dart__watched_t *what, const void *written)
{
  const behind_t *wrote = written;
  uint64_t        from = wrote->gptr.addr_or_offs.offset, start = what->gptr.addr_or_offs.offset;

  return dart__is_same_portion(what->gptr, wrote->gptr) &&
         (from >= start ? from - start < what->nbytes : start - from < wrote->nbytes);
}

void dart__watch_wrote(dart_gptr_t gptr, uint64_t nbytes)
{
  behind_t wrote = { gptr, nbytes };

  tell(dart__twosided_sleepers(dart__team_member(dart__teams[gptr.teamid], gptr.unitid)), is_behind,
       &wrote);
}

dart_ret_t dart__watch_wrote_few(dart_gptr_t gptr)
{
  dart__watch_wrote(gptr, FEW_BYTES);
  return DART_OK;
}

void dart_inline_wrote(dart_gptr_t gptr)
{
  dart__watch_wrote(gptr, FEW_BYTES);
}

/* ---- deferred updates: their words are addresses of this process -------------------------------- */

static bool is_updated(const dart__deferred_t *queue, uint32_t end, const char *from,
                       uint64_t nbytes)
{
  for (uint32_t i = queue->first; i != end; i++)
    if ((uintptr_t)queue->update[i % DART__DEFERRED_MOST].word - (uintptr_t)from < nbytes)
      return true;
  return false;
}

/* Those from the queue's first to `end`. */
typedef struct {
  const dart__deferred_t *queue;
  uint32_t                end;
} applied_t;

/* Of a unit that uses DART by one thread, so that no team goes away meanwhile. */
static bool is_applied(const dart__watched_t *what, const void *written)
{
  const applied_t *applied = written;
  dart__address_t  at;

  return find_watched(what, &at) && is_updated(applied->queue, applied->end, at.near, what->nbytes);
}

static void watch_applied(const dart__deferred_t *queue, uint32_t end)
{
  const dart__team_t *all     = dart__teams[DART_TEAM_ALL];
  applied_t           applied = { queue, end };

  if (!dart__is_watched())
    return;
  for (int32_t i = 0; i < all->node_nunits; i++)
    tell(dart__twosided_sleepers(dart__team_member(all, all->node_units[i])), is_applied, &applied);
}
