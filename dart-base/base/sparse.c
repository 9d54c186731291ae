/* See sparse.h. calloc maps large memory, too, but not memory that was freed before, which it clears; and the kernel
 * may take huge pages for it, so that one entry would cost 2 MiB. */
#include "base/sparse.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/free_memory.h"

#define LEAST ((size_t)64 << 10) /* bytes: smaller ones are not worth two system calls */

typedef struct {
  size_t nbytes; /* with this */
  char   unused[DART__SPARSE_HEAD - sizeof(size_t)];
} head_t;

void *dart__sparse_new(size_t count, size_t size)
{
  size_t  nbytes = sizeof(head_t) + count * size;
  head_t *head   = nbytes < LEAST ? calloc(1, nbytes) : dart__memory_new_table(nbytes);

  if (head == NULL)
    return NULL;
  if (nbytes >= LEAST)
    madvise(head, nbytes, MADV_NOHUGEPAGE); /* not everywhere: then pages may be larger */
  head->nbytes = nbytes;
  return head + 1;
}

void dart__sparse_delete(void *table)
{
  head_t *head = table;

  if (table == NULL)
    return;
  head--;
  if (head->nbytes < LEAST)
    free(head);
  else
    dart__memory_delete_table(head, head->nbytes);
}
