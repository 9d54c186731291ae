#ifndef DART_BENCH_STARTUP_HELP_H
#define DART_BENCH_STARTUP_HELP_H
/* --help of the two programs here, which otherwise start nothing but what they measure: so no argp. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/** Whether the command line asks for help, or has a word too many: then that was printed, and `*code_out` is the exit
 *  code. `what`: what the program does. */
static inline bool startup_is_helped(int argc, char **argv, const char *what, int *code_out)
{
  bool helps = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);

  if (argc < 2)
    return false;
  if (helps)
    printf("Usage: %s [--help]\n%s\nbench/start runs both in turns and compares them.\n\n"
           "Example:\n  dartrun -n 4 %s\n",
           argv[0], what, argv[0]);
  else
    fprintf(stderr, "%s: '%s' is too much: it takes no arguments, see --help\n", argv[0], argv[1]);
  *code_out = helps ? 0 : 2;
  return true;
}

#endif
