/* Table: a hash table that lies in the memory of all units, with a lock in every bucket.
 *
 * A bucket is a lock, a number of keys, and the keys with how often each was inserted. Whoever inserts a key
 * takes the lock of its bucket, wherever that is, looks for the key, and counts it or adds it. The lock is a
 * word of the bucket: zeroed memory is a free lock, so nobody has to make thousands of them.
 *
 *   dartrun -n 4 ./table */
#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/if/dart.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                  \
  do {                                              \
    if ((call) != DART_OK) {                        \
      fprintf(stderr, "table: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                     \
    }                                               \
  } while (0)

enum { NKEYS = 100, NINSERTS = 300, BUCKETS = 16 /* of a unit */, ENTRIES = NKEYS };

typedef struct {
  uint64_t lock;
  uint64_t nentries;
  struct {
    uint64_t key, count;
  } entry[ENTRIES];
} bucket_t;

/* The number after `number` in a row without visible order (Marsaglia's xorshift; not from 0). */
static uint64_t random_after(uint64_t number)
{
  number ^= number << 13;
  number ^= number >> 7;
  return number ^ number << 17;
}

static dart_gptr_t bucket_of(dart_gptr_t table, uint64_t key, size_t nunits)
{
  uint64_t bucket = random_after(key + 1) % (BUCKETS * nunits);

  dart_gptr_setunit(&table, DART_TEAM_UNIT_ID((dart_unit_t)(bucket % nunits)));
  dart_gptr_incaddr(&table, (int64_t)(bucket / nunits * sizeof(bucket_t)));
  return table;
}

static dart_gptr_t at(dart_gptr_t bucket, size_t offset)
{
  dart_gptr_incaddr(&bucket, (int64_t)offset);
  return bucket;
}

static void get(dart_gptr_t from, uint64_t *words, size_t n)
{
  MUST(dart_get_blocking(words, from, n, DART_TYPE_ULONG, DART_TYPE_ULONG));
}

static void put(dart_gptr_t to, const uint64_t *words, size_t n)
{
  MUST(dart_put_blocking(to, words, n, DART_TYPE_ULONG, DART_TYPE_ULONG));
}

static void insert(dart_gptr_t bucket, uint64_t key)
{
  uint64_t nentries, entry[2] = { key, 0 }, i = 0;

  MUST(dart_lock_at_acquire(at(bucket, offsetof(bucket_t, lock))));
  get(at(bucket, offsetof(bucket_t, nentries)), &nentries, 1);
  for (; i < nentries; i++) {
    get(at(bucket, offsetof(bucket_t, entry[i])), entry, 2);
    if (entry[0] == key)
      break;
  }
  if (i == nentries) {
    entry[0] = key;
    entry[1] = 0;
    nentries++;
    put(at(bucket, offsetof(bucket_t, nentries)), &nentries, 1);
  }
  entry[1]++;
  put(at(bucket, offsetof(bucket_t, entry[i])), entry, 2);
  MUST(dart_lock_at_release(at(bucket, offsetof(bucket_t, lock))));
}

static void insert_some(uint64_t random, dart_gptr_t table, size_t nunits, long *inserted)
{
  for (int i = 0; i < NINSERTS; i++) {
    uint64_t key;

    random = random_after(random);
    key    = (random >> 20) % NKEYS;
    inserted[key]++;
    insert(bucket_of(table, key, nunits), key);
  }
}

/* What its own buckets have of each key. */
static void count_own(const bucket_t *own, long *counts)
{
  for (int b = 0; b < BUCKETS; b++)
    for (uint64_t i = 0; i < own[b].nentries; i++)
      counts[own[b].entry[i].key] += (long)own[b].entry[i].count;
}

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  dart_gptr_t        table, mine;
  size_t             nunits;
  void              *own;
  long               inserted[NKEYS] = { 0 }, counted[NKEYS] = { 0 };
  long               expected[NKEYS], found[NKEYS], total = 0;
  int                wrong = 0;

  MUST(dart_init(&argc, &argv));
  MUST(dart_myid(&me));
  MUST(dart_size(&nunits));
  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, BUCKETS * sizeof(bucket_t), DART_TYPE_BYTE,
                                  &table));
  mine = table;
  dart_gptr_setunit(&mine, DART_TEAM_UNIT_ID(me.id));
  MUST(dart_gptr_getaddr(mine, &own));
  memset(own, 0, BUCKETS * sizeof(bucket_t)); /* empty buckets, and free locks */
  MUST(dart_barrier(DART_TEAM_ALL));

  insert_some((uint64_t)me.id + 1, table, nunits, inserted);
  MUST(dart_flush_all(table)); /* the locks are released, so their memory may go */
  MUST(dart_barrier(DART_TEAM_ALL));

  count_own(own, counted);
  MUST(dart_allreduce(inserted, expected, NKEYS, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL));
  MUST(dart_allreduce(counted, found, NKEYS, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL));
  for (int key = 0; key < NKEYS; key++) {
    total += found[key];
    if (found[key] != expected[key]) {
      fprintf(stderr, "table: key %d is there %ld times, not %ld\n", key, found[key],
              expected[key]);
      wrong = 1;
    }
  }
  if (me.id == 0)
    printf("%zu units have inserted %ld keys, %d of them different.\n", nunits, total, NKEYS);
  MUST(dart_team_memfree(table));
  MUST(dart_exit());
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
