#ifndef FILE_ORDER_H
#define FILE_ORDER_H
/* Whether what units have read of a file, and what it has at the end, is explained by one order of their writes.
 *
 * Each unit has written its value to a set of cells in one call, and read a set of cells in another. A read sees the
 * file as it is after some of the writes: after all that had returned before it began, and before all that began after it
 * had returned. */
#include <stdbool.h>
#include <stdint.h>

enum { CELLS = 24, MOST_UNITS = 8, MIXED = 250 };

/* What the units did in a round; a value is that of a unit + 1, 0 for what was there at the beginning, MIXED for a cell
 * whose bytes differ. */
typedef struct {
  int      units;
  uint32_t writes[MOST_UNITS]; /* set of cells */
  uint32_t reads[MOST_UNITS];
  uint32_t before
      [MOST_UNITS]; /* the read of each: set of units whose writes are for certain before it */
  uint32_t after[MOST_UNITS]; /* ... and after it */
  uint8_t  seen[MOST_UNITS][CELLS];
  uint8_t  end[CELLS];
} round_t;

/* Whether the unit's read is what the file has in `state`, after the writes of the units `written`. */
static bool sees(const round_t *r, int unit, const uint8_t *state, uint32_t written)
{
  if ((r->before[unit] & ~written) != 0 || (r->after[unit] & written) != 0)
    return false;
  for (int c = 0; c < CELLS; c++)
    if ((r->reads[unit] >> c & 1) != 0 && r->seen[unit][c] != state[c])
      return false;
  return true;
}

/* Whether each read sees the file after some of the writes in this order. */
static bool reads_fit(const round_t *r, const int *order)
{
  uint8_t  state[CELLS]     = { 0 };
  bool     fits[MOST_UNITS] = { false };
  uint32_t written          = 0;

  for (int step = 0;; step++) {
    for (int u = 0; u < r->units; u++)
      fits[u] = fits[u] || sees(r, u, state, written);
    if (step == r->units)
      break;
    for (int c = 0; c < CELLS; c++)
      if ((r->writes[order[step]] >> c & 1) != 0)
        state[c] = (uint8_t)(order[step] + 1);
    written |= 1U << order[step];
  }
  for (int u = 0; u < r->units; u++)
    if (!fits[u])
      return false;
  return true;
}

/* Try all units that are left as the one that writes last of them. `covered`: cells that later ones write. */
static bool search(const round_t *r, int *order, int left, uint32_t used, uint32_t covered)
{
  if (left == 0) {
    for (int c = 0; c < CELLS; c++)
      if ((covered >> c & 1) == 0 && r->end[c] != 0)
        return false;
    return reads_fit(r, order);
  }
  for (int u = 0; u < r->units; u++) {
    bool fits = (used >> u & 1) == 0;

    for (int c = 0; c < CELLS && fits; c++)
      fits = (r->writes[u] >> c & 1) == 0 || (covered >> c & 1) != 0 || r->end[c] == u + 1;
    order[left - 1] = u;
    if (fits && search(r, order, left - 1, used | 1U << u, covered | r->writes[u]))
      return true;
  }
  return false;
}

static bool is_explained(const round_t *r)
{
  int order[MOST_UNITS];

  return search(r, order, r->units, 0, 0);
}

#endif
