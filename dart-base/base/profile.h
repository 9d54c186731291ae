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

/** Stands before the definition of the public function `name`, once its header is included, and before any inline
 *  function that calls it: clang does not change the symbol of a function that was used. What this file calls
 *  by `name` is the function, not what a program put in its place; other files of the library call p`name`
 *  (dash/dart/ext/dart_profile.h). */
#define DART__PROFILED(name)                               \
  extern __typeof__(name) name __asm__("p" #name);         \
  extern __typeof__(name) dart__weak_##name __asm__(#name) \
      __attribute__((weak, alias("p" #name), visibility("default"), DART__SAME_ATTRIBUTES(name)))

#endif /* DART__BASE_PROFILE_H */
