#ifndef DART__JOB_LAYERS_H
#define DART__JOB_LAYERS_H
/* Layers between programs and DART (dash/dart/ext/dart_profile.h) that the environment asks for. */

#include <dash/dart/if/dart_types.h>

/** On unit 0: an error for each that is asked for and sees no calls. Others go by its result. `function`: the caller,
 *  for the line. DART_ERR_OTHER: there is one. */
dart_ret_t dart__layers_look(const char *function);

#endif
