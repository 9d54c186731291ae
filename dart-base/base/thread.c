/* See thread.h. The alternate stack is allocated with malloc. Thread-local data would take its size from the stack of
 * every thread of the program. The thread frees its alternate stack when it ends. */
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define STACK (64 * 1024) /* for the report of a crash (job/crash.c) */

typedef struct {
  void *(*run)(void *);
  void *argument;
  char  stack[STACK];
} start_t;

/* A sanitizer gives threads an alternate stack of its own, and frees the one that it finds. */
static void *run_on_stacks(void *given)
{
  start_t *start = given;
  stack_t  stack = { .ss_sp = start->stack, .ss_size = sizeof start->stack };
  stack_t  none  = { .ss_flags = SS_DISABLE }, before;
  void    *result;
  bool     is_ours = sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0 &&
                 sigaltstack(&stack, NULL) == 0;

  result = start->run(start->argument);
  if (is_ours)
    sigaltstack(&none, NULL);
  free(start);
  return result;
}

static void block_signals(sigset_t *before_out)
{
  static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
  sigset_t         blocked;

  sigfillset(&blocked);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigdelset(&blocked, faults[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, before_out);
}

int dart__thread_start(pthread_t *thread_out, const char *name, void *(*run)(void *),
                       void *argument)
{
  start_t *start = malloc(sizeof *start);
  sigset_t before;
  int      error;

  if (start == NULL)
    return ENOMEM;
  start->run      = run;
  start->argument = argument;
  block_signals(&before);
  error = pthread_create(thread_out, NULL, run_on_stacks, start);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error != 0)
    free(start);
  else
    pthread_setname_np(*thread_out, name);
  return error;
}

/* relaxed, all: a program that begins work in one thread while another asks breaks its contract */
static struct {
  _Atomic uint32_t    count;
  const char *_Atomic what;
} work;

void dart__thread_work_begin(const char *what)
{
  atomic_store_explicit(&work.what, what, memory_order_relaxed);
  atomic_fetch_add_explicit(&work.count, 1, memory_order_relaxed);
}

void dart__thread_work_end(void)
{
  atomic_fetch_sub_explicit(&work.count, 1, memory_order_relaxed);
}

const char *dart__thread_work(void)
{
  return atomic_load_explicit(&work.count, memory_order_relaxed) == 0
             ? NULL
             : atomic_load_explicit(&work.what, memory_order_relaxed);
}
