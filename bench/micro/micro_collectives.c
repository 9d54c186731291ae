/* Barrier and collectives of all units; the size is what each unit gives to, or gets from, each
 * other one. Units take turns to be the root, so that no root runs ahead of those it does not wait for.
 *
 * The floor of a barrier is a round trip of two flags between unit 0 and its partner. That of the
 * others is what C does if all buffers lie in shared memory already: a barrier, everybody reads from
 * the others what is meant for it, a barrier. Nothing is copied twice there, and roots do not wait
 * in turn.
 *
 * With `.mapped` the buffers of DART's calls are in a segment, and each unit writes its own anew before each
 * round, on both sides: else readers of the floor would have them in their caches from the round before.
 *
 * With `.used` the buffers are private as in the plain cases, but written anew before each round, and what came is read
 * after it, as programs do. A plain case measures copies whose source stays in the reader's cache, and leaves out what
 * it takes to read a result that another core has written. */
#include "micro.h"

static void barrier(micro_t *m, size_t n)
{
  (void)m;
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

#define COLLECTIVE_LOOP(name, call)                                                \
  static void name(micro_t *m, size_t n)                                           \
  {                                                                                \
    for (size_t i = 0; i < n; i++) {                                               \
      dart_team_unit_t root = DART_TEAM_UNIT_ID((dart_unit_t)(i % m->job.nunits)); \
                                                                                   \
      (void)root;                                                                  \
      BENCH_OK(call);                                                              \
      micro_again();                                                               \
    }                                                                              \
  }

COLLECTIVE_LOOP(bcast, dart_bcast(m->send, m->nwords, DART_TYPE_LONG, root, DART_TEAM_ALL))
COLLECTIVE_LOOP(reduce, dart_reduce(m->send, m->recv, m->nwords, DART_TYPE_DOUBLE, DART_OP_SUM,
                                    root, DART_TEAM_ALL))
COLLECTIVE_LOOP(allreduce, dart_allreduce(m->send, m->recv, m->nwords, DART_TYPE_DOUBLE,
                                          DART_OP_SUM, DART_TEAM_ALL))
COLLECTIVE_LOOP(gather,
                dart_gather(m->send, m->recv, m->nwords, DART_TYPE_LONG, root, DART_TEAM_ALL))
COLLECTIVE_LOOP(scatter,
                dart_scatter(m->send, m->recv, m->nwords, DART_TYPE_LONG, root, DART_TEAM_ALL))
COLLECTIVE_LOOP(allgather,
                dart_allgather(m->send, m->recv, m->nwords, DART_TYPE_LONG, DART_TEAM_ALL))
COLLECTIVE_LOOP(alltoall, dart_alltoall(m->send, m->recv, m->nwords, DART_TYPE_LONG, DART_TEAM_ALL))

/* ---- from and to segments ---------------------------------------------------------------------- */

/* Half of the unit's portion is what it sends. */
static char *own_portion(const micro_t *m)
{
  dart_gptr_t mine = m->segment;
  void       *address;

  dart_gptr_setunit(&mine, DART_TEAM_UNIT_ID(m->job.me));
  BENCH_OK(dart_gptr_getaddr(mine, &address));
  return address;
}

/* A word of each line, and so read_through. */
static void write_anew(char *block, size_t nbytes, size_t round)
{
  for (size_t at = 0; at < nbytes; at += LINE)
    *(volatile double *)(void *)(block + at) = (double)round;
}

static void read_through(const char *block, size_t nbytes)
{
  for (size_t at = 0; at < nbytes; at += LINE)
    (void)*(const volatile double *)(const void *)(block + at);
}

#define DART_LOOP(name, send_, recv_, sent, got, came, call)                       \
  static void name(micro_t *m, size_t n)                                           \
  {                                                                                \
    char *send = send_, *recv = recv_;                                             \
                                                                                   \
    for (size_t i = 0; i < n; i++) {                                               \
      dart_team_unit_t root = DART_TEAM_UNIT_ID((dart_unit_t)(i % m->job.nunits)); \
                                                                                   \
      (void)root, (void)recv;                                                      \
      write_anew(send, sent, i);                                                   \
      BENCH_OK(call);                                                              \
      read_through(got, came);                                                     \
    }                                                                              \
  }

#define MAPPED_LOOP(name, sent, call) \
  DART_LOOP(name, own_portion(m), send + m->area / 2, sent, recv, 0, call)

MAPPED_LOOP(mapped_bcast, m->size, dart_bcast(send, m->nwords, DART_TYPE_LONG, root, DART_TEAM_ALL))
MAPPED_LOOP(mapped_allreduce, m->size,
            dart_allreduce(send, recv, m->nwords, DART_TYPE_DOUBLE, DART_OP_SUM, DART_TEAM_ALL))
MAPPED_LOOP(mapped_gather, m->size,
            dart_gather(send, recv, m->nwords, DART_TYPE_LONG, root, DART_TEAM_ALL))
MAPPED_LOOP(mapped_scatter, m->size * m->job.nunits,
            dart_scatter(send, recv, m->nwords, DART_TYPE_LONG, root, DART_TEAM_ALL))
MAPPED_LOOP(mapped_allgather, m->size,
            dart_allgather(send, recv, m->nwords, DART_TYPE_LONG, DART_TEAM_ALL))
MAPPED_LOOP(mapped_alltoall, m->size * m->job.nunits,
            dart_alltoall(send, recv, m->nwords, DART_TYPE_LONG, DART_TEAM_ALL))

/* ---- from and to private buffers that a program uses -------------------------------------------- */

#define USED_LOOP(name, sent, got, came, call) \
  DART_LOOP(name, m->send, m->recv, sent, got, came, call)

USED_LOOP(used_bcast, m->size, send, m->size,
          dart_bcast(send, m->nwords, DART_TYPE_LONG, root, DART_TEAM_ALL))
USED_LOOP(used_allreduce, m->size, recv, m->size,
          dart_allreduce(send, recv, m->nwords, DART_TYPE_DOUBLE, DART_OP_SUM, DART_TEAM_ALL))
USED_LOOP(used_gather, m->size, recv, m->job.me == root.id ? m->size * m->job.nunits : 0,
          dart_gather(send, recv, m->nwords, DART_TYPE_LONG, root, DART_TEAM_ALL))
USED_LOOP(used_scatter, m->size * m->job.nunits, recv, m->size,
          dart_scatter(send, recv, m->nwords, DART_TYPE_LONG, root, DART_TEAM_ALL))
USED_LOOP(used_allgather, m->size, recv, m->size * m->job.nunits,
          dart_allgather(send, recv, m->nwords, DART_TYPE_LONG, DART_TEAM_ALL))
USED_LOOP(used_alltoall, m->size * m->job.nunits, recv, m->size * m->job.nunits,
          dart_alltoall(send, recv, m->nwords, DART_TYPE_LONG, DART_TEAM_ALL))

/* ---- floors ---------------------------------------------------------------------------------- */

/* Everybody has everything to read in their own block of the shared memory. */
static const char *block_of(const micro_t *m, size_t unit)
{
  return bench_shared_block(&m->shared, (dart_unit_t)unit);
}

static void read_root(micro_t *m, dart_unit_t root)
{
  if (m->job.me != root)
    floor_copy(m->recv, block_of(m, (size_t)root), m->size);
}

static void read_sum(micro_t *m, dart_unit_t root)
{
  double *sum = (double *)m->recv;

  (void)root;
  for (size_t unit = 0; unit < m->job.nunits; unit++) {
    const double *value = (const double *)block_of(m, unit);

    for (size_t k = 0; k < m->nwords; k++)
      sum[k] = unit == 0 ? value[k] : sum[k] + value[k];
  }
}

static void read_sum_at_root(micro_t *m, dart_unit_t root)
{
  if (m->job.me == root)
    read_sum(m, root);
}

static void read_all(micro_t *m, dart_unit_t root)
{
  (void)root;
  for (size_t unit = 0; unit < m->job.nunits; unit++)
    floor_copy(m->recv + unit * m->size, block_of(m, unit), m->size);
}

static void read_all_at_root(micro_t *m, dart_unit_t root)
{
  if (m->job.me == root)
    read_all(m, root);
}

static void read_own_at_root(micro_t *m, dart_unit_t root)
{
  floor_copy(m->recv, block_of(m, (size_t)root) + (size_t)m->job.me * m->size, m->size);
}

static void read_own_of_all(micro_t *m, dart_unit_t root)
{
  (void)root;
  for (size_t unit = 0; unit < m->job.nunits; unit++)
    floor_copy(m->recv + unit * m->size, block_of(m, unit) + (size_t)m->job.me * m->size, m->size);
}

static void between_barriers(micro_t *m, size_t n, void (*read)(micro_t *m, dart_unit_t root))
{
  for (size_t i = 0; i < n; i++) {
    bench_barrier(&m->meeting->barrier, m->job.nunits);
    read(m, (dart_unit_t)(i % m->job.nunits));
    bench_barrier(&m->meeting->barrier, m->job.nunits);
  }
}

#define FLOOR_LOOP(name, read)           \
  static void name(micro_t *m, size_t n) \
  {                                      \
    between_barriers(m, n, read);        \
  }

FLOOR_LOOP(floor_bcast, read_root)
FLOOR_LOOP(floor_reduce, read_sum_at_root)
FLOOR_LOOP(floor_allreduce, read_sum)
FLOOR_LOOP(floor_gather, read_all_at_root)
FLOOR_LOOP(floor_scatter, read_own_at_root)
FLOOR_LOOP(floor_allgather, read_all)
FLOOR_LOOP(floor_alltoall, read_own_of_all)

static void anew_between_barriers(micro_t *m, size_t n, size_t sent,
                                  void (*read)(micro_t *m, dart_unit_t root))
{
  for (size_t i = 0; i < n; i++) {
    write_anew(bench_shared_block(&m->shared, m->job.me), sent, i);
    bench_barrier(&m->meeting->barrier, m->job.nunits);
    read(m, (dart_unit_t)(i % m->job.nunits));
    bench_barrier(&m->meeting->barrier, m->job.nunits);
  }
}

#define ANEW_LOOP(name, sent, read)          \
  static void name(micro_t *m, size_t n)     \
  {                                          \
    anew_between_barriers(m, n, sent, read); \
  }

ANEW_LOOP(floor_anew_bcast, m->size, read_root)
ANEW_LOOP(floor_anew_allreduce, m->size, read_sum)
ANEW_LOOP(floor_anew_gather, m->size, read_all_at_root)
ANEW_LOOP(floor_anew_scatter, m->size * m->job.nunits, read_own_at_root)
ANEW_LOOP(floor_anew_allgather, m->size, read_all)
ANEW_LOOP(floor_anew_alltoall, m->size * m->job.nunits, read_own_of_all)

/* The sum of zeros is as long to compute as any; the sum of garbage may be slower. */
static void clear(micro_t *m)
{
  micro_clear(m, m->size);
}

#define CASE(name_, sizes_, about_)                                                              \
  {                                                                                              \
    .name = #name_, .places = IN_TEAM, .sizes = sizes_, .dart = { .loop = name_, .by = BY_ALL }, \
    .floor = { .loop = floor_##name_, .by = BY_ALL }, .about = about_, .prepare = clear          \
  }

#define ANEW(kind, name_, sizes_, about_)                                              \
  {                                                                                    \
    .name = #name_ "." #kind, .places = IN_TEAM, .sizes = sizes_,                      \
    .dart  = { .loop = kind##_##name_, .by = BY_ALL },                                 \
    .floor = { .loop = floor_anew_##name_, .by = BY_ALL }, .about = about_ ", " #kind, \
    .prepare = clear                                                                   \
  }

#define MAPPED(name_, about_) ANEW(mapped, name_, SIZE_SENT_AND_RECEIVED, about_)
#define USED(name_, about_)   ANEW(used, name_, SIZE_PER_UNIT, about_)

const case_t collective_cases[] = {
  { .name   = "barrier",
    .places = IN_TEAM,
    .sizes  = SIZE_NONE,
    .dart   = { .loop = barrier, .by = BY_ALL },
    .floor  = { .loop = floor_round_trip, .by = BY_PAIR },
    .about  = "barrier; the floor is a round trip of two flags" },
  CASE(bcast, SIZE_BYTES, "broadcast"),
  CASE(reduce, SIZE_BYTES, "sum of doubles at the root"),
  CASE(allreduce, SIZE_BYTES, "sum of doubles at all units"),
  CASE(gather, SIZE_PER_UNIT, "a block of every unit to the root"),
  CASE(scatter, SIZE_PER_UNIT, "a block for every unit from the root"),
  CASE(allgather, SIZE_PER_UNIT, "a block of every unit to all units"),
  CASE(alltoall, SIZE_PER_UNIT, "a block of every unit for every unit"),
  MAPPED(bcast, "broadcast"),
  MAPPED(allreduce, "sum of doubles at all units"),
  MAPPED(gather, "a block of every unit to the root"),
  MAPPED(scatter, "a block for every unit from the root"),
  MAPPED(allgather, "a block of every unit to all units"),
  MAPPED(alltoall, "a block of every unit for every unit"),
  USED(bcast, "broadcast"),
  USED(allreduce, "sum of doubles at all units"),
  USED(gather, "a block of every unit to the root"),
  USED(scatter, "a block for every unit from the root"),
  USED(allgather, "a block of every unit to all units"),
  USED(alltoall, "a block of every unit for every unit"),
  { 0 },
};
