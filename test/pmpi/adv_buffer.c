/* Buffers of the program that outstanding operations read or write.
 *
 * A result holds poison from the call to its completion: who looks too early sees that, and who
 * writes too early is seen. A source is summed when it is passed to MPI and again when it is read and
 * returned: in between it must not change. No result may overlap another buffer that is
 * outstanding.
 *
 * A datatype may have holes, which stay the program's. So all this is about the bytes that the
 * datatype names: packed, where they are not dense, by MPI_Pack, and for overlaps marked in a mask
 * by MPI_Unpack. What neither can count, beyond a GiB with holes, is left alone. */
#include <stdlib.h>
#include <string.h>

#include "adversary.h"

#define POISON     0xc5
#define PACKED_MAX ((size_t)1 << 30)

static adv_buffer_t *outstanding;

/* ---- datatypes -------------------------------------------------------------------------- */

static bool is_predefined(MPI_Datatype type)
{
  int integers, addresses, types, combiner;

  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

MPI_Datatype adv_type_keep(MPI_Datatype type)
{
  MPI_Datatype kept = type;

  if (type != MPI_DATATYPE_NULL && !is_predefined(type))
    PMPI_Type_dup(type, &kept);
  return kept;
}

void adv_type_drop(MPI_Datatype *type)
{
  if (*type != MPI_DATATYPE_NULL && !is_predefined(*type))
    PMPI_Type_free(type);
  *type = MPI_DATATYPE_NULL;
}

void adv_extent(int count, MPI_Datatype type, MPI_Aint *lower_out, size_t *span_out,
                size_t *nbytes_out, bool *is_dense_out)
{
  MPI_Aint lower, extent, true_lower, true_extent;
  int      size;

  PMPI_Type_size(type, &size);
  PMPI_Type_get_extent(type, &lower, &extent);
  PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
  *nbytes_out   = (size_t)count * (size_t)size;
  *lower_out    = true_lower;
  *span_out     = count == 0 ? 0 : (size_t)(count - 1) * (size_t)extent + (size_t)true_extent;
  *is_dense_out = *span_out == *nbytes_out && is_predefined(type); /* others may be permuted */
}

/* ---- bytes ------------------------------------------------------------------------------ */

static bool is_packable(const adv_buffer_t *b)
{
  return b->nbytes > 0 && (b->is_dense || b->nbytes <= PACKED_MAX);
}

static void *allocate(size_t nbytes)
{
  void *memory = malloc(nbytes);

  if (memory == NULL)
    adv_refuse("the adversary has no memory for %zu bytes", nbytes);
  return memory;
}

static void pack_at(const adv_buffer_t *b, const char *base, char *packed)
{
  int position = 0;

  if (b->is_dense)
    memcpy(packed, base + b->lower, b->nbytes);
  else
    PMPI_Pack(base, b->count, b->type, packed, (int)b->nbytes, &position, MPI_COMM_SELF);
}

static void unpack_at(const adv_buffer_t *b, char *base, const char *packed)
{
  int position = 0;

  if (b->is_dense)
    memcpy(base + b->lower, packed, b->nbytes);
  else
    PMPI_Unpack(packed, (int)b->nbytes, &position, base, b->count, b->type, MPI_COMM_SELF);
}

void adv_pack(const adv_buffer_t *b, char *packed)
{
  pack_at(b, b->address, packed);
}

void adv_unpack(const adv_buffer_t *b, const char *packed)
{
  unpack_at(b, b->address, packed);
}

/* FNV-1a, by words. */
static uint64_t sum_of(const char *bytes, size_t nbytes)
{
  uint64_t sum = 14695981039346656037u, word;
  size_t   at  = 0;

  for (; at + sizeof word <= nbytes; at += sizeof word) {
    memcpy(&word, bytes + at, sizeof word);
    sum = (sum ^ word) * 1099511628211u;
    sum ^= sum >> 29;
  }
  for (; at < nbytes; at++)
    sum = (sum ^ (unsigned char)bytes[at]) * 1099511628211u;
  return sum;
}

static uint64_t sum(const adv_buffer_t *b)
{
  uint64_t result;
  char    *packed;

  if (b->is_dense)
    return sum_of(b->address + b->lower, b->nbytes);
  packed = allocate(b->nbytes);
  adv_pack(b, packed);
  result = sum_of(packed, b->nbytes);
  free(packed);
  return result;
}

/* ---- overlaps --------------------------------------------------------------------------- */

/* One byte for each from the first to the last: 1 where the datatype names it. */
static char *mask_of(const adv_buffer_t *b)
{
  char *mask = calloc(1, b->span), *ones = allocate(b->nbytes);

  memset(ones, 1, b->nbytes);
  unpack_at(b, mask - b->lower, ones);
  free(ones);
  return mask;
}

static bool shares_bytes(const adv_buffer_t *a, const adv_buffer_t *b, const char *from,
                         const char *to)
{
  char *mask_a, *mask_b;
  bool  any = false;

  if (a->is_dense && b->is_dense)
    return true;
  if (!is_packable(a) || !is_packable(b))
    return false; /* not known */
  mask_a = mask_of(a);
  mask_b = mask_of(b);
  for (const char *at = from; at < to && !any; at++)
    any = mask_a[at - (a->address + a->lower)] && mask_b[at - (b->address + b->lower)];
  free(mask_a);
  free(mask_b);
  return any;
}

static bool overlap(const adv_buffer_t *a, const adv_buffer_t *b)
{
  const char *from_a = a->address + a->lower, *from_b = b->address + b->lower;
  const char *from = from_a > from_b ? from_a : from_b;
  const char *to   = from_a + a->span < from_b + b->span ? from_a + a->span : from_b + b->span;

  return from < to && shares_bytes(a, b, from, to);
}

static const adv_buffer_t *find_overlap(const adv_buffer_t *b)
{
  const adv_buffer_t *o = outstanding;

  while (o != NULL && !((o->is_result || b->is_result) && overlap(o, b)))
    o = o->next;
  return o;
}

/* A source stays outstanding after MPI_Request_free until somebody sees that its message was sent; the
 * program may have seen that by an answer. */
static void refuse_overlap(const adv_buffer_t *b)
{
  const adv_buffer_t *o;

  if (!adv_does(ADV_CHECK) || find_overlap(b) == NULL)
    return;
  adv_sends_tidy();
  o = find_overlap(b);
  if (o != NULL)
    adv_refuse("its %s of %zu bytes at %p overlaps the %s of an outstanding %s, %zu bytes at %p",
               b->is_result ? "result" : "source", b->span, (void *)(b->address + b->lower),
               o->is_result ? "result" : "source", o->call, o->span,
               (void *)(o->address + o->lower));
}

/* ---- life ------------------------------------------------------------------------------- */

static void list(adv_buffer_t *b)
{
  b->next = outstanding;
  b->link = &outstanding;
  if (b->next != NULL)
    b->next->link = &b->next;
  outstanding = b;
}

static void open_buffer(adv_buffer_t *b, const void *address, int count, MPI_Datatype type,
                        bool is_result)
{
  *b = (adv_buffer_t){ .call      = adv_call(),
                       .address   = (char *)(uintptr_t)address,
                       .count     = count,
                       .type      = adv_type_keep(type),
                       .is_result = is_result };
  adv_extent(count, type, &b->lower, &b->span, &b->nbytes, &b->is_dense);
  if (b->nbytes == 0)
    return;
  refuse_overlap(b);
  list(b);
}

void adv_source_open(adv_buffer_t *b, const void *address, int count, MPI_Datatype type)
{
  open_buffer(b, address, count, type, false);
  if (is_packable(b) && adv_does(ADV_CHECK))
    b->sum = sum(b);
}

void adv_result_open(adv_buffer_t *b, void *address, int count, MPI_Datatype type)
{
  char *poison;

  open_buffer(b, address, count, type, true);
  if (!is_packable(b) || !adv_does(ADV_POISON))
    return;
  b->copy = allocate(b->nbytes);
  adv_pack(b, b->copy);
  poison = allocate(b->nbytes);
  memset(poison, POISON, b->nbytes);
  adv_unpack(b, poison);
  free(poison);
}

void adv_source_check(adv_buffer_t *b)
{
  if (b->link != NULL && is_packable(b) && adv_does(ADV_CHECK) && sum(b) != b->sum)
    adv_refuse("the source of %s, %zu bytes at %p, was changed before it was complete", b->call,
               b->span, (void *)(b->address + b->lower));
}

void adv_result_check(adv_buffer_t *b)
{
  char *packed;
  bool  is_poison = true;

  if (b->copy == NULL || !adv_does(ADV_CHECK))
    return;
  packed = allocate(b->nbytes);
  adv_pack(b, packed);
  for (size_t i = 0; i < b->nbytes && is_poison; i++)
    is_poison = (unsigned char)packed[i] == POISON;
  free(packed);
  if (!is_poison)
    adv_refuse("the result of %s, %zu bytes at %p, was written to before it was complete", b->call,
               b->span, (void *)(b->address + b->lower));
}

void adv_result_restore(adv_buffer_t *b)
{
  if (b->copy != NULL)
    adv_unpack(b, b->copy);
}

void adv_source_copy(adv_buffer_t *b)
{
  char *packed;

  if (b->nbytes == 0)
    return;
  b->copy = allocate(b->span);
  if (b->is_dense) {
    pack_at(b, b->address, b->copy);
    return;
  }
  packed = allocate(b->nbytes);
  adv_pack(b, packed);
  unpack_at(b, b->copy - b->lower, packed);
  free(packed);
}

void *adv_buffer_base(const adv_buffer_t *b)
{
  return b->is_result || b->copy == NULL ? b->address : b->copy - b->lower;
}

void adv_buffer_return(adv_buffer_t *b)
{
  if (b->link == NULL)
    return;
  *b->link = b->next;
  if (b->next != NULL)
    b->next->link = b->link;
  b->link = NULL;
}

void adv_buffer_close(adv_buffer_t *b)
{
  adv_buffer_return(b);
  if (b->call != NULL)
    adv_type_drop(&b->type);
  free(b->copy);
  *b = (adv_buffer_t){ 0 };
}
