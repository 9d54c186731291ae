#ifndef DART__TOPOLOGY_DOMAIN_IMAGE_H
#define DART__TOPOLOGY_DOMAIN_IMAGE_H
/* Images of trees, which the processes of a node share.
 *
 * An image is a tree in a file without a name, with the pointers that it has at a place that is the same in all processes.
 * Each maps the file there for itself alone: so programs may write to the tree, and a page that is written to is copied by
 * the kernel. Blocks of memory in an image are not malloc's, so a tree frees and resizes its blocks by the functions below. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/if/dart_locality.h>

/* How a process finds the file of another. Zeroed: there is none. */
typedef struct {
  int64_t  pid;
  int64_t  fd;
  uint64_t inode; /* numbers of processes may be of another namespace */
  uint64_t nbytes;
} dart__domain_image_t;

/** The tree `root` as an image at `place`, any number from 0 on; some numbers are one place. NULL: it cannot be had, as where
 *  the place is taken, and nothing was made. */
dart_domain_locality_t *dart__domain_image_make(const dart_domain_locality_t *root, int place,
                                                dart__domain_image_t *image_out);

/** Map the image that a process of the node has made. NULL: it cannot be had. */
dart_domain_locality_t *dart__domain_image_map(const dart__domain_image_t *image, int place);

/** Unmap an image whose tree was deleted, and close the file, if this process has made it. */
void dart__domain_image_drop(dart_domain_locality_t *root, const dart__domain_image_t *image);

/** `domain`, with all below it, joins another tree: the images that it is in stay mapped. */
void dart__domain_image_keep(const dart_domain_locality_t *domain);

/** How many units it has; num_units is -1 of a blank one. */
static inline size_t dart__domain_units(const dart_domain_locality_t *domain)
{
  return domain->num_units > 0 ? (size_t)domain->num_units : 0;
}

/** free, of a block that may be in an image. */
void dart__domain_free(void *block);

/** realloc, of a block that may be in an image and has `old` bytes. */
void *dart__domain_resize(void *block, size_t old, size_t nbytes);

#endif
