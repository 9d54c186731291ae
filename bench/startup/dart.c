/* A job that begins and ends: see bench/start. */
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  return dart_init(&argc, &argv) != DART_OK || dart_exit() != DART_OK;
}
