/* Layouts as MPI datatypes. Contiguous data are bytes; a strided type is a vector, an indexed one a
 * row of resized instances. MPI keeps a datatype alive until what uses it is complete, so it is
 * freed right after the call. */
#include "mpi_type.h"

#include <limits.h>
#include <stdlib.h>

#include "mpi_error.h"

#define PIECE_BYTES ((size_t)1 << 30)

static size_t gcd(size_t a, size_t b)
{
  while (b != 0) {
    size_t rest = a % b;

    a = b;
    b = rest;
  }
  return a;
}

size_t dart__mpi_piece(const dart__type_t *a, const dart__type_t *b)
{
  size_t elems = PIECE_BYTES / a->elem_size, both;

  if (__builtin_mul_overflow(a->elem_count / gcd(a->elem_count, b->elem_count), b->elem_count,
                             &both))
    return 0;
  return elems - elems % both;
}

static dart_ret_t commit(dart__mpi_layout_t *layout)
{
  layout->count     = 1;
  layout->temporary = true;
  return DART__MPI(MPI_Type_commit, &layout->type);
}

static dart_ret_t strided_layout(const dart__type_t *type, size_t nelem, dart__mpi_layout_t *layout)
{
  size_t     blocks = nelem / type->elem_count;
  dart_ret_t ret;

  ret = DART__MPI(MPI_Type_create_hvector, (int)blocks, (int)(type->elem_count * type->elem_size),
                  (MPI_Aint)(type->stride * type->elem_size), MPI_BYTE, &layout->type);
  return ret == DART_OK ? commit(layout) : ret;
}

static dart_ret_t indexed_layout(const dart__type_t *type, size_t nelem, dart__mpi_layout_t *layout)
{
  int         *lengths = calloc(type->block_count, sizeof *lengths);
  MPI_Aint    *offsets = calloc(type->block_count, sizeof *offsets);
  MPI_Datatype blocks, instance;
  dart_ret_t   ret = DART_ERR_NOMEM;

  if (lengths == NULL || offsets == NULL)
    goto free_arrays;
  for (size_t i = 0; i < type->block_count; i++) {
    lengths[i] = (int)(type->block_length[i] * type->elem_size);
    offsets[i] = (MPI_Aint)(type->block_offset[i] * type->elem_size);
  }
  ret = DART__MPI(MPI_Type_create_hindexed, (int)type->block_count, lengths, offsets, MPI_BYTE,
                  &blocks);
  if (ret != DART_OK)
    goto free_arrays;
  ret = DART__MPI(MPI_Type_create_resized, blocks, 0, (MPI_Aint)(type->extent * type->elem_size),
                  &instance);
  MPI_Type_free(&blocks);
  if (ret != DART_OK)
    goto free_arrays;
  ret = DART__MPI(MPI_Type_contiguous, (int)(nelem / type->elem_count), instance, &layout->type);
  MPI_Type_free(&instance);
  if (ret == DART_OK)
    ret = commit(layout);

free_arrays:
  free(lengths);
  free(offsets);
  return ret;
}

dart_ret_t dart__mpi_layout(const dart__type_t *type, size_t from, size_t nelem,
                            dart__mpi_layout_t *layout_out)
{
  size_t instances = from / type->elem_count;

  layout_out->temporary = false;
  switch (type->kind) {
  case DART__TYPE_STRIDED:
    layout_out->nbytes_off = (MPI_Aint)(instances * type->stride * type->elem_size);
    return strided_layout(type, nelem, layout_out);
  case DART__TYPE_INDEXED:
    layout_out->nbytes_off = (MPI_Aint)(instances * type->extent * type->elem_size);
    return indexed_layout(type, nelem, layout_out);
  case DART__TYPE_BASIC:
  case DART__TYPE_CUSTOM:
    break;
  }
  layout_out->nbytes_off = (MPI_Aint)(from * type->elem_size);
  layout_out->count      = (int)(nelem * type->elem_size);
  layout_out->type       = MPI_BYTE;
  return DART_OK;
}

void dart__mpi_layout_free(dart__mpi_layout_t *layout)
{
  if (layout->temporary)
    MPI_Type_free(&layout->type);
}
