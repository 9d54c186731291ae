/* RandomAccess that outlives units: all units change words at random places of a table, by exclusive or.
 *
 * The updates of a phase are numbered, and shared by the units that are left: so a phase that is taken again by fewer
 * units has the same updates. An update that is lost, or made twice, leaves its word wrong: each unit computes all
 * updates of its words alone, and compares every word.
 *
 *   DART_SURVIVE=1 dartrun -n 4 ./survive_randomaccess [none|one|two|pair|node [SEED [FILE]]]
 *
 * The first argument selects the units to kill. SEED determines when. Checkpoints are written to FILE, or kept in memory. */
#include <stdlib.h>

#include "resilient.h"
#include "victims.h"

enum { WORDS = 1 << 14, PHASES = 20, UPDATES = 1 << 13 }; /* updates of a phase, by all units */

typedef unsigned long long word_t;

static void fill_word(void *item, size_t index)
{
  *(word_t *)item = index;
}

/* What update `i` of a phase combines with a word; the word is given by the upper bits. */
static word_t update_of(long phase, long i)
{
  word_t z = (word_t)(phase * UPDATES + i + 1) * 0x9e3779b97f4a7c15U;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

static size_t index_of(word_t update)
{
  return update / (UINT64_MAX / WORDS + 1);
}

/* This unit's share of the updates of a phase. */
static dart_ret_t update(const array_t *table)
{
  long first = UPDATES * (long)table->me / table->n, end = UPDATES * (table->me + 1L) / table->n;

  for (long i = first; i < end; i++) {
    word_t value = update_of(table->phase, i);

    TRY(dart_accumulate_blocking_local(array_at(table, index_of(value)), &value, 1,
                                       DART_TYPE_ULONGLONG, DART_OP_BXOR));
  }
  return DART_OK;
}

/* Complete the updates, also after a loss: then the table is abandoned, and nothing is on its way to it. */
static dart_ret_t work(const array_t *table)
{
  dart_ret_t updated = update(table);

  TRY(dart_flush_all(table->data));
  TRY(updated);
  TRY(dart_barrier(table->team));
  return DART_OK;
}

/* How many words of all units are not what all updates make of them. */
static dart_ret_t verify(const array_t *table, long *wrong_out)
{
  static word_t words[WORDS];
  const word_t *mine  = table->mine;
  size_t        first = array_first(table, table->me);
  long          wrong = 0;

  for (size_t i = 0; i < WORDS; i++)
    fill_word(&words[i], i);
  for (long phase = 0; phase < PHASES; phase++)
    for (long i = 0; i < UPDATES; i++)
      words[index_of(update_of(phase, i))] ^= update_of(phase, i);
  for (size_t i = 0; i < array_count(table, table->me); i++)
    wrong += mine[i] != words[first + i];
  TRY(dart_allreduce(&wrong, wrong_out, 1, DART_TYPE_LONG, DART_OP_SUM, table->team));
  return DART_OK;
}

int main(int argc, char **argv)
{
  options_t options = victims_init(&argc, &argv);
  array_t   table;
  long      wrong = -1;

  array_create(&table, WORDS, sizeof(word_t), fill_word, options.path);
  victims_draw(&options, &table, PHASES);
  while (table.phase <= PHASES) {
    victims_start(table.phase, PHASES);
    array_next(&table, table.phase < PHASES ? work(&table) : verify(&table, &wrong));
  }
  if (table.me == 0)
    printf("survive_randomaccess: %d units are left; %ld of %d words are wrong.\n", table.n, wrong,
           WORDS);
  array_destroy(&table);
  MUST(dart_exit());
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
