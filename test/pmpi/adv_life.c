/* MPI starts and ends.
 *
 * The thread that sends what was held for long needs MPI_THREAD_MULTIPLE, which is asked for
 * whatever the program wants; the program gets what it wants, and is held to that (guard.c). */
#include "adversary.h"

static int start(int *argc, char ***argv, int wanted, int *provided_out)
{
  int provided, ret;

  ret = PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  if (ret != MPI_SUCCESS)
    return ret;
  *provided_out = adv_level(wanted < provided ? wanted : provided);
  adv_started(*provided_out);
  if (provided == MPI_THREAD_MULTIPLE)
    adv_sends_open();
  return ret;
}

int MPI_Init(int *argc, char ***argv)
{
  int provided;

  return start(argc, argv, MPI_THREAD_SINGLE, &provided);
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided)
{
  return start(argc, argv, wanted, provided);
}

int MPI_Query_thread(int *provided)
{
  if (!adv_enter("MPI_Query_thread"))
    return PMPI_Query_thread(provided);
  *provided = adv_thread_level();
  adv_leave();
  return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
  int ret;

  if (!adv_enter("MPI_Finalize"))
    return PMPI_Finalize();
  adv_lock();
  adv_leaks();
  adv_unlock();
  adv_sends_close();
  ret = PMPI_Finalize();
  adv_ended();
  adv_leave();
  return ret;
}

ADV_PLAIN(MPI_Is_thread_main, (int *flag), (flag));
