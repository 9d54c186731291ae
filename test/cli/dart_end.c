/* A program whose units do what its arguments say and then end, one way or another: for the tests of
 * how jobs end.
 *
 *   dart_end WHO:STEP,STEP,... ...    WHO is a unit's id or *; a unit takes the first fitting word
 *
 *   init exit        dart_init, dart_exit
 *   nodes=N          set DART_NODES, before another dart_init
 *   barrier          of all units
 *   bcast=U sum=N    4 numbers of unit U to all; the sums of N numbers
 *   team tbarrier    make a team of all units but the first (all call), meet in it (its members)
 *   tbcast=U         4 numbers of the team's member U to its members
 *   send=U recv=U    a message of one number; big=U sends one that is too long to be left behind
 *   put notify       to the right neighbour, not completed: a thousand puts and accumulates; a counter
 *   flush            complete what was put
 *   wait get         wait for that counter; check what the left neighbour put
 *   work=N           N rounds of all of that: put, flush, barrier, get, a message to the right, notify,
 *                    and 5 ms without any
 *   lock             acquire a lock of all (all call lockinit before)
 *   range            acquire a range of all (all call rangeinit before), within a stripe of unit 0's
 *   wide third       the same over stripes of units 0, 1 and 2; of unit 2's stripe alone
 *   file=PATH        make a file and open it in atomic mode (all call)
 *   plain=PATH       the same, not in atomic mode, where requests are done by a thread
 *   rewrite          write the same bytes of it again and again
 *   at=U unat=U      acquire the lock in the first of unit U's cells by dart_lock_at_acquire, and release it
 *   epoch=U eshared=U     lock unit U's cells exclusively, or shared, by dart_epoch_lock, and read one
 *   eall             lock all units' cells by dart_epoch_lock_all, and read one of each
 *   eunlock=U        unlock U's cells
 *   eaccess=U        start an access to U's cells by dart_epoch_start, and read one
 *   estart=U         start an access to U's cells, and put one
 *   ecomplete        complete that access
 *   epost=U          let U access its own cells by dart_epoch_post, and wait until it has
 *   eposts=N         the same of the first N units
 *   aside            a thread that calls dart_barrier
 *   sleep=MS         stay away from DART
 *   say=WORD         print WORD
 *   pid              print its own process id
 *   fork=MS          a child that sleeps, and ends without a word
 *   catch            a handler of its own for SIGSEGV, that says so
 *   crash            store to address 0
 *   request          write a byte of the file by a request
 *   fault=NAME       a fault in the thread of that name, if there is one
 *   overflow=NAME    use up the stack of that thread; without a name that of the caller
 *   end=N _end=N quick=N abort=N kill=N    exit, _exit, quick_exit, dart_abort, die of a signal
 *
 * After the last step a unit returns 0 from main. A call of DART that fails ends the unit with 9. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_range.h>
#include <dash/dart/if/dart.h>

enum { PUTS = 1000, BIG = 1 << 20 };

static int         unit, nunits;
static dart_gptr_t cells; /* PUTS of each unit, then a sum, then a counter */
static dart_team_t team = DART_TEAM_NULL;

enum { NUMBERS = 4 };
static long         numbers[NUMBERS], sums[NUMBERS];
static dart_lock_t  lock;
static dart_range_t range;
static dart_file_t  file;

static void must(dart_ret_t ret)
{
  if (ret != DART_OK)
    exit(9);
}

static dart_gptr_t cell(int owner, int index)
{
  dart_gptr_t at = cells;

  at.unitid              = owner;
  at.addr_or_offs.offset = (uint64_t)index * sizeof(int64_t);
  return at;
}

static void clear(void)
{
  int64_t zero = 0;

  for (int i = 0; i < PUTS + 2; i++)
    must(dart_put_blocking(cell(unit, i), &zero, 1, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG));
  must(dart_barrier(DART_TEAM_ALL));
}

static void start(void)
{
  dart_global_unit_t me;
  size_t             size;

  must(dart_init(NULL, NULL));
  must(dart_myid(&me));
  must(dart_size(&size));
  unit   = me.id;
  nunits = (int)size;
  must(dart_team_memalloc_aligned(DART_TEAM_ALL, PUTS + 2, DART_TYPE_LONGLONG, &cells));
  clear();
}

static void make_team(void)
{
  dart_group_t members;

  must(dart_team_get_group(DART_TEAM_ALL, &members));
  must(dart_group_delmember(members, DART_GLOBAL_UNIT_ID(0)));
  must(dart_team_create(DART_TEAM_ALL, members, &team));
  must(dart_group_destroy(&members));
}

static void put_to_right(void)
{
  static int64_t values[PUTS];
  int64_t        one   = 1;
  int            right = (unit + 1) % nunits;

  for (int i = 0; i < PUTS; i++) {
    values[i] = 1000 * unit + i;
    must(dart_put(cell(right, i), &values[i], 1, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG));
    must(dart_accumulate(cell(right, PUTS), &one, 1, DART_TYPE_LONGLONG, DART_OP_SUM));
  }
}

static void check_from_left(void)
{
  int64_t found;
  int     left = (unit + nunits - 1) % nunits;

  for (int i = 0; i <= PUTS; i++) {
    must(dart_get_blocking(&found, cell(unit, i), 1, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG));
    if (found != (i < PUTS ? 1000 * left + i : PUTS)) {
      fprintf(stderr, "dart_end: unit %d has %lld in cell %d\n", unit, (long long)found, i);
      exit(8);
    }
  }
}

static void sleep_ms(int ms)
{
  struct timespec time = { ms / 1000, ms % 1000 * 1000000L };

  while (nanosleep(&time, &time) != 0)
    ;
}

static void work_round(void)
{
  int64_t            word = unit, came = -1;
  int                left  = (unit + nunits - 1) % nunits;
  dart_global_unit_t right = DART_GLOBAL_UNIT_ID((unit + 1) % nunits);

  put_to_right();
  must(dart_notify(cell(right.id, PUTS + 1), 1));
  must(dart_flush_all(cells));
  must(dart_sendrecv(&word, 1, DART_TYPE_LONGLONG, 1, right, &came, 1, DART_TYPE_LONGLONG, 1,
                     DART_GLOBAL_UNIT_ID(left)));
  if (came != left)
    exit(8);
  must(dart_notify_wait(cell(unit, PUTS + 1), 1, -1));
  must(dart_barrier(DART_TEAM_ALL));
  check_from_left();
  clear();
  sleep_ms(5);
}

static void open_file(const char *path, bool is_atomic)
{
  must(dart_file_open(DART_TEAM_ALL, path, DART_FILE_WRITE | DART_FILE_CREATE, 0600, &file));
  must(dart_file_set_atomicity(file, is_atomic));
}

static void rewrite(void)
{
  for (int i = 0; i < 100; i++)
    must(dart_file_write_at(file, 0, &i, 1, DART_TYPE_INT, DART_TYPE_INT, NULL));
}

static void request_write(void)
{
  dart_file_request_t request;
  char                byte = 0;

  must(dart_file_write_at_request(file, 0, &byte, 1, DART_TYPE_BYTE, DART_TYPE_BYTE, &request));
  must(dart_file_wait(&request, NULL));
}

static void send_big(int to)
{
  char *bytes = calloc(BIG, 1);

  must(dart_send(bytes, BIG, DART_TYPE_BYTE, 1, DART_GLOBAL_UNIT_ID(to)));
  free(bytes);
}

static void *meet(void *unused)
{
  dart_barrier(DART_TEAM_ALL);
  return unused;
}

static void meet_aside(void)
{
  pthread_t thread;

  if (pthread_create(&thread, NULL, meet, NULL) != 0)
    exit(9);
  pthread_detach(thread);
}

static void fork_child(int ms)
{
  if (fork() == 0) {
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    sleep_ms(ms);
    _exit(0);
  }
}

static void end(const char *how, int number)
{
  fflush(NULL);
  if (strcmp(how, "end") == 0)
    exit(number);
  if (strcmp(how, "_end") == 0)
    _exit(number);
  if (strcmp(how, "quick") == 0)
    quick_exit(number);
  if (strcmp(how, "abort") == 0)
    dart_abort(number);
  if (strcmp(how, "kill") == 0)
    raise(number);
  fprintf(stderr, "dart_end: what is '%s'?\n", how);
  exit(98);
}

static void caught(int signal)
{
  static const char text[] = "caught it\n";

  _exit(write(STDOUT_FILENO, text, sizeof text - 1) > 0 ? signal : 9);
}

static __attribute__((noinline)) void store_nowhere(void)
{
  int *volatile nowhere = NULL;

  *(volatile int *)nowhere = unit;
}

/* A handler of SIGTRAP, which no thread of DART blocks. Each call takes some of the stack, until there is none left. */
static __attribute__((noinline)) void use_up_stack(int signal)
{
  volatile char room[4096];

  room[0] = (char)signal;
  if (signal != 0)
    use_up_stack(signal);
  room[1] = room[0];
}

/* A signal for the thread of that name alone, as that of a fault is. */
static void signal_thread(const char *wanted, int signal)
{
  DIR           *tasks = opendir("/proc/self/task");
  struct dirent *task;

  while (tasks != NULL && (task = readdir(tasks)) != NULL) {
    char  path[300], name[32] = "";
    FILE *comm;

    snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
    comm = fopen(path, "r");
    if (comm == NULL)
      continue;
    if (fgets(name, sizeof name, comm) != NULL && strncmp(name, wanted, strlen(wanted)) == 0)
      syscall(SYS_tgkill, getpid(), atoi(task->d_name), signal);
    fclose(comm);
  }
  if (tasks != NULL)
    closedir(tasks);
}

static void overflow(const char *name)
{
  signal(SIGTRAP, use_up_stack);
  if (name[0] == '\0')
    raise(SIGTRAP);
  else
    signal_thread(name, SIGTRAP);
}

static void hold_range(uint64_t first, uint64_t last)
{
  dart_range_span_t        span = { first, last, DART_RANGE_EXCLUSIVE };
  static dart_range_hold_t hold; /* found by the leak sanitizer, though nobody releases it */

  must(dart_range_acquire(range, &span, 1, -1, &hold));
}

static void read_cell(int owner)
{
  int64_t value;

  must(dart_get_blocking(&value, cell(owner, 0), 1, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG));
}

static void lock_cells(int owner, dart_epoch_lock_t kind)
{
  must(dart_epoch_lock(cell(owner, 0), kind, 0));
  read_cell(owner);
}

static void lock_all_cells(void)
{
  must(dart_epoch_lock_all(cells, 0));
  for (int owner = 0; owner < nunits; owner++)
    read_cell(owner);
}

static void access_cells(int owner)
{
  dart_team_unit_t target = DART_TEAM_UNIT_ID(owner);

  must(dart_epoch_start(cells, 1, &target, 0));
  read_cell(owner);
}

static void start_put(int owner)
{
  dart_team_unit_t target = DART_TEAM_UNIT_ID(owner);
  static int64_t   value; /* read until the access is complete */

  must(dart_epoch_start(cells, 1, &target, 0));
  must(dart_put(cell(owner, 0), &value, 1, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG));
}

/* To `n` units, the first of them `from`. */
static void expose_cells(int from, int n)
{
  dart_team_unit_t origins[8];

  for (int i = 0; i < n && i < 8; i++)
    origins[i] = DART_TEAM_UNIT_ID(from + i);
  must(dart_epoch_post(cells, (size_t)n, origins, 0));
  must(dart_epoch_wait(cells));
}

static void step(const char *what, const char *argument)
{
  int     number = atoi(argument);
  int64_t word   = unit;

  if (strcmp(what, "init") == 0)
    start();
  else if (strcmp(what, "exit") == 0)
    must(dart_exit());
  else if (strcmp(what, "nodes") == 0)
    setenv("DART_NODES", argument, 1);
  else if (strcmp(what, "barrier") == 0)
    must(dart_barrier(DART_TEAM_ALL));
  else if (strcmp(what, "bcast") == 0)
    must(dart_bcast(numbers, NUMBERS, DART_TYPE_LONG, DART_TEAM_UNIT_ID(number), DART_TEAM_ALL));
  else if (strcmp(what, "sum") == 0)
    must(dart_allreduce(numbers, sums, (size_t)number, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL));
  else if (strcmp(what, "team") == 0)
    make_team();
  else if (strcmp(what, "tbarrier") == 0)
    must(dart_barrier(team));
  else if (strcmp(what, "tbcast") == 0)
    must(dart_bcast(numbers, NUMBERS, DART_TYPE_LONG, DART_TEAM_UNIT_ID(number), team));
  else if (strcmp(what, "send") == 0)
    must(dart_send(&word, 1, DART_TYPE_LONGLONG, 1, DART_GLOBAL_UNIT_ID(number)));
  else if (strcmp(what, "recv") == 0)
    must(dart_recv(&word, 1, DART_TYPE_LONGLONG, 1, DART_GLOBAL_UNIT_ID(number)));
  else if (strcmp(what, "big") == 0)
    send_big(number);
  else if (strcmp(what, "put") == 0)
    put_to_right();
  else if (strcmp(what, "flush") == 0)
    must(dart_flush_all(cells));
  else if (strcmp(what, "get") == 0)
    check_from_left();
  else if (strcmp(what, "notify") == 0)
    must(dart_notify(cell((unit + 1) % nunits, PUTS + 1), 1));
  else if (strcmp(what, "wait") == 0)
    must(dart_notify_wait(cell(unit, PUTS + 1), 1, -1));
  else if (strcmp(what, "work") == 0)
    for (int i = 0; i < number; i++)
      work_round();
  else if (strcmp(what, "lockinit") == 0)
    must(dart_team_lock_init(DART_TEAM_ALL, &lock));
  else if (strcmp(what, "lock") == 0)
    must(dart_lock_acquire(lock));
  else if (strcmp(what, "rangeinit") == 0)
    must(dart_team_range_init(DART_TEAM_ALL, 0, 0, &range));
  else if (strcmp(what, "range") == 0)
    hold_range(10, 20);
  else if (strcmp(what, "wide") == 0)
    hold_range(10, 3000000); /* stripes have 2^20 numbers */
  else if (strcmp(what, "third") == 0)
    hold_range(2999999, 2999999);
  else if (strcmp(what, "file") == 0)
    open_file(argument, true);
  else if (strcmp(what, "plain") == 0)
    open_file(argument, false);
  else if (strcmp(what, "rewrite") == 0)
    rewrite();
  else if (strcmp(what, "at") == 0)
    must(dart_lock_at_acquire(cell(number, 0)));
  else if (strcmp(what, "unat") == 0)
    must(dart_lock_at_release(cell(number, 0)));
  else if (strcmp(what, "epoch") == 0)
    lock_cells(number, DART_EPOCH_EXCLUSIVE);
  else if (strcmp(what, "eshared") == 0)
    lock_cells(number, DART_EPOCH_SHARED);
  else if (strcmp(what, "eall") == 0)
    lock_all_cells();
  else if (strcmp(what, "eunlock") == 0)
    must(dart_epoch_unlock(cell(number, 0), 0));
  else if (strcmp(what, "eaccess") == 0)
    access_cells(number);
  else if (strcmp(what, "estart") == 0)
    start_put(number);
  else if (strcmp(what, "epost") == 0)
    expose_cells(number, 1);
  else if (strcmp(what, "eposts") == 0)
    expose_cells(0, number);
  else if (strcmp(what, "ecomplete") == 0)
    must(dart_epoch_complete(cells));
  else if (strcmp(what, "aside") == 0)
    meet_aside();
  else if (strcmp(what, "catch") == 0)
    signal(SIGSEGV, caught);
  else if (strcmp(what, "request") == 0)
    request_write();
  else if (strcmp(what, "fault") == 0)
    signal_thread(argument, SIGSEGV);
  else if (strcmp(what, "overflow") == 0)
    overflow(argument);
  else if (strcmp(what, "crash") == 0)
    store_nowhere();
  else if (strcmp(what, "sleep") == 0)
    sleep_ms(number);
  else if (strcmp(what, "say") == 0)
    printf("%s\n", argument), fflush(stdout);
  else if (strcmp(what, "pid") == 0)
    printf("%d %d\n", unit, (int)getpid()), fflush(stdout);
  else if (strcmp(what, "fork") == 0)
    fork_child(number);
  else
    end(what, number);
}

int main(int argc, char **argv)
{
  const char *id = getenv("DART_SHMEM_UNIT");

  if (id == NULL)
    id = getenv("PMI_RANK"); /* started by mpiexec */
  unit = id != NULL ? atoi(id) : 0;

  for (int i = 1; i < argc; i++) {
    char *what = strchr(argv[i], ':');

    if (what == NULL || (argv[i][0] != '*' && atoi(argv[i]) != unit))
      continue;
    for (what = strtok(what + 1, ","); what != NULL; what = strtok(NULL, ",")) {
      char *argument = strchr(what, '=');

      if (argument != NULL)
        *argument++ = '\0';
      step(what, argument != NULL ? argument : "");
    }
    return 0;
  }
  return 0;
}
