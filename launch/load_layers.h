#ifndef DART__LAUNCH_LOAD_LAYERS_H
#define DART__LAUNCH_LOAD_LAYERS_H
/* Libraries that stand between a program and DART where the environment asks for them. */

/** Let units load them, by LD_PRELOAD of this process's environment, before the program's own libraries. A layer that
 *  is asked for and not there is one line. */
void launch_layers(void);

#endif /* DART__LAUNCH_LOAD_LAYERS_H */
