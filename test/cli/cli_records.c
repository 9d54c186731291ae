/* What is in a file after its writers were killed (dart_record.c): whole records, and of the last one of each unit the
 * beginning, before what was there before.
 *
 *   cli_records own|board|shared FILE UNITS
 *
 * Prints one line: how many records are whole and how many are not; or what is wrong, and ends with 1. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

enum { UNITS_MOST = 16 };

typedef struct {
  uint64_t newest[UNITS_MOST]; /* 1 + number of the last record of each unit */
  uint64_t torn[UNITS_MOST];   /* 1 + number of the one that is not whole */
  int      whole, partial;
} found_t;

static int units;

static void wrong(const char *what, uint64_t where, uint64_t word)
{
  printf("word %llu: %s: %#llx\n", (unsigned long long)where, what, (unsigned long long)word);
  exit(1);
}

static int unit_of(uint64_t word, uint64_t where)
{
  uint64_t unit = word >> 32;

  if (unit < 1 || unit > (uint64_t)units)
    wrong("no unit has written that", where, word);
  return (int)unit - 1;
}

/* The beginning of a record, and how long it is: behind it another one may go on. */
static size_t run(const uint64_t *words, size_t n)
{
  size_t i = 1;

  while (i < n && words[i] == words[0])
    i++;
  return i;
}

static void note(found_t *found, uint64_t word, uint64_t where, int is_whole)
{
  int      unit   = unit_of(word, where);
  uint64_t number = (word & UINT32_MAX) + 1;

  if (number > found->newest[unit])
    found->newest[unit] = number;
  if (is_whole) {
    found->whole++;
    return;
  }
  found->partial++;
  if (found->torn[unit] != 0)
    wrong("a second record of the unit is not whole", where, word);
  found->torn[unit] = number;
}

/* A record, or the beginning of one and then the rest of an older one, which is `older` if it is not nothing. */
static void check_slot(found_t *found, const uint64_t *words, size_t n, uint64_t where,
                       uint64_t step)
{
  size_t   head = run(words, n);
  uint64_t rest = head < n ? words[head] : 0;

  if (words[0] == 0 && head == n) {
    found->partial++; /* nothing of it */
    return;
  }
  note(found, words[0], where, head == n);
  if (head < n && run(words + head, n - head) != n - head)
    wrong("more than two records in a place", where + head, rest);
  if (head < n && rest != 0 && (step == 0 || rest + step != words[0]))
    wrong("what is behind the beginning was not there before", where + head, rest);
}

static void check_newest(const found_t *found)
{
  for (int unit = 0; unit < units; unit++)
    if (found->torn[unit] != 0 && found->torn[unit] != found->newest[unit])
      wrong("a record that is not the unit's last one is not whole", 0, found->torn[unit]);
}

/* The places of a unit have its last records, one each. */
static void check_own(found_t *found, const uint64_t *words, size_t nwords)
{
  for (size_t at = 0; at + RECORD_WORDS <= nwords; at += RECORD_WORDS) {
    if (words[at] != 0 && unit_of(words[at], at) != (int)(at / RECORD_WORDS % (size_t)units))
      wrong("another unit's record", at, words[at]);
    check_slot(found, words + at, RECORD_WORDS, at, RECORD_SLOTS);
  }
  check_newest(found);
  for (size_t at = 0; at + RECORD_WORDS <= nwords; at += RECORD_WORDS)
    if (words[at] != 0 &&
        (words[at] & UINT32_MAX) + 1 + RECORD_SLOTS <= found->newest[unit_of(words[at], at)])
      wrong("a record was left out", at, words[at]);
}

static void check_shared(found_t *found, const uint64_t *words, size_t nwords)
{
  uint64_t last[UNITS_MOST] = { 0 };

  for (size_t at = 0; at < nwords; at += SHARED_WORDS) {
    size_t n = nwords - at < SHARED_WORDS ? nwords - at : SHARED_WORDS;

    check_slot(found, words + at, n, at, 0);
    if (words[at] == 0)
      continue;
    if ((words[at] & UINT32_MAX) != last[unit_of(words[at], at)]++)
      wrong("not the unit's next record", at, words[at]);
  }
  check_newest(found);
  if (found->partial > units)
    wrong("more records are not whole than there are units", 0, (uint64_t)found->partial);
}

/* Pieces by one call, before those of the call before it; between pieces nothing. */
static void check_board(found_t *found, const uint64_t *words, size_t nwords, size_t piece)
{
  static uint64_t written[BOARD_BYTES / 16];
  size_t          n = 0, head;

  for (size_t at = 0; at < nwords && at < BOARD_BYTES / 8; at++)
    if (at / piece % 2 == 0)
      written[n++] = words[at];
    else if (words[at] != 0)
      wrong("between the pieces", at, words[at]);
  if (n == 0)
    return;
  head = run(written, n);
  if (head < n && run(written + head, n - head) != n - head)
    wrong("parts of more than two writes", head, written[head]);
  if (head == n)
    found->whole++;
  else
    found->partial++;
}

static uint64_t *read_file(const char *path, size_t *nwords_out)
{
  FILE     *from = fopen(path, "re");
  uint64_t *words;
  long      size;

  if (from == NULL || fseek(from, 0, SEEK_END) != 0 || (size = ftell(from)) < 0) {
    perror(path);
    exit(2);
  }
  rewind(from);
  words = calloc((size_t)size / 8 + RECORD_WORDS, 8);
  if (words == NULL || fread(words, 1, (size_t)size, from) != (size_t)size)
    exit(2);
  fclose(from);
  *nwords_out = ((size_t)size + 7) / 8;
  return words;
}

int main(int argc, char **argv)
{
  static found_t found;
  uint64_t      *words;
  size_t         nwords, board = BOARD_BYTES / 8;

  if (argc != 4)
    return 2;
  units = atoi(argv[3]);
  words = read_file(argv[2], &nwords);
  if (argv[1][0] == 'o')
    check_own(&found, words, nwords);
  else if (argv[1][0] == 's')
    check_shared(&found, words, nwords);
  else {
    check_board(&found, words, nwords, BOARD_SMALL);
    if (nwords > board)
      check_board(&found, words + board, nwords - board, BOARD_LARGE);
  }
  printf("%d whole, %d not\n", found.whole, found.partial);
  free(words);
  return 0;
}
