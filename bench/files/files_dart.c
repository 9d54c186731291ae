/* DART's files. */
#include <dash/dart/ext/dart_file.h>

#include "files.h"

static dart_file_t     file;
static dart_datatype_t type = DART_TYPE_UNDEFINED;

static void end_type(void)
{
  if (type != DART_TYPE_UNDEFINED && type != DART_TYPE_BYTE)
    BENCH_OK(dart_type_destroy(&type));
}

static void open_file(const char *path, bool atomic)
{
  BENCH_OK(dart_file_open(DART_TEAM_ALL, path, DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE,
                          0600, &file));
  BENCH_OK(dart_file_set_atomicity(file, atomic));
}

static void set(const files_access_t *a)
{
  end_type();
  type = DART_TYPE_BYTE;
  if (a->count > 1)
    BENCH_OK(dart_type_create_strided(DART_TYPE_BYTE, a->stride, a->block, &type));
}

static void write_at(const files_access_t *a, const void *data)
{
  BENCH_OK(
      dart_file_write_at(file, a->offset, data, a->block * a->count, DART_TYPE_BYTE, type, NULL));
}

static void write_all(const files_access_t *a, const void *data)
{
  BENCH_OK(
      dart_file_write_all(file, a->offset, data, a->block * a->count, DART_TYPE_BYTE, type, NULL));
}

static void close_file(void)
{
  end_type();
  BENCH_OK(dart_file_close(&file));
}

const files_side_t files_dart = { "dart", open_file, set, write_at, write_all, close_file };
