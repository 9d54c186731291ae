#ifndef DART__FILE_RAW_H
#define DART__FILE_RAW_H
/* The system's calls on files, repeated until they are done: they may be interrupted, and may do less than they were
 * asked for. Results are 0 or an errno. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Read `nbytes` from `offset` on. `*done_out` is less, with 0, if the file ends there. */
int dart__raw_read(int fd, void *buffer, size_t nbytes, uint64_t offset, size_t *done_out);

/** Read as much of it as can be had without waiting for the storage device: the number of bytes, from the first on. `*can`
 *  becomes false if the file system cannot tell. */
size_t dart__raw_read_cached(int fd, void *buffer, size_t nbytes, uint64_t offset, bool *can);

/** Begin to read it from the storage device, so that it is cached soon. */
void dart__raw_prefetch(int fd, uint64_t offset, size_t nbytes);

/** Write; `*done_out` of them are written, all if the result is 0. No byte is written at `limit` or beyond:
 *  EFBIG, where the system would send a signal, which ends the process. */
int dart__raw_write(int fd, const void *buffer, size_t nbytes, uint64_t offset, uint64_t limit,
                    size_t *done_out);

/** The process's limit to the size of files; UINT64_MAX: there is none. */
uint64_t dart__raw_limit(void);

#endif
