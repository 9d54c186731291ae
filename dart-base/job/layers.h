#ifndef DART__JOB_LAYERS_H
#define DART__JOB_LAYERS_H
/* Layers between programs and DART (dash/dart/ext/dart_profile.h) that the environment asks for. */

/** Warn, once for the job, of each that is asked for and is not there. `function`: the caller, for the line. */
void dart__layers_look(const char *function);

#endif
