#ifndef DART__LAUNCH_LIBRARIES_H
#define DART__LAUNCH_LIBRARIES_H
/* The libraries that a program loads: those that it names, and those that they name in turn. */

/** What `look` says of the path of a library; NULL: nothing. */
typedef const char *libraries_look_t(const char *path);

/** The first word that `look` has for a library of the program, whose ELF interpreter is `linker`. NULL: it has none. */
const char *libraries_find(const char *linker, const char *program, libraries_look_t *look);

#endif
