/* From dart_init to dart_exit, and to the end of the process: which checks are made, and with which code the program
 * ends.
 *
 * The compiler may inline operations on near memory (dash/dart/ext/dart_inline.h), which then call nothing. They look
 * into a table of mapped memory. With DART_STATS=near, which counts near operations, that table is empty, so all
 * operations are calls. The debug mode sets it, too. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "board.h"
#include "check_pool.h"
#include "check_report.h"
#include "compare.h"
#include "creation.h"
#include "guard_pages.h"
#include "nesting.h"
#include "object.h"
#include "open_epochs.h"
#include "pending.h"
#include "segment.h"
#include "stuck.h"

static pid_t         process;         /* the process of the unit itself */
static unsigned long summed_up;       /* errors in the lines of earlier cycles */
static bool          looks_for_leaks; /* when the process ends */

/* ---- which checks -------------------------------------------------------------------------------- */

/* Near operations go through the library, which this layer sees, where DART counts them. */
static void count_near(void)
{
  const char *text = getenv("DART_STATS");
  char        both[2048];

  if (text != NULL && strncasecmp(text, "near", 4) == 0)
    return;
  snprintf(both, sizeof both, "near%s%s", text == NULL ? "" : ",", text == NULL ? "" : text);
  setenv("DART_STATS", both, 1);
}

static dart_ret_t refuse(const char *name, const char *allowed)
{
  fprintf(stderr, "dart-check: %s is '%s'; it may be %s\n", name, getenv(name), allowed);
  dart__layer_failed();
  return DART_ERR_INVAL;
}

static dart_ret_t prepare(unsigned *kinds_out)
{
  const char *text = getenv("DART_CHECK");

  *kinds_out = DART__CHECK_ALL; /* linked with this library, and nothing else is said */
  if (text != NULL && !dart__check_read_kinds(text, kinds_out))
    return refuse("DART_CHECK", DART__CHECK_MAY_BE);
  if (!dart__check_read_patience())
    return refuse("DART_CHECK_PATIENCE", DART__PATIENCE_MAY_BE);
  dart_layers |= DART_LAYER_CHECK;
  if (*kinds_out != 0)
    count_near();
  return DART_OK;
}

/* ---- from init to exit --------------------------------------------------------------------------- */

static void begin_checks(unsigned kinds, bool threads)
{
  dart_global_unit_t me;
  dart_team_t        own_team;

  pdart_myid(&me);
  pdart_size(&dart__check.nunits);
  dart__check.me      = me.id;
  dart__check.threads = threads;
  dart__check.kinds =
      pdart_survives() ? kinds & ~(DART__CHECK_COLLECTIVES | DART__CHECK_RACES) : kinds;
  looks_for_leaks = dart__check_for(DART__CHECK_MEMORY);
  if (dart__check.kinds != 0) {
    own_team = dart__check_board_open();
    if (dart__check_for(DART__CHECK_LOCKS))
      dart__check_nest_open(own_team);
    dart__check_creation_open(own_team);
  }
  if (looks_for_leaks)
    dart__check_faults_open(dart__check_segment_fault);
}

dart_ret_t dart_init(int *argc, char ***argv)
{
  unsigned   kinds;
  dart_ret_t ret = prepare(&kinds);

  if (ret == DART_OK)
    ret = pdart_init(argc, argv);
  if (ret == DART_OK)
    begin_checks(kinds, false);
  return ret;
}

dart_ret_t dart_init_thread(int *argc, char ***argv, dart_thread_support_level_t *thread_safety)
{
  unsigned   kinds;
  dart_ret_t ret = prepare(&kinds);

  if (ret == DART_OK)
    ret = pdart_init_thread(argc, argv, thread_safety);
  if (ret == DART_OK)
    begin_checks(kinds, *thread_safety == DART_THREAD_MULTIPLE);
  return ret;
}

/* Of all units; once some are lost, of this one. */
static bool add_up(uint64_t own[2], uint64_t all[2], size_t *nunits_out)
{
  dart_ret_t ret = pdart_allreduce(own, all, 2, DART_TYPE_ULONGLONG, DART_OP_SUM, DART_TEAM_ALL);

  *nunits_out = dart__check.nunits;
  if (ret != DART_ERR_UNIT_LOST)
    return ret == DART_OK;
  memcpy(all, own, 2 * sizeof *all);
  *nunits_out = 1;
  return true;
}

/* One line for each cycle of init and exit shows that the program was checked. Objects that may be destroyed after
 * dart_exit are leaks only when the process ends. The line says how many are left. */
static void sum_up(void)
{
  uint64_t own[2] = { dart__check_count() - summed_up }, all[2] = { 0 };
  char     checks[96] = "", open[96] = "";
  size_t   length = 0, nunits;

  summed_up += own[0];
  if (dart__check_for(DART__CHECK_MEMORY))
    own[1] = dart__check_lasting();
  if (!add_up(own, all, &nunits) || (dart__check.me != 0 && (nunits > 1 || all[0] == 0)))
    return;
  for (size_t i = 0; i + 1 < DART__CHECK_WORDS; i++)
    if (dart__check_for(dart__check_words[i].kinds))
      length += (size_t)snprintf(checks + length, sizeof checks - length, "%s%s",
                                 length > 0 ? ", " : "", dart__check_words[i].name);
  if (all[1] > 0)
    snprintf(open, sizeof open, "; %llu " DART__CHECK_LASTING " still exist",
             (unsigned long long)all[1]);
  fprintf(stderr, "dart-check: %llu error%s found in %zu unit%s (%s)%s\n",
          (unsigned long long)all[0], all[0] == 1 ? "" : "s", nunits, nunits == 1 ? "" : "s",
          checks, open);
}

/* What belongs to a team with lost members cannot be destroyed, so it is no leak. */
static void forget_broken(void)
{
  for (dart_team_t team = DART_TEAM_ALL; team < DART__CHECK_TEAMS; team++)
    if (dart__check_is_broken(team))
      dart__check_forget_of_team(team);
}

/* What does not last (DART__CHECK_KINDS) ends with the cycle. */
static void end_checks(dart__at_t at)
{
  dart__check_enter_exit(at);
  dart__check_guards(at);
  if (pdart_survives())
    forget_broken();
  if (dart__check_for(DART__CHECK_COMPLETION))
    dart__check_pending_exit(at);
  if (dart__check_for(DART__CHECK_MEMORY)) {
    dart__check_leaks(false);
    dart__check_segments_leaked();
    dart__check_blocks_leaked();
  }
  sum_up();
  if (dart__check_for(DART__CHECK_MEMORY))
    dart__check_faults_close();
  dart__check.kinds = 0;
  dart__check_pending_forget();
  dart__check_races_forget();
  dart__check_open_epochs_forget();
  dart__check_stuck_forget();
  dart__check_forget();
  dart__check_segments_forget();
  dart__check_blocks_forget();
}

dart_ret_t dart_exit(void)
{
  if (dart__check.kinds != 0)
    end_checks(DART__AT(dart_exit));
  return pdart_exit();
}

/* ---- the end of the process ---------------------------------------------------------------------- */

static void leave_at_exit(int code, void *unused)
{
  (void)unused;
  if (getpid() != process) /* a forked child */
    return;
  if (looks_for_leaks)
    dart__check_leaks(true);
  if (code == 0 && dart__check_count() > 0) {
    fflush(NULL);
    _exit(DART__CHECK_EXIT_CODE);
  }
}

/* Registered before any function of the program, so it is called last. */
static __attribute__((constructor)) void arrange_leave(void)
{
  process = getpid();
  on_exit(leave_at_exit, NULL);
}
