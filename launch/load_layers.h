#ifndef DART__LAUNCH_LOAD_LAYERS_H
#define DART__LAUNCH_LOAD_LAYERS_H
/* Layers between a program and DART, which the environment selects. */

/** Make units load the selected layers before the program's own libraries, by LD_PRELOAD in this process's environment.
 *  If a layer is not installed, print one line. */
void launch_layers(void);

#endif /* DART__LAUNCH_LOAD_LAYERS_H */
