/* See held.h. */
#include "held.h"

#include <stdio.h>

#include "model/holds.h"

const char *launch_held(int fd, uint64_t offset)
{
  static char text[160];
  char        locks[128];

  text[0] = '\0';
  if (fd >= 0) {
    dart__holds_read(fd, offset, locks, sizeof locks);
    if (locks[0] != '\0')
      snprintf(text, sizeof text, "; it held %s", locks);
  }
  return text;
}
