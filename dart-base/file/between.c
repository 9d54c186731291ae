/* Two phases between nodes: data go to the windows of the node that has their domain (divide.c), or come from there.
 *
 * A unit packs what it accesses in another node's area of the round: the list of its pieces, as many as a box
 * has room for, and, writing, their data. It puts that packet into a box of its partner, one of that node's
 * units, which all together reach all windows of the node in shared memory; the partner copies the data into
 * the windows. Reading, it copies them from the windows, and puts them back. So only large puts go between
 * nodes, whatever the pieces are, and every unit takes part. If some packet did not have room for all, there is
 * another turn, in which all units join.
 *
 * A unit has a box for each node's packet to it, or, from nodes that have more units than its own, several: all
 * together BOXES_BYTES, the same again for the packets that it sends. A turn ends by an agreement whether there
 * is another one, before which puts are flushed: so packets are there after it. Boxes are two sets, used in
 * turn: one is filled again two turns later, when all units have passed the agreement between, having emptied
 * it before. So the first packets of a round may be sent as soon as the round before has ended, while windows are
 * written or read (file_collective.c). */
#include "file/between.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_profile.h>
#include <dash/dart/if/dart_communication.h>

#include "base/counters.h"
#include "base/size.h"
#include "coll/coll.h"
#include "far/far_ops.h"
#include "file/file_window.h"
#include "model/address.h"

#define BOXES_BYTES ((size_t)1 << 20)
#define LEAST_BOX   ((size_t)4096)

/* A piece: bytes of the area of a node in a round. */
typedef struct {
  uint32_t offset;
  uint32_t nbytes;
} piece_t;

typedef struct {
  uint32_t npieces; /* 0: no packet */
  uint32_t nbytes;  /* of all pieces */
  uint32_t there;   /* reading: so many bytes, from the first on, the file has */
  uint32_t unused;
  piece_t  pieces[]; /* data follow */
} packet_t;

/* Who takes a node's packets from this unit, and in which of its boxes. */
typedef struct {
  int32_t unit;
  int32_t box;
} partner_t;

struct dart__file_boxes {
  dart_gptr_t memory;
  char       *mine;   /* NULL: not open */
  size_t      nbytes; /* of a box */
  int32_t     nnodes;
  int32_t     nboxes;   /* of each set, on any unit */
  int32_t     nsenders; /* boxes of this unit that are used */
  unsigned    turn;
  bool        has_more; /* this unit's packets of the turn did not have room for all */
  partner_t  *partners; /* [nnodes] */
  int32_t    *senders;  /* [nboxes]: the unit that sends to the box */
};

/* ---- boxes ----------------------------------------------------------------------------------------- */

/* Bytes of the memory of a unit of node `own` before the box for the packets to `node`. */
static size_t out_at(const struct dart__file_boxes *b, int32_t own, int32_t node)
{
  return (size_t)(node - (node > own)) * b->nbytes;
}

/* Bytes before a box of a set for what others send. */
static size_t in_at(const struct dart__file_boxes *b, unsigned set, int32_t box)
{
  return (size_t)(b->nnodes - 1 + (int32_t)set * b->nboxes + box) * b->nbytes;
}

static packet_t *packet_at(const struct dart__file_boxes *b, size_t at)
{
  return (packet_t *)(void *)(b->mine + at);
}

static char *data_of(packet_t *p)
{
  return (char *)(p->pieces + p->npieces);
}

/* Boxes that each unit of another node with `theirs` has for the units of node `from`: unit i of that sends to unit i modulo
 * theirs. */
static int32_t boxes_for(const dart__team_t *team, int32_t from, int32_t theirs)
{
  return (dart__team_units_on(team, from) + theirs - 1) / theirs;
}

/* Boxes for the units of the first `n` nodes on a unit of a node with `theirs`, as if that were another one: its own node
 * counts as one box. Mostly neighbours are alike, so callers ask once for a row of nodes. */
static int32_t boxes_of_first(const dart__team_t *team, int32_t n, int32_t theirs)
{
  int32_t sum = 0;

  for (int32_t from = 0; from < n; from++)
    sum += boxes_for(team, from, theirs);
  return sum;
}

static int32_t most_boxes(const dart__team_t *team)
{
  int32_t most = 0, last = 0, sum;

  for (int32_t to = 0; to < team->nnodes; to++) {
    int32_t theirs = dart__team_units_on(team, to);

    if (theirs == last)
      continue;
    last = theirs;
    sum  = boxes_of_first(team, team->nnodes, theirs) - 1;
    most = sum > most ? sum : most;
  }
  return most;
}

static void find_partners(const dart__team_t *team, struct dart__file_boxes *b)
{
  int32_t before = 0, last = 0;

  for (int32_t to = 0; to < team->nnodes; to++) {
    int32_t theirs = dart__team_units_on(team, to);

    if (theirs != last)
      before = boxes_of_first(team, team->node, theirs);
    last            = theirs;
    b->partners[to] = (partner_t){ dart__team_unit_at(team, dart__team_node_start(team, to) +
                                                                team->node_me % theirs),
                                   before - (to < team->node) + team->node_me / theirs };
  }
}

static void find_senders(const dart__team_t *team, struct dart__file_boxes *b)
{
  int32_t before = 0, own = team->node_nunits;

  for (int32_t from = 0; from < team->nnodes; from++) {
    if (from == team->node)
      continue;
    for (int32_t i = team->node_me; i < dart__team_units_on(team, from); i += own) {
      b->senders[before + i / own] =
          dart__team_unit_at(team, dart__team_node_start(team, from) + i);
      b->nsenders = before + i / own + 1;
    }
    before += boxes_for(team, from, own);
  }
}

static void free_boxes(struct dart__file_boxes *b)
{
  if (b == NULL)
    return;
  free(b->partners);
  free(b->senders);
  free(b);
}

bool dart__file_new_boxes(const dart__team_t *team, dart_file_t file)
{
  struct dart__file_boxes *b = calloc(1, sizeof *b);
  size_t                   share;

  if (b == NULL)
    return false;
  b->nnodes   = team->nnodes;
  b->nboxes   = most_boxes(team);
  share       = BOXES_BYTES / (size_t)(b->nboxes >= b->nnodes ? b->nboxes : b->nnodes - 1);
  b->nbytes   = share / 64 * 64 < LEAST_BOX ? LEAST_BOX : share / 64 * 64;
  b->partners = calloc((size_t)team->nnodes, sizeof *b->partners);
  b->senders  = calloc((size_t)b->nboxes, sizeof *b->senders);
  if (b->partners == NULL || b->senders == NULL) {
    free_boxes(b);
    return false;
  }
  file->boxes = b;
  return true;
}

/* No packet is in any box. */
static void clear(struct dart__file_boxes *b)
{
  for (unsigned set = 0; set < 2; set++)
    for (int32_t box = 0; box < b->nboxes; box++)
      packet_at(b, in_at(b, set, box))->npieces = 0;
}

dart_ret_t dart__file_open_boxes(dart__team_t *team, dart_file_t file)
{
  struct dart__file_boxes *b      = file->boxes;
  size_t                   nbytes = (size_t)(b->nnodes - 1 + 2 * b->nboxes) * b->nbytes;
  dart__address_t          at;
  dart_ret_t               ret;

  if (b->mine != NULL)
    return DART_OK;
  ret = dart__file_alloc(team, nbytes, &b->memory);
  if (ret != DART_OK)
    return ret;
  b->memory.unitid = team->me;
  if (dart__locate(dart__call, b->memory, nbytes, &at) == DART_OK)
    b->mine = at.near;
  find_partners(team, b);
  find_senders(team, b);
  clear(b);
  return dart__coll_barrier(team); /* none of them is sent before */
}

void dart__file_close_boxes(dart_file_t file, bool is_open)
{
  if (file->boxes == NULL)
    return;
  if (is_open && file->boxes->mine != NULL)
    pdart_team_memfree(file->boxes->memory);
  free_boxes(file->boxes);
  file->boxes = NULL;
}

/* ---- packets of this unit ------------------------------------------------------------------------- */

/* List what the unit accesses in a node's area, from where it is on, as much as a box has room for. True: that was not
 * all. */
static bool list_pieces(const dart__file_call_t *c, int32_t node, uint64_t round, packet_t *p)
{
  uint64_t start = dart__file_area(c, node, round), end = dart__file_area(c, node, round + 1);
  size_t   at = c->file->domains[node].at, room = c->file->boxes->nbytes - sizeof *p, n;

  p->npieces = p->nbytes = p->there = 0;
  for (; at < c->access->nbytes; at += n) {
    uint64_t offset;

    n = dart__access_file_run(c->access, at, &offset);
    if (offset >= end)
      return false;
    if (room <= sizeof(piece_t))
      return true;
    n = dart__least(dart__least(n, (size_t)(end - offset)), room - sizeof(piece_t));
    p->pieces[p->npieces++] = (piece_t){ (uint32_t)(offset - start), (uint32_t)n };
    p->nbytes += (uint32_t)n;
    room -= sizeof(piece_t) + n;
  }
  return false;
}

/* Put bytes of this unit's boxes to the same or another place of another unit's. */
static void put_to_box(const struct dart__file_boxes *b, int32_t unit, size_t to, const void *from,
                       size_t nbytes)
{
  dart_gptr_t gptr = b->memory;

  gptr.unitid = unit;
  gptr.addr_or_offs.offset += to;
  pdart_put(gptr, from, nbytes, DART_TYPE_BYTE, DART_TYPE_BYTE);
}

/* Complete the packets of this turn. If operations of the program were refused, its next flush reports that. */
static void complete_packets(const dart__file_call_t *c)
{
  for (int32_t node = 0; node < c->team->nnodes; node++)
    if (node != c->team->node)
      dart__far_settle(c->team, c->file->boxes->partners[node].unit);
}

/* Complete what was put back. A box that no unit sends to has unit 0 for its sender. */
static void complete_answers(const dart__file_call_t *c)
{
  for (int32_t box = 0; box < c->file->boxes->nsenders; box++)
    if (!dart__team_is_on_node(c->team, c->file->boxes->senders[box]))
      dart__far_settle(c->team, c->file->boxes->senders[box]);
}

/* Send a packet for the windows of a node. True: there is more. */
static bool send_packet(dart__file_call_t *c, int32_t node, uint64_t round)
{
  const struct dart__file_boxes *b       = c->file->boxes;
  dart__file_domain_t           *domain  = &c->file->domains[node];
  const partner_t               *partner = &b->partners[node];
  packet_t                      *p       = packet_at(b, out_at(b, c->team->node, node));
  bool                           more    = list_pieces(c, node, round, p);
  size_t                         nbytes  = sizeof *p + p->npieces * sizeof(piece_t);

  if (p->npieces == 0)
    return more;
  if (!c->is_read) {
    dart__access_pack(c->access, domain->at, p->nbytes, data_of(p));
    domain->at += p->nbytes;
    nbytes += p->nbytes;
  }
  put_to_box(b, partner->unit, in_at(b, b->turn % 2, partner->box), p, nbytes);
  dart__count(DART__COUNT_FILE_PACKET);
  return more;
}

/* Take what has come back in a packet. */
static void take_answer(dart__file_call_t *c, int32_t node)
{
  const struct dart__file_boxes *b      = c->file->boxes;
  dart__file_domain_t           *domain = &c->file->domains[node];
  packet_t                      *p      = packet_at(b, out_at(b, c->team->node, node));

  if (p->npieces == 0)
    return;
  dart__access_unpack(c->access, domain->at, p->there, data_of(p));
  if (p->there < p->nbytes)
    dart__file_lacks(c, domain->at + p->there);
  domain->at += p->nbytes;
}

/* ---- packets of others ---------------------------------------------------------------------------- */

/* Data of a packet as an access to the windows, which these functions take. */
static dart__access_t access_of(packet_t *p)
{
  const dart__type_t *byte = &dart__type_basic[DART_TYPE_BYTE];

  return (dart__access_t){
    .file_type = byte, .mem_type = byte, .buffer = data_of(p), .nbytes = p->nbytes
  };
}

/* Copy a piece, which may be in several windows, to or from data byte `at` of a packet: how many bytes of it are there. */
static size_t move_piece(dart__file_call_t *c, unsigned round, const piece_t *piece,
                         const dart__access_t *data, size_t at)
{
  size_t there = 0;

  for (size_t done = 0, n; done < piece->nbytes; done += n) {
    size_t  from  = (piece->offset + done) % DART__WINDOW_BYTES;
    int32_t index = (int32_t)((piece->offset + done) / DART__WINDOW_BYTES);

    n = dart__least(piece->nbytes - done, DART__WINDOW_BYTES - from);
    if (!c->is_read)
      dart__window_put(c->file, index, round, from, data, at + done, n);
    else if (there == done)
      there += dart__window_get(c->file, index, round, from, data, at + done, n);
  }
  return there;
}

/* Do what a packet asks for. Reading, put its data back. */
static void serve_packet(dart__file_call_t *c, uint64_t round, int32_t sender, packet_t *p)
{
  const struct dart__file_boxes *b    = c->file->boxes;
  dart__access_t                 data = access_of(p);
  size_t                         at   = 0, back;

  for (uint32_t i = 0; i < p->npieces; at += p->pieces[i].nbytes, i++) {
    size_t there = move_piece(c, (unsigned)round, &p->pieces[i], &data, at);

    if (p->there == at)
      p->there += (uint32_t)there;
  }
  if (!c->is_read)
    return;
  back = out_at(b, dart__team_node_of(c->team, sender), c->team->node);
  put_to_box(b, sender, back + offsetof(packet_t, there), &p->there, sizeof p->there);
  put_to_box(b, sender, back + (size_t)(data_of(p) - (char *)p), data_of(p), p->there);
}

/* All packets that have come. */
static void serve_all(dart__file_call_t *c, uint64_t round)
{
  const struct dart__file_boxes *b = c->file->boxes;

  for (int32_t box = 0; box < b->nsenders; box++) {
    packet_t *p = packet_at(b, in_at(b, b->turn % 2, box));

    if (p->npieces > 0)
      serve_packet(c, round, b->senders[box], p);
  }
  if (c->is_read) {
    complete_answers(c);
    dart__coll_barrier(c->team);
  }
  for (int32_t box = 0; box < b->nsenders; box++)
    packet_at(b, in_at(b, b->turn % 2, box))->npieces = 0;
}

/* ---- turns ------------------------------------------------------------------------------------------ */

void dart__file_begin_between(dart__file_call_t *c, uint64_t round)
{
  bool more = false;

  for (int32_t step = 1; step < c->team->nnodes; step++) /* not all to one node at a time */
    more |= send_packet(c, (c->team->node + step) % c->team->nnodes, round);
  c->file->boxes->has_more = more;
}

/* True: there is another one. */
static bool end_exchange(dart__file_call_t *c, uint64_t round)
{
  unsigned long more = c->file->boxes->has_more;

  complete_packets(c);
  dart__coll_most(c->team, &more, 1);
  serve_all(c, round);
  for (int32_t node = 0; c->is_read && node < c->team->nnodes; node++)
    if (node != c->team->node)
      take_answer(c, node);
  c->file->boxes->turn++;
  return more != 0 && !dart__team_is_broken(c->team);
}

void dart__file_end_between(dart__file_call_t *c, uint64_t round)
{
  while (end_exchange(c, round))
    dart__file_begin_between(c, round);
}
