/* The suites' program: every unit of it runs the same suites, or single tests of them. */
#include <stdio.h>

#include <string.h>

#include "dart_test.h"

static const char usage[] =
    "usage: dart-test-BACKEND SUITE[.TEST]...\n"
    "Runs suites of tests, or single tests; without an argument it lists the suites.\n"
    "Example: dartrun -n 3 dart-test-shmem lock barrier\n";

int main(int argc, char **argv)
{
  int    failed = 0, rest_count = argc;
  char **rest = argv; /* for dart_init, which may take arguments out */

  if (argc == 1)
    test_list();
  if (argc == 2 && strcmp(argv[1], "--help") == 0) {
    fputs(usage, stdout);
    return 0;
  }
  for (int i = 1; i < argc; i++) {
    int result = test_run(argv[i], &rest_count, &rest);

    if (result == 2) {
      fputs(usage, stderr);
      return 2;
    }
    failed |= result;
  }
  return failed;
}
