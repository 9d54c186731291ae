/* See layout.h. */
#include "layout.h"

#include <string.h>

#include <dash/dart/ext/dart_basic.h>
#include <dash/dart/if/dart_types.h>

size_t type_size(int basic)
{
  static const size_t size[DART_TYPE_BASIC_END] = {
    [DART_TYPE_BYTE]           = 1,
    [DART_TYPE_SHORT]          = 2,
    [DART_TYPE_INT]            = 4,
    [DART_TYPE_UINT]           = 4,
    [DART_TYPE_LONG]           = 8,
    [DART_TYPE_ULONG]          = 8,
    [DART_TYPE_LONGLONG]       = 8,
    [DART_TYPE_ULONGLONG]      = 8,
    [DART_TYPE_FLOAT]          = 4,
    [DART_TYPE_DOUBLE]         = 8,
    [DART_TYPE_LONG_DOUBLE]    = 16,
    [DART_TYPE_INT8]           = 1,
    [DART_TYPE_UINT8]          = 1,
    [DART_TYPE_UINT16]         = 2,
    [DART_TYPE_BOOL]           = 1,
    [DART_TYPE_FLOAT_COMPLEX]  = 8,
    [DART_TYPE_DOUBLE_COMPLEX] = 16,
  };

  return basic > 0 && basic < (int)DART_TYPE_BASIC_END ? size[basic] : 0;
}

size_t layout_elem(const layout_t *layout)
{
  return layout->basic != 0 ? type_size(layout->basic) : layout->custom;
}

static size_t sum_of_blocks(const layout_t *layout)
{
  size_t sum = 0;

  for (uint32_t i = 0; i < layout->nblocks; i++)
    sum += layout->len[i];
  return sum;
}

size_t layout_instance(const layout_t *layout)
{
  switch (layout->kind) {
  case LAYOUT_STRIDED: return layout->blocklen;
  case LAYOUT_INDEXED: return sum_of_blocks(layout);
  default: return 1;
  }
}

/* Elements from an instance of an indexed layout to the next. */
static size_t extent(const layout_t *layout)
{
  size_t least = SIZE_MAX, most = 0;

  for (uint32_t i = 0; i < layout->nblocks; i++) {
    size_t end = (size_t)layout->off[i] + layout->len[i];

    if (layout->len[i] == 0)
      continue;
    least = layout->off[i] < least ? layout->off[i] : least;
    most  = end > most ? end : most;
  }
  return most - least;
}

/* The position of element k of an instance, and how many follow it in its block. */
static size_t in_block(const layout_t *layout, size_t k, size_t *rest_out)
{
  uint32_t i = 0;

  while (k >= layout->len[i])
    k -= layout->len[i++];
  *rest_out = layout->len[i] - k;
  return layout->off[i] + k;
}

static size_t position(const layout_t *layout, size_t k, size_t *rest_out)
{
  size_t instance = layout_instance(layout), j = k / instance;

  switch (layout->kind) {
  case LAYOUT_STRIDED:
    *rest_out = instance - k % instance;
    return j * layout->stride + k % instance;
  case LAYOUT_INDEXED: return j * extent(layout) + in_block(layout, k % instance, rest_out);
  default: *rest_out = SIZE_MAX; return k;
  }
}

size_t layout_at(const layout_t *layout, size_t k)
{
  size_t rest;

  return position(layout, k, &rest) * layout_elem(layout);
}

size_t layout_run(const layout_t *layout, size_t k, size_t n)
{
  size_t rest;

  position(layout, k, &rest);
  return rest < n - k ? rest : n - k;
}

size_t layout_span(const layout_t *layout, size_t n)
{
  size_t most = 0;

  for (size_t k = n > layout_instance(layout) ? n - layout_instance(layout) : 0; k < n;) {
    size_t run = layout_run(layout, k, n);
    size_t end = layout_at(layout, k) + run * layout_elem(layout);

    most = end > most ? end : most;
    k += run;
  }
  return most;
}

bool layout_fits(const layout_t *a, const layout_t *b, size_t n)
{
  bool same = a->basic == b->basic && a->custom == b->custom;
  bool byte = (a->basic == DART_TYPE_BYTE || a->custom == 1) &&
              (b->basic == DART_TYPE_BYTE || b->custom == 1);

  if (!same && !byte)
    return false;
  if (a->kind == LAYOUT_RUN && b->kind == LAYOUT_RUN)
    return true;
  return n % layout_instance(a) == 0 && n % layout_instance(b) == 0;
}

bool layout_is_disjoint(const layout_t *layout)
{
  if (layout->kind != LAYOUT_INDEXED)
    return true;
  for (uint32_t i = 0; i < layout->nblocks; i++)
    for (uint32_t j = 0; j < i; j++)
      if (layout->off[i] < layout->off[j] + layout->len[j] &&
          layout->off[j] < layout->off[i] + layout->len[i])
        return false;
  return true;
}

void layout_copy(void *to, const layout_t *to_layout, const void *from, const layout_t *from_layout,
                 size_t n)
{
  size_t size = layout_elem(to_layout);

  for (size_t k = 0; k < n;) {
    size_t a = layout_run(to_layout, k, n), b = layout_run(from_layout, k, n);
    size_t run = a < b ? a : b;

    memmove((char *)to + layout_at(to_layout, k), (const char *)from + layout_at(from_layout, k),
            run * size);
    k += run;
  }
}

bool layout_mark(const layout_t *layout, size_t n, unsigned char *map, unsigned char mark)
{
  size_t size  = layout_elem(layout);
  bool   found = false;

  for (size_t k = 0; k < n;) {
    size_t         run = layout_run(layout, k, n);
    unsigned char *at  = map + layout_at(layout, k);

    for (size_t i = 0; i < run * size && !found; i++)
      found = at[i] != 0;
    memset(at, mark, run * size);
    k += run;
  }
  return found;
}
