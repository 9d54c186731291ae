/* The cases of all files, in the order in which they are counted; see messages.h. */
#include <string.h>

#include "cases.h"

static const case_list_t *const lists[] = { &operation_cases, &epoch_cases, &object_cases,
                                            &pair_cases };

enum { NLISTS = sizeof lists / sizeof lists[0] };

/* The list that has case `i`, and where it is there; NULL: there are fewer cases. */
static const case_list_t *find_list(size_t i, size_t *place_out)
{
  for (size_t l = 0; l < NLISTS; i -= lists[l++]->ncases)
    if (i < lists[l]->ncases) {
      *place_out = i;
      return lists[l];
    }
  return NULL;
}

const case_t *case_number(size_t i)
{
  const case_list_t *list = find_list(i, &i);

  return list == NULL ? NULL : &list->cases[i];
}

bool case_is_of_pair(size_t i)
{
  return find_list(i, &i) == &pair_cases;
}

void cases_open(const bench_job_t *the_job)
{
  job = *the_job;
  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, ELEMENTS, DART_TYPE_ULONG, &memory));
  memset(here(memory, 0), 0, ELEMENTS * sizeof(uint64_t));
  cases_open_pairs();
  cases_open_objects();
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

void cases_settle(void)
{
  BENCH_OK(dart_flush_all(memory));
  cases_settle_pairs();
}

void cases_close(void)
{
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  cases_close_pairs();
  BENCH_OK(dart_team_memfree(memory));
  cases_close_objects();
}
