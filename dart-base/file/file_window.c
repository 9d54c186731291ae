/* See file_window.h. A bit for each byte of a window marks what was put there. So what units have put, in any order and
 * number of pieces, is written in pieces that are as long as can be, and no hole between them is touched. */
#include "file/file_window.h"

#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_profile.h>
#include <dash/dart/if/dart_globmem.h>

#include "base/counters.h"
#include "base/last_call.h"
#include "base/size.h"
#include "coll/coll.h"
#include "file/raw.h"
#include "memory/memory.h"
#include "model/address.h"

#define WORDS (DART__WINDOW_BYTES / 64)
#define FULL  UINT64_MAX

typedef struct {
  char             bytes[DART__WINDOW_BYTES];
  _Atomic uint64_t marks[WORDS]; /* a bit for each byte */
  uint64_t         valid;        /* bytes that were read */
} window_t;

struct dart__file_window {
  dart_gptr_t memory;
  int32_t     me;   /* own index in `at` */
  window_t   *at[]; /* [node_nunits]: two windows each; NULL: not open */
};

static window_t *window_of(dart_file_t file, int32_t index, unsigned round)
{
  return &file->window->at[index][round % 2];
}

/* ---- life --------------------------------------------------------------------------------------- */

/* The windows of the node's units, as they are mapped here. */
static void find_windows(const dart__team_t *team, struct dart__file_window *w)
{
  for (int32_t i = 0; i < team->node_nunits; i++) {
    dart__address_t at;
    dart_gptr_t     gptr = w->memory;

    gptr.unitid = team->node_units[i];
    if (dart__locate(dart__call, gptr, 2 * sizeof(window_t), &at) == DART_OK)
      w->at[i] = (window_t *)(void *)at.near;
  }
}

dart_ret_t dart__file_alloc(dart__team_t *team, size_t nbytes, dart_gptr_t *gptr_out)
{
  const char      *call = dart__call;
  dart__segment_t *segment;
  dart_ret_t       ret;

  dart__team_begin_call(team, __func__);                /* of one kind on all units, ... */
  dart__call_share(call, dart__team_call_number(team)); /* ... and said by the program's name */
  ret = dart__memory_alloc(team, DART_OK, nbytes, DART__CACHE_LINE, NULL, &segment);
  if (ret == DART_OK)
    *gptr_out = (dart_gptr_t){ .teamid = team->id, .segid = segment->id };
  return ret;
}

bool dart__file_new_window(const dart__team_t *team, dart_file_t file)
{
  file->window =
      calloc(1, sizeof *file->window + (size_t)team->node_nunits * sizeof file->window->at[0]);
  return file->window != NULL;
}

dart_ret_t dart__file_open_window(dart__team_t *team, dart_file_t file)
{
  struct dart__file_window *w = file->window;
  dart_ret_t                ret;

  if (w->at[0] != NULL)
    return DART_OK;
  ret = dart__file_alloc(team, 2 * sizeof(window_t), &w->memory);
  if (ret != DART_OK)
    return ret;
  find_windows(team, w);
  w->me = team->node_me;
  for (unsigned round = 0; round < 2; round++)
    memset(w->at[w->me][round].marks, 0, sizeof w->at[w->me][round].marks);
  dart__coll_node_barrier(team); /* no marks are anywhere before any are made */
  return DART_OK;
}

void dart__file_close_window(dart_file_t file, bool is_open)
{
  if (file->window == NULL)
    return;
  if (is_open && file->window->at[0] != NULL)
    pdart_team_memfree(file->window->memory);
  free(file->window);
  file->window = NULL;
}

/* ---- marks --------------------------------------------------------------------------------------- */

/* Bits [from, to) of a word, to <= 64. */
static uint64_t bits(size_t from, size_t to)
{
  return (to == 64 ? FULL : (UINT64_C(1) << to) - 1) & ~((UINT64_C(1) << from) - 1);
}

/* relaxed, all: the barrier between putting and writing orders them. A word that is only partly this unit's is
 * changed by an atomic addition to its bits. */
static void mark(window_t *w, size_t from, size_t to)
{
  while (from < to) {
    size_t word = from / 64, first = from % 64, end = dart__least(64, first + to - from);

    if (end - first == 64)
      atomic_store_explicit(&w->marks[word], FULL, memory_order_relaxed);
    else
      atomic_fetch_or_explicit(&w->marks[word], bits(first, end), memory_order_relaxed);
    from += end - first;
  }
}

static uint64_t load(window_t *w, size_t word)
{
  return atomic_load_explicit(&w->marks[word], memory_order_relaxed);
}

/* The first byte from `from` on that is marked, or, `marked` false, that is not; the end of the window if there
 * is none. */
static size_t find_byte(window_t *w, size_t from, bool marked)
{
  while (from < DART__WINDOW_BYTES) {
    uint64_t found = (marked ? load(w, from / 64) : ~load(w, from / 64)) & bits(from % 64, 64);

    if (found != 0)
      return from / 64 * 64 + (size_t)__builtin_ctzll(found);
    from = (from / 64 + 1) * 64;
  }
  return DART__WINDOW_BYTES;
}

/* ---- writing --------------------------------------------------------------------------------------- */

void dart__window_put(dart_file_t file, int32_t index, unsigned round, size_t offset,
                      const dart__access_t *access, size_t at, size_t nbytes)
{
  window_t *w = window_of(file, index, round);

  dart__access_pack(access, at, nbytes, w->bytes + offset);
  mark(w, offset, offset + nbytes);
}

int dart__window_write(dart_file_t file, unsigned round, uint64_t start)
{
  window_t *w     = window_of(file, file->window->me, round);
  int       error = 0;
  size_t    done;

  for (size_t from = find_byte(w, 0, true), to; from < DART__WINDOW_BYTES;
       from        = find_byte(w, to, true)) {
    int found;

    to = find_byte(w, from, false);
    dart__count(DART__COUNT_FILE_PIECE);
    found = dart__raw_write(file->fd, w->bytes + from, to - from, start + from, file->limit, &done);
    error = error != 0 ? error : found;
  }
  memset(w->marks, 0, sizeof w->marks);
  return error;
}

/* ---- reading --------------------------------------------------------------------------------------- */

int dart__window_read(dart_file_t file, unsigned round, uint64_t start, size_t nbytes)
{
  window_t *w = window_of(file, file->window->me, round);
  size_t    valid;
  int       error = dart__raw_read(file->fd, w->bytes, nbytes, start, &valid);

  w->valid = valid;
  return error;
}

size_t dart__window_get(dart_file_t file, int32_t index, unsigned round, size_t offset,
                        const dart__access_t *access, size_t at, size_t nbytes)
{
  window_t *w = window_of(file, index, round);
  size_t    n = dart__in_piece(w->valid, offset, nbytes);

  dart__access_unpack(access, at, n, w->bytes + offset);
  return n;
}
