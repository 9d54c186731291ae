#ifndef RANDOM_NEED_H
#define RANDOM_NEED_H
/* Memory of the tester itself. Without it there is nothing to test: the program ends. */
#include <stddef.h>

/** Zeroed, aligned to lines; to be freed. */
void *need(size_t nbytes);

/** Room for one more element behind the n of an array, which may move. */
void *need_more(void *array, size_t n, size_t *room, size_t size);

#endif
