#ifndef DASH__DART__IF__DART_H__INCLUDED
#define DASH__DART__IF__DART_H__INCLUDED
/** @file dart.h
 *  DART in one include, without the description of the machine (dart_locality.h) and parallel
 *  files (dart_io.h).
 *
 *  A DART program is one source run by many units, each a process. Units allocate memory across
 *  teams, name any byte of it with a 128-bit global pointer, and read, write and update it without
 *  its owner taking part. The ideas come from Zhou, Mhedheb, Idrees, Glass, Gracia, Fürlinger and
 *  Tao: *DART-MPI: an MPI-based implementation of a PGAS runtime system*, PGAS 2014.
 *
 *  Words
 *    unit     one process of the program. Its global id counts from 0 in DART_TEAM_ALL.
 *    team     an ordered set of units with an id, in the order of their global ids; a unit's team
 *             id is its position there, from 0. DART_TEAM_ALL lives from init to exit.
 *    group    a set of global unit ids, private to the unit that made it; a recipe for a team.
 *    node     the units that can map the same memory; those are near, all others far.
 *    segment  one allocation over a team; each member owns a portion of it.
 *    gptr     a global pointer: team, segment, unit and byte offset into that unit's portion.
 *
 *  Who calls
 *    "Collective over T": every unit of team T calls, in the same order as T's other collective
 *    calls, and passes equal arguments where nothing else is said. Where units of a node are in different
 *    collective calls, or in data collectives with other sizes or roots, the program ends after one line that
 *    names both calls. "Local": no other unit takes
 *    part, and the call does not wait for one. One-sided functions are local.
 *
 *  Results
 *    DART_OK, or an error code of dart_ret_t and one line on stderr that names the offending value.
 *    DART_ERR_INVAL always means: an argument is invalid, and the call had no effect; the
 *    results are null (DART_GPTR_NULL, NULL, DART_TEAM_NULL, ...) where their type has a null. A
 *    NULL pointer for a result is such an argument. A unit that gets DART_ERR_INVAL from a
 *    collective call took no part in it, and the others may wait for it, unless the function says
 *    that every unit gets it. DART_ERR_NOMEM and DART_ERR_OTHER from a collective call come to all
 *    that take part, and leave what was there before as it was. Each function lists the errors that
 *    it can return, and no others. Only functions that say so may be called outside of init..exit.
 *    A failure of the transport between nodes is none of these: it ends the program, after one line
 *    that names the call which failed.
 *
 *  Measures
 *    `nelem` counts elements of the basic or custom type at the bottom of a data type: never bytes,
 *    never whole strided or indexed blocks. Any size_t is fine. Offsets in global pointers and
 *    sizes of pools are bytes.
 *
 *  Threads
 *    After dart_init, or where dart_init_thread stored DART_THREAD_SINGLE, one thread at a time may
 *    be inside DART. With DART_THREAD_MULTIPLE:
 *      any number of threads   one-sided operations, atomics, flush, wait and test; send and recv;
 *                              local allocation; gptr functions; acquiring and releasing locks;
 *                              queries of teams, groups and locality; making and freeing groups
 *      one thread per team     collectives; collective allocation and registration, and their
 *                              reverse; creating and destroying allocators
 *      one thread at all       init, exit, creating and destroying teams and locks, changing a
 *                              group, dart_team_locality_init and _finalize
 */

/** Version of this interface. dart/ext/dart_name.h has that of the library which a program runs with. */
#define DART_VERSION_STR   "3.2.0"
#define DART_VERSION_MAJOR 3
#define DART_VERSION_MINOR 2
#define DART_VERSION_PATCH 0

#define DART_BUILD_STR (__DATE__ " " __TIME__) /**< when the including file was compiled */

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_config.h>
#include <dash/dart/if/dart_initialization.h>
#include <dash/dart/if/dart_team_group.h>
#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_communication.h>
#include <dash/dart/if/dart_synchronization.h>

#ifdef DART_USE_INLINE /* puts, gets and atomics of near memory without a call */
#include <dash/dart/ext/dart_inline.h>
#endif

#endif /* DASH__DART__IF__DART_H__INCLUDED */
