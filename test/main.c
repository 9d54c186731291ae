/* The suites' program: every unit of it runs the same suite. */
#include <stdio.h>

#include "dart_test.h"

int main(int argc, char **argv)
{
  if (argc == 1) {
    test_list();
    return 0;
  }
  if (argc > 3) {
    fprintf(stderr, "%s: unexpected argument '%s'; usage: %s SUITE [TEST]\n", argv[0], argv[3],
            argv[0]);
    return 2;
  }
  return test_run(argv[1], argc == 3 ? argv[2] : NULL, &argc, &argv);
}
