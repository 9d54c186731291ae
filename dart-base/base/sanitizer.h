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

#endif
