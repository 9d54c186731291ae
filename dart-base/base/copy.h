#ifndef DART__BASE_COPY_H
#define DART__BASE_COPY_H
/* Copies of any number of bytes, as memmove.
 *
 * glibc copies more than 2 KiB by `rep movsb` where the processor has it. On AMD's Zen 3 that takes ten to sixty times as
 * long if the target begins less than a cache line behind the source, modulo 4096 (sourceware bug 30994): 4 KiB take 1.5 to
 * 6.5 µs for 0.08. Segments begin on pages, and large blocks of malloc 16 bytes behind one, so gets meet it. Such copies go
 * down, line by line, which no processor minds. */
#include <stdint.h>
#include <string.h>

#include <dash/dart/ext/dart_inline_near.h>

#define DART__COPY_PAGE 4096
#define DART__COPY_LINE 64
#define DART__COPY_MOST (512 << 10) /* from there on glibc copies otherwise */

static __attribute__((noinline, unused)) void dart__copy_down(char *to, const char *from,
                                                              size_t nbytes)
{
  for (; nbytes >= DART__COPY_LINE; nbytes -= DART__COPY_LINE)
    dart_inline_copy(to + nbytes - DART__COPY_LINE, from + nbytes - DART__COPY_LINE,
                     DART__COPY_LINE);
  memmove(to, from, nbytes);
}

/** As memmove. */
static inline void dart__copy_bytes(void *to, const void *from, size_t nbytes)
{
  uintptr_t ahead = (uintptr_t)to - (uintptr_t)from;

  if (__builtin_expect(nbytes > DART__COPY_PAGE / 2, 0) && nbytes < DART__COPY_MOST &&
      (ahead - 1) % DART__COPY_PAGE < DART__COPY_LINE - 1 &&
      -ahead >= nbytes) /* else its start is behind the source's, and going down overwrites that */
    dart__copy_down(to, from, nbytes);
  else
    memmove(to, from, nbytes);
}

#endif
