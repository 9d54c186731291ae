#ifndef DART__MODEL_RECORD_H
#define DART__MODEL_RECORD_H
/* What a unit shares with its launcher: which locks it holds, and what it waits for. Memory of the backend, zeroed;
 * the launcher reads it from a file, while the unit runs and when it is gone. */
#include "model/holds.h"
#include "wait/waiting.h"

typedef struct {
  dart__holds_t holds;
  dart__waits_t waits;
} dart__record_t;

/** Use the record from now on; NULL: memory of the unit alone, so that nothing is seen from outside. */
void dart__record_open(dart__record_t *record);

/** Read a record from a file; false: there is none. */
bool dart__record_read(int fd, uint64_t offset, dart__record_t *record_out);

#endif
