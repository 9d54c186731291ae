/* Layouts as MPI datatypes. Contiguous data are words; a strided type is a vector of words, an indexed one a
 * row of resized instances. MPICH 4.0 packs words of 8 bytes eight times as fast as blocks of 8 bytes (every fourth
 * word, 64 KiB of them: 2.5 us against 20).
 *
 * Making a datatype takes longer than starting a small transfer, and programs use few over and over, so
 * the last ones are cached. MPI keeps a datatype alive until the operations that use it are complete, so
 * it may be freed as soon as no call is being made with it. */
#include "window/datatype.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "mpi/call.h"

#define KEPT        32 /* datatypes */
#define PIECE_BYTES ((size_t)1 << 30)

/* Scattered data of a call. MPICH 4.0 moves 64 KiB of every fourth word in 10 us, and 128 KiB in 80. */
#define SCATTERED_BYTES ((size_t)64 << 10)

size_t dart__mpi_piece(const dart__type_t *a, const dart__type_t *b)
{
  bool   is_plain = dart__type_is_contiguous(a) && dart__type_is_contiguous(b);
  size_t most     = PIECE_BYTES / a->elem_size;
  size_t usual    = is_plain ? most : SCATTERED_BYTES / a->elem_size;
  size_t both; /* whole instances of both */

  if (__builtin_mul_overflow(a->elem_count / dart__gcd(a->elem_count, b->elem_count), b->elem_count,
                             &both) ||
      both > most)
    return 0;
  return both > usual ? both : usual - usual % both;
}

/* The largest integer of MPI that elements are made of. The two sides of a call have elements of the same
 * size, and so the same words, as MPI wants it. */
typedef struct {
  MPI_Datatype type;
  size_t       nbytes;
} word_t;

static word_t word_of(const dart__type_t *type)
{
  if (type->elem_size % sizeof(int64_t) == 0)
    return (word_t){ MPI_INT64_T, sizeof(int64_t) };
  if (type->elem_size % sizeof(int32_t) == 0)
    return (word_t){ MPI_INT32_T, sizeof(int32_t) };
  if (type->elem_size % sizeof(int16_t) == 0)
    return (word_t){ MPI_INT16_T, sizeof(int16_t) };
  return (word_t){ MPI_BYTE, 1 };
}

/* ---- making ------------------------------------------------------------------------------ */

static void make_strided(const dart__type_t *type, size_t ninstances, MPI_Datatype *type_out)
{
  word_t word = word_of(type);

  DART__MPI(MPI_Type_create_hvector, (int)ninstances,
            (int)(type->elem_count * type->elem_size / word.nbytes),
            (MPI_Aint)(type->stride * type->elem_size), word.type, type_out);
}

static bool make_indexed(const dart__type_t *type, size_t ninstances, MPI_Datatype *type_out)
{
  int         *lengths = calloc(type->block_count, sizeof *lengths);
  MPI_Aint    *offsets = calloc(type->block_count, sizeof *offsets);
  MPI_Datatype blocks, instance;
  word_t       word = word_of(type);
  bool         made = false;

  if (lengths == NULL || offsets == NULL)
    goto free_arrays;
  for (size_t i = 0; i < type->block_count; i++) {
    lengths[i] = (int)(type->block_length[i] * type->elem_size / word.nbytes);
    offsets[i] = (MPI_Aint)(type->block_offset[i] * type->elem_size);
  }
  DART__MPI(MPI_Type_create_hindexed, (int)type->block_count, lengths, offsets, word.type, &blocks);
  DART__MPI(MPI_Type_create_resized, blocks, 0, (MPI_Aint)(type->extent * type->elem_size),
            &instance);
  DART__MPI(MPI_Type_contiguous, (int)ninstances, instance, type_out);
  DART__MPI(MPI_Type_free, &blocks);
  DART__MPI(MPI_Type_free, &instance);
  made = true;

free_arrays:
  free(lengths);
  free(offsets);
  return made;
}

/* False: no memory. */
static bool make_mpi_type(const dart__type_t *type, size_t ninstances, MPI_Datatype *type_out)
{
  if (type->kind == DART__TYPE_STRIDED)
    make_strided(type, ninstances, type_out);
  else if (!make_indexed(type, ninstances, type_out))
    return false;
  DART__MPI(MPI_Type_commit, type_out);
  return true;
}

/* ---- cache ------------------------------------------------------------------------------- */

/* A datatype, and what it was made from. It is found by the properties of the DART type, so it outlives
 * the type it was made for, and serves equal ones. */
typedef struct {
  MPI_Datatype made; /* MPI_DATATYPE_NULL: the slot is free */
  dart__type_t type;
  size_t       ninstances;
  size_t      *blocks; /* indexed: lengths, then offsets */
  unsigned     users;  /* layouts that were not freed yet */
  bool         extra;  /* is not in the cache, and is freed by its only user */
  uint64_t     used;   /* when it was last asked for */
} kept_t;

static struct {
  pthread_mutex_t lock;
  kept_t          kept[KEPT];
  size_t          count; /* slots ever used */
  uint64_t        clock;
} cache = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_like(const kept_t *kept, const dart__type_t *type, size_t ninstances)
{
  const dart__type_t *k      = &kept->type;
  size_t              nbytes = type->block_count * sizeof(size_t);

  return kept->made != MPI_DATATYPE_NULL && k->kind == type->kind &&
         k->elem_size == type->elem_size && kept->ninstances == ninstances &&
         k->elem_count == type->elem_count && k->stride == type->stride &&
         k->extent == type->extent && k->block_count == type->block_count &&
         (nbytes == 0 ||
          (memcmp(kept->blocks, type->block_length, nbytes) == 0 &&
           memcmp(kept->blocks + type->block_count, type->block_offset, nbytes) == 0));
}

static void forget(kept_t *kept)
{
  if (kept->made != MPI_DATATYPE_NULL)
    DART__MPI(MPI_Type_free, &kept->made);
  free(kept->blocks);
  kept->blocks = NULL;
  kept->made   = MPI_DATATYPE_NULL;
}

/* A slot for one more: a fresh slot, the least recently used one, or, while all of them are in use, an
 * extra one. NULL: no memory. */
static kept_t *slot_for_one(void)
{
  kept_t *oldest = NULL;

  if (cache.count < KEPT) {
    cache.kept[cache.count].made = MPI_DATATYPE_NULL;
    return &cache.kept[cache.count++];
  }
  for (size_t i = 0; i < KEPT; i++)
    if (cache.kept[i].users == 0 && (oldest == NULL || cache.kept[i].used < oldest->used))
      oldest = &cache.kept[i];
  if (oldest != NULL) {
    forget(oldest);
    return oldest;
  }
  oldest = calloc(1, sizeof *oldest);
  if (oldest != NULL)
    oldest->extra = true;
  return oldest;
}

static bool copy_blocks(kept_t *kept, const dart__type_t *type)
{
  size_t nbytes = type->block_count * sizeof(size_t);

  kept->blocks = NULL;
  if (nbytes == 0)
    return true;
  kept->blocks = malloc(2 * nbytes);
  if (kept->blocks == NULL)
    return false;
  memcpy(kept->blocks, type->block_length, nbytes);
  memcpy(kept->blocks + type->block_count, type->block_offset, nbytes);
  return true;
}

static bool make_kept(kept_t *kept, const dart__type_t *type, size_t ninstances)
{
  kept->type       = *type;
  kept->ninstances = ninstances;
  kept->users      = 0;
  kept->made       = MPI_DATATYPE_NULL;
  if (copy_blocks(kept, type) && make_mpi_type(type, ninstances, &kept->made))
    return true;
  forget(kept);
  return false;
}

/* The lock is held. NULL: no memory. */
static kept_t *find_or_make(const dart__type_t *type, size_t ninstances)
{
  kept_t *kept;

  for (size_t i = 0; i < cache.count; i++)
    if (is_like(&cache.kept[i], type, ninstances))
      return &cache.kept[i];
  kept = slot_for_one();
  if (kept == NULL || make_kept(kept, type, ninstances))
    return kept;
  if (kept->extra)
    free(kept);
  return NULL;
}

static bool use(const dart__type_t *type, size_t ninstances, dart__mpi_layout_t *layout_out)
{
  kept_t *kept;

  pthread_mutex_lock(&cache.lock);
  kept = find_or_make(type, ninstances);
  if (kept != NULL) {
    kept->users++;
    kept->used        = ++cache.clock;
    layout_out->count = 1;
    layout_out->type  = kept->made;
    layout_out->made  = kept;
  }
  pthread_mutex_unlock(&cache.lock);
  return kept != NULL;
}

void dart__mpi_layout_free(dart__mpi_layout_t *layout)
{
  kept_t *kept = layout->made;

  if (kept == NULL)
    return;
  pthread_mutex_lock(&cache.lock);
  kept->users--;
  if (kept->extra) {
    forget(kept);
    free(kept);
  }
  pthread_mutex_unlock(&cache.lock);
}

void dart__mpi_type_clear(void)
{
  for (size_t i = 0; i < cache.count; i++)
    forget(&cache.kept[i]);
  cache.count = 0;
}

/* ---- layouts ----------------------------------------------------------------------------- */

bool dart__mpi_layout(const dart__type_t *type, size_t from, size_t nelem,
                      dart__mpi_layout_t *layout_out)
{
  size_t before = from / type->elem_count, ninstances = nelem / type->elem_count;
  word_t word = word_of(type);

  switch (type->kind) {
  case DART__TYPE_STRIDED:
    layout_out->nbytes_off = (MPI_Aint)(before * type->stride * type->elem_size);
    return use(type, ninstances, layout_out);
  case DART__TYPE_INDEXED:
    layout_out->nbytes_off = (MPI_Aint)(before * type->extent * type->elem_size);
    return use(type, ninstances, layout_out);
  case DART__TYPE_BASIC:
  case DART__TYPE_CUSTOM: break;
  }
  *layout_out = (dart__mpi_layout_t){ .nbytes_off = (MPI_Aint)(from * type->elem_size),
                                      .count      = (int)(nelem * type->elem_size / word.nbytes),
                                      .type       = word.type };
  return true;
}
