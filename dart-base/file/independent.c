/* Reading and writing by one unit, in one call. */
#include "base/profile.h"
#include "far/progress.h"
#include "file/file.h"
#include "file/file_transfer.h"
#include "wait/timed.h"

DART__PROFILED(dart_file_read_at);
DART__PROFILED(dart_file_write_at);

dart_ret_t dart_file_read_at(dart_file_t file, uint64_t offset, void *buffer, size_t nelem,
                             dart_datatype_t mem_type, dart_datatype_t file_type, size_t *nread)
{
  dart__access_t access;
  dart__timed_t  timed;
  dart_ret_t     ret;
  size_t         done;
  int            error = 0;

  if (nread != NULL)
    *nread = 0;
  if (dart__file_check(__func__, file) == NULL)
    return DART_ERR_INVAL;
  ret = dart__file_access(__func__, file, offset, buffer, nelem, mem_type, file_type,
                          DART_FILE_READ, &access);
  if (ret != DART_OK)
    return ret;
  dart__progress();
  timed = dart__timed_begin(DART__COUNT_FILE);
  ret   = dart__file_read(file, &access, -1, &done, &error);
  dart__timed_end(DART__COUNT_FILE, timed);
  return dart__file_done(__func__, &access, true, ret, error, done, nread);
}

dart_ret_t dart_file_write_at(dart_file_t file, uint64_t offset, const void *buffer, size_t nelem,
                              dart_datatype_t mem_type, dart_datatype_t file_type, size_t *nwritten)
{
  dart__access_t access;
  dart__timed_t  timed;
  dart_ret_t     ret;
  size_t         done;
  int            error = 0;

  if (nwritten != NULL)
    *nwritten = 0;
  if (dart__file_check(__func__, file) == NULL)
    return DART_ERR_INVAL;
  ret = dart__file_access(__func__, file, offset, buffer, nelem, mem_type, file_type,
                          DART_FILE_WRITE, &access);
  if (ret != DART_OK)
    return ret;
  dart__progress();
  timed = dart__timed_begin(DART__COUNT_FILE);
  ret   = dart__file_write(file, &access, -1, &done, &error);
  dart__timed_end(DART__COUNT_FILE, timed);
  return dart__file_done(__func__, &access, false, ret, error, done, nwritten);
}
