/* A layer that is not there cannot say so: it is DART that notices that nobody has taken the variable up. This happens
 * to a program that is linked with the static library alone, and to one with the shared library that dartrun has not
 * started. Such a program would run unchecked, or without a trace, so dart_init refuses it. */
#include "job/job.h"

#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_profile.h>

#include "base/log.h"
#include "model/team.h"
#include "model/world.h"
#include "wait/waiting.h"

unsigned dart_layers;

static const struct {
  const char *variable;
  const char *name;
  unsigned    layer;
} wanted[] = { { "DART_CHECK", "dart-check", DART_LAYER_CHECK },
               { "DART_REPORT", "dart-trace", DART_LAYER_TRACE },
               { "DART_TRACE", "dart-trace", DART_LAYER_TRACE } };

/* DART's own steps of a team count from 0 on, by 32 bits. */
#define LAYER_STEP (UINT64_C(1) << 63)

void *dart__layer_wait(const char *function, dart_team_t id, uint64_t step)
{
  const dart__team_t *team = dart__team_find(id);

  if (team == NULL)
    return NULL;
  return dart__waiting_begin(
      function, (dart__wait_for_t){ DART__WAIT_COLLECTIVE, id, dart__team_member(team, 0),
                                    LAYER_STEP | step, (uint64_t)team->nunits });
}

void dart__layer_waited(void *wait)
{
  dart__waiting_end(wait);
}

void dart__layer_failed(void)
{
  dart__log_mute(true);
}

dart_ret_t dart__layers_look(const char *function)
{
  dart_ret_t ret = DART_OK;

  for (size_t i = 0; dart__world.me == 0 && i < sizeof wanted / sizeof wanted[0]; i++) {
    const char *value = getenv(wanted[i].variable);

    if (value == NULL || value[0] == '\0' || strcmp(value, "0") == 0 ||
        (dart_layers & wanted[i].layer) != 0)
      continue;
    ret = DART_ERR_OTHER;
    if (dart_layers == 0)
      dart__error("%s: %s is set, but lib%s is not there: link the program with -l:lib%s.a before "
                  "DART's static library, or with DART's shared library and start it by dartrun",
                  function, wanted[i].variable, wanted[i].name, wanted[i].name);
    else
      dart__error("%s: %s is set, but another layer gets the calls: a program can have dart-check "
                  "or dart-trace, not both",
                  function, wanted[i].variable);
  }
  return ret;
}
