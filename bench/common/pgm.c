/* A PGM image: "P2" or "P5", width, height and the largest grey as decimal text, then the pixels:
 * as decimal text (P2), or after one blank as bytes (P5), two a pixel with the high one first where
 * the largest grey exceeds 255. A '#' in the text starts a comment that ends with its line. */
#include "pgm.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 32768, GREY_MAX = 65535 };

/* The next decimal number from 0 to `most`, past blanks and comments. Takes one character more:
 * the blank that ends it. */
static bool read_text_number(FILE *file, unsigned most, unsigned *number_out)
{
  unsigned number = 0;
  int      c      = getc(file);

  while (isspace(c) || c == '#') {
    if (c == '#')
      while (c != '\n' && c != EOF)
        c = getc(file);
    c = getc(file);
  }
  if (!isdigit(c))
    return false;
  for (; isdigit(c); c = getc(file)) {
    number = 10 * number + (unsigned)(c - '0');
    if (number > most)
      return false;
  }
  *number_out = number;
  return c == EOF || isspace(c) || c == '#';
}

static bool read_binary_number(FILE *file, unsigned most, unsigned *number_out)
{
  int high = most > 255 ? getc(file) : 0;
  int low  = getc(file);

  if (high == EOF || low == EOF)
    return false;
  *number_out = (unsigned)high << 8 | (unsigned)low;
  return *number_out <= most;
}

static const char *read_image(FILE *file, pgm_t *image_out)
{
  unsigned width, height, white, pixel;
  size_t   npixels;
  float   *grey;
  int      magic = getc(file) == 'P' ? getc(file) : EOF;
  bool     text  = magic == '2';

  if (magic != '2' && magic != '5')
    return "is not a PGM image: it starts with neither P2 nor P5";
  if (!read_text_number(file, SIDE_MAX, &width) || !read_text_number(file, SIDE_MAX, &height) ||
      width == 0 || height == 0)
    return "has no width and height from 1 to 32768";
  if (!read_text_number(file, GREY_MAX, &white) || white == 0)
    return "has no largest grey from 1 to 65535";

  npixels = (size_t)width * height;
  grey    = calloc(npixels, sizeof *grey);
  if (grey == NULL)
    return "does not fit into memory";
  for (size_t i = 0; i < npixels; i++) {
    if (!(text ? read_text_number : read_binary_number)(file, white, &pixel)) {
      free(grey);
      return "ends early, or has a pixel above its largest grey";
    }
    grey[i] = (float)pixel / (float)white;
  }
  *image_out = (pgm_t){ .width = width, .height = height, .grey = grey };
  return NULL;
}

const char *pgm_read(const char *path, pgm_t *image_out)
{
  FILE       *file = fopen(path, "rb");
  const char *problem;

  if (file == NULL)
    return strerror(errno);
  problem = read_image(file, image_out);
  fclose(file);
  return problem;
}

int pgm_write(FILE *file, const pgm_t *image)
{
  size_t npixels = image->width * image->height;

  fprintf(file, "P5\n%zu %zu\n255\n", image->width, image->height);
  for (size_t i = 0; i < npixels; i++) {
    float grey = image->grey[i];

    putc(grey <= 0 ? 0 : grey >= 1 ? 255 : (int)(grey * 255 + 0.5f), file);
  }
  return fflush(file) == 0 && !ferror(file) ? 0 : -1;
}
