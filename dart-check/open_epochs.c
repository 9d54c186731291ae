/* A bounded table, with one entry for each segment. */
#include "open_epochs.h"

enum { MOST = 256 }; /* segments */

typedef struct {
  int16_t  team, segment;
  uint32_t nopen;     /* starts, and locks of units or of all */
  bool     is_silent; /* after a fence that is */
} entry_t;

static entry_t table[MOST];
static size_t  count;

void dart__check_open_epochs_forget(void)
{
  count = 0;
}

/* ---- with the lock -------------------------------------------------------------------------------- */

static entry_t *find(dart_gptr_t gptr)
{
  for (size_t i = 0; i < count; i++)
    if (table[i].segment == gptr.segid && table[i].team == gptr.teamid)
      return &table[i];
  return NULL;
}

/* The entry of the segment; NULL: there is no room. */
static entry_t *make(dart_gptr_t gptr)
{
  entry_t *entry = find(gptr);

  if (entry == NULL && count < MOST) {
    entry  = &table[count++];
    *entry = (entry_t){ .team = gptr.teamid, .segment = gptr.segid };
  }
  return entry;
}

static void end_if_unused(entry_t *entry)
{
  if (entry->nopen == 0 && !entry->is_silent)
    *entry = table[--count];
}

bool dart__check_in_epoch(dart_gptr_t gptr, bool *is_opened_out)
{
  const entry_t *entry = find(gptr);

  *is_opened_out = entry != NULL && entry->nopen > 0;
  return entry != NULL;
}

/* ---- epochs --------------------------------------------------------------------------------------- */

bool dart__check_epoch_opened(dart_gptr_t gptr)
{
  entry_t *entry;

  dart__check_lock();
  entry = make(gptr);
  if (entry != NULL)
    entry->nopen++;
  dart__check_unlock();
  return entry != NULL;
}

void dart__check_epoch_closed(dart_gptr_t gptr)
{
  entry_t *entry;

  dart__check_lock();
  entry = find(gptr);
  if (entry != NULL && entry->nopen > 0) {
    entry->nopen--;
    end_if_unused(entry);
  }
  dart__check_unlock();
}

bool dart__check_epoch_fence(dart_gptr_t gptr, bool is_silent)
{
  entry_t *entry;

  dart__check_lock();
  entry = is_silent ? make(gptr) : find(gptr);
  if (entry != NULL) {
    entry->is_silent = is_silent;
    end_if_unused(entry);
  }
  dart__check_unlock();
  return !is_silent || entry != NULL;
}

void dart__check_open_epochs_end(dart_team_t team, const int16_t *segment)
{
  size_t kept = 0;

  dart__check_lock();
  for (size_t i = 0; i < count; i++)
    if (table[i].team != team || (segment != NULL && table[i].segment != *segment))
      table[kept++] = table[i];
  count = kept;
  dart__check_unlock();
}
