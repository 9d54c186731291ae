/* Reading and writing by one unit, in one call. */
#include "base/profile.h"
#include "far/progress.h"
#include "file/file.h"
#include "file/file_transfer.h"

DART__PROFILED(dart_file_read_at, dart_file_write_at);

static dart_ret_t transfer_at(const char *function, dart_file_t file, uint64_t offset,
                              const void *buffer, size_t nelem, dart_datatype_t mem_type,
                              dart_datatype_t file_type, bool is_read, size_t *count)
{
  dart__access_t access;
  dart_ret_t     ret;

  if (count != NULL)
    *count = 0;
  if (dart__file_check(function, file) == NULL)
    return DART_ERR_INVAL;
  ret = dart__file_access(function, file, offset, buffer, nelem, mem_type, file_type,
                          is_read ? DART_FILE_READ : DART_FILE_WRITE, &access);
  if (ret != DART_OK)
    return ret;
  dart__progress();
  return dart__file_transfer_once(function, file, &access, is_read, count);
}

dart_ret_t dart_file_read_at(dart_file_t file, uint64_t offset, void *buffer, size_t nelem,
                             dart_datatype_t mem_type, dart_datatype_t file_type, size_t *nread)
{
  return transfer_at(__func__, file, offset, buffer, nelem, mem_type, file_type, true, nread);
}

dart_ret_t dart_file_write_at(dart_file_t file, uint64_t offset, const void *buffer, size_t nelem,
                              dart_datatype_t mem_type, dart_datatype_t file_type, size_t *nwritten)
{
  return transfer_at(__func__, file, offset, buffer, nelem, mem_type, file_type, false, nwritten);
}
