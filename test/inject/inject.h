#ifndef DART__INJECT_H
#define DART__INJECT_H
/* The injector: makes one call fail that DART's own code makes, whichever it is.
 *
 * In builds with DART_INJECT=ON this header comes first in every file of the library. It puts macros in
 * the place of what allocates memory, calls MPI, or asks the kernel or hwloc for something. Each such
 * call is a point, named CALL:FILE:LINE:PART.TIME: the place in the source, the part of the tested program
 * (dart__inject_part), and the how-manyth time in this part that the place makes the call. So what other
 * threads and units do does not change the name of a call. By environment:
 *
 *   DART_INJECT=list:PATH            each unit writes its points to PATH.UNIT, one a line, as it goes
 *   DART_INJECT=unit:point           that point of that unit fails, once
 *   DART_INJECT=unit:point:error     with another errno, or MPI error class, than the usual one
 *
 * To fail is not to be made: the call returns what it returns when it fails.
 *
 * No points are: what releases what was given (free, munmap, a hole in a file), for it is refused only
 * to those who never had it; what cannot fail with valid arguments; and what is said to nobody who could
 * still help (a line of the log, and MPI and its process manager in dart-mpi/start/finalize.c). covers.sh has
 * the list, and finds calls of the library that are neither in it nor here.
 *
 * Calls that poll (MPI's tests and probes, sleeps, futexes) are points when a place makes them for the 1st,
 * 8th, 64th ... time in a part; other calls of MPI for the 1st, 2nd, 4th ... time. That is enough, for a look
 * that finds nothing changes nothing, and a failed call of MPI most often ends the program, the same way for
 * every message of a kind. What matters then is what the program is about, hence the parts. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* A place in the source. */
typedef struct {
  const char      *call;
  const char      *file;
  int              line;
  bool             polls;
  _Atomic uint64_t reached; /* the part, shifted by 32, and how often in it */
} dart__inject_site_t;

/** Count the call; true: it fails, and errno is `error` or what was asked for. */
bool dart__inject(dart__inject_site_t *site, int error);

/** The result, counted among the allocations that are alive unless it is NULL. */
void *dart__inject_got(void *memory);
void *dart__inject_realloc(dart__inject_site_t *site, void *memory, size_t nbytes);
void  dart__inject_free(void *memory);

/** Close it, in any case; that may have been where a write failed. */
int dart__inject_close(dart__inject_site_t *site, int fd);

ssize_t dart__inject_readv(pid_t pid, const struct iovec *here, unsigned long nhere,
                           const struct iovec *there, unsigned long nthere, unsigned long flags);
ssize_t dart__inject_writev(pid_t pid, const struct iovec *here, unsigned long nhere,
                            const struct iovec *there, unsigned long nthere, unsigned long flags);

/* For the program that is tested. */
void dart__inject_part(void);  /* the next part begins; all threads of the unit count anew */
bool dart__inject_fired(void); /* the point that fails was reached */
long dart__inject_alive(void); /* allocations of DART that were not freed */

#define DART__INJECT_SITE(call, polls)                                              \
  __extension__({                                                                   \
    static dart__inject_site_t dart__site = { call, __FILE__, __LINE__, polls, 0 }; \
    &dart__site;                                                                    \
  })
#define DART__INJECT(call, error)       dart__inject(DART__INJECT_SITE(#call, false), error)
#define DART__INJECT_POLLS(call, error) dart__inject(DART__INJECT_SITE(#call, true), error)

#ifndef DART__INJECT_ITSELF

/* ---- memory ------------------------------------------------------------------------------ */

#define malloc(nbytes) dart__inject_got(DART__INJECT(malloc, ENOMEM) ? NULL : malloc(nbytes))
#define aligned_alloc(alignment, nbytes) \
  dart__inject_got(DART__INJECT(aligned_alloc, ENOMEM) ? NULL : aligned_alloc(alignment, nbytes))
#define calloc(n, nbytes) dart__inject_got(DART__INJECT(calloc, ENOMEM) ? NULL : calloc(n, nbytes))
#define strdup(text)      dart__inject_got(DART__INJECT(strdup, ENOMEM) ? NULL : strdup(text))
#define free(memory)      dart__inject_free(memory)
#define realloc(memory, nbytes) \
  dart__inject_realloc(DART__INJECT_SITE("realloc", false), memory, nbytes)

/* ---- the kernel -------------------------------------------------------------------------- */

#define mmap(...)      (DART__INJECT(mmap, ENOMEM) ? MAP_FAILED : mmap(__VA_ARGS__))
#define msync(...)     (DART__INJECT(msync, ENOMEM) ? -1 : msync(__VA_ARGS__))
#define open(...)      (DART__INJECT(open, EMFILE) ? -1 : open(__VA_ARGS__))
#define shm_open(...)  (DART__INJECT(shm_open, EMFILE) ? -1 : shm_open(__VA_ARGS__))
#define ftruncate(...) (DART__INJECT(ftruncate, ENOSPC) ? -1 : ftruncate(__VA_ARGS__))
#define pread(...)     (DART__INJECT(pread, EIO) ? -1 : pread(__VA_ARGS__))
#define pwrite(...)    (DART__INJECT(pwrite, ENOSPC) ? -1 : pwrite(__VA_ARGS__))
#define preadv2(...)   (DART__INJECT(preadv2, EOPNOTSUPP) ? -1 : preadv2(__VA_ARGS__))
#define fstat(...)     (DART__INJECT(fstat, EIO) ? -1 : fstat(__VA_ARGS__))
#define fdatasync(fd)  (DART__INJECT(fdatasync, EIO) ? -1 : fdatasync(fd))
#define close(fd)      dart__inject_close(DART__INJECT_SITE("close", false), fd)
#define fcntl(...)     (DART__INJECT(fcntl, EINVAL) ? -1 : fcntl(__VA_ARGS__))
#define dup(fd)        (DART__INJECT(dup, EMFILE) ? -1 : dup(fd))
#define fdopen(...)    (DART__INJECT(fdopen, ENOMEM) ? NULL : fdopen(__VA_ARGS__))
#define fopen(...)     (DART__INJECT(fopen, EMFILE) ? NULL : fopen(__VA_ARGS__))
#define opendir(name)  (DART__INJECT(opendir, EMFILE) ? NULL : opendir(name))
#define readdir(...)   (DART__INJECT_POLLS(readdir, EIO) ? NULL : readdir(__VA_ARGS__))
#define fgets(...)     (DART__INJECT_POLLS(fgets, EIO) ? NULL : fgets(__VA_ARGS__))
#define statvfs(...)   (DART__INJECT(statvfs, EIO) ? -1 : statvfs(__VA_ARGS__))
#define getrandom(...) (DART__INJECT(getrandom, EAGAIN) ? -1 : getrandom(__VA_ARGS__))
#define getrlimit(...) (DART__INJECT(getrlimit, EPERM) ? -1 : getrlimit(__VA_ARGS__))
#define prctl(...)     (DART__INJECT(prctl, EINVAL) ? -1 : prctl(__VA_ARGS__))
#define setenv(...)    (DART__INJECT(setenv, ENOMEM) ? -1 : setenv(__VA_ARGS__))
#define on_exit(...)   (DART__INJECT(on_exit, ENOMEM) ? -1 : on_exit(__VA_ARGS__))

#define gethostname(...) (DART__INJECT(gethostname, EPERM) ? -1 : gethostname(__VA_ARGS__))
#define sched_getaffinity(...) \
  (DART__INJECT(sched_getaffinity, EPERM) ? -1 : sched_getaffinity(__VA_ARGS__))
#define sched_getcpu() (DART__INJECT(sched_getcpu, ENOSYS) ? -1 : sched_getcpu())
#define pthread_create(...) \
  (DART__INJECT(pthread_create, EAGAIN) ? EAGAIN : pthread_create(__VA_ARGS__))
#define pthread_atfork(...) \
  (DART__INJECT(pthread_atfork, ENOMEM) ? ENOMEM : pthread_atfork(__VA_ARGS__))
#define pthread_key_create(...) \
  (DART__INJECT(pthread_key_create, EAGAIN) ? EAGAIN : pthread_key_create(__VA_ARGS__))
#define pthread_setspecific(...) \
  (DART__INJECT(pthread_setspecific, ENOMEM) ? ENOMEM : pthread_setspecific(__VA_ARGS__))
#define pthread_setname_np(...) \
  (DART__INJECT(pthread_setname_np, ENOENT) ? ENOENT : pthread_setname_np(__VA_ARGS__))
#define posix_fadvise(...) \
  (DART__INJECT(posix_fadvise, EINVAL) ? EINVAL : posix_fadvise(__VA_ARGS__))
#define memfd_create(...) (DART__INJECT(memfd_create, EMFILE) ? -1 : memfd_create(__VA_ARGS__))
#define socket(...)       (DART__INJECT(socket, EMFILE) ? -1 : socket(__VA_ARGS__))
#define connect(...)      (DART__INJECT(connect, ECONNREFUSED) ? -1 : connect(__VA_ARGS__))
#define bind(...)         (DART__INJECT_POLLS(bind, EADDRINUSE) ? -1 : bind(__VA_ARGS__))
#define sendmsg(...)      (DART__INJECT(sendmsg, ENOBUFS) ? -1 : sendmsg(__VA_ARGS__))
#define nanosleep(...)    (DART__INJECT_POLLS(nanosleep, EINTR) ? -1 : nanosleep(__VA_ARGS__))
#define getsockopt(...)   (DART__INJECT_POLLS(getsockopt, EBADF) ? -1 : getsockopt(__VA_ARGS__))
#define getpeername(...)  (DART__INJECT_POLLS(getpeername, EBADF) ? -1 : getpeername(__VA_ARGS__))

#define process_vm_readv  dart__inject_readv
#define process_vm_writev dart__inject_writev

/* all but what gives pages back */
#define madvise(at, nbytes, advice)                                                      \
  ((advice) != MADV_REMOVE && (advice) != MADV_DONTNEED && DART__INJECT(madvise, ENOMEM) \
       ? -1                                                                              \
       : madvise(at, nbytes, advice))
#define fallocate(fd, mode, ...) \
  ((mode) == 0 && DART__INJECT(fallocate, ENOSPC) ? -1 : fallocate(fd, mode, __VA_ARGS__))

/* a futex can be waited for in vain, but it is always woken */
#define syscall(number, first, second, ...)                                                          \
  ((number) == SYS_futex           ? (int)(second) == FUTEX_WAIT && DART__INJECT_POLLS(futex, EINTR) \
                                         ? -1L                                                       \
                                         : syscall(number, first, second, __VA_ARGS__)               \
             : DART__INJECT(syscall, ENOMEM) ? -1L                                                   \
                                   : syscall(number, first, second, __VA_ARGS__))

/* ---- hwloc ------------------------------------------------------------------------------- */

#define hwloc_topology_init(...) \
  (DART__INJECT(hwloc_topology_init, ENOMEM) ? -1 : hwloc_topology_init(__VA_ARGS__))
#define hwloc_topology_load(...) \
  (DART__INJECT(hwloc_topology_load, ENOMEM) ? -1 : hwloc_topology_load(__VA_ARGS__))
#define hwloc_cpukinds_get_by_cpuset(...)                  \
  (DART__INJECT(hwloc_cpukinds_get_by_cpuset, ENOENT) ? -1 \
                                                      : hwloc_cpukinds_get_by_cpuset(__VA_ARGS__))
#define hwloc_cpukinds_get_info(...) \
  (DART__INJECT(hwloc_cpukinds_get_info, ENOENT) ? -1 : hwloc_cpukinds_get_info(__VA_ARGS__))
#define hwloc_bitmap_alloc() \
  (DART__INJECT(hwloc_bitmap_alloc, ENOMEM) ? NULL : hwloc_bitmap_alloc())
#define hwloc_bitmap_alloc_full() \
  (DART__INJECT(hwloc_bitmap_alloc_full, ENOMEM) ? NULL : hwloc_bitmap_alloc_full())
#define hwloc_get_cpubind(...) \
  (DART__INJECT(hwloc_get_cpubind, ENOSYS) ? -1 : hwloc_get_cpubind(__VA_ARGS__))
#define hwloc_get_last_cpu_location(...)                  \
  (DART__INJECT(hwloc_get_last_cpu_location, ENOSYS) ? -1 \
                                                     : hwloc_get_last_cpu_location(__VA_ARGS__))

/* ---- MPI --------------------------------------------------------------------------------- */

#define DART__INJECT_LOOKS(function) \
  (__builtin_strncmp(#function, "MPI_Test", 8) == 0 || __builtin_strstr(#function, "probe") != 0)
#define DART__MPI_CALL(function, ...)                                                      \
  (dart__inject(DART__INJECT_SITE(#function, DART__INJECT_LOOKS(function)), MPI_ERR_OTHER) \
       ? errno                                                                             \
       : function(__VA_ARGS__))

#endif
#endif
