/* libdart-base has nothing but its name and version. A program that is linked by hand names it
 * beside the library of a backend; here that one is complete. */
#include <dash/dart/if/dart.h>

static const char version[] __attribute__((used)) = "libdart-base " DART_VERSION_STR;
