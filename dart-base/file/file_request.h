#ifndef DART__FILE_FILE_REQUEST_H
#define DART__FILE_FILE_REQUEST_H
/* Reads and writes that are begun in one call and completed in another. */
#include "file/file.h"

/** DART_ERR_INVAL, after a log line: requests were begun and not completed. */
dart_ret_t dart__file_check_pending(const char *function, dart_file_t file);

/** End what serves the file's requests, of which none is pending. */
void dart__file_end_requests(dart_file_t file);

#endif
