#ifndef DART__FILE_FILE_ACCESS_H
#define DART__FILE_FILE_ACCESS_H
/* An access: bytes of a file and of memory that correspond, each with a layout. Its data bytes are
 * counted from 0 on, without the holes of either side. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/type.h"
#include "lock/range.h"

typedef struct {
  const dart__type_t *file_type;
  uint64_t            file_start; /* byte of the file where position 0 of file_type is */
  uint64_t            file_skip;  /* data bytes of that layout before the access */
  const dart__type_t *mem_type;
  char               *buffer; /* where position 0 of mem_type is; only written by a read */
  size_t              nbytes;
} dart__access_t;

/* What an access looks like in the file. */
typedef struct {
  uint64_t first; /* byte */
  uint64_t end;   /* one past the last */
  size_t   nruns; /* pieces that are contiguous */
  bool     is_ascending;
} dart__survey_t;

/** One past the last byte of the file that it accesses; UINT64_MAX: that does not fit. */
uint64_t dart__access_end(const dart__access_t *access);

/** How many bytes from data byte `at` on, and not beyond the end, are contiguous in the file, and where. */
size_t dart__access_file_run(const dart__access_t *access, size_t at, uint64_t *offset_out);

/** How many are contiguous in memory, and where. */
size_t dart__access_mem_run(const dart__access_t *access, size_t at, char **address_out);

dart__survey_t dart__access_survey(const dart__access_t *access);

/** Data bytes from `at` on, which ascend in the file, that are within `most` bytes of it; and bytes of the file that span
 *  them. There is one at least. */
size_t dart__access_fit(const dart__access_t *access, size_t at, size_t most, uint64_t *first_out,
                        uint64_t *end_out);

/** Cover the access by at most `most` spans: exactly if it has no more runs than that, else by the hulls of
 *  groups of runs. Returns their number. */
size_t dart__access_spans(const dart__access_t *access, const dart__survey_t *survey,
                          uint64_t exclusive, dart__span_t *spans, size_t most);

/** Copy data bytes [at, at + nbytes) out of memory, or into it. */
void dart__access_pack(const dart__access_t *access, size_t at, size_t nbytes, char *to);
void dart__access_unpack(const dart__access_t *access, size_t at, size_t nbytes, const char *from);

/** Copy data bytes [at, at + nbytes), which ascend in the file, between memory and `stage`, which has the file from byte
 *  `first` on, `valid` bytes of it. Returns how many of them, from the first on, are within these. */
size_t dart__access_sift(const dart__access_t *access, size_t at, size_t nbytes, uint64_t first,
                         char *stage, size_t valid, bool to_memory);

#endif
