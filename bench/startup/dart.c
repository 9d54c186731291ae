/* A job that begins and ends: see bench/start. */
#include <dash/dart/if/dart.h>

#include "help.h"

int main(int argc, char **argv)
{
  int code;

  if (startup_is_helped(argc, argv, "A job that calls dart_init and dart_exit, and nothing else.",
                        &code))
    return code;
  return dart_init(&argc, &argv) != DART_OK || dart_exit() != DART_OK;
}
