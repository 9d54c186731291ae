#ifndef GARRAY_EXPECT_HPP
#define GARRAY_EXPECT_HPP
/* What the programs of this folder find out about themselves. Every unit counts what it finds wrong; a program fails on
 * all units if any found something. */
#include <garray/runtime.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

inline int failures = 0;

inline void expect(bool holds, const char *what, const char *file, int line)
{
  if (!holds) {
    std::fprintf(stderr, "%s:%d: unit %zu: not so: %s\n", file, line, garray::team().me(), what);
    failures++;
  }
}

#define EXPECT(what) expect((what), #what, __FILE__, __LINE__)

/** Collective. One line about all units' failures, and the exit code that they give. Starts to count again. */
inline int outcome(const char *name, const garray::team &all = garray::team())
{
  int failures_all = 0;

  garray::check(dart_allreduce(&failures, &failures_all, 1, DART_TYPE_INT, DART_OP_SUM, all.id()),
                "dart_allreduce");
  failures = 0;
  if (all.me() == 0)
    std::printf("%s on %zu units: %d failures\n", name, all.size(), failures_all);
  return failures_all == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
