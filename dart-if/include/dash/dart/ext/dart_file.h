#ifndef DASH__DART__EXT__DART_FILE_H__INCLUDED
#define DASH__DART__EXT__DART_FILE_H__INCLUDED
/** @file dart_file.h
 *  Files that the units of a team read and write together.
 *
 *  A file is opened by a team, and is then a sequence of bytes that all its units access, each by calls of its own
 *  or all in one call. Elements have a layout in memory and one in the file, as in dart_put: any two types
 *  that dart_put takes. Files need no MPI; they are read and written by the calls of the system, and nothing is
 *  kept back: what a call has written is in the file for everyone who reads it afterwards.
 *
 *  *Atomic mode.* Calls of the team's units take effect one after the other, each as a whole, also where
 *  they overlap and are not contiguous: every read sees what some order of the writes leaves, and what was written
 *  before it began. This is by range locks (dart_range.h) over the bytes that a call accesses, so calls of different
 *  units that do not overlap do not wait for one another, and the file system needs no locks; threads of one unit
 *  take turns. In a job of several nodes a unit whose call follows within 20 us on one that accessed the same bytes keeps
 *  its lock for a next one, for a millisecond in all, and releases it once it is idle: when its agent looks, or a call
 *  of it makes progress (without agents it keeps nothing). It holds among the units
 *  of the team that opened the file, for this opening of it: others must not write between the first and the
 *  last byte of a call meanwhile, for a call that is not contiguous may write the bytes between its pieces again,
 *  as it has read them. Without atomic mode, calls that overlap, of which one
 *  writes, need an order: a barrier or another dependence between the units.
 *
 *  *Errors.* DART_OK means that all of it was done. DART_ERR_OTHER: the system has refused something, which one log
 *  line says; dart_file_error gives its number. Invalid arguments, offsets beyond 2^63 - 1 among them, are
 *  DART_ERR_INVAL, and nothing is done. All units of a collective call return the same, also if only one of them gives
 *  a wrong argument, or if they give different ones where all must give the same: different open files of the team
 *  among them (files of different teams are different calls). The exception is a unit that gives a dead team, or
 *  DART_FILE_NULL, where the others do not: it cannot ask them, and returns alone.
 *
 *  *Units that are lost* (dart_survive.h). Of a file of a broken team the calls of one unit go on, but in atomic mode, and
 *  but for the shared pointer: it is the first member's, and for units of other nodes gone with that. A collective call
 *  that returns DART_ERR_UNIT_LOST has written all of this unit's data, a part, or nothing; an ordered one or a seek may
 *  have moved the pointer; a view may have been set. dart_file_close has closed the file and set the handle to NULL also
 *  then.
 *
 *  Ross, Latham, Gropp, Thakur, Toonen: Implementing MPI-IO Atomic Mode Without File System Support, CCGrid 2005. */

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** A file that a team has opened by dart_file_open. */
typedef struct dart_file_struct *dart_file_t;

#define DART_FILE_NULL ((dart_file_t)NULL) /**< no file */

/** How a file is opened: these, added up. */
enum {
  DART_FILE_READ      = 1,
  DART_FILE_WRITE     = 2,
  DART_FILE_CREATE    = 4,  /**< with WRITE: make it if it is not there */
  DART_FILE_EXCLUSIVE = 8,  /**< with CREATE: it is an error if it is there */
  DART_FILE_TRUNCATE  = 16, /**< with WRITE: it is empty afterwards */
  DART_FILE_APPEND    = 32  /**< the shared pointer starts at the end */
};

/* ---- Open and close ------------------------------------------------------------------------------------- */

/** Open the file at `path`, which names the same file on all units; all give the same flags. `mode`: permissions
 *  of a new file, as for open(2). It is not in atomic mode, and its view is all of it. The process's limit to the
 *  size of files (RLIMIT_FSIZE) is taken here, and is not to be lowered while the file is open: a write beyond it is
 *  an error, but beyond one that was lowered later the system sends SIGXFSZ, which ends the program.
 *
 *  Collective over the team; `*file` is DART_FILE_NULL after an error. DART_ERR_NOTFOUND: there is no such file.
 *  DART_ERR_OTHER: it cannot be opened, on some unit at least, or is no regular file; a file that was created stays.
 *  DART_ERR_INVAL: no such team, `path` or `file` NULL, invalid flags; or `path` names different files on units of one
 *  host. (Between hosts, or where it is not known whether two are one, that is not certain: where inode numbers differ,
 *  a warning is logged.) DART_ERR_NOMEM. */
dart_ret_t dart_file_open(dart_team_t teamid, const char *path, unsigned flags, unsigned mode,
                          dart_file_t *file) DART_NOTHROW;

/** Close a file, and set `*file` to DART_FILE_NULL. Collective. DART_ERR_INVAL on all: requests are pending on some
 *  unit; nothing has changed, and what they do is not lost: complete them, and close it then. DART_ERR_OTHER: the
 *  system reports that something that was written was lost; it is closed all the same. Once the team is destroyed, or
 *  after dart_exit, it is local, and still needed, and pending requests of the caller are completed first, too.
 *  NULL for `file` or `*file`: DART_OK, local. */
dart_ret_t dart_file_close(dart_file_t *file) DART_NOTHROW;

/** Store how many bytes are in the file now. Local. */
dart_ret_t dart_file_size(dart_file_t file, uint64_t *nbytes) DART_NOTHROW;

/** Make the file `nbytes` long: cut it, or let it grow by zeros. Collective. */
dart_ret_t dart_file_resize(dart_file_t file, uint64_t nbytes) DART_NOTHROW;

/** Wait until what all units have written is on the storage device. Collective. */
dart_ret_t dart_file_sync(dart_file_t file) DART_NOTHROW;

/** Begin or end atomic mode. Collective; all give the same. DART_ERR_INVAL on all: requests are pending on some unit;
 *  nothing has changed. DART_ERR_NOMEM.
 *  Each MiB of the file belongs to a unit, in turn, and 32,768 units may access the MiBs of one at a time: where more than
 *  that do, an access returns DART_ERR_NOMEM, and nothing was done. */
dart_ret_t dart_file_set_atomicity(dart_file_t file, bool atomic) DART_NOTHROW;

/** Set what the calling unit sees of the file: from byte `displacement` on, elements of `type`, again and again; the
 *  bytes between them are left out. Units may have different views. Offsets and the shared pointer count bytes of the
 *  view; the file type of a call is contiguous while a view other than (0, DART_TYPE_BYTE) is set.
 *  Blocks of `type` may lie in any order, so a view may go backwards in the file, as may the displacement from one view
 *  to the next; where blocks of a view overlap, what a write leaves there is undefined.
 *  The shared pointer stays as it is, a number of bytes, which in another view is another place in the file; a program
 *  that wants it elsewhere calls dart_file_seek_shared. (MPI_File_set_view sets it to 0.)
 *  Units whose views are found not to overlap access the file without locks in atomic mode, too: a cyclic
 *  or block-cyclic distribution, for example, or blocks that are given as strided types; a contiguous view goes on to
 *  the end of the file. One thing they share: while a write of several pieces makes the file longer, others that read
 *  without locks may find its end between two of these. `type` may be destroyed afterwards.
 *
 *  Collective. DART_ERR_INVAL: no such type, or requests that are pending, on some unit at least; nothing has changed.
 *  DART_ERR_NOMEM. */
dart_ret_t dart_file_set_view(dart_file_t file, uint64_t displacement,
                              dart_datatype_t type) DART_NOTHROW;

/** The number (errno) of what the system refused in the last call of this thread that returned DART_ERR_OTHER or
 *  DART_ERR_NOTFOUND; of a collective call the same on all units. */
int dart_file_error(void) DART_NOTHROW;

/* ---- reading and writing by one unit --------------------------------------------------------------- */

/** Read `nelem` elements that lie in the file from byte `offset` on as `file_type`, to `buffer`, laid out as
 *  `mem_type`. Any thread.
 *
 *  `*nread`: how many of them, from the first on, are in `buffer`; fewer than `nelem` with DART_OK if the file
 *  ends before. `nread` NULL: then this is DART_ERR_OTHER. After an error other elements may be there, too.
 *  DART_ERR_INVAL: types as for dart_put; the file is not open for reading; DART_ERR_NOMEM. */
dart_ret_t dart_file_read_at(dart_file_t file, uint64_t offset, void *buffer, size_t nelem,
                             dart_datatype_t mem_type, dart_datatype_t file_type,
                             size_t *nread) DART_NOTHROW;

/** Write `nelem` elements from `buffer`, laid out as `mem_type`, to the file from byte `offset` on, as `file_type`.
 *  Any thread.
 *
 *  `*nwritten`, unless it is NULL: how many elements, from the first on, are in the file for certain:
 *  all with DART_OK; after an error (no space, a quota, a limit) perhaps some, and of the next one perhaps a part.
 *  DART_ERR_INVAL: types that dart_put does not take; the file is not open for writing; DART_ERR_NOMEM. */
dart_ret_t dart_file_write_at(dart_file_t file, uint64_t offset, const void *buffer, size_t nelem,
                              dart_datatype_t mem_type, dart_datatype_t file_type,
                              size_t *nwritten) DART_NOTHROW;

/** A read or write that was begun, and that dart_file_wait or dart_file_test completes. */
typedef struct dart_file_request_struct *dart_file_request_t;

#define DART_FILE_REQUEST_NULL ((dart_file_request_t)NULL) /**< a request that is complete */

/** Begin to read or write. `buffer` belongs to the call, and types stay alive, until a wait or test completes it.
 *  A thread of the library does it meanwhile; in atomic mode, where a lock is needed, it is done in the call that
 *  completes it. Requests of a unit are in no order. Errors of arguments are returned here, others at the end. */
dart_ret_t dart_file_read_at_request(dart_file_t file, uint64_t offset, void *buffer, size_t nelem,
                                     dart_datatype_t mem_type, dart_datatype_t file_type,
                                     dart_file_request_t *request) DART_NOTHROW;
dart_ret_t dart_file_write_at_request(dart_file_t file, uint64_t offset, const void *buffer,
                                      size_t nelem, dart_datatype_t mem_type,
                                      dart_datatype_t      file_type,
                                      dart_file_request_t *request) DART_NOTHROW;

/** Complete a request, and set it to DART_FILE_REQUEST_NULL: returns what dart_file_read_at or dart_file_write_at
 *  would. `nelem` may be NULL for a write. A null request: DART_OK, and `*nelem` is 0. Once the team is destroyed, or
 *  after dart_exit: DART_ERR_INVAL, if it needs a lock of atomic mode; it is complete then, and nothing was done. */
dart_ret_t dart_file_wait(dart_file_request_t *request, size_t *nelem) DART_NOTHROW;

/** Complete a request if that can be done without waiting for others: then `*done` is 1, and all is as after
 *  dart_file_wait. Else `*done` is 0, and nothing has changed. In atomic mode a test keeps no place among those that wait for the bytes, for nobody is to
 *  wait for a program that does not test again. But after ten milliseconds of tests that found them locked, a test
 *  waits for its turn, for up to a fifth of the time since the first of these: so it comes to its turn in a loop, too,
 *  however many others keep coming. dart_file_wait has its place at once. */
dart_ret_t dart_file_test(dart_file_request_t *request, int32_t *done, size_t *nelem) DART_NOTHROW;

/* ---- by all units in one call -------------------------------------------------------------------------- */

/** Read or write by all units of the team in one call, each with arguments of its own, as those of dart_file_read_at
 *  and dart_file_write_at; `nelem` may be 0. Where pieces are small the units exchange them, on a node in shared memory, and between nodes whose
 *  pieces interleave, so that each reads or writes large ones (two phases: del Rosario, Bordawekar, Choudhary:
 *  Improved parallel I/O via a two-phase run-time access strategy, SIGARCH 1993). Collective: all return the
 *  same; after an error `*nread` and `*nwritten` are 0. In a write, units do not overlap, unless in atomic
 *  mode. */
dart_ret_t dart_file_read_all(dart_file_t file, uint64_t offset, void *buffer, size_t nelem,
                              dart_datatype_t mem_type, dart_datatype_t file_type,
                              size_t *nread) DART_NOTHROW;
dart_ret_t dart_file_write_all(dart_file_t file, uint64_t offset, const void *buffer, size_t nelem,
                               dart_datatype_t mem_type, dart_datatype_t file_type,
                               size_t *nwritten) DART_NOTHROW;

/* ---- the shared pointer ----------------------------------------------------------------------------------- */

/** Read or write at the shared pointer, which all units move: by one atomic step to behind these elements, before
 *  they are accessed. So units that write never write to the same place, nor leave a gap, unless one fails. A call
 *  that is refused, for it would go beyond 2^63 - 1, takes its step back, unless the pointer was moved again meanwhile.
 *  The elements lie in the file contiguously. Else as dart_file_read_at and dart_file_write_at. */
dart_ret_t dart_file_read_shared(dart_file_t file, void *buffer, size_t nelem,
                                 dart_datatype_t mem_type, size_t *nread) DART_NOTHROW;
dart_ret_t dart_file_write_shared(dart_file_t file, const void *buffer, size_t nelem,
                                  dart_datatype_t mem_type, size_t *nwritten) DART_NOTHROW;

/** Read or write at the shared pointer by all units, one behind the other in the order of the team, each `nelem`
 *  elements, which lie in the file contiguously. Collective, as dart_file_read_all: all return the same. */
dart_ret_t dart_file_read_ordered(dart_file_t file, void *buffer, size_t nelem,
                                  dart_datatype_t mem_type, size_t *nread) DART_NOTHROW;
dart_ret_t dart_file_write_ordered(dart_file_t file, const void *buffer, size_t nelem,
                                   dart_datatype_t mem_type, size_t *nwritten) DART_NOTHROW;

/** Set the shared pointer; collective, all give the same. */
dart_ret_t dart_file_seek_shared(dart_file_t file, uint64_t offset) DART_NOTHROW;

/** Store where the shared pointer is now, in bytes. Local. */
dart_ret_t dart_file_tell_shared(dart_file_t file, uint64_t *offset) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_FILE_H__INCLUDED */
