/* See domain_image.h. */
#include "topology/domain_image.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sanitizer.h"
#include "base/size.h"

typedef dart_domain_locality_t domain_t;

/* Addresses that neither the kernel nor malloc gives: from 32 TiB on, 4 GiB for each place. */
#define FIRST       ((uintptr_t)1 << 45)
#define PLACE_BYTES ((uintptr_t)1 << 32)
#define PLACES      1024
#define HAS_PLACES \
  (!DART__TSAN && UINTPTR_MAX > UINT32_MAX) /* ThreadSanitizer has its own memory there */

static bool kept[PLACES]; /* see dart__domain_image_keep */

static bool is_in_image(const void *block)
{
  return HAS_PLACES && (uintptr_t)block - FIRST < PLACES * PLACE_BYTES;
}

/* Of a block in an image. */
static bool *kept_at(const void *block)
{
  return &kept[((uintptr_t)block - FIRST) / PLACE_BYTES];
}

void dart__domain_free(void *block)
{
  if (!is_in_image(block))
    free(block);
}

void *dart__domain_resize(void *block, size_t old, size_t nbytes)
{
  void *copy;

  if (!is_in_image(block))
    return realloc(block, nbytes);
  if (nbytes <= old)
    return block;
  copy = malloc(nbytes);
  if (copy != NULL)
    memcpy(copy, block, old);
  return copy;
}

/* ---- copying ------------------------------------------------------------------------------------- */

static size_t units_bytes(const domain_t *domain)
{
  return dart__round_up(dart__domain_units(domain) * sizeof *domain->unit_ids, sizeof(uint64_t));
}

static size_t children_bytes(const domain_t *domain)
{
  return (size_t)domain->num_domains * sizeof(domain_t *);
}

static size_t tree_bytes(const domain_t *domain)
{
  size_t nbytes = sizeof *domain + units_bytes(domain) + children_bytes(domain);

  for (int i = 0; i < domain->num_domains; i++)
    nbytes += tree_bytes(domain->children[i]);
  return nbytes;
}

/* A copy of the tree at `*at`, which moves behind it. */
static domain_t *copy_tree(char **at, const domain_t *source, domain_t *parent)
{
  domain_t *copy = (domain_t *)(void *)*at;

  *copy        = *source;
  copy->parent = parent;
  *at += sizeof *copy;
  if (source->num_units > 0) {
    copy->unit_ids = (dart_global_unit_t *)(void *)*at;
    memcpy(copy->unit_ids, source->unit_ids, (size_t)source->num_units * sizeof *copy->unit_ids);
    *at += units_bytes(source);
  }
  if (source->num_domains > 0) {
    copy->children = (domain_t **)(void *)*at;
    *at += children_bytes(source);
  }
  for (int i = 0; i < source->num_domains; i++)
    copy->children[i] = copy_tree(at, source->children[i], copy);
  return copy;
}

/* ---- files ------------------------------------------------------------------------------------- */

/* A file without a name that has all its pages, or -1. A larger one than the limit would raise SIGXFSZ. */
static int make_file(size_t nbytes)
{
  struct rlimit limit;
  int           fd;

  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
      (limit.rlim_cur != RLIM_INFINITY && nbytes > limit.rlim_cur))
    return -1;
  fd = memfd_create("dart locality", MFD_CLOEXEC);
  if (fd < 0 || fallocate(fd, 0, 0, (off_t)nbytes) == 0)
    return fd;
  close(fd);
  return -1;
}

/* NULL: something else is there. Kernels before 4.17 take the address for a wish. */
static void *map(int fd, size_t nbytes, int place, int flags)
{
  void *wanted = (void *)(FIRST + (uintptr_t)(place % PLACES) * PLACE_BYTES); /* NOLINT */
  void *at     = mmap(wanted, nbytes, PROT_READ | PROT_WRITE,
                      flags | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);

  if (at == wanted)
    return at;
  if (at != MAP_FAILED)
    munmap(at, nbytes);
  return NULL;
}

domain_t *dart__domain_image_make(const domain_t *root, int place, dart__domain_image_t *image_out)
{
  size_t      nbytes = tree_bytes(root);
  struct stat file;
  void       *at;
  char       *end;
  int         fd;

  if (!HAS_PLACES || nbytes > PLACE_BYTES || (fd = make_file(nbytes)) < 0)
    return NULL;
  at = end = fstat(fd, &file) == 0 ? map(fd, nbytes, place, MAP_SHARED) : NULL;
  if (at != NULL) {
    copy_tree(&end, root, NULL);
    munmap(at, nbytes);
    at = map(fd, nbytes, place, MAP_PRIVATE);
  }
  if (at == NULL)
    close(fd);
  else
    *image_out = (dart__domain_image_t){ getpid(), fd, file.st_ino, nbytes };
  return at;
}

domain_t *dart__domain_image_map(const dart__domain_image_t *image, int place)
{
  struct stat file;
  void       *at = NULL;
  char        path[64];
  int         fd;

  snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)image->pid, (long long)image->fd);
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return NULL;
  if (fstat(fd, &file) == 0 && file.st_ino == image->inode &&
      (uint64_t)file.st_size == image->nbytes)
    at = map(fd, image->nbytes, place, MAP_PRIVATE);
  close(fd);
  return at;
}

void dart__domain_image_drop(domain_t *root, const dart__domain_image_t *image)
{
  if (!*kept_at(root))
    munmap(root, image->nbytes);
  if (image->pid == getpid())
    close((int)image->fd);
}

static void keep_place_of(const void *block)
{
  if (is_in_image(block))
    *kept_at(block) = true;
}

void dart__domain_image_keep(const domain_t *domain)
{
  keep_place_of(domain);
  keep_place_of(domain->children);
  keep_place_of(domain->unit_ids);
  for (int i = 0; i < domain->num_domains; i++)
    dart__domain_image_keep(domain->children[i]);
}
