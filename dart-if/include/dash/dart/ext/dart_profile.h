#ifndef DASH__DART__EXT__DART_PROFILE_H__INCLUDED
#define DASH__DART__EXT__DART_PROFILE_H__INCLUDED
/** @file dart_profile.h
 *  A second name for every function, with which a program or a tool stands between a program and DART.
 *
 *  Each function dart_x that is not inline is also pdart_x, as MPI's have their PMPI names (MPI-4, chapter 15). The first name is
 *  weak: a definition of dart_x in the program, or in a library linked or loaded (LD_PRELOAD) before DART's, gets all
 *  calls that the program makes, and passes them on to pdart_x. It works with the shared and the static
 *  library, also with link-time optimisation; examples/count_puts.c is an example.
 *
 *  DART itself calls no function by its first name, so a tool sees the calls of the program and nothing else.
 *  The functions of dart_inline.h are inlined where a program asks for them, and then are not seen, but for
 *  what they leave to the library. dart_config's log settings and the functions of dart_io.h have both names,
 *  too; a tool that needs pdart_ names of the latter declares them. */

#include <dash/dart/ext/dart_adopt.h>
#include <dash/dart/ext/dart_atomics.h>
#include <dash/dart/ext/dart_context.h>
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_inline_tables.h>
#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_memalign.h>
#include <dash/dart/ext/dart_message.h>
#include <dash/dart/ext/dart_name.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_progress.h>
#include <dash/dart/ext/dart_range.h>
#include <dash/dart/ext/dart_stats.h>
#include <dash/dart/ext/dart_survive.h>
#include <dash/dart/ext/dart_team_group.h>
#include <dash/dart/ext/dart_wait_word.h>
#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_locality.h>
#include <dash/dart/if/dart_util.h>

/** X(name) for each function. */
/* clang-format off */
#define DART_FUNCTIONS(X) \
  /* dart_config.h */ \
  X(dart_config) \
  /* dart_initialization.h */ \
  X(dart_init) X(dart_init_thread) X(dart_exit) X(dart_initialized) X(dart_abort) \
  /* dart_team_group.h */ \
  X(dart_group_create) X(dart_group_destroy) X(dart_group_clone) X(dart_group_union) \
  X(dart_group_intersect) X(dart_group_addmember) X(dart_group_delmember) X(dart_group_ismember) \
  X(dart_group_size) X(dart_group_getmembers) X(dart_group_split) X(dart_group_locality_split) \
  X(dart_team_get_group) X(dart_team_create) X(dart_team_destroy) X(dart_team_clone) \
  X(dart_team_myid) X(dart_team_size) X(dart_myid) X(dart_size) X(dart_team_unit_l2g) \
  X(dart_team_unit_g2l) X(dart_team_create_group) \
  /* dart_types.h */ \
  X(dart_type_create_strided) X(dart_type_create_indexed) X(dart_type_create_custom) \
  X(dart_type_destroy) X(dart_op_create) X(dart_op_destroy) \
  /* dart_globmem.h */ \
  X(dart_gptr_getaddr) X(dart_gptr_setaddr) X(dart_gptr_getflags) X(dart_gptr_setflags) \
  X(dart_memalloc) X(dart_memfree) X(dart_allocator_new) X(dart_allocator_alloc) \
  X(dart_allocator_free) X(dart_allocator_destroy) X(dart_team_memalloc_aligned) \
  X(dart_team_memfree) X(dart_team_memregister) X(dart_team_memregister_aligned) \
  X(dart_team_memderegister) \
  /* dart_communication.h */ \
  X(dart_barrier) X(dart_bcast) X(dart_scatter) X(dart_gather) X(dart_allgather) \
  X(dart_allgatherv) X(dart_allreduce) X(dart_alltoall) X(dart_reduce) X(dart_accumulate) \
  X(dart_accumulate_blocking_local) X(dart_fetch_and_op) X(dart_compare_and_swap) X(dart_get) \
  X(dart_put) X(dart_flush) X(dart_flush_all) X(dart_flush_local) X(dart_flush_local_all) \
  X(dart_get_handle) X(dart_put_handle) X(dart_wait) X(dart_waitall) X(dart_wait_local) \
  X(dart_waitall_local) X(dart_test_local) X(dart_test) X(dart_testall_local) X(dart_testall) \
  X(dart_handle_free) X(dart_get_blocking) X(dart_put_blocking) X(dart_send) X(dart_recv) \
  X(dart_sendrecv) \
  /* dart_synchronization.h */ \
  X(dart_team_lock_init) X(dart_team_lock_destroy) X(dart_lock_acquire) X(dart_lock_try_acquire) \
  X(dart_lock_release) X(dart_lock_initialized) \
  /* dart_locality.h */ \
  X(dart_team_locality_init) X(dart_team_locality_finalize) X(dart_domain_team_locality) \
  X(dart_unit_locality) X(dart_domain_create) X(dart_domain_clone) X(dart_domain_destroy) \
  X(dart_domain_assign) X(dart_domain_find) X(dart_domain_scope_tags) \
  X(dart_domain_scope_domains) X(dart_domain_select) X(dart_domain_exclude) \
  X(dart_domain_split_scope) X(dart_domain_group) X(dart_domain_add_subdomain) \
  X(dart_domain_move_subdomain) \
  /* dart_name.h */ \
  X(dart_version) X(dart_strerror) X(dart_type_name) X(dart_op_name) \
  /* dart_near.h */ \
  X(dart_near_ptr) X(dart_team_near_units) X(dart_resolve) X(dart_resolved_check) \
  /* dart_notify.h */ \
  X(dart_put_notify) X(dart_notify) X(dart_notify_wait) X(dart_notify_waitany) \
  X(dart_notify_waitsome) X(dart_put_notify_op) X(dart_notify_op) X(dart_get_notify) \
  X(dart_get_notify_op) \
  /* dart_epoch.h */ \
  X(dart_epoch_fence) X(dart_epoch_post) X(dart_epoch_start) X(dart_epoch_complete) \
  X(dart_epoch_wait) X(dart_epoch_test) X(dart_epoch_lock) X(dart_epoch_unlock) \
  X(dart_epoch_lock_all) X(dart_epoch_unlock_all) \
  /* dart_range.h */ \
  X(dart_team_range_init) X(dart_team_range_destroy) X(dart_range_acquire) X(dart_range_release) \
  /* dart_stats.h */ \
  X(dart_stats_size) X(dart_stats_describe) X(dart_stats_find) X(dart_stats_read) \
  X(dart_stats_reset) X(dart_stats_difference) \
  /* dart_file.h */ \
  X(dart_file_open) X(dart_file_close) X(dart_file_size) X(dart_file_resize) X(dart_file_sync) \
  X(dart_file_set_atomicity) X(dart_file_set_view) X(dart_file_error) X(dart_file_read_at) \
  X(dart_file_write_at) X(dart_file_read_at_request) X(dart_file_write_at_request) \
  X(dart_file_wait) X(dart_file_test) X(dart_file_read_all) X(dart_file_write_all) \
  X(dart_file_read_shared) X(dart_file_write_shared) X(dart_file_read_ordered) \
  X(dart_file_write_ordered) X(dart_file_seek_shared) X(dart_file_tell_shared) \
  /* dart_inline.h */ \
  X(dart_inline_require) \
  X(dart_inline_wrote) \
  /* dart_wait_word.h */ \
  X(dart_wait_word) X(dart_wait_word_any) X(dart_wait_word_some) X(dart_wait_word_all) \
  X(dart_wait_word_range) \
  /* dart_lock_at.h */ \
  X(dart_lock_at_acquire) X(dart_lock_at_try_acquire) X(dart_lock_at_release) \
  /* dart_memalign.h */ \
  X(dart_team_memalign) \
  /* dart_order.h */ \
  X(dart_order) \
  /* dart_progress.h */ \
  X(dart_progress) \
  /* dart_adopt.h */ \
  X(dart_team_adopt) \
  /* dart_context.h */ \
  X(dart_context_create) X(dart_context_destroy) X(dart_context_enter) X(dart_context_leave) \
  X(dart_context_flush) X(dart_context_flush_unit) \
  X(dart_context_flush_local) X(dart_context_flush_local_unit) X(dart_context_test) \
  /* dart_atomics.h */ \
  X(dart_accumulate_typed) X(dart_accumulate_handle) X(dart_fetch_and_op_typed) \
  X(dart_fetch_and_op_handle) \
  /* dart_message.h */ \
  X(dart_recv_any) X(dart_probe) X(dart_try_probe) \
  /* dart_survive.h */ \
  X(dart_survives) X(dart_unit_status) X(dart_team_lost) X(dart_lost_handler) \
  X(dart_team_shrink) X(dart_team_agree) X(dart_lock_was_broken)
/* clang-format on */

#ifdef __cplusplus
#define DART__TYPE_OF(name) decltype(name)
extern "C" {
#else
#define DART__TYPE_OF(name) __typeof__(name)
#endif
DART_INTERFACE_ON

#define DART__SECOND_NAME(name) extern DART__TYPE_OF(name) p##name;
DART_FUNCTIONS(DART__SECOND_NAME)
#undef DART__SECOND_NAME
#undef DART__TYPE_OF

/** The layers of DART's own that are between this program and DART: each sets its bit before it calls pdart_init, which
 *  warns of one that the environment asks for and that is not there. */
enum { DART_LAYER_CHECK = 1, DART_LAYER_TRACE = 2 };
extern unsigned dart_layers;

/** For a layer between a program and DART: the calling thread begins to wait for all units of `team` in the program's call `function`, which
 *  is what DART_HANG and SIGUSR1 then show, whatever DART is asked to wait for meanwhile. `step`: the same on all units
 *  of the team in one call, another one in each. `function` stays where it is. Returns what dart__layer_waited is to
 *  get at the end; NULL: it is not shown. */
void *dart__layer_wait(const char *function, dart_team_t team, uint64_t step);

/** For a layer between a program and DART: what dart__layer_wait began is over, which gave `wait`. */
void  dart__layer_waited(void *wait);

/** For a layer between a program and DART: dart_init fails before it comes to DART, after one line; calls then return their errors without one. */
void dart__layer_failed(void);

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_PROFILE_H__INCLUDED */
