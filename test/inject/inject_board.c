/* See inject_board.h. */
#include "inject_board.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
  MEETINGS    = 1024,
  UNITS       = 8,
  PATIENCE_MS = 5000,
  SKIPPED     = -1,
  MISSED      = 66, /* exit codes */
  HUNG        = 67,
};

typedef struct {
  _Atomic int  arrived[MEETINGS];
  _Atomic int  got[MEETINGS][UNITS];
  _Atomic bool fired[UNITS]; /* the point that fails was reached there */
} board_t;

int me = -1, n;

static board_t *board;
static int      meeting; /* the next one */
static bool     failed;
static bool     failed_init;
static place_t  last;

bool dart__inject_fired(void);
long dart__inject_alive(void);

static const char *name_of(const char *path)
{
  const char *slash = strrchr(path, '/');

  return slash != NULL ? slash + 1 : path;
}

static void say(place_t at, const char *text, int number)
{
  fprintf(stderr, "program: unit %d: %s:%d: %s: %s %d\n", me, name_of(at.file), at.line, at.what,
          text, number);
}

void board_at(place_t at)
{
  last = at;
}

static void on_alarm(int signal)
{
  (void)signal;
  say(last, "hangs in it, signal", signal);
  _exit(HUNG);
}

static long number_from(const char *name)
{
  const char *text = getenv(name);

  if (text == NULL) {
    fprintf(stderr, "program: no %s in the environment\n", name);
    exit(EXIT_FAILURE);
  }
  return atol(text);
}

static int own_number(void)
{
  const char *text = getenv("DART_SHMEM_UNIT");

  if (text == NULL)
    text = getenv("PMI_RANK");
  return text == NULL ? 0 : atoi(text);
}

void board_open(void)
{
  const char *path = getenv("INJECT_BOARD");
  int         fd   = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);

  me = own_number();
  n  = (int)number_from("INJECT_UNITS");
  if (fd < 0 || n > UNITS ||
      (board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) ==
          MAP_FAILED) {
    fprintf(stderr, "program: no board, or too small a one\n");
    exit(EXIT_FAILURE);
  }
  close(fd);
  signal(SIGALRM, on_alarm);
  alarm((unsigned)number_from("INJECT_SECONDS"));
}

/* ---- meeting ----------------------------------------------------------------------------- */

static int missing(int number)
{
  for (int u = 0; u < n; u++)
    if (atomic_load(&board->got[number][u]) == 0)
      return u;
  return -1;
}

/* A unit without an agent, because of a setting or a failure, serves others in calls of DART alone. */
static void serve_others(void)
{
  static int is_none = -1;
  int32_t    done;

  if (is_none < 0)
    is_none = getenv("DART_PROGRESS") != NULL && strcmp(getenv("DART_PROGRESS"), "none") == 0;
  if (!dart_initialized() || (!is_none && !dart__inject_fired()))
    return;
  for (int i = 0; i < 32; i++) /* which of them polls is DART's to decide */
    dart_testall_local(NULL, 0, &done);
}

/* Values are on the board as themselves + 2, so 0 is none. */
static void meet(place_t at, int value)
{
  int number = meeting++;

  if (number >= MEETINGS) {
    say(at, "is one meeting too many,", number);
    _exit(MISSED);
  }
  atomic_store(&board->fired[me], dart__inject_fired());
  atomic_store(&board->got[number][me], value + 2);
  atomic_fetch_add(&board->arrived[number], 1);
  for (int looks = 0; atomic_load(&board->arrived[number]) < n; looks++) {
    if (looks > PATIENCE_MS * 10) {
      say(at, "waits in vain for unit", missing(number));
      _exit(MISSED);
    }
    serve_others();
    nanosleep(&(struct timespec){ 0, 100000 }, NULL);
  }
}

static bool fired_somewhere(void)
{
  for (int u = 0; u < n; u++)
    if (atomic_load(&board->fired[u]))
      return true;
  return false;
}

static bool is_allowed(int may, dart_ret_t got)
{
  return (got == DART_ERR_NOMEM && (may & NOMEM)) || (got == DART_ERR_OTHER && (may & OTHER)) ||
         (got == DART_ERR_INVAL && (may & INVAL));
}

/* What the members of the last meeting got; anything else than the same ends the program. */
static dart_ret_t common_result(place_t at)
{
  int number = meeting - 1, common = SKIPPED;

  for (int u = 0; u < n; u++) {
    int got = atomic_load(&board->got[number][u]) - 2;

    if (got == SKIPPED || got == common)
      continue;
    if (common != SKIPPED) {
      say(at, "results differ: one unit got", common);
      say(at, "another", got);
      _exit(MISSED);
    }
    common = got;
  }
  return (dart_ret_t)common;
}

bool board_meet(place_t at, bool member, int may, dart_ret_t got)
{
  meet(at, member ? (int)got : SKIPPED);
  got = common_result(at);
  if (got == DART_OK)
    return false;
  if (!fired_somewhere() || !is_allowed(may, got)) {
    say(at, "fails as it may not, with", got);
    _exit(MISSED);
  }
  return true;
}

bool board_own(place_t at, int may, dart_ret_t got)
{
  if (got == DART_OK)
    return false;
  if (dart__inject_fired() && is_allowed(may, got))
    return true;
  say(at, "fails as it may not, with", got);
  _exit(MISSED);
}

/* Whether it may fail is seen later, when units that fail can have told. */
bool board_init(place_t at, dart_ret_t got)
{
  if (got == DART_OK)
    return false;
  if (failed_init || !is_allowed(NOMEM | OTHER, got)) {
    say(at, "fails as it may not, with", got);
    _exit(MISSED);
  }
  failed_init = true;
  return true;
}

void board_wait(const char *what)
{
  meet(HERE(what), DART_OK);
  if (failed_init)
    board_expect(HERE("some unit was made to fail"), fired_somewhere());
}

void board_expect(place_t at, bool holds)
{
  if (holds)
    return;
  say(at, "does not hold on unit", me);
  failed = true;
}

/* ---- what is left ------------------------------------------------------------------------ */

static int open_files(void)
{
  DIR *folder = opendir("/proc/self/fd");
  int  count  = 0;

  while (folder != NULL && readdir(folder) != NULL)
    count++;
  if (folder != NULL)
    closedir(folder);
  return count;
}

static long mapped_mib(void)
{
  FILE *statm = fopen("/proc/self/statm", "r");
  long  pages = 0;

  if (statm != NULL) {
    if (fscanf(statm, "%ld", &pages) != 1)
      pages = 0;
    fclose(statm);
  }
  return pages / 256;
}

int board_close(void)
{
  alarm(0);
  fprintf(stderr, "program: unit %d leaves %ld allocations, %d files, %ld MiB\n", me,
          dart__inject_alive(), open_files(), mapped_mib());
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
