#ifndef BENCH_COMMON_PGM_H
#define BENCH_COMMON_PGM_H
/* Grey images in the formats P2 (text) and P5 (binary) of the Netpbm family. */
#include <stdio.h>

typedef struct {
  size_t width; /* pixels */
  size_t height;
  float *grey; /* height rows of width pixels from the top; 0 is black, 1 is white */
} pgm_t;

/** Read an image of either format, 8 or 16 bit, up to 32768 pixels each way. NULL: done, and
 *  `image_out->grey` is the caller's to free. Else what is wrong, to follow the name of the file;
 *  nothing is written then. */
const char *pgm_read(const char *path, pgm_t *image_out);

/** Write an image as P5 with 8 bits; grey outside 0..1 becomes black or white. The file stays open.
 *  -1: not all could be written, errno tells why. */
int pgm_write(FILE *file, const pgm_t *image);

#endif
