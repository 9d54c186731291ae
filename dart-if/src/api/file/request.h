#ifndef DART__API_FILE_REQUEST_H
#define DART__API_FILE_REQUEST_H
/* Reads and writes that are begun in one call and completed in another. */
#include "api/file/file.h"

/** End what serves the file's requests, of which none is pending. */
void dart__file_end_requests(dart_file_t file);

#endif
