/* Units write one file in atomic mode, each its own blocks again and again, and all of them the same ones in part, until
 * unit 1 is killed in the midst of a write: for cli_write.sh.
 *
 *   dart_overlap write PATH [large]        blocks of 128 bytes, or of 8 KiB; each word of them says whose it is, and of
 *                                          which round. The rounds that have returned are in PATH.rounds
 *   dart_overlap check PATH UNITS [large]  by one unit, afterwards: the file has whole writes, one over the other in some
 *                                          order, the last that returned of each unit, or the one after it; and over all
 *                                          of them the first words, some and not all, of the write that was not finished
 *
 * A call of DART that fails, and a file that is not right, end the unit with 9. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/if/dart.h>

#include "write_limit.h"

#define LONG DART_TYPE_LONG

enum { BYTES = 2560000, WORDS = BYTES / 8, DIES = 1, ROOM = 600000, ROUNDS = 4, MOST_UNITS = 8 };

static size_t block = 16; /* words */

static void must(bool right, const char *what, int64_t number)
{
  if (right)
    return;
  printf("%s %ld\n", what, (long)number);
  exit(9);
}

static void must_do(dart_ret_t ret)
{
  must(ret == DART_OK, "returned", ret);
}

static int64_t word_of(int unit, int64_t round)
{
  return round * 1000 + unit;
}

/* Whether the unit writes this word: about every second block, so that any two units share some. */
static bool has(int unit, size_t word)
{
  uint64_t z = (word / block * MOST_UNITS + (size_t)unit + 1) * UINT64_C(0x9e3779b97f4a7c15);

  return (z >> 40 & 1) != 0;
}

static dart_file_t open_file(const char *path, unsigned flags)
{
  dart_file_t file;

  must_do(dart_file_open(DART_TEAM_ALL, path, flags, 0600, &file));
  return file;
}

static int open_rounds(const char *path)
{
  char name[300];
  int  fd;

  snprintf(name, sizeof name, "%s.rounds", path);
  fd = open(name, O_RDWR | O_CREAT, 0600);
  must(fd >= 0, "no file of rounds", fd);
  return fd;
}

/* ---- writing ----------------------------------------------------------------------------------- */

/* The unit's blocks; returns their words. */
static size_t make_type(int unit, dart_datatype_t *type)
{
  static size_t length[WORDS], offset[WORDS];
  size_t        nblocks = 0;

  for (size_t word = 0; word < WORDS; word += block) {
    if (!has(unit, word))
      continue;
    length[nblocks]   = block;
    offset[nblocks++] = word;
  }
  must_do(dart_type_create_indexed(LONG, nblocks, length, offset, type));
  return nblocks * block;
}

static void write_for_ever(const char *path)
{
  static int64_t     words[WORDS];
  dart_file_t        file   = open_file(path, DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE);
  int                rounds = open_rounds(path);
  dart_global_unit_t me;
  dart_datatype_t    type;
  size_t             nelem;

  must_do(dart_myid(&me));
  nelem = make_type(me.id, &type);
  must_do(dart_file_set_atomicity(file, true));
  for (int64_t round = 1;; round++) {
    for (size_t i = 0; i < nelem; i++)
      words[i] = word_of(me.id, round);
    if (round > ROUNDS && me.id == DIES)
      room = ROOM;
    must_do(dart_file_write_at(file, 0, words, nelem, LONG, type, NULL));
    must(pwrite(rounds, &round, sizeof round, me.id * (off_t)sizeof round) == sizeof round,
         "not noted", round);
    if (round == 1)
      must_do(dart_barrier(DART_TEAM_ALL)); /* all have one that has returned */
  }
}

/* ---- looking afterwards --------------------------------------------------------------------------- */

typedef struct {
  int     units;
  int64_t words[WORDS];
  int64_t returned[MOST_UNITS]; /* rounds */
  int64_t whole[MOST_UNITS];    /* the round that is in the file; 0: not seen yet */
  bool    before[MOST_UNITS][MOST_UNITS];
} result_t;

static bool is_unfinished(const result_t *r, size_t word)
{
  return r->words[word] == word_of(DIES, r->returned[DIES] + 1);
}

/* The words that unit 1 has written last are the first ones of its blocks. */
static void check_unfinished(const result_t *r)
{
  bool   ends  = false;
  size_t count = 0, all = 0;

  for (size_t word = 0; word < WORDS; word++) {
    if (!has(DIES, word))
      continue;
    all++;
    count += is_unfinished(r, word);
    must(!ends || !is_unfinished(r, word), "written after one that is not: word", (int64_t)word);
    ends = ends || !is_unfinished(r, word);
  }
  must(count > 0 && count < all, "words of the write that was not finished:", (int64_t)count);
}

/* The word is of a whole write, which is over those of all others that have it. */
static void note_whole(result_t *r, size_t word)
{
  int     unit  = (int)(r->words[word] % 1000);
  int64_t round = r->words[word] / 1000;

  must(unit < r->units && has(unit, word), "not a value of a unit that writes there: word",
       (int64_t)word);
  must(round == r->returned[unit] || (round == r->returned[unit] + 1 && unit != DIES),
       "a round that was over, or never began:", r->words[word]);
  must(r->whole[unit] == 0 || r->whole[unit] == round, "two rounds of one unit: word",
       (int64_t)word);
  r->whole[unit] = round;
  for (int other = 0; other < r->units; other++)
    if (other != unit && has(other, word))
      r->before[other][unit] = true;
}

/* There is an order: nobody comes before itself, by way of however many others. */
static void check_order(result_t *r)
{
  for (int via = 0; via < r->units; via++)
    for (int u = 0; u < r->units; u++)
      for (int v = 0; v < r->units; v++)
        r->before[u][v] |= r->before[u][via] && r->before[via][v];
  for (int u = 0; u < r->units; u++)
    must(!r->before[u][u], "writes are in no order: that of unit", u);
}

static void check(const char *path, int units)
{
  static result_t r;
  dart_file_t     file = open_file(path, DART_FILE_READ);
  size_t          nread;

  r.units = units;
  must_do(dart_file_read_at(file, 0, r.words, WORDS, LONG, LONG, &nread));
  must_do(dart_file_close(&file));
  must(read(open_rounds(path), r.returned, (size_t)units * 8) == units * 8, "rounds of fewer than",
       units);
  check_unfinished(&r);
  for (size_t word = 0; word < WORDS; word++) {
    bool is_any = false;

    for (int unit = 0; unit < units; unit++)
      is_any = is_any || has(unit, word);
    if (!is_any)
      must(r.words[word] == 0, "nobody writes word", (int64_t)word);
    else if (!is_unfinished(&r, word))
      note_whole(&r, word);
  }
  check_order(&r);
  printf("in order\n");
}

int main(int argc, char **argv)
{
  must_do(dart_init(&argc, &argv));
  block = strcmp(argv[argc - 1], "large") == 0 ? 1024 : block;
  if (argc > 3 && strcmp(argv[1], "check") == 0)
    check(argv[2], (int)strtol(argv[3], NULL, 10));
  else if (argc > 2)
    write_for_ever(argv[2]);
  must_do(dart_exit());
  return EXIT_SUCCESS;
}
