/* The suites' program: every unit of it runs the same suites, or single tests of them. */
#include <stdio.h>

#include "dart_test.h"

int main(int argc, char **argv)
{
  int    failed = 0, rest_count = argc;
  char **rest = argv; /* for dart_init, which may take arguments out */

  if (argc == 1)
    test_list();
  for (int i = 1; i < argc; i++) {
    int result = test_run(argv[i], &rest_count, &rest);

    if (result == 2) {
      fprintf(stderr, "usage: %s SUITE[.TEST]...; without an argument the suites are listed\n",
              argv[0]);
      return 2;
    }
    failed |= result;
  }
  return failed;
}
