/* Files: objects that a team opens and closes together, whose collective calls must be in order. */
#include "object_call.h"

dart_ret_t dart_file_open(dart_team_t teamid, const char *path, unsigned flags, unsigned mode,
                          dart_file_t *file)
{
  DART__CHECK_MAKES(dart_file_open, FILE, file, teamid, 0, teamid, path, flags, mode, file);
}

dart_ret_t dart_file_close(dart_file_t *file)
{
  DART__CHECK_ENDS(dart_file_close, FILE, file);
}

dart_ret_t dart_file_resize(dart_file_t file, uint64_t nbytes)
{
  dart__check_enter_object(DART__CHECK_FILE, file, DART__AT(dart_file_resize));
  return pdart_file_resize(file, nbytes);
}

dart_ret_t dart_file_sync(dart_file_t file)
{
  dart__check_enter_object(DART__CHECK_FILE, file, DART__AT(dart_file_sync));
  return pdart_file_sync(file);
}

dart_ret_t dart_file_set_atomicity(dart_file_t file, bool atomic)
{
  dart__check_enter_object(DART__CHECK_FILE, file, DART__AT(dart_file_set_atomicity));
  return pdart_file_set_atomicity(file, atomic);
}

dart_ret_t dart_file_set_view(dart_file_t file, uint64_t displacement, dart_datatype_t type)
{
  dart__check_enter_object(DART__CHECK_FILE, file, DART__AT(dart_file_set_view));
  return pdart_file_set_view(file, displacement, type);
}

dart_ret_t dart_file_read_all(dart_file_t file, uint64_t offset, void *buffer, size_t nelem,
                              dart_datatype_t mem_type, dart_datatype_t file_type, size_t *nread)
{
  dart__check_enter_object(DART__CHECK_FILE, file, DART__AT(dart_file_read_all));
  return pdart_file_read_all(file, offset, buffer, nelem, mem_type, file_type, nread);
}

dart_ret_t dart_file_write_all(dart_file_t file, uint64_t offset, const void *buffer, size_t nelem,
                               dart_datatype_t mem_type, dart_datatype_t file_type,
                               size_t *nwritten)
{
  dart__check_enter_object(DART__CHECK_FILE, file, DART__AT(dart_file_write_all));
  return pdart_file_write_all(file, offset, buffer, nelem, mem_type, file_type, nwritten);
}

dart_ret_t dart_file_read_ordered(dart_file_t file, void *buffer, size_t nelem,
                                  dart_datatype_t mem_type, size_t *nread)
{
  dart__check_enter_object(DART__CHECK_FILE, file, DART__AT(dart_file_read_ordered));
  return pdart_file_read_ordered(file, buffer, nelem, mem_type, nread);
}

dart_ret_t dart_file_write_ordered(dart_file_t file, const void *buffer, size_t nelem,
                                   dart_datatype_t mem_type, size_t *nwritten)
{
  dart__check_enter_object(DART__CHECK_FILE, file, DART__AT(dart_file_write_ordered));
  return pdart_file_write_ordered(file, buffer, nelem, mem_type, nwritten);
}

dart_ret_t dart_file_seek_shared(dart_file_t file, uint64_t offset)
{
  dart__check_enter_object(DART__CHECK_FILE, file, DART__AT(dart_file_seek_shared));
  return pdart_file_seek_shared(file, offset);
}
