/* See file_access.h. */
#include "file/file_access.h"

#include <string.h>

#include "base/size.h"

/* Where byte `at` of a strided layout is, the usual one, and how many are contiguous: with one division. */
static size_t strided_run(const dart__type_t *type, uint64_t at, uint64_t *position_out)
{
  uint64_t block = (uint64_t)type->elem_count * type->elem_size, nblocks = at / block;

  *position_out = nblocks * type->stride * type->elem_size + (at - nblocks * block);
  return block - (at - nblocks * block);
}

/* Bytes that follow one another in a layout from data byte `at` on, and where they are. */
static size_t contiguous_run(const dart__type_t *type, uint64_t at, uint64_t *position_out)
{
  size_t rest, position, nelem;

  if (dart__type_is_contiguous(type)) {
    *position_out = at;
    return SIZE_MAX;
  }
  if (type->kind == DART__TYPE_STRIDED)
    return strided_run(type, at, position_out);
  rest          = at % type->elem_size;
  nelem         = dart__type_run(type, at / type->elem_size, &position);
  *position_out = (uint64_t)position * type->elem_size + rest;
  return nelem * type->elem_size - rest;
}

/* Whether a block may begin where the one before it ends. */
static bool may_touch(const dart__type_t *type)
{
  return type->kind != DART__TYPE_STRIDED || type->stride == type->elem_count;
}

uint64_t dart__access_end(const dart__access_t *a)
{
  uint64_t data, end;
  size_t   span;

  if (__builtin_add_overflow(a->file_skip, a->nbytes, &data))
    return UINT64_MAX;
  span = dart__type_span(a->file_type,
                         data / a->file_type->elem_size + (data % a->file_type->elem_size != 0));
  if (span == SIZE_MAX || __builtin_add_overflow(a->file_start, span, &end))
    return UINT64_MAX;
  return end;
}

size_t dart__access_file_run(const dart__access_t *a, size_t at, uint64_t *offset_out)
{
  uint64_t position;
  size_t   n =
      dart__least(contiguous_run(a->file_type, a->file_skip + at, &position), a->nbytes - at);

  *offset_out = a->file_start + position;
  while (n < a->nbytes - at && may_touch(a->file_type)) {
    size_t more = contiguous_run(a->file_type, a->file_skip + at + n, &position);

    if (a->file_start + position != *offset_out + n)
      break;
    n += dart__least(more, a->nbytes - at - n);
  }
  return n;
}

size_t dart__access_mem_run(const dart__access_t *a, size_t at, char **address_out)
{
  uint64_t position;
  size_t   n = contiguous_run(a->mem_type, at, &position);

  *address_out = a->buffer + position;
  return dart__least(n, a->nbytes - at);
}

/* Strided layouts, the usual ones, are surveyed and divided by arithmetic; others run by run. */
static bool is_strided(const dart__type_t *type)
{
  return type->kind == DART__TYPE_STRIDED && type->stride > type->elem_count;
}

/* Where a data byte is in the file. */
static uint64_t place_of(const dart__access_t *a, uint64_t at)
{
  uint64_t position;

  strided_run(a->file_type, a->file_skip + at, &position);
  return a->file_start + position;
}

static dart__survey_t survey_strided(const dart__access_t *a)
{
  uint64_t block = (uint64_t)a->file_type->elem_count * a->file_type->elem_size;
  uint64_t last  = a->file_skip + a->nbytes - 1;

  return (dart__survey_t){ .first        = place_of(a, 0),
                           .end          = place_of(a, a->nbytes - 1) + 1,
                           .nruns        = (size_t)(last / block - a->file_skip / block + 1),
                           .is_ascending = true };
}

dart__survey_t dart__access_survey(const dart__access_t *a)
{
  dart__survey_t survey = { .first = UINT64_MAX, .is_ascending = true };

  if (a->nbytes > 0 && is_strided(a->file_type))
    return survey_strided(a);
  for (size_t at = 0, n; at < a->nbytes; at += n) {
    uint64_t offset;

    n = dart__access_file_run(a, at, &offset);
    if (offset < survey.end)
      survey.is_ascending = false;
    if (offset < survey.first)
      survey.first = offset;
    if (offset + n > survey.end)
      survey.end = offset + n;
    survey.nruns++;
  }
  return survey;
}

/* Data bytes of a strided layout before a position of it. */
static uint64_t before(const dart__type_t *type, uint64_t position)
{
  uint64_t block = (uint64_t)type->elem_count * type->elem_size;
  uint64_t rest  = position % (type->stride * type->elem_size);

  return position / (type->stride * type->elem_size) * block + (rest < block ? rest : block);
}

static size_t fit_strided(const dart__access_t *a, size_t at, size_t most, uint64_t *first_out,
                          uint64_t *end_out)
{
  uint64_t data;

  *first_out = place_of(a, at);
  data       = before(a->file_type, *first_out - a->file_start + most) - (a->file_skip + at);
  data       = data < a->nbytes - at ? data : a->nbytes - at;
  *end_out   = place_of(a, at + data - 1) + 1;
  return (size_t)data;
}

size_t dart__access_fit(const dart__access_t *a, size_t at, size_t most, uint64_t *first_out,
                        uint64_t *end_out)
{
  uint64_t offset;
  size_t   n, fit = 0;

  if (is_strided(a->file_type))
    return fit_strided(a, at, most, first_out, end_out);
  n        = dart__access_file_run(a, at, first_out);
  *end_out = offset = *first_out;
  while (offset - *first_out < most) {
    size_t room = most - (size_t)(offset - *first_out);

    fit += dart__least(n, room);
    *end_out = offset + dart__least(n, room);
    if (at + fit == a->nbytes || n > room)
      break;
    n = dart__access_file_run(a, at + fit, &offset);
  }
  return fit;
}

size_t dart__access_spans(const dart__access_t *a, const dart__survey_t *survey, uint64_t exclusive,
                          dart__span_t *spans, size_t most)
{
  size_t group = (survey->nruns + most - 1) / most, run_in_group = 0, nspans = 0;

  if (most == 1 || (group > 1 && !survey->is_ascending)) {
    spans[0] = (dart__span_t){ survey->first, survey->end - 1, exclusive };
    return 1;
  }
  for (size_t at = 0, n; at < a->nbytes; at += n) {
    uint64_t offset;

    n = dart__access_file_run(a, at, &offset);
    if (run_in_group == 0)
      spans[nspans++] = (dart__span_t){ .first = offset, .exclusive = exclusive };
    spans[nspans - 1].last = offset + n - 1;
    run_in_group           = (run_in_group + 1) % group;
  }
  return nspans;
}

void dart__access_pack(const dart__access_t *a, size_t at, size_t nbytes, char *to)
{
  for (size_t end = at + nbytes, n; at < end; at += n, to += n) {
    char *from;

    n = dart__least(dart__access_mem_run(a, at, &from), end - at);
    memcpy(to, from, n);
  }
}

void dart__access_unpack(const dart__access_t *a, size_t at, size_t nbytes, const char *from)
{
  for (size_t end = at + nbytes, n; at < end; at += n, from += n) {
    char *to;

    n = dart__least(dart__access_mem_run(a, at, &to), end - at);
    memcpy(to, from, n);
  }
}

/* Whole blocks of a strided layout whose memory is contiguous, without a division for each: the number of data bytes. */
static size_t sift_blocks(const dart__access_t *a, size_t at, size_t nbytes, size_t here,
                          char *stage, size_t valid, bool to_memory)
{
  const dart__type_t *type  = a->file_type;
  size_t              block = type->elem_count * type->elem_size, done = 0;
  size_t              stride = type->stride * type->elem_size;
  char               *memory = a->buffer + at;

  if (type->kind != DART__TYPE_STRIDED || !dart__type_is_contiguous(a->mem_type) ||
      (a->file_skip + at) % block != 0)
    return 0;
  while (done + block <= nbytes && here + block <= valid) {
    memcpy(to_memory ? memory + done : stage + here, to_memory ? stage + here : memory + done,
           block);
    done += block;
    here += stride;
  }
  return done;
}

size_t dart__access_sift(const dart__access_t *a, size_t at, size_t nbytes, uint64_t first,
                         char *stage, size_t valid, bool to_memory)
{
  for (size_t from = at, end = at + nbytes; at < end;) {
    uint64_t offset;
    size_t   n    = dart__least(dart__access_file_run(a, at, &offset), end - at);
    size_t   here = (size_t)(offset - first), there = dart__in_piece(valid, here, n);
    size_t   blocks = sift_blocks(a, at, end - at, here, stage, valid, to_memory);

    if (blocks == 0 && to_memory)
      dart__access_unpack(a, at, there, stage + here);
    else if (blocks == 0)
      dart__access_pack(a, at, there, stage + here);
    at += blocks > 0 ? blocks : there;
    if (blocks == 0 && there < n)
      return at - from;
  }
  return nbytes;
}
