#ifndef DART__LAUNCH_LOAD_LAYERS_H
#define DART__LAUNCH_LOAD_LAYERS_H
/* Layers between a program and DART, which the environment selects. */
#include <limits.h>

/** Make units load the selected layers before the program's own libraries, by LD_PRELOAD in this process's environment.
 *  If a layer is not installed, print one line. */
void launch_layers(void);

/** The folder of the launcher: DIR/bin/dartrun has its libraries in DIR/LIB, BUILD/dart-shmem/dartrun in BUILD. */
void launch_own_folder(char folder[PATH_MAX]);

#endif /* DART__LAUNCH_LOAD_LAYERS_H */
