/* The configuration a program may change while it runs. One object per process, valid from the
 * first instruction on: C++ programs access it before dart_init. */
#include <dash/dart/if/dart_config.h>

#include <stddef.h>

#include "base/profile.h"

DART__PROFILED(dart_config);

static dart_config_t config = { .log_enabled = 1 };

void dart_config(dart_config_t **config_out)
{
  if (config_out != NULL)
    *config_out = &config;
}
