#ifndef DASH__DART__IF__DART_CONFIG_H__INCLUDED
#define DASH__DART__IF__DART_CONFIG_H__INCLUDED
/** @file dart_config.h
 *  Settings a program may change while it runs.
 *
 *  How much is logged at all is set in the environment: DART_LOG_LEVEL is ERROR, WARN, INFO, DEBUG
 *  or TRACE (in any case, and also with DART_LOGLEVEL_ in front), the last being the default.
 *  Errors and warnings are part of every build, the others of builds with DART_ENABLE_LOGGING. */

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** Store the address of this process's settings: always the same object, initially { 1 }, which
 *  the caller may read and write.
 *
 *  Local; at any time, before dart_init and after dart_exit included. `log_enabled` 0 silences
 *  INFO, DEBUG and TRACE from then on; errors and warnings are printed regardless. */
void dart_config(dart_config_t **config_out) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__IF__DART_CONFIG_H__INCLUDED */
