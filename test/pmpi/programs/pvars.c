/* An MPI that has performance variables, which MPICH is most often built without: to be loaded under a program
 * (LD_PRELOAD). Their values follow from how often they were read or reset, so a program can tell what was done.
 *
 * The unit that PVARS_LESS names, by its rank, has one less. With PVARS_TELL each handle that is asked for is a line. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name;
  int class, bind;
  MPI_Datatype type;
  int          is_readonly, is_continuous;
} variable_t;

static const variable_t variables[] = {
  { "reads", MPI_T_PVAR_CLASS_COUNTER, MPI_T_BIND_NO_OBJECT, MPI_UNSIGNED_LONG, 1, 1 },
  { "time_of_reads", MPI_T_PVAR_CLASS_TIMER, MPI_T_BIND_NO_OBJECT, MPI_DOUBLE, 0, 0 },
  { "level", MPI_T_PVAR_CLASS_LEVEL, MPI_T_BIND_NO_OBJECT, MPI_UNSIGNED, 1, 1 },
  { "of_members", MPI_T_PVAR_CLASS_SIZE, MPI_T_BIND_MPI_COMM, MPI_UNSIGNED_LONG_LONG, 1, 1 },
  { "of_windows", MPI_T_PVAR_CLASS_LEVEL, MPI_T_BIND_MPI_WIN, MPI_UNSIGNED, 1, 1 },
  { "percentage", MPI_T_PVAR_CLASS_PERCENTAGE, MPI_T_BIND_NO_OBJECT, MPI_DOUBLE, 1, 1 },
  { "refused", MPI_T_PVAR_CLASS_LEVEL, MPI_T_BIND_NO_OBJECT, MPI_UNSIGNED, 1, 1 },
  { "peak", MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_BIND_NO_OBJECT, MPI_UNSIGNED, 0, 1 },
};

enum { NVARIABLES = sizeof variables / sizeof variables[0] };

static int  reads[NVARIABLES], resets[NVARIABLES], sizes[NVARIABLES];
static bool is_started[NVARIABLES];

/* Handles and sessions are opaque pointers: here, into arrays. */
static char handles[NVARIABLES], session;

static int number_of(MPI_T_pvar_handle handle)
{
  return (int)((char *)(void *)handle - handles);
}

static bool is_session(MPI_T_pvar_session one)
{
  return (char *)(void *)one == &session;
}

int MPI_T_pvar_get_num(int *n)
{
  const char *less = getenv("PVARS_LESS"), *rank = getenv("PMI_RANK");

  *n = NVARIABLES - (less != NULL && rank != NULL && strcmp(less, rank) == 0);
  return MPI_SUCCESS;
}

int MPI_T_pvar_get_info(int index, char *name, int *name_nbytes, int *verbosity, int *class,
                        MPI_Datatype *type, MPI_T_enum *texts, char *about, int *about_nbytes,
                        int *bind, int *is_readonly, int *is_continuous, int *is_atomic)
{
  const variable_t *one = &variables[index];

  *name_nbytes   = 1 + snprintf(name, (size_t)*name_nbytes, "%s", one->name);
  *about_nbytes  = 1 + snprintf(about, (size_t)*about_nbytes, "a variable for tests");
  *verbosity     = MPI_T_VERBOSITY_USER_BASIC;
  *class         = one->class;
  *type          = one->type;
  *texts         = MPI_T_ENUM_NULL;
  *bind          = one->bind;
  *is_readonly   = one->is_readonly;
  *is_continuous = one->is_continuous;
  *is_atomic     = 0;
  return MPI_SUCCESS;
}

int MPI_T_pvar_session_create(MPI_T_pvar_session *one)
{
  *one = (MPI_T_pvar_session)(void *)&session;
  return MPI_SUCCESS;
}

int MPI_T_pvar_handle_alloc(MPI_T_pvar_session one, int index, void *object,
                            MPI_T_pvar_handle *handle, int *count)
{
  if (getenv("PVARS_TELL") != NULL)
    fprintf(stderr, "opened %s\n", variables[index].name);
  if (!is_session(one) || strcmp(variables[index].name, "refused") == 0)
    return MPI_T_ERR_OUT_OF_HANDLES;
  *count = 1;
  if (variables[index].bind == MPI_T_BIND_MPI_COMM)
    MPI_Comm_size(*(MPI_Comm *)object, count);
  sizes[index] = *count;
  *handle      = (MPI_T_pvar_handle)(void *)&handles[index];
  return MPI_SUCCESS;
}

int MPI_T_pvar_start(MPI_T_pvar_session one, MPI_T_pvar_handle handle)
{
  is_started[number_of(handle)] = is_session(one) && !variables[number_of(handle)].is_continuous;
  return is_started[number_of(handle)] ? MPI_SUCCESS : MPI_T_ERR_PVAR_NO_STARTSTOP;
}

int MPI_T_pvar_read(MPI_T_pvar_session one, MPI_T_pvar_handle handle, void *to)
{
  int i = number_of(handle), n = ++reads[i];

  if (!is_session(one))
    return MPI_T_ERR_INVALID_SESSION;
  if (variables[i].class == MPI_T_PVAR_CLASS_COUNTER)
    *(unsigned long *)to = 1000 + 7 * (unsigned long)n;
  else if (variables[i].class == MPI_T_PVAR_CLASS_TIMER)
    *(double *)to = is_started[i] ? 0.25 * n : 0;
  else if (variables[i].class == MPI_T_PVAR_CLASS_HIGHWATERMARK)
    *(unsigned *)to = 100 - 10 * (unsigned)resets[i];
  else if (variables[i].class == MPI_T_PVAR_CLASS_SIZE)
    for (int k = 0; k < sizes[i]; k++)
      ((unsigned long long *)to)[k] = (unsigned long long)(k + 1);
  else
    *(unsigned *)to = 42;
  return MPI_SUCCESS;
}

int MPI_T_pvar_reset(MPI_T_pvar_session one, MPI_T_pvar_handle handle)
{
  if (!is_session(one) || variables[number_of(handle)].is_readonly)
    return MPI_T_ERR_PVAR_NO_WRITE;
  resets[number_of(handle)]++;
  return MPI_SUCCESS;
}
