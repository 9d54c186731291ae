/* See describe.h. */
#include "data/describe.h"

static uint64_t pair(size_t low, size_t high)
{
  return (uint64_t)low | (uint64_t)high << 32;
}

static size_t low_of(uint64_t word)
{
  return word & UINT32_MAX;
}

static size_t high_of(uint64_t word)
{
  return word >> 32;
}

size_t dart__type_words(const dart__type_t *type)
{
  if (type->elem_size > DART__TYPE_ELEMENT_MOST || type->block_count > DART__TYPE_BLOCKS_MOST)
    return 0;
  return 2 + type->block_count;
}

void dart__type_describe(const dart__type_t *type, uint64_t *words)
{
  words[0] = pair(type->kind, type->elem_size);
  words[1] =
      type->kind == DART__TYPE_INDEXED ? type->block_count : pair(type->elem_count, type->stride);
  for (size_t block = 0; block < type->block_count; block++)
    words[2 + block] = pair(type->block_length[block], type->block_offset[block]);
}

static void read_blocks(const uint64_t *words, dart__type_room_t *room)
{
  dart__type_t *type = &room->type;

  type->block_count  = words[1];
  type->block_length = room->array;
  type->block_offset = room->array + type->block_count;
  type->block_first  = room->array + 2 * type->block_count;
  for (size_t block = 0; block < type->block_count; block++) {
    type->block_length[block] = low_of(words[2 + block]);
    type->block_offset[block] = high_of(words[2 + block]);
  }
  dart__type_sum_up(type);
}

const dart__type_t *dart__type_read(const uint64_t *words, dart__type_room_t *room)
{
  room->type = (dart__type_t){ .kind      = (dart__type_kind_t)low_of(words[0]),
                               .base      = DART_TYPE_BYTE,
                               .elem_size = high_of(words[0]) };
  if (room->type.kind == DART__TYPE_INDEXED) {
    read_blocks(words, room);
  } else {
    room->type.elem_count = low_of(words[1]);
    room->type.stride     = high_of(words[1]);
  }
  return &room->type;
}
