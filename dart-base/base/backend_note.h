#ifndef DART__BASE_BACKEND_NOTE_H
#define DART__BASE_BACKEND_NOTE_H
/* Which backend a program has: an ELF note, which each backend's library has, and so every program that is linked with
 * its archive. Launchers read it (launch/executable.h), and `readelf -n` shows it. The text is shmem, or the MPI of
 * dart-mpi: mpich, openmpi, or mpi for another one. */
#include <stdint.h>

#define DART__NOTE_OWNER   "DART"
#define DART__NOTE_BACKEND 1 /* the type of the note */

typedef struct {
  uint32_t owner_nbytes, text_nbytes, type;
  char     owner[8]; /* with its end, in whole words */
  char     text[8];
} dart__backend_note_t;

#define DART__BACKEND_NOTE(name)                                               \
  static const dart__backend_note_t backend_note                               \
      __attribute__((section(".note.dart.backend"), used,                      \
                     aligned(4))) = { .owner_nbytes = sizeof DART__NOTE_OWNER, \
                                      .text_nbytes  = 8,                       \
                                      .type         = DART__NOTE_BACKEND,      \
                                      .owner        = DART__NOTE_OWNER,        \
                                      .text         = name }

#endif
