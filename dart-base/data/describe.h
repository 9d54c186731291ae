#ifndef DART__DATA_DESCRIBE_H
#define DART__DATA_DESCRIBE_H
/* Layouts as words that another process can read: the sizes of a strided type, and a word for each block of
 * an indexed one. Numbers that a program gives for its types fit 31 bits, so two of them are a word. What an
 * element means is not told, only how large it is. */
#include "data/type.h"

#define DART__TYPE_WORDS_MOST   ((size_t)400) /* of a description */
#define DART__TYPE_BLOCKS_MOST  (DART__TYPE_WORDS_MOST - 2)
#define DART__TYPE_ELEMENT_MOST ((size_t)1024) /* bytes of an element */

/** Words that describe `type`. 0: it has more blocks, or larger elements, than can be described. */
size_t dart__type_words(const dart__type_t *type);

/** Write them. */
void dart__type_describe(const dart__type_t *type, uint64_t *words);

/** Room for what is read. */
typedef struct {
  dart__type_t type;
  size_t       array[3 * DART__TYPE_BLOCKS_MOST];
} dart__type_room_t;

/** Read a description; the type is valid as long as the room, and may be copied. */
const dart__type_t *dart__type_read(const uint64_t *words, dart__type_room_t *room);

#endif
