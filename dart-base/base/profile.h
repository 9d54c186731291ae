#ifndef DART__BASE_PROFILE_H
#define DART__BASE_PROFILE_H
/* The two names of a public function, as MPI's have them (MPI-4, chapter 15): pdart_put is the function, dart_put a
 * weak name of it, which a program or a tool may define itself.
 *
 * The function keeps its name in C, and so in its log lines; only its symbol is another. */

#if defined(__has_attribute) && __has_attribute(copy)
#define DART__SAME_ATTRIBUTES(name) copy(name)
#else
#define DART__SAME_ATTRIBUTES(name)
#endif

/** Stands before the definitions of one to four public functions, once their headers are included, and before any inline
 *  function that calls one: clang does not change the symbol of a function that was used. What this file calls
 *  by `name` is the function, not what a program put in its place; other files of the library call p`name`
 *  (dash/dart/ext/dart_profile.h). */
#define DART__PROFILED(...)                                                            \
  DART__PROFILED_OF(__VA_ARGS__, DART__PROFILED_4, DART__PROFILED_3, DART__PROFILED_2, \
                    DART__PROFILED_1, 0)                                               \
  (__VA_ARGS__)

#define DART__PROFILED_OF(a, b, c, d, macro, ...) macro
#define DART__PROFILED_1(name)                             \
  extern __typeof__(name) name __asm__("p" #name);         \
  extern __typeof__(name) dart__weak_##name __asm__(#name) \
      __attribute__((weak, alias("p" #name), visibility("default"), DART__SAME_ATTRIBUTES(name)))
#define DART__PROFILED_2(name, ...) \
  DART__PROFILED_1(name);           \
  DART__PROFILED_1(__VA_ARGS__)
#define DART__PROFILED_3(name, ...) \
  DART__PROFILED_1(name);           \
  DART__PROFILED_2(__VA_ARGS__)
#define DART__PROFILED_4(name, ...) \
  DART__PROFILED_1(name);           \
  DART__PROFILED_3(__VA_ARGS__)

#endif /* DART__BASE_PROFILE_H */
