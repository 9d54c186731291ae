/* The harness: see dart_test.h.
 *
 * Expectations are counted per unit. After each test the units meet in a barrier and add up who
 * failed, so that unit 0 can print one verdict for all of them; a unit that failed exits with 1
 * even if that sum is wrong. Suites without init borrow a life cycle for this meeting.
 *
 * A unit that waits for ever would be the worst failure, for it says nothing. So an alarm is set
 * for the whole suite (DART_TEST_TIMEOUT, seconds); its handler prints a line that was prepared
 * when the test began, and aborts. */
#include "dart_test.h"

#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "net.h"

int me = -1, n = 0;

enum {
  TIMEOUT_DEFAULT = 100,
  PRINTED_MAX     = 8,  /* failures of one test and unit that are printed one by one */
  MEMORY_MAX      = 64, /* segments and teams a test may leave to us */
};

static test_suite_t *suites;
static const test_t *running;

static atomic_uint        failures; /* of this unit in the running test */
static _Thread_local char note[160];

static struct {
  dart_gptr_t segment[MEMORY_MAX];
  size_t      segments;
  dart_team_t team[MEMORY_MAX];
  size_t      teams;
} left;

/* ---- Suites and tests ------------------------------------------------------------------------ */

void test_add_suite(test_suite_t *suite)
{
  test_suite_t **at = &suites;

  while (*at != NULL && strcmp((*at)->name, suite->name) < 0)
    at = &(*at)->next;
  suite->next = *at;
  *at         = suite;
}

void test_add(test_suite_t *suite, test_t *test)
{
  test_t **at = &suite->tests;

  while (*at != NULL && (*at)->line < test->line)
    at = &(*at)->next;
  test->next = *at;
  *at        = test;
}

void test_list(void)
{
  for (const test_suite_t *suite = suites; suite != NULL; suite = suite->next)
    puts(suite->name);
}

/* ---- Expectations ---------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');

  return slash != NULL ? slash + 1 : path;
}

/* One line, in one write: units share stderr. */
static void print_failure(test_place_t at, const char *format, ...)
{
  char     said[256];
  unsigned count = atomic_fetch_add(&failures, 1) + 1;
  va_list  args;

  if (count > PRINTED_MAX)
    return;
  va_start(args, format);
  vsnprintf(said, sizeof said, format, args);
  va_end(args);
  fprintf(stderr, "unit %d: %s:%d: %s: %s (%s)%s%s%s\n", me, base_name(at.file), at.line,
          running->name, said, at.what, note[0] != '\0' ? ", " : "", note,
          count == PRINTED_MAX ? "; more failures are counted only" : "");
}

void test_note(const char *format, ...)
{
  va_list args;

  va_start(args, format);
  vsnprintf(note, sizeof note, format, args);
  va_end(args);
}

static const char *ret_name(dart_ret_t ret)
{
  switch (ret) {
  case DART_OK: return "DART_OK";
  case DART_PENDING: return "DART_PENDING";
  case DART_ERR_INVAL: return "DART_ERR_INVAL";
  case DART_ERR_NOTFOUND: return "DART_ERR_NOTFOUND";
  case DART_ERR_NOTINIT: return "DART_ERR_NOTINIT";
  case DART_ERR_NOMEM: return "DART_ERR_NOMEM";
  case DART_ERR_UNIT_LOST: return "DART_ERR_UNIT_LOST";
  case DART_ERR_OTHER: return "DART_ERR_OTHER";
  }
  return "no dart_ret_t";
}

bool test_expect_ret(test_place_t at, dart_ret_t got, dart_ret_t expected)
{
  if (got != expected)
    print_failure(at, "expected %s, got %s", ret_name(expected), ret_name(got));
  return got == expected;
}

bool test_expect_true(test_place_t at, bool holds)
{
  if (!holds)
    print_failure(at, "does not hold");
  return holds;
}

bool test_expect_eq(test_place_t at, intmax_t got, intmax_t expected)
{
  if (got != expected)
    print_failure(at, "expected %jd, got %jd", expected, got);
  return got == expected;
}

bool test_expect_bytes(test_place_t at, const void *got, const void *expected, size_t nbytes)
{
  const unsigned char *g = got, *e = expected;
  size_t               i = 0;

  if (memcmp(g, e, nbytes) == 0)
    return true;
  while (g[i] == e[i])
    i++;
  print_failure(at, "byte %zu of %zu: expected 0x%02x, got 0x%02x", i, nbytes, e[i], g[i]);
  return false;
}

bool test_expect_filled(test_place_t at, const void *got, int byte, size_t nbytes)
{
  const unsigned char *g = got;

  for (size_t i = 0; i < nbytes; i++) {
    if (g[i] != (unsigned char)byte) {
      print_failure(at, "byte %zu of %zu: expected 0x%02x, got 0x%02x", i, nbytes,
                    (unsigned char)byte, g[i]);
      return false;
    }
  }
  return true;
}

/* ---- Refusals -------------------------------------------------------------------------------- */

/* While listening, stderr is a file in memory. */
static int stderr_before = -1, stderr_heard;

void test_listen(void)
{
  dart__log_sum_up(); /* so that what is listened for is not one of too many lines of its kind */
  fflush(stderr);
  stderr_before = dup(STDERR_FILENO);
  stderr_heard  = memfd_create("stderr", MFD_CLOEXEC);
  if (stderr_before < 0 || stderr_heard < 0 || dup2(stderr_heard, STDERR_FILENO) < 0)
    abort();
}

static void stop_listening(char *text, size_t size)
{
  ssize_t length;

  fflush(stderr);
  length                        = pread(stderr_heard, text, size - 1, 0);
  text[length > 0 ? length : 0] = '\0';
  dup2(stderr_before, STDERR_FILENO);
  close(stderr_before);
  close(stderr_heard);
  stderr_before = -1;
}

/* How the line of an entry point is marked. With logging compiled in there may be others around it,
 * and where memory is used up the backend may say why before. */
static const char entry_mark[] = "!!! DART: dart_";

bool test_expect_refused(test_place_t at, dart_ret_t got, dart_ret_t expected, const char *function,
                         const char *says)
{
  char        text[4096];
  size_t      name_length = strlen(function);
  const char *line, *more, *end;

  stop_listening(text, sizeof text);
  if (!test_expect_ret(at, got, expected))
    return false;
  line = strstr(text, entry_mark);
  if (line == NULL) {
    print_failure(at, "nothing was said about \"%s\"", says);
    return false;
  }
  line += strlen("!!! DART: ");
  more = strstr(line, entry_mark);
  end  = strchrnul(line, '\n');
  if (more == NULL && strncmp(line, function, name_length) == 0 && line[name_length] == ':' &&
      memmem(line, (size_t)(end - line), says, strlen(says)) != NULL)
    return true;
  print_failure(at, "\"%.*s\" does not %s \"%s\"", (int)(end - line), line,
                more != NULL ? "stand alone, nor say" : "say", says);
  return false;
}

/* ---- Memory and teams ------------------------------------------------------------------------ */

/* Without this the test cannot go on, nor the others without us. */
#define NEED(call) need(TEST__HERE(#call), call)

static void need(test_place_t at, dart_ret_t ret)
{
  if (!test_expect_ret(at, ret, DART_OK))
    dart_abort(EXIT_FAILURE);
}

dart_gptr_t test_segment(dart_team_t team, size_t nbytes, int fill)
{
  dart_gptr_t gptr;
  void       *mine;

  NEED(left.segments < MEMORY_MAX ? DART_OK : DART_ERR_NOMEM);
  NEED(dart_team_memalloc_aligned(team, nbytes, DART_TYPE_BYTE, &gptr));
  left.segment[left.segments++] = gptr;

  mine = test_mine(gptr);
  if (nbytes > 0)
    memset(mine, fill, nbytes);
  NEED(dart_barrier(team));
  return gptr;
}

dart_gptr_t test_alloc(const int64_t *init, size_t nelem, int unit)
{
  dart_gptr_t gptr = test_segment(DART_TEAM_ALL, nelem * sizeof *init, 0);

  memcpy(test_mine(gptr), init, nelem * sizeof *init);
  test_barrier();
  return test_unit(gptr, unit);
}

dart_gptr_t test_unit(dart_gptr_t gptr, int unit)
{
  gptr.unitid = unit;
  return gptr;
}

dart_gptr_t test_byte(dart_gptr_t gptr, uint64_t nbytes)
{
  gptr.addr_or_offs.offset += nbytes;
  return gptr;
}

dart_gptr_t test_at(dart_gptr_t gptr, size_t elem)
{
  return test_byte(gptr, elem * sizeof(int64_t));
}

int64_t *test_mine(dart_gptr_t gptr)
{
  void *addr = NULL;

  gptr.unitid              = test_team_me(gptr.teamid);
  gptr.addr_or_offs.offset = 0;
  NEED(dart_gptr_getaddr(gptr, &addr));
  return addr;
}

dart_group_t test_group(const int *units, int count)
{
  dart_group_t group;

  NEED(dart_group_create(&group));
  for (int i = 0; i < count; i++)
    NEED(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(units[i])));
  return group;
}

void test_use_team(dart_team_t team)
{
  int         size = test_team_size(team), self = test_team_me(team), sum = -1;
  int64_t     value = 500 + self;
  dart_gptr_t gptr;

  EXPECT_OK(dart_allreduce(&self, &sum, 1, DART_TYPE_INT, DART_OP_SUM, team));
  EXPECT_EQ(sum, size * (size - 1) / 2);

  EXPECT_OK(dart_team_memalloc_aligned(team, 1, T_INT64, &gptr));
  EXPECT_OK(dart_put_blocking(test_unit(gptr, (self + 1) % size), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_barrier(team));
  EXPECT_EQ(*test_mine(gptr), 500 + (self + size - 1) % size);
  EXPECT_OK(dart_team_memfree(gptr));
}

dart_team_t test_team(dart_team_t parent, const int *units, int count)
{
  dart_group_t group = test_group(units, count);
  dart_team_t  team;

  NEED(left.teams < MEMORY_MAX ? DART_OK : DART_ERR_NOMEM);
  NEED(dart_team_create(parent, group, &team));
  NEED(dart_group_destroy(&group));
  if (team != DART_TEAM_NULL)
    left.team[left.teams++] = team;
  return team;
}

dart_team_t test_split(dart_team_t parent, int parts)
{
  int         size  = test_team_size(parent);
  int        *units = malloc((size_t)size * sizeof *units);
  dart_team_t mine  = DART_TEAM_NULL;

  for (int part = 0; part < parts; part++) {
    int         count = 0;
    dart_team_t team;

    for (int unit = part; unit < size; unit += parts) {
      dart_global_unit_t global;

      NEED(dart_team_unit_l2g(parent, DART_TEAM_UNIT_ID(unit), &global));
      units[count++] = global.id;
    }
    team = test_team(parent, units, count);
    if (team != DART_TEAM_NULL)
      mine = team;
  }
  free(units);
  return mine;
}

int test_team_me(dart_team_t team)
{
  dart_team_unit_t unit;

  NEED(dart_team_myid(team, &unit));
  return unit.id;
}

int test_team_size(dart_team_t team)
{
  size_t size;

  NEED(dart_team_size(team, &size));
  return (int)size;
}

/* ---- Life cycle ------------------------------------------------------------------------------ */

void test_barrier(void)
{
  NEED(dart_barrier(DART_TEAM_ALL));
}

static void find_myself(void)
{
  dart_global_unit_t unit;
  size_t             size;

  NEED(dart_myid(&unit));
  NEED(dart_size(&size));
  me = unit.id;
  n  = (int)size;
}

void test_init(void)
{
  EXPECT_OK(dart_init(NULL, NULL));
  find_myself();
}

void test_init_threads(void)
{
  dart_thread_support_level_t level = DART_THREAD_SINGLE;

  EXPECT_OK(dart_init_thread(NULL, NULL, &level));
  EXPECT_EQ(level, DART_THREAD_MULTIPLE);
  find_myself();
}

bool test_has_agent(void)
{
  DIR           *dir = opendir("/proc/self/task");
  struct dirent *entry;
  bool           found = false;

  while (dir != NULL && (entry = readdir(dir)) != NULL) {
    char  path[300], name[32] = "";
    FILE *file;

    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    file = fopen(path, "r");
    if (file == NULL)
      continue;
    if (fgets(name, sizeof name, file) != NULL && strcmp(name, "dart-agent\n") == 0)
      found = true;
    fclose(file);
  }
  if (dir != NULL)
    closedir(dir);
  return found;
}

void test_pause(void)
{
  sched_yield();
}

int64_t test_now_ns(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static char   alarm_line[200];
static size_t alarm_length;

static void on_alarm(int number)
{
  (void)number;
  if (stderr_before >= 0)
    dup2(stderr_before, STDERR_FILENO);
  if (write(STDERR_FILENO, alarm_line, alarm_length) >= 0)
    sleep(1); /* the first to abort ends all: let the others have their say */
  abort();
}

bool test_uses_mpi(void)
{
  return strstr(dart__net.describe(), "no MPI") == NULL;
}

void test_set_net(const char *kind)
{
  static char *before;
  static bool  is_known;
  const char  *rest = "";
  char         text[300];

  if (!is_known && getenv("DART_NET") != NULL)
    before = strdup(getenv("DART_NET"));
  is_known = true;
  if (kind == NULL) {
    unsetenv("DART_MPI_WINDOW");
    if (before != NULL)
      setenv("DART_NET", before, 1);
    else
      unsetenv("DART_NET");
    return;
  }
  if (before != NULL) /* its kind, if it is there, comes first, and what follows stays */
    rest = before + (strncmp(before, "rdma", 4) == 0 || strncmp(before, "software", 8) == 0
                         ? strcspn(before, ",")
                         : 0);
  snprintf(text, sizeof text, "%s%s%s", kind, *rest == '\0' || *rest == ',' ? "" : ",", rest);
  setenv("DART_NET", text, 1);
  setenv("DART_MPI_WINDOW", strcmp(kind, "rdma") == 0 ? "static" : "dynamic", 1);
}

int test_rounds(int most)
{
  bool spinning = test_uses_mpi() && n > sysconf(_SC_NPROCESSORS_ONLN);

  return spinning ? most / 10 : most;
}

static unsigned timeout_seconds(void)
{
  const char *text    = getenv("DART_TEST_TIMEOUT");
  long        seconds = text != NULL ? strtol(text, NULL, 10) : 0;

  return seconds > 0 ? (unsigned)seconds : TIMEOUT_DEFAULT;
}

static void tell_alarm(const char *state)
{
  int length =
      snprintf(alarm_line, sizeof alarm_line, "unit %d: %s:%d: %s: %s after %u s\n", me,
               base_name(running->file), running->line, running->name, state, timeout_seconds());

  alarm_length = length < (int)sizeof alarm_line ? (size_t)length : sizeof alarm_line - 1;
}

static void begin(const test_t *test)
{
  running = test;
  note[0] = '\0';
  atomic_store(&failures, 0);
  tell_alarm("not done");
}

static void free_what_is_left(void)
{
  for (size_t i = 0; i < left.segments; i++)
    NEED(dart_team_memfree(left.segment[i]));
  while (left.teams > 0)
    NEED(dart_team_destroy(&left.team[--left.teams]));
  left.segments = 0;
}

/* All units meet. Returns how many of them failed. */
static int end(const test_suite_t *suite)
{
  int mine, all = 0;

  note[0] = '\0';
  tell_alarm("done, but others are not,");
  if (!dart_initialized())
    NEED(dart_init(NULL, NULL));
  find_myself();
  test_barrier();
  free_what_is_left();

  mine = all = atomic_load(&failures) > 0;
  if (!EXPECT_OK(dart_allreduce(&mine, &all, 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_ALL)))
    mine = 1;
  if (!suite->inside)
    NEED(dart_exit());
  return all > mine ? all : mine;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Before the first dart_init of a suite that does its own. */
static void count_units(void)
{
  NEED(dart_init(NULL, NULL));
  find_myself();
  NEED(dart_exit());
}

/* Whether DART_TEST_WITHOUT, names between blanks, has this test. */
static bool is_left_out(const test_suite_t *suite, const test_t *test)
{
  const char *list = getenv("DART_TEST_WITHOUT");
  char        name[160];

  snprintf(name, sizeof name, " %s.%s ", suite->name, test->name);
  return list != NULL && strstr(list, name) != NULL;
}

static int run_suite(const test_suite_t *suite, const char *only)
{
  int passed = 0, failed = 0, skipped = 0;

  for (const test_t *test = suite->tests; test != NULL; test = test->next) {
    int failed_units;

    if ((only != NULL && strcmp(only, test->name) != 0) || is_left_out(suite, test))
      continue;
    if (test->min_units > 1 && n == 0)
      count_units();
    if (test->min_units > 1 && n < test->min_units) {
      skipped++;
      if (me == 0)
        printf("skip %s (needs %d units)\n", test->name, test->min_units);
      continue;
    }

    begin(test);
    test->run();
    failed_units = end(suite);

    *(failed_units == 0 ? &passed : &failed) += 1;
    if (me == 0 && failed_units == 0)
      printf("ok %s.%s\n", suite->name, test->name);
    else if (me == 0)
      printf("FAILED %s.%s (on %d of %d units)\n", suite->name, test->name, failed_units, n);
  }
  if (me == 0)
    printf("%s: %d passed, %d failed, %d skipped\n", suite->name, passed, failed, skipped);
  return failed > 0;
}

static const test_suite_t *find(const char *what, const char *only)
{
  const test_suite_t *suite  = suites;
  size_t              length = only == NULL ? strlen(what) : (size_t)(only - what) - 1;
  const test_t       *test;

  while (suite != NULL && (strncmp(suite->name, what, length) != 0 || suite->name[length] != '\0'))
    suite = suite->next;
  if (suite == NULL) {
    fprintf(stderr, "dart-test: no suite '%.*s'\n", (int)length, what);
    return NULL;
  }
  for (test = suite->tests; only != NULL && test != NULL; test = test->next) {
    if (strcmp(test->name, only) == 0)
      return suite;
  }
  if (only == NULL)
    return suite;
  fprintf(stderr, "dart-test: no test '%s' in suite '%s'\n", only, suite->name);
  return NULL;
}

int test_run(const char *what, int *argc, char ***argv)
{
  static const test_t around = { "life_cycle", __FILE__, __LINE__, 1, NULL, NULL };
  const char         *dot = strchr(what, '.'), *only = dot != NULL ? dot + 1 : NULL;
  const test_suite_t *suite = find(what, only);
  int                 failed;

  if (suite == NULL)
    return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  begin(&around);
  signal(SIGALRM, on_alarm);
  alarm(timeout_seconds());

  if (suite->inside) {
    NEED(dart_init(argc, argv));
    find_myself();
  }
  failed = run_suite(suite, only);
  begin(&around);
  if (suite->inside && !EXPECT_OK(dart_exit()))
    failed = 1;
  return failed;
}

/* ---- Values ---------------------------------------------------------------------------------- */

uint64_t test_random(test_random_t *random)
{
  uint64_t z = random->state += 0x9e3779b97f4a7c15u;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

unsigned char test_pattern(int writer, int round, size_t index)
{
  return (unsigned char)(17 + 31 * writer + 7 * round + index + index / 251);
}

void test_fill(void *buffer, int writer, int round, size_t nbytes)
{
  unsigned char *byte = buffer;

  for (size_t i = 0; i < nbytes; i++)
    byte[i] = test_pattern(writer, round, i);
}

const test_type_t test_types[TEST_TYPES] = {
  { DART_TYPE_BYTE, "BYTE", 1, CHAR_MIN < 0 ? TEST_SIGNED : TEST_UNSIGNED }, /* ordered as char */
  { DART_TYPE_SHORT, "SHORT", 2, TEST_SIGNED },
  { DART_TYPE_INT, "INT", 4, TEST_SIGNED },
  { DART_TYPE_UINT, "UINT", 4, TEST_UNSIGNED },
  { DART_TYPE_LONG, "LONG", 8, TEST_SIGNED },
  { DART_TYPE_ULONG, "ULONG", 8, TEST_UNSIGNED },
  { DART_TYPE_LONGLONG, "LONGLONG", 8, TEST_SIGNED },
  { DART_TYPE_ULONGLONG, "ULONGLONG", 8, TEST_UNSIGNED },
  { DART_TYPE_FLOAT, "FLOAT", 4, TEST_FLOAT },
  { DART_TYPE_DOUBLE, "DOUBLE", 8, TEST_FLOAT },
  { DART_TYPE_LONG_DOUBLE, "LONG_DOUBLE", 16, TEST_FLOAT },
  { DART_TYPE_INT8, "INT8", 1, TEST_SIGNED },
  { DART_TYPE_UINT8, "UINT8", 1, TEST_UNSIGNED },
  { DART_TYPE_UINT16, "UINT16", 2, TEST_UNSIGNED },
  { DART_TYPE_FLOAT_COMPLEX, "FLOAT_COMPLEX", 8, TEST_COMPLEX },
  { DART_TYPE_DOUBLE_COMPLEX, "DOUBLE_COMPLEX", 16, TEST_COMPLEX },
};

#define FOR_TYPES(X)                         \
  X(DART_TYPE_BYTE, char)                    \
  X(DART_TYPE_SHORT, short)                  \
  X(DART_TYPE_INT, int)                      \
  X(DART_TYPE_UINT, unsigned)                \
  X(DART_TYPE_LONG, long)                    \
  X(DART_TYPE_ULONG, unsigned long)          \
  X(DART_TYPE_LONGLONG, long long)           \
  X(DART_TYPE_ULONGLONG, unsigned long long) \
  X(DART_TYPE_FLOAT, float)                  \
  X(DART_TYPE_DOUBLE, double)                \
  X(DART_TYPE_LONG_DOUBLE, long double)      \
  X(DART_TYPE_INT8, int8_t)                  \
  X(DART_TYPE_UINT8, uint8_t)                \
  X(DART_TYPE_UINT16, uint16_t)              \
  X(DART_TYPE_FLOAT_COMPLEX, float _Complex) \
  X(DART_TYPE_DOUBLE_COMPLEX, double _Complex)

void test_store(const test_type_t *type, void *buffer, size_t index, int64_t value)
{
  switch (type->id) {
#define STORE(id, ctype)                                                       \
  case id: {                                                                   \
    ctype element = (ctype)value;                                              \
    memcpy((char *)buffer + index * sizeof element, &element, sizeof element); \
    break;                                                                     \
  }
    FOR_TYPES(STORE)
#undef STORE
  }
}

int64_t test_load(const test_type_t *type, const void *buffer, size_t index)
{
  switch (type->id) {
#define LOAD(id, ctype)                                                              \
  case id: {                                                                         \
    ctype element;                                                                   \
    memcpy(&element, (const char *)buffer + index * sizeof element, sizeof element); \
    return (int64_t)element;                                                         \
  }
    FOR_TYPES(LOAD)
#undef LOAD
  }
  return 0;
}

/* Sums fit a signed byte for up to 16 units, products for up to 32. */
int64_t test_operand(const test_type_t *type, dart_operation_t op, int writer, size_t index)
{
  int64_t value = (int64_t)((index * 5 + (size_t)writer * 7) % 15) - 7;

  if (op == DART_OP_PROD)
    value = (int)(index % 8) == writer % 8 ? 3 : (writer + (int)(index % 3)) % 2 ? -1 : 1;
  return value < 0 && type->kind == TEST_UNSIGNED ? -value : value;
}

int64_t test_combine(dart_operation_t op, int64_t a, int64_t b)
{
  switch (op) {
  case DART_OP_MIN: return a < b ? a : b;
  case DART_OP_MAX: return a > b ? a : b;
  case DART_OP_SUM: return a + b;
  case DART_OP_PROD: return a * b;
  case DART_OP_BAND: return a & b;
  case DART_OP_BOR: return a | b;
  case DART_OP_BXOR: return a ^ b;
  case DART_OP_LAND: return a && b;
  case DART_OP_LOR: return a || b;
  case DART_OP_LXOR: return !a != !b;
  case DART_OP_REPLACE: return b;
  default: return a; /* NO_OP */
  }
}

bool test_has_op(const test_type_t *type, dart_operation_t op)
{
  bool arithmetic =
      op == DART_OP_MIN || op == DART_OP_MAX || op == DART_OP_SUM || op == DART_OP_PROD;

  switch (type->kind) {
  case TEST_FLOAT: return arithmetic;
  case TEST_COMPLEX: return op == DART_OP_SUM || op == DART_OP_PROD;
  default: return op != DART_OP_MINMAX;
  }
}

const char *test_op_name(dart_operation_t op)
{
  static const char *name[DART_OP_LAST] = { "UNDEFINED", "MIN",  "MAX",     "MINMAX", "SUM",
                                            "PROD",      "BAND", "LAND",    "BOR",    "LOR",
                                            "BXOR",      "LXOR", "REPLACE", "NO_OP" };

  return op < DART_OP_LAST ? name[op] : "no op";
}
