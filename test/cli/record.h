#ifndef RECORD_H
#define RECORD_H
/* What dart_record.c writes and cli_records.c reads. */
enum {
  RECORD_WORDS = 1 << 16, /* of 8 bytes: several steps of a write */
  RECORD_BYTES = 8 * RECORD_WORDS,
  RECORD_SLOTS = 4,
  SHARED_WORDS = 1 << 13,
  BOARD_BYTES  = 1 << 18, /* every other piece of which is written */
  BOARD_SMALL  = 8,       /* words of a piece */
  BOARD_LARGE  = 1 << 10,
  RECORDS_MOST = 20000
};
#endif
