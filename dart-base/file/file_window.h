#ifndef DART__FILE_FILE_WINDOW_H
#define DART__FILE_FILE_WINDOW_H
/* Windows of a file in memory of the units of a node, through which collective calls exchange what each unit has and
 * what each unit reads or writes. Every unit has two, which rounds use in turn. */
#include "file/file.h"

#define DART__WINDOW_BYTES ((size_t)1 << 20)

/** Allocate what describes the windows of a file, which are not open. Local. False: no memory. */
bool dart__file_new_window(const dart__team_t *team, dart_file_t file);

/** Allocate memory of a file on all units of its team, for the call that this thread is in. Collective; agreed. */
dart_ret_t dart__file_alloc(dart__team_t *team, size_t nbytes, dart_gptr_t *gptr_out);

/** Make the windows, unless they are open. Collective; agreed. DART_ERR_NOMEM. */
dart_ret_t dart__file_open_window(dart__team_t *team, dart_file_t file);

/** Free both, if they are there. Collective, unless the team is gone, and their memory with it: `is_open` false. */
void dart__file_close_window(dart_file_t file, bool is_open);

/** Put `nbytes` data bytes of an access, from `at` on, to byte `offset` of the window of the node's unit `index`, and
 *  mark them there. Several units may do so at a time. */
void dart__window_put(dart_file_t file, int32_t index, unsigned round, size_t offset,
                      const dart__access_t *access, size_t at, size_t nbytes);

/** Write what is marked in this unit's window, which is byte `start` of the file and on, and take away the marks. The
 *  result is 0 or an errno. */
int dart__window_write(dart_file_t file, unsigned round, uint64_t start);

/** Read `nbytes` from `start` on into this unit's window. The result is 0 or an errno. */
int dart__window_read(dart_file_t file, unsigned round, uint64_t start, size_t nbytes);

/** Get data bytes from a window that was read: how many of them, from the first on, the file has. */
size_t dart__window_get(dart_file_t file, int32_t index, unsigned round, size_t offset,
                        const dart__access_t *access, size_t at, size_t nbytes);

#endif
