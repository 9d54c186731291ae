/* What all calls on files share: errors, checks of arguments, the staging buffer. */
#include "file/file.h"

#include <stdlib.h>
#include <string.h>

#include "base/profile.h"
#include "coll/coll.h"
#include "data/name.h"
#include "model/argument_check.h"
#include "model/lost.h"
#include "model/world.h"

DART__PROFILED(dart_file_error);

/* ---- errors ------------------------------------------------------------------------------------- */

static _Thread_local int last_error;

int dart_file_error(void)
{
  return last_error;
}

void dart__file_set_error(int error)
{
  last_error = error;
}

dart_ret_t dart__file_refused(const char *function, int error)
{
  last_error = error;
  return dart__fail(DART_ERR_OTHER, "%s: %s", function, strerror(error));
}

dart_ret_t dart__file_failed(const char *function, const dart__team_t *team, dart_ret_t mine,
                             dart_ret_t worst, int error)
{
  if (worst == DART_ERR_OTHER || worst == DART_ERR_NOTFOUND)
    last_error = error;
  if (worst != DART_OK && worst != DART_ERR_UNIT_LOST && mine == DART_OK)
    dart__error("%s: it has failed on another unit of team %d", function, team->id);
  return worst;
}

dart_ret_t dart__file_agree(const char *function, dart__team_t *team, dart_ret_t mine, int error)
{
  unsigned long worst[2] = { mine, (unsigned long)error };

  dart__coll_most(team, worst, 2);
  return dart__file_failed(function, team, mine, dart__team_result(team, (dart_ret_t)worst[0]),
                           (int)worst[1]);
}

/* The verdict on arguments; `*error` becomes the worst of all units'. */
static dart_ret_t agree(const char *function, dart__team_t *team, dart_file_t file, dart_ret_t mine,
                        uint64_t value, int *error)
{
  unsigned long most[6] = { mine, value, ~value, file->name, ~file->name, (unsigned long)*error };
  bool          is_same, is_same_value;

  dart__coll_most(team, most, 6);
  if (dart__team_is_broken(team))
    return DART_ERR_UNIT_LOST;
  is_same_value = most[1] == ~most[2];
  is_same       = most[3] == ~most[4];
  *error        = (int)most[5];
  if (!is_same)
    dart__error("%s: units of team %d give different files", function, team->id);
  else if (!is_same_value)
    dart__error("%s: units of team %d give different arguments; this one %llu", function, team->id,
                (unsigned long long)value);
  else if (most[0] != DART_OK && mine == DART_OK)
    dart__error("%s: refused on another unit of team %d", function, team->id);
  return most[0] == DART_OK && !(is_same && is_same_value) ? DART_ERR_INVAL : (dart_ret_t)most[0];
}

dart_ret_t dart__file_agree_on(const char *function, dart__team_t *team, dart_file_t file,
                               dart_ret_t mine, uint64_t value)
{
  return agree(function, team, file, mine, value, &(int){ 0 });
}

dart_ret_t dart__file_agree_done(const char *function, dart__team_t *team, dart_file_t file,
                                 dart_ret_t mine, int *error)
{
  return agree(function, team, file, mine, 0, error);
}

/* ---- checks --------------------------------------------------------------------------------------- */

dart__team_t *dart__file_check(const char *function, dart_file_t file)
{
  dart__team_t *team = NULL;

  if (file == DART_FILE_NULL)
    dart__error("%s: file is NULL", function);
  else if (!dart__world.initialized || file->cycle != dart__world.cycle)
    dart__error("%s: the file is from before dart_exit", function);
  else
    team = dart__check_team(function, file->teamid);
  return team;
}

/* The types of a transfer, or false after a log line. `is_packed`: elements lie one behind the other in the file,
 * as bytes; the type of the elements may have been destroyed. */
static bool check_types(const char *function, dart_file_t file, size_t nelem,
                        dart_datatype_t mem_type, dart_datatype_t file_type, bool is_packed,
                        dart__access_t *access_out)
{
  const dart__type_t *mem = dart__type_find(mem_type);
  const dart__type_t *in  = is_packed ? mem : dart__type_find(file_type);

  if (mem == NULL || in == NULL || !dart__type_compatible(mem, in, nelem))
    return dart__fail(false, "%s: %zu elements of type %s do not go to type %s", function, nelem,
                      dart__type_text(mem_type).text,
                      dart__type_text(is_packed ? mem_type : file_type).text);
  access_out->mem_type  = mem;
  access_out->file_type = is_packed ? &dart__type_basic[DART_TYPE_BYTE] : in;
  if (file->has_view && !dart__type_is_contiguous(access_out->file_type))
    return dart__fail(false, "%s: file type %s is not contiguous, and the file has a view",
                      function, dart__type_text(file_type).text);
  return dart__check_nbytes(function, nelem, access_out->mem_type->elem_size, &access_out->nbytes);
}

static dart_ret_t plan_access(const char *function, dart_file_t file, uint64_t offset,
                              const void *buffer, size_t nelem, dart_datatype_t mem_type,
                              dart_datatype_t file_type, bool is_packed, unsigned needs,
                              dart__access_t *access_out)
{
  if ((file->flags & needs) == 0)
    return dart__fail(DART_ERR_INVAL, "%s: the file is not open for %s", function,
                      needs == DART_FILE_READ ? "reading" : "writing");
  if (!check_types(function, file, nelem, mem_type, file_type, is_packed, access_out))
    return DART_ERR_INVAL;
  if (buffer == NULL && nelem > 0)
    return dart__fail(DART_ERR_INVAL, "%s: buffer is NULL for %zu elements", function, nelem);
  access_out->buffer     = (char *)(uintptr_t)buffer;
  access_out->file_start = offset;
  access_out->file_skip  = 0;
  if (file->has_view) {
    access_out->file_type  = &file->view;
    access_out->file_start = file->displacement;
    access_out->file_skip  = offset;
  }
  if (offset > INT64_MAX || dart__access_end(access_out) > INT64_MAX)
    return dart__fail(DART_ERR_INVAL,
                      "%s: %zu bytes from byte %llu on are beyond what a file can have", function,
                      access_out->nbytes, (unsigned long long)offset);
  return DART_OK;
}

dart_ret_t dart__file_access(const char *function, dart_file_t file, uint64_t offset,
                             const void *buffer, size_t nelem, dart_datatype_t mem_type,
                             dart_datatype_t file_type, unsigned needs, dart__access_t *access_out)
{
  return plan_access(function, file, offset, buffer, nelem, mem_type, file_type, false, needs,
                     access_out);
}

dart_ret_t dart__file_access_packed(const char *function, dart_file_t file, uint64_t offset,
                                    const void *buffer, size_t nelem, dart_datatype_t mem_type,
                                    unsigned needs, dart__access_t *access_out)
{
  return plan_access(function, file, offset, buffer, nelem, mem_type, mem_type, true, needs,
                     access_out);
}

char *dart__file_take_stage(dart_file_t file)
{
  /* acquire: pairs with the release in dart__file_return_stage, so the last user has finished */
  char *stage = atomic_exchange_explicit(&file->stage, NULL, memory_order_acquire);

  return stage != NULL ? stage : malloc(DART__FILE_STAGE);
}

void dart__file_return_stage(dart_file_t file, char *stage)
{
  free(atomic_exchange_explicit(&file->stage, stage, memory_order_acq_rel));
}
