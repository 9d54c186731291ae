/* The pages of a near portion are this process's own mapping of shared memory. Each process closes them for itself, so
 * no other process is affected.
 *
 * Closing a page in the middle of a mapping splits the mapping into three. The kernel limits their number
 * (vm.max_map_count), so the number of guarded portions is limited, too. */
#include "guard_pages.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "check_report.h"

enum { MOST = 16384 }; /* portions that have guard pages at a time */

static _Atomic size_t ncovered; /* relaxed: a plain counter, which orders nothing */

size_t dart__check_page(void)
{
  static size_t page;

  if (page == 0)
    page = (size_t)sysconf(_SC_PAGESIZE);
  return page;
}

static size_t whole(uint64_t nbytes)
{
  size_t page = dart__check_page();

  return (nbytes + page - 1) / page * page;
}

size_t dart__check_pages_room(uint64_t nbytes)
{
  return whole(nbytes) + dart__check_page();
}

void dart__check_pages_find(dart__check_pages_t *pages, dart_gptr_t gptr, bool guarded)
{
  pages->first = dart__check_room(NULL, pages->n * sizeof *pages->first);
  for (size_t i = 0; i < pages->n; i++) {
    gptr.unitid     = (int16_t)i;
    pages->first[i] = guarded ? pdart_near_ptr(gptr) : NULL;
    if ((uintptr_t)pages->first[i] % dart__check_page() != 0)
      pages->first[i] = NULL;
  }
}

void dart__check_pages_guard(dart__check_pages_t *pages)
{
  static bool once;

  for (size_t i = 0; i < pages->n; i++) {
    if (pages->first[i] == NULL)
      continue;
    if (atomic_load_explicit(&ncovered, memory_order_relaxed) >= MOST ||
        mprotect(pages->first[i] + whole(pages->sizes[i]), dart__check_page(), PROT_NONE) != 0) {
      pages->first[i] = NULL;
      dart__check_note(&once,
                       "no more pages can be guarded: portions from now on have no guard pages");
      continue;
    }
    atomic_fetch_add_explicit(&ncovered, 1, memory_order_relaxed);
  }
}

void dart__check_pages_close(const dart__check_pages_t *pages)
{
  for (size_t i = 0; i < pages->n; i++)
    if (pages->first[i] != NULL) /* if the kernel refuses, old pointers still work */
      mprotect(pages->first[i], dart__check_pages_room(pages->sizes[i]), PROT_NONE);
}

void dart__check_pages_open(const dart__check_pages_t *pages)
{
  for (size_t i = 0; i < pages->n; i++)
    if (pages->first[i] != NULL) {
      mprotect(pages->first[i], dart__check_pages_room(pages->sizes[i]), PROT_READ | PROT_WRITE);
      pages->first[i] = NULL;
      atomic_fetch_sub_explicit(&ncovered, 1, memory_order_relaxed);
    }
}

int32_t dart__check_pages_unit(const dart__check_pages_t *pages, const void *address)
{
  for (size_t i = 0; i < pages->n; i++)
    if (pages->first[i] != NULL &&
        (uintptr_t)address - (uintptr_t)pages->first[i] < dart__check_pages_room(pages->sizes[i]))
      return (int32_t)i;
  return -1;
}

/* ---- crashes ------------------------------------------------------------------------------------- */

static void (*explain)(const void *address, const void *from);
static struct sigaction before;

/* The address behind the instruction, like the return address of a call. */
static const void *behind(const void *context)
{
#if defined(__x86_64__)
  return (const char *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] + 1;
#elif defined(__aarch64__)
  return (const char *)((const ucontext_t *)context)->uc_mcontext.pc + 1;
#else
  (void)context;
  return NULL;
#endif
}

/* When this returns, the instruction is repeated, and its signal goes to the old handler with all its information. A
 * signal that a process has sent is raised again. */
static void handle_fault(int signal, siginfo_t *info, void *context)
{
  if (info->si_code > 0)
    explain(info->si_addr, behind(context));
  sigaction(signal, &before, NULL);
  if (info->si_code <= 0)
    raise(signal);
}

void dart__check_faults_open(void (*explain_it)(const void *address, const void *from))
{
  struct sigaction action = { .sa_sigaction = handle_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };

  explain = explain_it;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &before);
}

void dart__check_faults_close(void)
{
  struct sigaction now;

  if (sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_sigaction == handle_fault)
    sigaction(SIGSEGV, &before, NULL);
}
