#ifndef DART__BASE_SANITIZER_H
#define DART__BASE_SANITIZER_H
/* Whether a file is compiled for AddressSanitizer or ThreadSanitizer. GCC defines a macro, clang has a feature. */

#ifdef __has_feature
#define DART__HAS_FEATURE(name) __has_feature(name)
#else
#define DART__HAS_FEATURE(name) 0
#endif

#if defined __SANITIZE_ADDRESS__ || DART__HAS_FEATURE(address_sanitizer)
#define DART__ASAN 1
#else
#define DART__ASAN 0
#endif

#if defined __SANITIZE_THREAD__ || DART__HAS_FEATURE(thread_sanitizer)
#define DART__TSAN 1
#else
#define DART__TSAN 0
#endif

/* Order by way of other processes. A thread tells another unit something, that unit tells a second thread of this
 * process: the second thread comes after the first. ThreadSanitizer does not see the other process, and would report a
 * race. So a thread calls dart__tsan_tell before it stores what other units wait for, and dart__tsan_hear after it has
 * loaded what they have stored. One address stands for all units: two threads may be taken for ordered that are not,
 * so fewer races are found around messages and barriers. Tests between threads have no other processes and do without.
 * Both calls are empty but in the build `tsan`, which defines DART_TSAN_PROCESSES. */
#if DART__TSAN && defined DART_TSAN_PROCESSES
#include <sanitizer/tsan_interface.h>

__attribute__((weak)) char dart__tsan_others; /* one for all files */

static inline void dart__tsan_tell(void)
{
  __tsan_release(&dart__tsan_others);
}

static inline void dart__tsan_hear(void)
{
  __tsan_acquire(&dart__tsan_others);
}

/* Before a function that ThreadSanitizer does not watch: it makes the last access to memory that another process may
 * then use for something else. Nothing can follow that access, not even dart__tsan_tell. */
#define DART__TSAN_UNSEEN __attribute__((no_sanitize("thread")))
#else
#define DART__TSAN_UNSEEN
static inline void dart__tsan_tell(void)
{
}

static inline void dart__tsan_hear(void)
{
}
#endif

/* pthread_mutex_clocklock has locked the mutex: GCC 12's ThreadSanitizer does not know this call. */
#if DART__TSAN
#include <sanitizer/tsan_interface.h>

static inline void dart__tsan_locked(void *mutex)
{
  __tsan_mutex_pre_lock(mutex, __tsan_mutex_try_lock);
  __tsan_mutex_post_lock(mutex, __tsan_mutex_try_lock, 0);
}
#else
static inline void dart__tsan_locked(void *mutex)
{
  (void)mutex;
}
#endif

#endif
