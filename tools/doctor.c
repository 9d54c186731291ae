/* dart-info --doctor: what this machine offers to DART, and what would offer more.
 *
 * If a job does not start, runs out of memory, or is slow, the reason is mostly not in the program: a container's small
 * /dev/shm, a limit of the shell, a forgotten UCX_TLS, units that share a core. Each check is a function that prints
 * one line: "ok" or "look", what was found, and for "look" what to do. The checks change nothing. */
#include "doctor.h"

#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <dash/dart/if/dart.h>

#include "base/config.h"
#include "model/team.h"
#include "model/world.h"
#include "net.h"
#include "wait/foreign.h"

#define MIB                ((uint64_t)1 << 20)
#define SHM_LEAST          (512 * MIB)
#define MAPPINGS_LEAST     65530 /* the kernel's default */
#define FILES_LEAST        1024
#define FILES_LEAST_A_UNIT 16

static int nfindings;

/* Print a line; `is_well`: nothing has to be done. */
static void say(bool is_well, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(bool is_well, const char *what, const char *format, ...)
{
  va_list args;

  nfindings += !is_well;
  printf("%-5s %-16s ", is_well ? "ok" : "look", what);
  va_start(args, format);
  vprintf(format, args);
  va_end(args);
  putchar('\n');
}

/* The first line of a file; false: there is none. */
static bool read_line(const char *path, char *line, int size)
{
  FILE *file  = fopen(path, "re");
  bool  there = file != NULL && fgets(line, size, file) != NULL;

  if (file != NULL)
    fclose(file);
  if (there)
    line[strcspn(line, "\n")] = '\0';
  return there;
}

/* A number in a file, or -1. */
static int64_t read_number(const char *path)
{
  char line[64];

  return read_line(path, line, sizeof line) ? strtoll(line, NULL, 10) : -1;
}

static uint64_t machine_memory(void)
{
  struct sysinfo info;

  return sysinfo(&info) == 0 ? (uint64_t)info.totalram * info.mem_unit : 0;
}

static int32_t near_units(void)
{
  return dart__teams[DART_TEAM_ALL]->node_nunits;
}

static int32_t nodes(void)
{
  return dart__teams[DART_TEAM_ALL]->nnodes;
}

/* ---- memory --------------------------------------------------------------------------------------- */

static void check_shared_memory(void)
{
  struct statvfs there;
  uint64_t       size, left, memory = machine_memory();

  if (statvfs("/dev/shm", &there) != 0) {
    say(false, "/dev/shm",
        "is missing: units have no shared memory (mount -t tmpfs tmpfs /dev/shm)");
    return;
  }
  size = (uint64_t)there.f_blocks * there.f_frsize;
  left = (uint64_t)there.f_bavail * there.f_frsize;
  if (size < SHM_LEAST || size < memory / 4)
    say(false, "/dev/shm",
        "%" PRIu64 " MiB of a machine with %" PRIu64
        " MiB hold all segments and pools of the node (mount -o remount,size=50%% /dev/shm; "
        "docker run --shm-size=...)",
        size / MIB, memory / MIB);
  else if (left < size / 4)
    say(false, "/dev/shm",
        "%" PRIu64 " of %" PRIu64 " MiB are left: remove old files (ls /dev/shm)", left / MIB,
        size / MIB);
  else
    say(true, "/dev/shm", "%" PRIu64 " MiB, %" PRIu64 " left; the machine has %" PRIu64, size / MIB,
        left / MIB, memory / MIB);
}

/* DART considers the machine's memory and /dev/shm, but not this limit. */
static void check_container(void)
{
  char     line[64];
  uint64_t limit;

  if (!read_line("/sys/fs/cgroup/memory.max", line, sizeof line) &&
      !read_line("/sys/fs/cgroup/memory/memory.limit_in_bytes", line, sizeof line))
    return;
  limit = strtoull(line, NULL, 10);
  if (limit > 0 && limit < machine_memory())
    say(false, "memory limit",
        "the control group has %" PRIu64 " MiB: a process beyond that is killed, without a report",
        limit / MIB);
}

static void check_limit(int which, const char *name, const char *what, const char *option)
{
  struct rlimit limit;

  if (getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    say(false, name, "%" PRIu64 " MiB: %s (ulimit %s unlimited)", (uint64_t)limit.rlim_cur / MIB,
        what, option);
}

static void check_limits(void)
{
  struct rlimit files;
  int64_t       mappings = read_number("/proc/sys/vm/max_map_count");
  uint64_t      wanted   = FILES_LEAST_A_UNIT * (uint64_t)dart__world.nunits;

  wanted = wanted > FILES_LEAST ? wanted : FILES_LEAST;
  check_limit(RLIMIT_AS, "address space", "pools and segments reserve more than they use", "-v");
  check_limit(RLIMIT_FSIZE, "file size", "the job's memory is one large file without a name", "-f");
  if (getrlimit(RLIMIT_NOFILE, &files) == 0)
    say(files.rlim_cur >= wanted, "descriptors",
        files.rlim_cur >= wanted ? "%" PRIu64
                                 : "%" PRIu64
                                   ": MPI and dartrun need some for every unit (ulimit -n)",
        (uint64_t)files.rlim_cur);
  if (mappings >= 0)
    say(mappings >= MAPPINGS_LEAST, "mappings",
        mappings >= MAPPINGS_LEAST ? "%" PRId64
                                   : "%" PRId64 ": one for each unit of the node and chunk (sysctl "
                                     "vm.max_map_count=65530)",
        mappings);
}

static void check_huge_pages(void)
{
  char line[96];

  if (!read_line("/sys/kernel/mm/transparent_hugepage/shmem_enabled", line, sizeof line))
    say(false, "huge pages", "this kernel has none in shared memory");
  else if (strstr(line, "[never]") != NULL || strstr(line, "[deny]") != NULL)
    say(dart__settings.huge_pages == DART__HUGE_PAGES_NONE, "huge pages",
        "%s: small pages, unless the kernel collapses them on request (echo advise > "
        "/sys/kernel/mm/transparent_hugepage/shmem_enabled)",
        line);
  else
    say(true, "huge pages", "%s", line);
}

/* ---- units ---------------------------------------------------------------------------------------- */

/* Copies between processes: unit 0 reads a byte of another unit of its node. */
static void check_copies(uint64_t address)
{
  int64_t scope = read_number("/proc/sys/kernel/yama/ptrace_scope");
  int32_t other = near_units() > 1 ? dart__teams[DART_TEAM_ALL]->node_units[1] : -1;
  bool    works = other >= 0 && dart__foreign_reaches(dart__world_pid(other), address);

  if (other < 0)
    say(scope < 2, "copies",
        scope < 2 ? "ptrace_scope %" PRId64 " (start two units to try them)"
                  : "ptrace_scope %" PRId64 " forbids them: registered memory cannot be reached "
                    "(sysctl kernel.yama.ptrace_scope=1)",
        scope);
  else if (works)
    say(true, "copies", "between processes work (process_vm_readv)");
  else
    say(false, "copies",
        "between processes are forbidden: registered memory of near units cannot be reached, and "
        "large collectives copy twice (sysctl kernel.yama.ptrace_scope=1; docker run --cap-add "
        "SYS_PTRACE)");
}

/* Where a unit may run: the number of processors, and the first of them. */
typedef struct {
  int32_t count, first;
} affinity_t;

static affinity_t own_affinity(void)
{
  cpu_set_t  set;
  affinity_t own = { 0, -1 };

  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return own;
  own.count = CPU_COUNT(&set);
  for (int cpu = 0; cpu < CPU_SETSIZE && own.first < 0; cpu++)
    if (CPU_ISSET(cpu, &set))
      own.first = cpu;
  return own;
}

/* Two units of this node that are bound to the same processor; false: there are none. */
static bool share_processor(const affinity_t *all, int32_t *one_out, int32_t *other_out)
{
  const dart__team_t *team = dart__teams[DART_TEAM_ALL];

  for (int32_t i = 0; i < team->node_nunits; i++)
    for (int32_t j = 0; j < i; j++) {
      int32_t a = team->node_units[j], b = team->node_units[i];

      if (all[a].count == 1 && all[b].count == 1 && all[a].first == all[b].first) {
        *one_out   = a;
        *other_out = b;
        return true;
      }
    }
  return false;
}

static void check_cores(const affinity_t *all)
{
  int32_t one, other, count = all[0].count;

  if (share_processor(all, &one, &other))
    say(false, "binding",
        "units %d and %d are both bound to processor %d (dartrun --bind=none, or core)", one, other,
        all[one].first);
  else
    say(true, "binding",
        count == 1 ? "a unit has a processor of its own" : "units may use %d processors", count);
  if (count > 1 && near_units() > count)
    say(false, "cores",
        "%d units on %d processors: waiting units yield and sleep, so times are not those of the "
        "network%s",
        near_units(), count, nodes() > 1 ? "; MPI's own waits spin" : "");
  else if (count > 1)
    say(true, "cores", "%d unit%s, %d processors", near_units(), near_units() > 1 ? "s" : "",
        count);
}

/* ---- between nodes -------------------------------------------------------------------------------- */

static void check_transport(void)
{
  const char *text = dart__net.describe(), *mpich = strstr(text, "MPICH");

  if (strstr(text, "no MPI") != NULL)
    say(true, "transport", "%s", text);
  else if (mpich == NULL)
    say(false, "transport", "%s: DART is tested with MPICH (doc/internals/mpi-underneath.md)",
        text);
  else
    say(true, "transport", "%s%s", text,
        strstr(text, " 4.0") != NULL ? "; DART works around the known errors of 4.0" : "");
}

static void check_tcp(void)
{
  const char *tls = getenv("UCX_TLS");

  if (strstr(dart__net.describe(), "MPI") == NULL || tls == NULL)
    return;
  if (strstr(tls, "tcp") != NULL || strstr(tls, "all") == NULL)
    say(strstr(tls, "tcp") == NULL, "UCX_TLS",
        strstr(tls, "tcp") != NULL
            ? "%s: TCP, but the network or the node may have something faster (unset it)"
            : "%s: only these",
        tls);
}

static void check_agent(void)
{
  if (!dart__world.many_nodes)
    return;
  if (dart__world.has_agent)
    say(true, "agent", "far units are served while the program computes");
  else if (dart__settings.progress == DART__PROGRESS_NONE)
    say(false, "agent", "DART_PROGRESS=none: far units that need a unit wait while it computes");
  else
    say(false, "agent",
        "MPI gave no MPI_THREAD_MULTIPLE: far units that need a unit wait while it computes "
        "(start MPI with it, or let dart_init start MPI)");
}

/* ---- all ------------------------------------------------------------------------------------------ */

static void check_all(const affinity_t *all, uint64_t address)
{
  check_shared_memory();
  check_container();
  check_limits();
  check_huge_pages();
  check_copies(address);
  check_cores(all);
  check_transport();
  check_tcp();
  check_agent();
  if (nfindings == 0)
    printf("nothing to do\n");
  else
    printf(nfindings == 1 ? "1 line needs attention; see doc/troubleshooting.md\n"
                          : "%d lines need attention; see doc/troubleshooting.md\n",
           nfindings);
}

int doctor(void)
{
  static char      there; /* unit 0 reads it from another unit */
  size_t           n   = (size_t)dart__world.nunits;
  affinity_t       own = own_affinity(), *all = calloc(n, sizeof *all);
  uint64_t         address = (uint64_t)(uintptr_t)&there, *addresses = calloc(n, sizeof *addresses);
  dart_team_unit_t root = DART_TEAM_UNIT_ID(0);

  if (all == NULL || addresses == NULL ||
      dart_gather(&own, all, 2, DART_TYPE_INT, root, DART_TEAM_ALL) != DART_OK ||
      dart_gather(&address, addresses, 1, DART_TYPE_ULONG, root, DART_TEAM_ALL) != DART_OK)
    dart_abort(EXIT_FAILURE);
  if (dart__world.me == 0)
    check_all(all, near_units() > 1 ? addresses[dart__teams[DART_TEAM_ALL]->node_units[1]] : 0);
  dart_barrier(DART_TEAM_ALL); /* unit 0 has read `there` */
  free(addresses);
  free(all);
  return nfindings;
}
