/* See unmatched.h. What is left is agreed on in place of the barrier, so that nothing more is sent if all is well. If not, all
 * units are here, and find out by collectives who says what. */
#include "coll/unmatched.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "coll/coll.h"
#include "coll/leader_messages.h"
#include "coll/step.h"
#include "model/lost.h"
#include "model/world.h"

#define NOTED   64  /* calls that a unit remembers */
#define TEXT_OF 200 /* bytes of the description of a call */

static dart__collective_t noted[NOTED]; /* by the lowest bits of their numbers */

void dart__unmatched_note(const dart__team_t *all)
{
  noted[all->call.number % NOTED] = all->call;
}

/* The number of this unit's last call of that tag; 0: it remembers none. */
static unsigned long number_by_tag(const dart__team_t *all, int tag)
{
  unsigned long number = 0;

  for (size_t i = 0; i < NOTED; i++)
    if (noted[i].function != NULL && noted[i].number > number &&
        dart__nodes_has_tag(all, noted[i].kind, tag))
      number = noted[i].number;
  return number;
}

static void describe_number(unsigned long number, char text[TEXT_OF])
{
  const dart__collective_t *call = &noted[number % NOTED];

  if (call->function != NULL && call->number == number)
    dart__step_write_call(dart__world.me, "was", call->function, call, text, TEXT_OF);
  else
    snprintf(text, TEXT_OF, "unit %d was in another one", (int)dart__world.me);
}

/* Whether both are in the same call: behind the numbers of the units. */
static bool is_same(const char *one, const char *other)
{
  return strcmp(strstr(one, " was in "), strstr(other, " was in ")) == 0;
}

/* The first unit that was in another call than the sender names both, and ends the job. If the sender's call is not known, the
 * sender does. */
static void end_unmatched(dart__team_t *all, dart_unit_t sender, int tag)
{
  bool          is_sender    = dart__world.me == sender, names;
  unsigned long number       = is_sender ? number_by_tag(all, tag) : 0;
  unsigned long rest         = (unsigned long)(all->nunits - all->me), most;
  char          own[TEXT_OF] = "", senders[TEXT_OF + 2] = ", ";

  dart__coll_most(all, &number, 1);
  describe_number(number, own);
  memcpy(senders + 2, own, sizeof own);
  if (dart__coll_bcast(all, senders, sizeof senders, sender) != DART_OK)
    return;
  most = is_same(own, senders) ? 0 : rest;
  dart__coll_most(all, &most, 1);
  names = number != 0 && most != 0;
  if (!names)
    snprintf(own, sizeof own, "unit %d has sent data that nobody has taken", (int)sender);
  if (names ? most == rest : is_sender) {
    dart__error("collective calls of team %d did not match: %s%s", (int)dart__nodes_team_of(tag),
                own, names ? senders : "");
    dart__net_abort(DART_EXIT_ABORT, false);
  }
  dart__coll_barrier(all); /* until the job ends */
}

void dart__unmatched_meet(dart__team_t *all)
{
  dart__net_message_t left;
  unsigned long       found = 0;

  if (dart__nodes_find_left(all, &left))
    found = (unsigned long)(left.peer + 1) << 32 | (unsigned)left.tag;
  dart__coll_most(all, &found, 1);
  if (found != 0 && !dart__team_is_broken(all))
    end_unmatched(all, (dart_unit_t)(found >> 32) - 1, (int)(uint32_t)found);
  memset(noted, 0, sizeof noted); /* numbers begin again in the next cycle */
}
