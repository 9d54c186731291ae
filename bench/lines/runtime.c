/* The machine: see lines.h. What the compiler calls (-fsanitize=thread), as LLVM's tsan_interface.h and
 * tsan_interface_atomic.h declare it. */
#include "lines.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { LINE = 64, STACK = 256 * 1024, POLLS = 3 };

#define NEVER 1e300

typedef struct {
  uint64_t has[LINES_UNITS / 64]; /* units that have it */
  double   free;                  /* when it can go to the next writer, or be copied */
  uint32_t chain;                 /* transfers that led to what it holds */
} line_t;

typedef struct {
  ucontext_t context;
  char      *stack;
  bool       is_done, is_waiting; /* for all others, in lines_begin and lines_end */
  double     clock;
  uint32_t   transfers, chain;
  size_t     polled; /* the line that it has read without a pause, and how often */
  int        polls;
} unit_t;

static struct {
  unit_t     unit[LINES_UNITS];
  uint32_t   nunits, me, nwaiting;
  ucontext_t main;
  line_t    *line;
  uintptr_t  first;
  size_t     nbytes;
  lines_distance_t (*distance)(uint32_t a, uint32_t b);
  const double *ns;
  void (*body)(uint32_t unit);
  lines_counts_t *counts;
} m;

/* ---- who goes on -------------------------------------------------------------------------- */

/* The unit with the earliest clock that is not done, and waits for nothing. */
static uint32_t earliest(void)
{
  uint32_t next = m.nunits;

  for (uint32_t u = 0; u < m.nunits; u++)
    if (!m.unit[u].is_done && !m.unit[u].is_waiting && m.unit[u].clock < NEVER &&
        (next == m.nunits || m.unit[u].clock < m.unit[next].clock))
      next = u;
  return next;
}

static void go_on(void)
{
  uint32_t from = m.me, next = earliest();

  if (next == m.nunits) {
    fprintf(stderr, "lines: all units wait\n");
    exit(1);
  }
  m.me = next;
  if (next != from)
    swapcontext(&m.unit[from].context, &m.unit[next].context);
}

/* ---- lines -------------------------------------------------------------------------------- */

static bool has(const line_t *line, uint32_t unit)
{
  return (line->has[unit / 64] >> unit % 64 & 1) != 0;
}

static bool has_alone(const line_t *line, uint32_t unit)
{
  for (uint32_t i = 0; i < LINES_UNITS / 64; i++)
    if (line->has[i] != (i == unit / 64 ? UINT64_C(1) << unit % 64 : 0))
      return false;
  return true;
}

/* The nearest unit that has the line; how far it is. A line that nobody has is in the memory of the unit. */
static lines_distance_t nearest(const line_t *line)
{
  lines_distance_t least = LINES_DISTANCES;

  for (uint32_t u = 0; u < m.nunits; u++)
    if (u != m.me && has(line, u) && m.distance(m.me, u) < least)
      least = m.distance(m.me, u);
  return least == LINES_DISTANCES ? LINES_CACHE : least;
}

/* The farthest unit that has a copy, which has to drop it. */
static lines_distance_t farthest(const line_t *line)
{
  lines_distance_t most = LINES_CACHE;

  for (uint32_t u = 0; u < m.nunits; u++)
    if (u != m.me && has(line, u) && m.distance(m.me, u) > most)
      most = m.distance(m.me, u);
  return most;
}

static void transfer(line_t *line, lines_distance_t distance)
{
  unit_t *unit = &m.unit[m.me];

  m.counts->transfers[distance]++;
  unit->transfers++;
  unit->chain = (unit->chain > line->chain ? unit->chain : line->chain) + 1;
  unit->clock = (unit->clock > line->free ? unit->clock : line->free) + m.ns[distance];
}

static void read_line(line_t *line)
{
  if (has(line, m.me))
    return;
  transfer(line, nearest(line));
  line->has[m.me / 64] |= UINT64_C(1) << m.me % 64;
}

/* Units that poll the line look again when it can come to them. */
static void wake_pollers(size_t index)
{
  for (uint32_t u = 0; u < m.nunits; u++)
    if (m.unit[u].clock >= NEVER && m.unit[u].polled == index) {
      m.unit[u].clock = m.unit[m.me].clock;
      m.unit[u].polls = 0;
    }
}

static void write_line(line_t *line, size_t index)
{
  unit_t *unit = &m.unit[m.me];

  if (!has_alone(line, m.me))
    transfer(line, farthest(line));
  memset(line->has, 0, sizeof line->has);
  line->has[m.me / 64] = UINT64_C(1) << m.me % 64;
  line->free           = unit->clock;
  line->chain          = unit->chain;
  wake_pollers(index);
}

/* A unit that reads the same word again and again sleeps until its line is written. */
static void note_poll(size_t index)
{
  unit_t *unit = &m.unit[m.me];

  unit->polls  = unit->polled == index ? unit->polls + 1 : 1;
  unit->polled = index;
  if (unit->polls > POLLS)
    unit->clock = NEVER;
}

static void access_memory(const void *at, size_t nbytes, bool writes, bool is_atomic)
{
  uintptr_t from = (uintptr_t)at - m.first;

  if (m.line == NULL || (uintptr_t)at < m.first || from >= m.nbytes || nbytes == 0)
    return;
  go_on(); /* before it, so that the earliest access comes first */
  for (size_t i = from / LINE; i <= (from + nbytes - 1) / LINE; i++) {
    if (writes)
      write_line(&m.line[i], i);
    else
      read_line(&m.line[i]);
    if (is_atomic && !writes)
      note_poll(i);
    else
      m.unit[m.me].polls = 0;
  }
  if (m.unit[m.me].clock >= NEVER)
    go_on();
}

/* ---- units -------------------------------------------------------------------------------- */

/* All clocks are the latest, as after a barrier that takes no time. */
static void meet(void)
{
  m.unit[m.me].is_waiting = true;
  if (++m.nwaiting == m.nunits) {
    m.nwaiting = 0;
    for (uint32_t u = 0; u < m.nunits; u++)
      m.unit[u].is_waiting = false;
  } else {
    go_on();
  }
}

void lines_begin(void)
{
  meet();
  m.unit[m.me].transfers = m.unit[m.me].chain = 0;
  m.unit[m.me].clock = m.unit[m.me].polls = 0;
  meet();
  if (m.me == 0) {
    memset(m.counts, 0, sizeof *m.counts);
    for (size_t i = 0; i < m.nbytes / LINE; i++) {
      m.line[i].free  = 0;
      m.line[i].chain = 0;
    }
  }
  meet();
}

void lines_end(void)
{
  lines_counts_t *c    = m.counts;
  const unit_t   *unit = &m.unit[m.me];

  meet();
  c->most  = unit->transfers > c->most ? unit->transfers : c->most;
  c->chain = unit->chain > c->chain ? unit->chain : c->chain;
  c->ns    = unit->clock > c->ns ? unit->clock : c->ns;
  meet();
}

static void start(void)
{
  m.body(m.me);
  m.unit[m.me].is_done = true;
  for (uint32_t u = 0; u < m.nunits; u++)
    if (!m.unit[u].is_done) {
      m.me = earliest();
      setcontext(&m.unit[m.me].context);
    }
  setcontext(&m.main);
}

static void prepare(unit_t *unit)
{
  unit->stack = malloc(STACK);
  if (unit->stack == NULL || m.line == NULL || getcontext(&unit->context) != 0) {
    perror("lines");
    exit(1);
  }
  unit->context.uc_stack.ss_sp   = unit->stack;
  unit->context.uc_stack.ss_size = STACK;
  makecontext(&unit->context, start, 0);
}

void lines_run(uint32_t nunits, void (*body)(uint32_t unit), const void *memory, size_t nbytes,
               lines_distance_t (*distance)(uint32_t a, uint32_t b),
               const double ns[LINES_DISTANCES], lines_counts_t *counts_out)
{
  memset(&m, 0, sizeof m);
  m.nunits   = nunits;
  m.body     = body;
  m.first    = (uintptr_t)memory;
  m.nbytes   = (nbytes + LINE - 1) / LINE * LINE;
  m.distance = distance;
  m.ns       = ns;
  m.counts   = counts_out;
  m.line     = calloc(m.nbytes / LINE, sizeof *m.line);
  for (uint32_t u = 0; u < nunits; u++)
    prepare(&m.unit[u]);
  swapcontext(&m.main, &m.unit[0].context);
  for (uint32_t u = 0; u < nunits; u++)
    free(m.unit[u].stack);
  free(m.line);
  m.line = NULL;
}

/* ---- what the compiler calls ---------------------------------------------------------------- */

#define ACCESS(name, nbytes, writes)          \
  void __tsan_##name(void *at);               \
  void __tsan_##name(void *at)                \
  {                                           \
    access_memory(at, nbytes, writes, false); \
  }

#define ACCESSES(nbytes)                        \
  ACCESS(read##nbytes, nbytes, false)           \
  ACCESS(write##nbytes, nbytes, true)           \
  ACCESS(unaligned_read##nbytes, nbytes, false) \
  ACCESS(unaligned_write##nbytes, nbytes, true) \
  ACCESS(volatile_read##nbytes, nbytes, false)  \
  ACCESS(volatile_write##nbytes, nbytes, true)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *at, size_t nbytes);
void __tsan_read_range(void *at, size_t nbytes)
{
  access_memory(at, nbytes, false, false);
}

void __tsan_write_range(void *at, size_t nbytes);
void __tsan_write_range(void *at, size_t nbytes)
{
  access_memory(at, nbytes, true, false);
}

#define ATOMIC_FETCH(bits, type, name)                                               \
  type __tsan_atomic##bits##_fetch_##name(volatile type *at, type value, int order); \
  type __tsan_atomic##bits##_fetch_##name(volatile type *at, type value, int order)  \
  {                                                                                  \
    (void)order;                                                                     \
    access_memory((const void *)(uintptr_t)at, sizeof *at, true, true);              \
    return __atomic_fetch_##name(at, value, __ATOMIC_SEQ_CST);                       \
  }

#define ATOMIC_COMPARE(bits, type, name, weak)                                                     \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected, type value, \
                                                    int order, int fail_order);                    \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected, type value, \
                                                    int order, int fail_order)                     \
  {                                                                                                \
    (void)order;                                                                                   \
    (void)fail_order;                                                                              \
    access_memory((const void *)(uintptr_t)at, sizeof *at, true, true);                            \
    return __atomic_compare_exchange_n(at, expected, value, weak, __ATOMIC_SEQ_CST,                \
                                       __ATOMIC_SEQ_CST);                                          \
  }

#define ATOMICS(bits, type)                                                      \
  type __tsan_atomic##bits##_load(const volatile type *at, int order);           \
  type __tsan_atomic##bits##_load(const volatile type *at, int order)            \
  {                                                                              \
    (void)order;                                                                 \
    access_memory((const void *)(uintptr_t)at, sizeof *at, false, true);         \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                \
  }                                                                              \
  void __tsan_atomic##bits##_store(volatile type *at, type value, int order);    \
  void __tsan_atomic##bits##_store(volatile type *at, type value, int order)     \
  {                                                                              \
    (void)order;                                                                 \
    access_memory((const void *)(uintptr_t)at, sizeof *at, true, true);          \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                               \
  }                                                                              \
  type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order); \
  type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order)  \
  {                                                                              \
    (void)order;                                                                 \
    access_memory((const void *)(uintptr_t)at, sizeof *at, true, true);          \
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                     \
  }                                                                              \
  ATOMIC_FETCH(bits, type, add)                                                  \
  ATOMIC_FETCH(bits, type, sub)                                                  \
  ATOMIC_FETCH(bits, type, and)                                                  \
  ATOMIC_FETCH(bits, type, or)                                                   \
  ATOMIC_FETCH(bits, type, xor)                                                  \
  ATOMIC_COMPARE(bits, type, strong, false)                                      \
  ATOMIC_COMPARE(bits, type, weak, true)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
  (void)order;
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
  (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

/* ---- copies, which the compiler does not announce: --wrap ------------------------------------- */

#define COPY(name)                                                \
  void *__real_##name(void *to, const void *from, size_t nbytes); \
  void *__wrap_##name(void *to, const void *from, size_t nbytes); \
  void *__wrap_##name(void *to, const void *from, size_t nbytes)  \
  {                                                               \
    access_memory(from, nbytes, false, false);                    \
    access_memory(to, nbytes, true, false);                       \
    return __real_##name(to, from, nbytes);                       \
  }

COPY(memcpy)
COPY(memmove)
