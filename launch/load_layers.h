#ifndef DART__LAUNCH_LOAD_LAYERS_H
#define DART__LAUNCH_LOAD_LAYERS_H
/* Layers between a program and DART, which the environment selects. */
#include <limits.h>

#include "launch.h"

/** Make units load the selected layers before the program's own libraries, by LD_PRELOAD in this process's environment.
 *  If a layer is not installed, print one line. Exit after one line if a layer's variable means nothing, or names a folder
 *  that cannot be made here. */
void launch_layers(const launch_t *launch);

/** The folder of the launcher: DIR/bin/dartrun has its libraries in DIR/LIB, BUILD/dart-shmem/dartrun in BUILD. */
void launch_own_folder(char folder[PATH_MAX]);

#endif /* DART__LAUNCH_LOAD_LAYERS_H */
