/* Sizes of types: a constant table for basic types, and a hash table for types of the program.
 *
 * A destroyed type stays in the table until its number is used again, as transfers may outlive it. So the table has at
 * most as many entries as there were types at a time. Basic types need no lock. */
#include "trace_type.h"

#include <pthread.h>
#include <stdint.h>

#include <dash/dart/ext/dart_basic.h>

enum { NBUCKETS = 256 };

typedef struct entry {
  struct entry   *next;
  dart_datatype_t type;
  size_t          nbytes;
} entry_t;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static entry_t        *buckets[NBUCKETS];

static const unsigned char basic[DART_TYPE_BASIC_END] = {
  [DART_TYPE_BYTE]           = 1,
  [DART_TYPE_SHORT]          = sizeof(short),
  [DART_TYPE_INT]            = sizeof(int),
  [DART_TYPE_UINT]           = sizeof(int),
  [DART_TYPE_LONG]           = sizeof(long),
  [DART_TYPE_ULONG]          = sizeof(long),
  [DART_TYPE_LONGLONG]       = sizeof(long long),
  [DART_TYPE_ULONGLONG]      = sizeof(long long),
  [DART_TYPE_FLOAT]          = sizeof(float),
  [DART_TYPE_DOUBLE]         = sizeof(double),
  [DART_TYPE_LONG_DOUBLE]    = sizeof(long double),
  [DART_TYPE_INT8]           = 1,
  [DART_TYPE_UINT8]          = 1,
  [DART_TYPE_UINT16]         = 2,
  [DART_TYPE_BOOL]           = 1,
  [DART_TYPE_FLOAT_COMPLEX]  = 2 * sizeof(float),
  [DART_TYPE_DOUBLE_COMPLEX] = 2 * sizeof(double),
};

static entry_t **bucket_of(dart_datatype_t type)
{
  return &buckets[(uint64_t)type * 0x9e3779b97f4a7c15u >> 56];
}

/* With the mutex. */
static entry_t *find_type(dart_datatype_t type)
{
  entry_t *entry = *bucket_of(type);

  while (entry != NULL && entry->type != type)
    entry = entry->next;
  return entry;
}

static entry_t *add_type(dart_datatype_t type)
{
  entry_t *entry = malloc(sizeof *entry), **bucket = bucket_of(type);

  if (entry == NULL)
    return NULL;
  entry->type    = type;
  entry->next    = *bucket;
  return *bucket = entry;
}

void dart__trace_type_note(dart_datatype_t type, dart_datatype_t base, size_t nelem)
{
  size_t   nbytes = nelem * dart__trace_type_bytes(base);
  entry_t *entry;

  pthread_mutex_lock(&mutex);
  entry = find_type(type);
  if (entry == NULL)
    entry = add_type(type);
  if (entry != NULL)
    entry->nbytes = nbytes;
  pthread_mutex_unlock(&mutex);
}

size_t dart__trace_type_bytes(dart_datatype_t type)
{
  entry_t *entry;
  size_t   nbytes;

  if (type >= 0 && type < DART_TYPE_BASIC_END)
    return basic[type];
  pthread_mutex_lock(&mutex);
  entry  = find_type(type);
  nbytes = entry != NULL ? entry->nbytes : 0;
  pthread_mutex_unlock(&mutex);
  return nbytes;
}
