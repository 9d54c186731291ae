/* See need.h. */
#include "need.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
  if (memory == NULL) {
    fprintf(stderr, "random: out of memory\n");
    exit(2);
  }
  return memory;
}

void *need(size_t nbytes)
{
  size_t lines = (nbytes + 64) / 64 * 64; /* never none */

  return memset(checked(aligned_alloc(64, lines)), 0, lines);
}

void *need_more(void *array, size_t n, size_t *room, size_t size)
{
  if (n < *room)
    return array;
  *room = *room == 0 ? 64 : 2 * *room;
  return checked(realloc(array, *room * size));
}
