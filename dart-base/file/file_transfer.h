#ifndef DART__FILE_FILE_TRANSFER_H
#define DART__FILE_FILE_TRANSFER_H
/* An access by one unit: between memory and file, in as few calls of the system as is safe; and its locks. */
#include "file/file.h"

/** Whether an access needs a lock now. */
bool dart__file_needs_lock(dart_file_t file, const dart__access_t *access);

/** Read or write an access that needs no lock; in atomic mode as a whole for this unit's other threads. `*done_out` is the
 *  number of data bytes, from the first on, that were; a read may end before, with 0, where the file ends. Does not call
 *  DART, so any thread may. The result is 0 or an errno. */
int dart__file_transfer_apart(dart_file_t file, const dart__access_t *access, bool is_read,
                              size_t *done_out);

/** This is going to be read: begin to, if it is not cached. Any thread. */
void dart__file_read_soon(dart_file_t file, const dart__access_t *access);

/** A transfer with the lock that atomic mode asks for. DART_PENDING: the lock is not to be had within `timeout_us`
 *  (dart_range_acquire), and nothing was done. Errors of the system are in `*error_out`, and are not logged. */
dart_ret_t dart__file_transfer(dart_file_t file, const dart__access_t *access, bool is_read,
                               int64_t timeout_us, size_t *done_out, int *error_out);

/** Log an error of the system, and say how many elements of those asked for are there: the result of a call that
 *  returns `ret` so far. `count_out` may be NULL; a read that ended early is an error then. */
dart_ret_t dart__file_done(const char *function, const dart__access_t *access, bool is_read,
                           dart_ret_t ret, int error, size_t done, size_t *count_out);

/** Both, for a call of one unit that waits for nothing else. */
dart_ret_t dart__file_transfer_once(const char *function, dart_file_t file,
                                    const dart__access_t *access, bool is_read, size_t *count_out);

#endif
