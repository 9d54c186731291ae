/* What a refused call must not do. See refusal.h. */
#include "refusal.h"

#include <stdarg.h>

refusal_local_t local;
refusal_out_t   out;

const dart_gptr_t    null_gptr = { .unitid = -1, .teamid = DART_TEAM_NULL };
static const int32_t no_id     = -1;
static const int16_t no_team   = DART_TEAM_NULL;
static const char    zeros[16];

/* How a result is written in a call, and its null value. */
static const struct {
  const char *text;
  void       *variable;
  size_t      size;
  const void *null;
} results[] = {
  { "&out.gptr", &out.gptr, sizeof out.gptr, &null_gptr },
  { "&out.team", &out.team, sizeof out.team, &no_team },
  { "&out.group", &out.group, sizeof out.group, zeros },
  { "&out.type", &out.type, sizeof out.type, zeros },
  { "&out.op", &out.op, sizeof out.op, zeros },
  { "&out.handle", &out.handle, sizeof out.handle, zeros },
  { "&out.lock", &out.lock, sizeof out.lock, zeros },
  { "&out.allocator", &out.allocator, sizeof out.allocator, zeros },
  { "&out.global", &out.global, sizeof out.global, &no_id },
  { "&out.unit", &out.unit, sizeof out.unit, &no_id },
  { "&out.addr", &out.addr, sizeof out.addr, zeros },
  { "&out.flags", &out.flags, sizeof out.flags, zeros },
  { "&out.answer", &out.answer, sizeof out.answer, zeros },
  { "&out.size", &out.size, sizeof out.size, zeros },
  { "&out.count", &out.count, sizeof out.count, zeros },
  { "&out.domain)", &out.domain, sizeof out.domain, zeros },
  { "&out.domains)", &out.domains, sizeof out.domains, zeros },
  { "&out.locality", &out.locality, sizeof out.locality, zeros },
  { "&out.tags", &out.tags, sizeof out.tags, zeros },
};

void refusal_begin(void)
{
  memset(&out, 0x33, sizeof out);
  test_listen();
}

void refusal_end(test_place_t at, dart_ret_t got, dart_ret_t expected, const char *function,
                 const char *says)
{
  test_expect_refused(at, got, expected, function, says);
  test_expect_filled(at, local.sent, 0x11, sizeof local.sent);
  test_expect_filled(at, local.got, 0x22, sizeof local.got);
  for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
    if (strstr(at.what, results[i].text) != NULL)
      test_expect_bytes(at, results[i].variable, results[i].null, results[i].size);
    else
      test_expect_filled(at, results[i].variable, 0x33, results[i].size);
  }
}

const char *saying(const char *format, ...)
{
  static char text[100];
  va_list     args;

  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return text;
}

dart_gptr_t untouched_segment(dart_team_t team)
{
  memset(local.sent, 0x11, sizeof local.sent);
  memset(local.got, 0x22, sizeof local.got);
  return test_segment(team, NBYTES, 0x5a);
}

void expect_untouched(dart_gptr_t segment)
{
  test_note("afterwards");
  EXPECT_OK(dart_flush_all(segment));
  EXPECT_OK(dart_barrier(segment.teamid));
  EXPECT_FILLED(test_mine(segment), 0x5a, NBYTES);
  EXPECT_OK(dart_barrier(segment.teamid));
}

const no_team_t no_teams[NO_TEAMS] = {
  { DART_TEAM_NULL, "team -1" },
  { UNKNOWN_TEAM, "team 12345" },
  { INT16_MIN, "team -32768" },
  { INT16_MAX, "team 32767" },
};

no_type_t no_types[NO_TYPES];

void fill_no_types(void)
{
  dart_datatype_t gone, was;

  EXPECT_OK(dart_type_create_custom(8, &gone));
  was = gone;
  EXPECT_OK(dart_type_destroy(&gone));
  {
    const dart_datatype_t ids[NO_TYPES] = { DART_TYPE_UNDEFINED, DART_TYPE_LAST, -1,
                                            INTPTR_MIN,          INTPTR_MAX,     was };

    for (int i = 0; i < NO_TYPES; i++) {
      no_types[i].id = ids[i];
      if (ids[i] == DART_TYPE_UNDEFINED)
        snprintf(no_types[i].says, sizeof no_types[i].says, "type DART_TYPE_UNDEFINED");
      else
        snprintf(no_types[i].says, sizeof no_types[i].says, "type %ld", (long)ids[i]);
    }
  }
}

void first_of_two(const void *invec, void *inoutvec, size_t len, void *user_data)
{
  (void)user_data;
  memcpy(inoutvec, invec, len * sizeof(int64_t));
}
