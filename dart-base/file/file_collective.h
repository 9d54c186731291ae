#ifndef DART__FILE_FILE_COLLECTIVE_H
#define DART__FILE_FILE_COLLECTIVE_H
/* Collective accesses, for calls that find out for themselves where they are. */
#include "file/file.h"

/** Read or write all units' accesses. `ret` is the result of checking this unit's arguments: if it is an error on some
 *  unit, all return one, nothing is done, and the access of that unit is not looked at. Collective. */
dart_ret_t dart__file_all(const char *function, dart_file_t file, bool is_read,
                          const dart__access_t *access, dart_ret_t ret, size_t *count);

#endif
