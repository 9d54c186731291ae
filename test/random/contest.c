/* See contest.h. */
#include "contest.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "need.h"

enum { MOST = CONTEST_NODES + 2 };

_Static_assert(CONTEST_NODES >= CONTESTS_MOST + UNITS_MAX, "the last access may be of all units");
_Static_assert(MOST % 64 == 0 && MOST <= UCHAR_MAX, "a set is whole words, a choice is of bytes");

typedef struct {
  uint64_t bits[MOST / 64];
} set_t;

/* If `read` took what `write` left, `other` came before that write, or after the read. */
typedef struct {
  unsigned char read, write, other;
} choice_t;

typedef struct {
  const contest_node_t *nodes;
  int n; /* beside the accesses, what was there before is write n, and the end read n + 1 */
  contest_file_t file;
  size_t         reached[CONTEST_NODES]; /* the bytes that the file had at least */
  unsigned char *covered[CONTEST_NODES]; /* of a write: byte → whether it writes it */
  unsigned char *written;                /* byte → whether any does */
  set_t          after[MOST];            /* what comes after each */
  choice_t      *choice;
  size_t         nchoices, room;
  unsigned char  is_noted[MOST][MOST]; /* for one read: write and other */
} contest_t;

static bool is_after(const contest_t *c, int a, int b)
{
  return (c->after[a].bits[b / 64] >> (b % 64) & 1) != 0;
}

/* True: that is new. */
static bool put_after(contest_t *c, int a, int b)
{
  bool was = is_after(c, a, b);

  c->after[a].bits[b / 64] |= UINT64_C(1) << (b % 64);
  return !was;
}

static bool writes_there(const contest_t *c, int node, size_t at)
{
  return node == c->n || (c->nodes[node].is_write && c->covered[node][at] != 0);
}

static unsigned char left_by(const contest_t *c, int node, size_t at)
{
  return node == c->n ? c->file.before[at] : c->nodes[node].tag;
}

/* Whose the byte is; -1: nobody's, -2: that cannot be told. */
static int find_source(const contest_t *c, size_t at, unsigned char value)
{
  int source = -1;

  for (int w = 0; w <= c->n; w++)
    if (writes_there(c, w, at) && left_by(c, w, at) == value)
      source = source == -1 ? w : -2;
  return source;
}

static void note_choice(contest_t *c, int read, int write, int other)
{
  if (c->is_noted[write][other]++ != 0)
    return;
  c->is_noted[write][other] = 1;
  c->choice                 = need_more(c->choice, c->nchoices, &c->room, sizeof c->choice[0]);
  c->choice[c->nchoices++] =
      (choice_t){ (unsigned char)read, (unsigned char)write, (unsigned char)other };
}

static bool note_byte(contest_t *c, int read, size_t at, unsigned char value)
{
  int source;

  if (c->written[at] == 0) /* most of a file: begin() has put what was before it before all */
    return value == c->file.before[at];
  source = find_source(c, at, value);
  if (source == -1)
    return false;
  if (source == -2)
    return true;
  put_after(c, source, read);
  for (int other = 0; other <= c->n; other++)
    if (other != source && writes_there(c, other, at))
      note_choice(c, read, source, other);
  return true;
}

static bool note_read(contest_t *c, int read)
{
  const contest_node_t *node = &c->nodes[read];
  size_t                elem = layout_elem(&node->region.layout);

  memset(c->is_noted, 0, sizeof c->is_noted);
  for (size_t i = 0; i < node->nseen; i++) {
    size_t at = node->region.from + layout_at(&node->region.layout, i / elem) + i % elem;

    if (at >= c->file.is || !note_byte(c, read, at, node->seen[i]))
      return false;
    c->reached[read] = at >= c->reached[read] ? at + 1 : c->reached[read];
  }
  return true;
}

/* Writes beyond the end that a read has found come after it. */
static void note_beyond(contest_t *c, int read)
{
  for (int w = 0; w < c->n && c->nodes[read].beyond > 0; w++)
    if (c->nodes[w].is_write && c->reached[w] >= c->nodes[read].beyond)
      put_after(c, read, w);
}

/* Some write that reaches as far as the read came before it. False: there is none. */
static bool find_growth(contest_t *c, int read, bool *changed)
{
  int writes = 0, last = -1;

  for (int w = 0; w < c->n; w++)
    if (c->nodes[w].is_write && c->reached[w] >= c->reached[read] && !is_after(c, read, w)) {
      writes++;
      last = w;
    }
  if (writes == 1)
    *changed |= put_after(c, last, read);
  return writes > 0;
}

/* The same for all reads of more bytes than there were. */
static bool find_growths(contest_t *c, bool *changed)
{
  for (int r = 0; r < c->n; r++)
    if (!c->nodes[r].is_write && c->reached[r] > c->file.was && !c->file.is_appended &&
        !find_growth(c, r, changed))
      return false;
  return true;
}

static bool note_end(contest_t *c)
{
  memset(c->is_noted, 0, sizeof c->is_noted);
  for (size_t at = 0; at < c->file.is; at++)
    if (!note_byte(c, c->n + 1, at, c->file.after[at]))
      return false;
  return true;
}

/* Warshall, 1962. */
static void close_order(contest_t *c)
{
  for (int k = 0; k < c->n + 2; k++)
    for (int i = 0; i < c->n + 2; i++)
      if (is_after(c, i, k))
        for (int w = 0; w < MOST / 64; w++)
          c->after[i].bits[w] |= c->after[k].bits[w];
}

static bool decide(contest_t *c)
{
  bool changed = false;

  for (size_t i = 0; i < c->nchoices; i++) {
    choice_t choice = c->choice[i];

    if (is_after(c, choice.other, choice.read))
      changed |= put_after(c, choice.other, choice.write);
    if (is_after(c, choice.write, choice.other))
      changed |= put_after(c, choice.read, choice.other);
  }
  return changed;
}

static bool has_circle(contest_t *c)
{
  bool changed;

  do {
    close_order(c);
    changed = decide(c);
    if (!find_growths(c, &changed))
      return true;
  } while (changed);
  for (int i = 0; i < c->n + 2; i++)
    if (is_after(c, i, i))
      return true;
  return false;
}

/* What was there is before all, the end behind all, and accesses of an actor one after the other, but for requests that
 * were under way together. */
static void begin(contest_t *c)
{
  c->written = need(c->file.is);
  put_after(c, c->n, c->n + 1);
  for (int i = 0; i < c->n; i++) {
    put_after(c, c->n, i);
    put_after(c, i, c->n + 1);
    for (int j = 0; j < i; j++)
      if (c->nodes[j].actor == c->nodes[i].actor && c->nodes[j].end <= c->nodes[i].begin)
        put_after(c, j, i);
    if (!c->nodes[i].is_write)
      continue;
    c->covered[i] = need(c->file.is);
    c->reached[i] =
        c->nodes[i].region.from + layout_span(&c->nodes[i].region.layout, c->nodes[i].region.n);
    for (uint64_t k = 0; k < c->nodes[i].region.n; k++) {
      size_t at = c->nodes[i].region.from + layout_at(&c->nodes[i].region.layout, k);

      memset(c->covered[i] + at, 1, layout_elem(&c->nodes[i].region.layout));
      memset(c->written + at, 1, layout_elem(&c->nodes[i].region.layout));
    }
  }
}

static void end(contest_t *c)
{
  for (int i = 0; i < c->n; i++)
    free(c->covered[i]);
  free(c->written);
  free(c->choice);
  free(c);
}

const char *contest_explain(const contest_node_t *nodes, int n, const contest_file_t *file)
{
  contest_t  *c   = need(sizeof *c);
  const char *why = NULL;

  c->nodes = nodes;
  c->n     = n;
  c->file  = *file;
  begin(c);
  for (int i = 0; i < n && why == NULL; i++) {
    if (nodes[i].is_write || nodes[i].seen == NULL)
      continue;
    note_beyond(c, i);
    if (!note_read(c, i))
      why = "a byte was read that nobody wrote";
  }
  if (why == NULL && !note_end(c))
    why = "a byte is there that nobody wrote";
  if (why == NULL && has_circle(c))
    why = "no order of whole accesses explains what was read";
  end(c);
  return why;
}
