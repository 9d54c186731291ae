#ifndef DASH__DART__IF__DART_TYPES_H__INCLUDED
#define DASH__DART__IF__DART_TYPES_H__INCLUDED
/** @file dart_types.h
 *  Types and constants of the whole interface: results, ids, data types, operators, and the plain
 *  structs that describe the machine (used by dart_locality.h).
 *
 *  All layouts are the same in C and C++, in every language standard, whatever feature-test macros
 *  the including file defines. */

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/* ---- Results -------------------------------------------------------------------------------- */

/** What a function returns. Each DART_ERR_ code comes with one line on stderr, but for DART_ERR_UNIT_LOST, for which
 *  dartrun has one. */
typedef enum {
  DART_OK           = 0,  /**< done as promised */
  DART_PENDING      = 1,  /**< a wait with a time-out ran into it (dart/ext) */
  DART_ERR_INVAL    = 2,  /**< an invalid argument; the call had no effect */
  DART_ERR_NOTFOUND = 3,  /**< a look-up by tag or scope found nothing */
  DART_ERR_NOTINIT  = 4,  /**< reserved; not returned */
  DART_ERR_NOMEM    = 5,  /**< memory or shared memory is exhausted; the program can go on */
  DART_ERR_UNIT_LOST = 6, /**< a unit that the call needs has died (dash/dart/ext/dart_survive.h) */
  DART_ERR_OTHER    = 999 /**< anything else, such as a second dart_init */
} dart_ret_t;

/** Exit codes of a program that DART ends. */
enum {
  DART_EXIT_SUCCESS = EXIT_SUCCESS,
  DART_EXIT_ABORT   = EXIT_FAILURE,
  DART_EXIT_ASSERT  = -6 /**< an assertion inside DART failed: a bug of DART */
};

/** What the threads of a unit may do; "Threads" in dart.h says which calls. */
typedef enum {
  DART_THREAD_SINGLE   = 0, /**< one thread at a time inside DART */
  DART_THREAD_MULTIPLE = 10 /**< threads may call concurrently */
} dart_thread_support_level_t;

/* ---- Units and teams ------------------------------------------------------------------------ */

/** A unit's id as a number. dart_global_unit_t and dart_team_unit_t say what it is relative to. */
typedef int32_t dart_unit_t;

/** A team's id: 0 is DART_TEAM_ALL, others are positive. */
typedef int16_t dart_team_t;

#define DART_UNDEFINED_UNIT_ID ((dart_unit_t)(-1)) /**< no unit */
#define DART_UNDEFINED_TEAM_ID ((dart_team_t)(-1)) /**< no team; the same as DART_TEAM_NULL */

/** A unit by its id in DART_TEAM_ALL. A type of its own, so that the compiler tells global ids
 *  from team ids. C++ may write a plain number for it, and gets "no unit" by default. */
typedef struct dart_global_unit {
#ifdef __cplusplus
  constexpr dart_global_unit() : id(DART_UNDEFINED_UNIT_ID) { }
  constexpr dart_global_unit(dart_unit_t unit) : id(unit) { }
#endif
  dart_unit_t id;
} dart_global_unit_t;

/** A unit by its position in a team, 0 .. size of the team - 1. */
typedef struct dart_local_unit {
#ifdef __cplusplus
  constexpr dart_local_unit() : id(DART_UNDEFINED_UNIT_ID) { }
  constexpr dart_local_unit(dart_unit_t unit) : id(unit) { }
#endif
  dart_unit_t id;
} dart_team_unit_t;

/** The number `unit` as a team id. */
DART_INLINE dart_team_unit_t dart_create_team_unit(dart_unit_t unit)
{
  dart_team_unit_t team_unit;

  team_unit.id = unit;
  return team_unit;
}

/** The number `unit` as a global id. */
DART_INLINE dart_global_unit_t dart_create_global_unit(dart_unit_t unit)
{
  dart_global_unit_t global_unit;

  global_unit.id = unit;
  return global_unit;
}

#define DART_TEAM_UNIT_ID(u)          (dart_create_team_unit(u))
#define DART_GLOBAL_UNIT_ID(u)        (dart_create_global_unit(u))
#define DART_UNDEFINED_TEAM_UNIT_ID   DART_TEAM_UNIT_ID(DART_UNDEFINED_UNIT_ID)
#define DART_UNDEFINED_GLOBAL_UNIT_ID DART_GLOBAL_UNIT_ID(DART_UNDEFINED_UNIT_ID)

/* ---- Data types ----------------------------------------------------------------------------- */

/** The type of the elements of a buffer, and how they lie in memory: a basic type, DART_TYPE_..., or an
 *  object made by dart_type_create_strided, _indexed or _custom. The numbers 0 .. DART_TYPE_LAST are never objects,
 *  nor are those of the further basic types in dash/dart/ext/dart_basic.h. */
typedef intptr_t dart_datatype_t;

#define DART_TYPE_UNDEFINED   ((dart_datatype_t)0)  /**< no type: DART_ERR_INVAL everywhere */
#define DART_TYPE_BYTE        ((dart_datatype_t)1)  /**< 1 byte: wraps at 256, ordered as char */
#define DART_TYPE_SHORT       ((dart_datatype_t)2)  /**< short */
#define DART_TYPE_INT         ((dart_datatype_t)3)  /**< int */
#define DART_TYPE_UINT        ((dart_datatype_t)4)  /**< unsigned int */
#define DART_TYPE_LONG        ((dart_datatype_t)5)  /**< long */
#define DART_TYPE_ULONG       ((dart_datatype_t)6)  /**< unsigned long */
#define DART_TYPE_LONGLONG    ((dart_datatype_t)7)  /**< long long */
#define DART_TYPE_ULONGLONG   ((dart_datatype_t)8)  /**< unsigned long long */
#define DART_TYPE_FLOAT       ((dart_datatype_t)9)  /**< float */
#define DART_TYPE_DOUBLE      ((dart_datatype_t)10) /**< double */
#define DART_TYPE_LONG_DOUBLE ((dart_datatype_t)11) /**< long double, with its padding */
#define DART_TYPE_LAST        ((dart_datatype_t)12) /**< one past the basic types; not a type */

/** An unsigned integer of the size of size_t. */
#if SIZE_MAX == 0xffffffffU
#define DART_TYPE_SIZET DART_TYPE_ULONG
#elif SIZE_MAX == 0xffffffffffffffffU
#define DART_TYPE_SIZET DART_TYPE_ULONGLONG
#else
#error "DART: size_t is neither 32 nor 64 bits wide"
#endif

/* ---- Strided, indexed and custom types ------------------------------------------------------
 *
 * Objects come in three kinds. Basic and custom types are contiguous: element k lies at position
 * k. Strided and indexed types have E elements per instance and any number of instances in a row;
 * positions count elements of the base type from the start of the buffer, or of the target:
 *
 *   strided   E = blocklen             element k at (k / E) * stride + k % E
 *   indexed   E = sum of blocklen[]    the blocks in the order given; the next instance starts
 *                                      max(offset[i] + blocklen[i]) - min(offset[i]) further on,
 *                                      over all blocks that are not empty
 *
 * How many instances there are is not part of a type: each call says how many elements it moves.
 * dart_communication.h says which types fit each other. Objects are local, and valid on the unit
 * that made them only; other units may describe the same bytes by another type. */

/** Make a type of blocks of `blocklen` elements that start every `stride` elements.
 *
 *  `basetype` is basic or custom. Local. `*newtype` is DART_TYPE_UNDEFINED on failure.
 *  DART_ERR_INVAL: another base type, blocklen 0, stride < blocklen (blocks would overlap), either
 *  of them > INT_MAX, or newtype NULL. DART_ERR_NOMEM: no memory for one more type. */
dart_ret_t dart_type_create_strided(dart_datatype_t basetype, size_t stride, size_t blocklen,
                                    dart_datatype_t *newtype);

/** Make a type of `count` blocks; block i has blocklen[i] elements and starts at offset[i].
 *
 *  `basetype` is basic or custom; both arrays have `count` entries, in elements, and are copied.
 *  Blocks may come in any order and may be empty; where they overlap in the destination of a
 *  transfer, the result there is undefined. Local. `*newtype` is DART_TYPE_UNDEFINED on failure.
 *  DART_ERR_INVAL: another base type, no elements at all, count or an entry > INT_MAX, or NULL.
 *  DART_ERR_NOMEM: no memory for one more type. */
dart_ret_t dart_type_create_indexed(dart_datatype_t basetype, size_t count, const size_t blocklen[],
                                    const size_t offset[], dart_datatype_t *newtype);

/** Make an element type of `num_bytes` opaque, contiguous bytes.
 *
 *  Local. `*newtype` is DART_TYPE_UNDEFINED on failure.
 *  DART_ERR_INVAL: num_bytes 0 or > INT_MAX, or newtype NULL. DART_ERR_NOMEM: no memory for one more
 *  type. */
dart_ret_t dart_type_create_custom(size_t num_bytes, dart_datatype_t *newtype);

/** Release a type object and set `*dart_type` to DART_TYPE_UNDEFINED.
 *
 *  Local. Operations issued with the type, types built on it and operators created for it keep
 *  working, so this may come before their completion or destruction.
 *  DART_ERR_INVAL: NULL, a basic type, or no live object. */
dart_ret_t dart_type_destroy(dart_datatype_t *dart_type);

/* ---- Operators ------------------------------------------------------------------------------ */

/** An operator, by which two elements become one: a predefined one, DART_OP_..., or an object of
 *  dart_op_create. */
typedef uintptr_t dart_operation_t;

/** Predefined operators, and which functions take them for which element types.
 *
 *                     reduce,     accumulate*  fetch_and_op   element types
 *                     allreduce
 *    MIN MAX SUM PROD    yes         yes          yes         all basic; integers wrap
 *    BAND BOR BXOR       yes         yes          yes         integers and BYTE; bit by bit
 *    LAND LOR LXOR       yes         yes          yes         integers and BYTE; result 0 or 1
 *    MINMAX              yes         -            -           all basic, in pairs
 *    REPLACE             -           yes          yes         all basic; the operand wins
 *    NO_OP               -           no effect    yes         all basic; the target stays
 *    dart_op_create      yes         -            -           the type it was created for
 *
 *  "-" and other types: DART_ERR_INVAL. */
enum {
  DART_OP_UNDEFINED = 0,  /**< no operator: DART_ERR_INVAL everywhere */
  DART_OP_MIN       = 1,  /**< the smaller one */
  DART_OP_MAX       = 2,  /**< the larger one */
  DART_OP_MINMAX    = 3,  /**< of each pair the first by MIN, the second by MAX */
  DART_OP_SUM       = 4,  /**< a + b */
  DART_OP_PROD      = 5,  /**< a * b */
  DART_OP_BAND      = 6,  /**< a & b, bit by bit */
  DART_OP_LAND      = 7,  /**< a && b: 1 if both are not 0, else 0 */
  DART_OP_BOR       = 8,  /**< a | b, bit by bit */
  DART_OP_LOR       = 9,  /**< a || b: 0 if both are 0, else 1 */
  DART_OP_BXOR      = 10, /**< a ^ b, bit by bit */
  DART_OP_LXOR      = 11, /**< 1 if one of them is not 0 and the other is, else 0 */
  DART_OP_REPLACE   = 12, /**< the operand, in place of what was there */
  DART_OP_NO_OP     = 13, /**< what was there: fetch_and_op is an atomic load */
  DART_OP_LAST      = 14  /**< one past the operators; not an operator */
};

/* MINMAX takes an even number of elements: in each pair the first is reduced by MIN, the second
 * by MAX, independently. These are the positions in a pair. */
#define DART_OP_MINMAX_MIN 0 /**< position of the minimum in a pair of DART_OP_MINMAX */
#define DART_OP_MINMAX_MAX 1 /**< position of the maximum */

/** A user's operator: inoutvec[i] = invec[i] op inoutvec[i], for i < len.
 *
 *  `len` counts elements of the operator's type, 1 <= len <= nelem of the reduction. `invec` comes
 *  from units with lower team ids than `inoutvec`. `user_data` is what dart_op_create was given on
 *  the unit that runs this. It may run on any unit of the reduction, any number of times, on
 *  partial results, and must not call DART. */
typedef void (*dart_operator_t)(const void *invec, void *inoutvec, size_t len, void *user_data);

/** Make an operator for dart_reduce and dart_allreduce on elements of `dtype`.
 *
 *  Local; but all units of a reduction pass operators that do the same. `op` is associative;
 *  `commute` says it is commutative too, otherwise operands are combined in team order. `dtype` is
 *  basic or custom, and may be destroyed while the operator lives. `dtype_is_tmp` is a hint that
 *  dtype serves no other purpose. `userdata` may be NULL; it stays the caller's and must live until
 *  dart_op_destroy. `*new_op` differs from every predefined operator, and is DART_OP_UNDEFINED on
 *  failure.
 *  DART_ERR_INVAL: op or new_op NULL, or dtype neither basic nor custom. DART_ERR_NOMEM: no memory
 *  for one more operator. */
dart_ret_t dart_op_create(dart_operator_t op, void *userdata, bool commute, dart_datatype_t dtype,
                          bool dtype_is_tmp, dart_operation_t *new_op);

/** Release an operator and set `*op` to DART_OP_UNDEFINED. Local.
 *  DART_ERR_INVAL: NULL, a predefined operator, or no live object. */
dart_ret_t dart_op_destroy(dart_operation_t *op);

/* ---- Description of the machine (see dart_locality.h) --------------------------------------- */

/** Levels of the hardware. Greater means deeper inside: a child's scope is greater than its
 *  parent's, except where the program forms groups. */
typedef enum {
  DART_LOCALITY_SCOPE_UNDEFINED = -1,
  DART_LOCALITY_SCOPE_GLOBAL    = 0,   /**< everything: the root */
  DART_LOCALITY_SCOPE_GROUP     = 1,   /**< formed by dart_domain_group */
  DART_LOCALITY_SCOPE_NETWORK   = 50,
  DART_LOCALITY_SCOPE_NODE      = 100, /**< a host */
  DART_LOCALITY_SCOPE_MODULE    = 200, /**< a host's board, or an accelerator in it */
  DART_LOCALITY_SCOPE_NUMA      = 300, /**< memory and the cores close to it */
  DART_LOCALITY_SCOPE_UNIT      = 400,
  DART_LOCALITY_SCOPE_PACKAGE   = 500, /**< a socket */
  DART_LOCALITY_SCOPE_UNCORE    = 510,
  DART_LOCALITY_SCOPE_CACHE     = 530,
  DART_LOCALITY_SCOPE_CORE      = 550, /**< the leaves of the tree */
  DART_LOCALITY_SCOPE_CPU       = 600  /**< a hardware thread */
} dart_locality_scope_t;

#define DART_LOCALITY_HOST_MAX_SIZE       64 /**< bytes of a host name with its NUL */
#define DART_LOCALITY_DOMAIN_TAG_MAX_SIZE 32 /**< bytes of a domain tag with its NUL */
#define DART_LOCALITY_MAX_DOMAIN_SCOPES   12 /**< entries in dart_hwinfo_t.scopes */
#define DART_LOCALITY_UNIT_MAX_CPUS       64
#define DART_LOCALITY_MAX_NUMA_ID         16
#define DART_LOCALITY_MAX_CACHE_LEVELS    5  /**< entries in the cache arrays, from L1 up */

/** The index-th domain of a scope. */
typedef struct {
  dart_locality_scope_t scope;
  int                   index; /**< -1 if unknown */
} dart_locality_scope_pos_t;

/** The hardware a unit found itself on at init. Integers are -1 where unknown.
 *
 *  Of nodes on several hosts that have equal machines, and whose units may use the same processors, all units see what the
 *  first one's found: which processor a unit ran on, the domains around that, and MiB of memory. */
typedef struct {
  char host[DART_LOCALITY_HOST_MAX_SIZE]; /**< host name, ends in NUL */
  int  num_cores;                         /**< the unit's share of the cores it may use, which it
                                           *   divides with the units of the job that may use the
                                           *   same ones; at least 1 */
  int  num_numa;                          /**< NUMA domains of the host */
  int  numa_id;                           /**< the unit's NUMA domain */
  int  num_sockets;                       /**< packages of the host */
  int  core_id;                           /**< logical core the unit ran on at init */
  int  cpu_id;                            /**< hardware thread it ran on at init */
  int  min_cpu_mhz;                       /**< lowest and ... */
  int  max_cpu_mhz;                       /**< ... highest clock, MHz */
  int  cache_sizes[DART_LOCALITY_MAX_CACHE_LEVELS];      /**< bytes per level, from L1 */
  int  cache_line_sizes[DART_LOCALITY_MAX_CACHE_LEVELS]; /**< bytes */
  int  cache_ids[DART_LOCALITY_MAX_CACHE_LEVELS];        /**< logical index of the unit's cache */
  int  min_threads;                       /**< least and ... */
  int  max_threads;                       /**< ... most hardware threads per core: -1 or >= 1 */
  int  max_shmem_mbps;                    /**< MB/s: $DASH_MAX_SHMEM_MBPS if > 0, else 1235 */
  int  system_memory_bytes;               /**< memory of the host, in MiB despite the name */
  int  numa_memory_bytes;                 /**< of the unit's NUMA domain, in MiB as well */
  dart_locality_scope_pos_t scopes[DART_LOCALITY_MAX_DOMAIN_SCOPES];
                                          /**< domains around the unit, from its CORE outwards,
                                           *   ending below MODULE; the rest { UNDEFINED, -1 } */
  int  num_scopes;                        /**< entries used in scopes, 1 .. 11 */
} dart_hwinfo_t;

/** Where a module (a host's board, an accelerator) is. */
typedef struct {
  char                      host[DART_LOCALITY_HOST_MAX_SIZE];
  char                      module[DART_LOCALITY_HOST_MAX_SIZE];
  dart_locality_scope_pos_t pos;
} dart_module_location_t;

/** A node of the tree that describes a team's hardware: everything inside one piece of it. */
struct dart_domain_locality_s {
  /** Host name; empty at the root. */
  char host[DART_LOCALITY_HOST_MAX_SIZE];
  /** Path from the root: "." is the root, ".i" its child i, and T".j" child j of the node T. */
  char domain_tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];
  /** Other nodes for the same domain; NULL and 0, save for the parent a group may list. */
  struct dart_domain_locality_s **aliases;
  int num_aliases;
  dart_locality_scope_t scope;
  /** Depth: 0 at the root, else the parent's + 1. */
  int level;
  /** Number within the scope: of the node, of the module within its node, of the hardware
   *  object. */
  int global_index;
  /** Position in the parent's children; 0 at the root. */
  int relative_index;
  /** NULL at the root. */
  struct dart_domain_locality_s *parent;
  /** Children and their number; NULL and 0 at a leaf. */
  int num_domains;
  struct dart_domain_locality_s **children;
  /** 1 if all children have equal hardware, else 0. */
  int is_symmetric;
  dart_team_t team;
  /** Units inside, by global id: ascending at the root, in tree order below; NULL if none. */
  int num_units;
  dart_global_unit_t *unit_ids;
  /** Nodes inside: the number of nodes at the root, 1 below. */
  int num_nodes;
  /** The node this lies on; -1 at the root of several. */
  int node_id;
  /** Cores inside; below a module this is the units' share of the module's, at least 1. */
  int num_cores;
  /** 0 at the root, -1 (unknown) below. */
  int shared_mem_bytes;
};
typedef struct dart_domain_locality_s dart_domain_locality_t;

/** Where a unit of a team runs. */
typedef struct {
  dart_team_unit_t unit;   /**< its team id */
  dart_team_t      team;
  dart_hwinfo_t    hwinfo;
  char domain_tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE]; /**< the leaf of the team's tree it is in */
} dart_unit_locality_t;

/* ---- Settings (see dart_config.h) ----------------------------------------------------------- */

/** Settings of a process. */
typedef struct {
  int log_enabled; /**< 0: print no INFO, DEBUG and TRACE lines; initially 1 */
} dart_config_t;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__IF__DART_TYPES_H__INCLUDED */
