/* A unit that misbehaves on request, for the tests of command lines: what it does is its first
 * argument, a number the second. Prints one word when it got through. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_range.h>
#include <dash/dart/if/dart.h>

static int unit;

static dart_gptr_t allocate(size_t nbytes, dart_ret_t expected)
{
  dart_gptr_t gptr;
  dart_ret_t  ret = dart_team_memalloc_aligned(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, &gptr);

  if (ret != expected || DART_GPTR_ISNULL(gptr) != (ret != DART_OK)) {
    printf("unit %d: %zu bytes gave %d, not %d\n", unit, nbytes, ret, expected);
    dart_abort(EXIT_FAILURE);
  }
  return gptr;
}

static void fill_own(dart_gptr_t gptr, size_t nbytes)
{
  void *own;

  gptr.unitid = unit;
  dart_gptr_getaddr(gptr, &own);
  memset(own, unit, nbytes);
}

/* More shared memory than there is is an error on every unit; a smaller piece can be had then, and
 * every byte of it be written; and what was freed can be had again. */
static void ask_for_too_much(size_t mebibytes)
{
  size_t      most = mebibytes << 20, part = most / 8;
  dart_gptr_t gptr;

  for (int i = 0; i < 3; i++) {
    allocate(most, DART_ERR_NOMEM);
    gptr = allocate(part, DART_OK);
    fill_own(gptr, part);
    dart_team_memfree(gptr);
  }
}

/* A file on a file system of less than `mebibytes` MiB: each unit writes until it is full, and is told how far it came,
 * which is what the file has. In a collective call all are told. */
static void fill_file_system(const char *path, size_t mebibytes)
{
  size_t      nbytes = mebibytes << 20, there = 0, read = 0;
  char       *data = malloc(nbytes), *got = malloc(nbytes);
  dart_file_t file;

  memset(data, unit + 1, nbytes);
  if (dart_file_open(DART_TEAM_ALL, path, DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE, 0600,
                     &file) != DART_OK)
    dart_abort(EXIT_FAILURE);
  if (dart_file_write_at(file, (uint64_t)unit * nbytes, data, nbytes, DART_TYPE_BYTE,
                         DART_TYPE_BYTE, &there) != DART_ERR_OTHER ||
      dart_file_error() != ENOSPC || there >= nbytes)
    dart_abort(EXIT_FAILURE);
  dart_barrier(DART_TEAM_ALL);
  if (dart_file_read_at(file, (uint64_t)unit * nbytes, got, there, DART_TYPE_BYTE, DART_TYPE_BYTE,
                        &read) != DART_OK ||
      read != there || memcmp(got, data, there) != 0)
    dart_abort(EXIT_FAILURE);
  if (dart_file_write_all(file, (uint64_t)unit * nbytes, data, unit == 0 ? nbytes : 1,
                          DART_TYPE_BYTE, DART_TYPE_BYTE, &there) != DART_ERR_OTHER ||
      dart_file_error() != ENOSPC || there != 0)
    dart_abort(EXIT_FAILURE);
  dart_file_close(&file);
  free(data);
  free(got);
}

/* A file on a file system that cannot be written: it can be read, if it is there. */
static void open_read_only(const char *path)
{
  dart_file_t file;

  if (dart_file_open(DART_TEAM_ALL, path, DART_FILE_READ | DART_FILE_WRITE, 0, &file) !=
          DART_ERR_OTHER ||
      dart_file_error() != EROFS)
    dart_abort(EXIT_FAILURE);
  if (dart_file_open(DART_TEAM_ALL, path, DART_FILE_READ, 0, &file) != DART_OK)
    dart_abort(EXIT_FAILURE);
  dart_file_close(&file);
}

/* Many small ones until memory is used up: they come from chunks that grow. What is freed serves a larger segment, and
 * another team, and the pool; half of it, for MPI may take some meanwhile. */
static void ask_until_used_up(size_t kibibytes)
{
  dart_gptr_t gptr[4096], large;
  dart_team_t other;
  size_t      count = 0, most;

  while (count < 4096 && dart_team_memalloc_aligned(DART_TEAM_ALL, kibibytes << 10, DART_TYPE_BYTE,
                                                    &gptr[count]) == DART_OK)
    fill_own(gptr[count++], kibibytes << 10);
  if (count == 0 || count == 4096)
    dart_abort(EXIT_FAILURE);
  for (size_t i = 0; i < count; i++)
    if (dart_team_memfree(gptr[i]) != DART_OK)
      dart_abort(EXIT_FAILURE);
  dart_team_memfree(allocate(kibibytes << 10, DART_OK));

  most  = count * kibibytes / 2 << 10;
  large = allocate(most, DART_OK);
  fill_own(large, most);
  dart_team_memfree(large);
  if (dart_team_clone(DART_TEAM_ALL, &other) != DART_OK)
    dart_abort(EXIT_FAILURE);
  for (size_t i = 0; i < count / 2; i++)
    if (dart_team_memalloc_aligned(other, kibibytes << 10, DART_TYPE_BYTE, &gptr[i]) != DART_OK)
      dart_abort(EXIT_FAILURE);
  if (dart_team_destroy(&other) != DART_OK ||
      dart_memalloc(most, DART_TYPE_BYTE, &large) != DART_OK || dart_memfree(large) != DART_OK)
    dart_abort(EXIT_FAILURE);
}

/* A collective call that needs memory on each unit; of "memalloc" unit 1 alone calls. */
static dart_ret_t make_one(const char *kind, const char *path)
{
  static char  data[64], own[64];
  size_t       count;
  dart_gptr_t  gptr;
  dart_lock_t  lock;
  dart_range_t range;
  dart_team_t  team;
  dart_file_t  file;
  dart_ret_t   ret;

  if (strcmp(kind, "lock") == 0)
    return dart_team_lock_init(DART_TEAM_ALL, &lock);
  if (strcmp(kind, "range") == 0)
    return dart_team_range_init(DART_TEAM_ALL, 0, 0, &range);
  if (strcmp(kind, "clone") == 0)
    return dart_team_clone(DART_TEAM_ALL, &team);
  if (strcmp(kind, "register") == 0)
    return dart_team_memregister(DART_TEAM_ALL, sizeof own, DART_TYPE_BYTE, own, &gptr);
  if (strcmp(kind, "memalloc") == 0)
    return unit == 1 ? dart_memalloc(1 << 20, DART_TYPE_BYTE, &gptr) : DART_OK;
  ret = dart_file_open(DART_TEAM_ALL, path, DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE,
                       0600, &file);
  if (ret != DART_OK || strcmp(kind, "open") == 0)
    return ret;
  ret = dart_file_write_all(file, (uint64_t)unit * sizeof data, data, sizeof data, DART_TYPE_BYTE,
                            DART_TYPE_BYTE, &count);
  dart_file_close(&file);
  return ret;
}

/* Calls of one kind until there is no memory for one more, which is an error; or, with a number, so many that succeed. */
static void make_until_used_up(int most, const char *kind, const char *path)
{
  int32_t any = 0;

  for (int i = 0; (most == 0 || i < most) && any == 0; i++) {
    int32_t failed = make_one(kind, path) != DART_OK;

    dart_allreduce(&failed, &any, 1, DART_TYPE_INT, DART_OP_MAX, DART_TEAM_ALL);
  }
  if (any != (most == 0))
    dart_abort(EXIT_FAILURE);
}

/* So many puts of 8 bytes to the unit after this one, for statistics. */
static void put_often(int times, int nunits)
{
  dart_gptr_t gptr = allocate(sizeof(long), DART_OK);

  gptr.unitid = (unit + 1) % nunits;
  for (long i = 0; i < times; i++)
    dart_put_blocking(gptr, &i, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

/* The same wrong call `times` times, a wrong one of another kind, and an end of the unit's. */
static void repeat_mistake(int times, const char *how)
{
  for (int i = 0; i < times; i++)
    dart_barrier((dart_team_t)(12345 + i));
  dart_team_destroy(NULL);
  if (strcmp(how, "abort") == 0)
    dart_abort(7);
  if (strcmp(how, "exit") == 0)
    exit(EXIT_SUCCESS);
  if (strcmp(how, "signal") == 0)
    raise(SIGSEGV);
}

/* Two cycles of init and exit with so many puts, and twice as many. The caller is in a third one afterwards. */
static bool cycle(int times, int nunits)
{
  for (int i = 1; i < 3; i++) {
    put_often(times * i, nunits);
    if (dart_exit() != DART_OK || dart_init(NULL, NULL) != DART_OK)
      return false;
  }
  put_often(times * 3, nunits);
  return true;
}

/* Before DART knows: what the launcher says. */
static int is_first(void)
{
  const char *text = getenv("DART_SHMEM_UNIT");

  if (text == NULL)
    text = getenv("PMI_RANK");
  return text != NULL && atoi(text) == 0;
}

int main(int argc, char **argv)
{
  const char        *what   = argc > 1 ? argv[1] : "";
  int                number = argc > 2 ? atoi(argv[2]) : 0;
  dart_global_unit_t me;
  size_t             nunits;

  if (strcmp(what, "abort-early") == 0 && is_first())
    dart_abort(number);
  if (strcmp(what, "too-early") == 0)
    dart_barrier(DART_TEAM_ALL);
  if (dart_init(&argc, &argv) != DART_OK)
    return strcmp(what, "goes-on") == 0 ? 0 : 3;
  dart_myid(&me);
  dart_size(&nunits);
  unit = me.id;

  if (strcmp(what, "too-much") == 0)
    ask_for_too_much((size_t)number);
  else if (strcmp(what, "used-up") == 0)
    ask_until_used_up((size_t)number);
  else if (strcmp(what, "objects") == 0)
    make_until_used_up(number, argv[3], argv[4]);
  else if (strcmp(what, "full-disk") == 0)
    fill_file_system(argv[3], (size_t)number);
  else if (strcmp(what, "read-only") == 0)
    open_read_only(argv[3]);
  else if (strcmp(what, "puts") == 0 || strcmp(what, "left") == 0)
    put_often(number, (int)nunits);
  else if (strcmp(what, "cycles") == 0) {
    if (!cycle(number, (int)nunits))
      return 5;
  } else if (strcmp(what, "mistakes") == 0)
    repeat_mistake(number, argc > 3 ? argv[3] : "");
  else if (strcmp(what, "mistake") == 0)
    dart_barrier((dart_team_t)12345);
  else if (unit == (int)nunits - 1) { /* the others wait for the last one below */
    if (strcmp(what, "abort") == 0)
      dart_abort(number);
    if (strcmp(what, "exit") == 0)
      exit(number);
    if (strcmp(what, "signal") == 0)
      raise(number);
  }

  dart_barrier(DART_TEAM_ALL);
  if (unit == 0)
    printf("done\n");
  if (strcmp(what, "left") == 0)
    return EXIT_SUCCESS;
  return dart_exit() == DART_OK ? EXIT_SUCCESS : 4;
}
