/* See executable.h.
 *
 * A program that is linked with an archive of DART has a note with the backend's name (base/backend_note.h). One that is
 * linked with a shared library names it in its dynamic section. The file is read as ELF(5) says, for programs of this
 * processor's word size; whatever does not lie inside of it is skipped. A program that has neither may get DART through a
 * library, so then all its libraries are looked at. */
#include "executable.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/backend_note.h"
#include "launch.h"
#include "load_layers.h"

/* ---- where it is ---------------------------------------------------------------------------- */

static bool is_executable(const char *path)
{
  struct stat file;

  if (stat(path, &file) != 0)
    return false;
  if (S_ISREG(file.st_mode))
    return access(path, X_OK) == 0;
  errno = EACCES;
  return false;
}

/* As execvp looks for it. False: it cannot be executed, see errno. */
static bool find_program(const char *name, char path[PATH_MAX])
{
  const char *folders = getenv("PATH");
  int         error   = ENOENT;

  if (strchr(name, '/') != NULL || folders == NULL) {
    snprintf(path, PATH_MAX, "%s", name);
    return is_executable(path);
  }
  while (true) {
    size_t length = strcspn(folders, ":");

    snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, folders, length > 0 ? "/" : "", name);
    if (is_executable(path))
      return true;
    if (errno == EACCES)
      error = EACCES;
    if (folders[length] == '\0')
      break;
    folders += length + 1;
  }
  errno = error;
  return false;
}

/* ---- the libraries that it loads -----------------------------------------------------------------
 *
 * Those that it names, and those that they name in turn. Where a library is depends on run paths of programs and
 * libraries, on the environment, and on a cache of the system. The dynamic linker knows all of that. Called by itself with
 * --list, it prints a line for each library, and does not run the program: that of glibc, and that of musl. */

/* What it says of the path of a library; NULL: nothing. */
typedef const char *look_t(const char *path);

#define LIMIT_S 5 /* then the linker is ended, and what it has listed counts */

static void become_linker(const char *linker, const char *program, int output)
{
  char *const command[] = { (char *)linker, (char *)"--list", (char *)program, NULL };
  int         nothing   = open("/dev/null", O_WRONLY | O_CLOEXEC);

  dup2(output, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  alarm(LIMIT_S); /* lasts beyond exec */
  execv(linker, command);
  _exit(127);
}

/* The path in a line as "libm.so.6 => /lib/libm.so.6 (0x7f12)". NULL: it has none, as that of a library which is not
 * found. */
static const char *path_of(char *line)
{
  char *arrow = strstr(line, " => "), *end = strrchr(line, '(');
  char *path = arrow != NULL ? arrow + strlen(" => ") : line + strspn(line, "\t ");

  if (end == NULL || end - path < 2)
    return NULL;
  end[-1] = '\0';
  return strchr(path, '/') != NULL ? path : NULL;
}

static const char *find_in(FILE *list, look_t *look)
{
  const char *found = NULL, *path;
  char       *line  = NULL;
  size_t      size  = 0;

  while (found == NULL && getline(&line, &size, list) > 0)
    if ((path = path_of(line)) != NULL)
      found = look(path);
  free(line);
  return found;
}

/* The first word that `look` has for a library of the program, whose ELF interpreter is `linker`. NULL: it has none. */
static const char *find_library(const char *linker, const char *program, look_t *look)
{
  char path[PATH_MAX]; /* where links lead: what is relative to the program is relative to that */
  const char *found = NULL;
  FILE       *list;
  int         output[2];
  pid_t       pid;

  if (realpath(program, path) == NULL || pipe2(output, O_CLOEXEC) != 0)
    return NULL;
  pid = fork();
  if (pid == 0)
    become_linker(linker, path, output[1]);
  close(output[1]);
  list = fdopen(output[0], "r");
  if (list == NULL) {
    close(output[0]);
  } else {
    found = find_in(list, look);
    fclose(list);
  }
  if (pid > 0)
    waitpid(pid, NULL, 0);
  return found;
}

/* ---- its backend ------------------------------------------------------------------------------ */

typedef struct {
  const char *bytes;
  size_t      nbytes;
} image_t;

/* `nbytes` bytes of the file from `offset` on, in whole units of `unit` bytes. NULL: they do not lie in it. */
static const void *part_of(const image_t *image, uint64_t offset, uint64_t nbytes, size_t unit)
{
  return offset <= image->nbytes && nbytes <= image->nbytes - offset && offset % unit == 0
             ? image->bytes + offset
             : NULL;
}

/* Behind "mpi-" is the MPI of a dart-mpi. The one without is that of the library libdart-mpi, whose MPI its launcher
 * knows. */
#define MPI "mpi-"

static const char *const backends[] = { "shmem", "mpi", MPI "mpich", MPI "openmpi" };

static const char *backend_named(const char *name, size_t length)
{
  for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
    if (strlen(backends[i]) == length && strncmp(backends[i], name, length) == 0)
      return backends[i];
  return NULL;
}

/* A note names the MPI alone. */
static const char *backend_of_note(const char *text, size_t length)
{
  char        name[sizeof MPI + sizeof((dart__backend_note_t *)NULL)->text];
  const char *backend = backend_named(text, length);

  snprintf(name, sizeof name, MPI "%.*s", (int)length, text);
  return backend != NULL ? backend : backend_named(name, strlen(name));
}

static const char *backend_of_notes(const image_t *image, const ElfW(Phdr) * segment)
{
  const dart__backend_note_t *note;
  uint64_t                    at = segment->p_offset, end = at + segment->p_filesz;

  for (; at + sizeof(ElfW(Nhdr)) <= end; at += sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *header = part_of(image, at, sizeof *header, 4);

    note = part_of(image, at, sizeof *note, 4);
    if (header == NULL)
      return NULL;
    if (note != NULL && note->owner_nbytes == sizeof DART__NOTE_OWNER &&
        note->type == DART__NOTE_BACKEND && strcmp(note->owner, DART__NOTE_OWNER) == 0)
      return backend_of_note(note->text, strnlen(note->text, sizeof note->text));
    at += (header->n_namesz + 3ull) / 4 * 4 + (header->n_descsz + 3ull) / 4 * 4;
  }
  return NULL;
}

/* Where the file has what is loaded at `address`; SIZE_MAX: nowhere. */
static uint64_t offset_of(const ElfW(Phdr) * segments, size_t n, uint64_t address)
{
  for (size_t i = 0; i < n; i++)
    if (segments[i].p_type == PT_LOAD && address >= segments[i].p_vaddr &&
        address - segments[i].p_vaddr < segments[i].p_filesz)
      return address - segments[i].p_vaddr + segments[i].p_offset;
  return SIZE_MAX;
}

/* Of a library's name, as libdart-shmem.so.3 and libdart-mpi-openmpi.so.3. */
static const char *backend_of_library(const image_t *image, uint64_t name_at)
{
  static const char prefix[] = "libdart-";
  const char       *name     = part_of(image, name_at, 1, 1);
  size_t            length;

  if (name == NULL)
    return NULL;
  length = strnlen(name, image->nbytes - (size_t)name_at);
  if (length < sizeof prefix || strncmp(name, prefix, sizeof prefix - 1) != 0)
    return NULL;
  name += sizeof prefix - 1;
  return backend_named(name, strcspn(name, "."));
}

static const char *backend_of_libraries(const image_t *image, const ElfW(Phdr) * segments, size_t n,
                                        const ElfW(Phdr) * dynamic)
{
  size_t count           = dynamic->p_filesz / sizeof(ElfW(Dyn));
  const ElfW(Dyn) *entry = part_of(image, dynamic->p_offset, dynamic->p_filesz, sizeof(void *));
  uint64_t    strings    = SIZE_MAX;
  const char *backend    = NULL;

  for (size_t i = 0; entry != NULL && i < count; i++)
    if (entry[i].d_tag == DT_STRTAB)
      strings = offset_of(segments, n, entry[i].d_un.d_ptr);
  for (size_t i = 0; entry != NULL && i < count && strings != SIZE_MAX && backend == NULL; i++)
    if (entry[i].d_tag == DT_NEEDED)
      backend = backend_of_library(image, strings + entry[i].d_un.d_val);
  return backend;
}

/* The path of the dynamic linker goes to `linker`; "": there is none, or it is too long. */
static void take_linker(const image_t *image, const ElfW(Phdr) * segment, char linker[PATH_MAX])
{
  const char *text = part_of(image, segment->p_offset, segment->p_filesz, 1);

  if (text != NULL && segment->p_filesz < PATH_MAX)
    memcpy(linker, text, segment->p_filesz);
}

static const char *backend_of_image(const image_t *image, char linker[PATH_MAX])
{
  const ElfW(Ehdr) *header = part_of(image, 0, sizeof *header, 1);
  const ElfW(Phdr) * segments;
  const char *backend = NULL;

  if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
      header->e_phentsize != sizeof *segments)
    return NULL;
  segments =
      part_of(image, header->e_phoff, (uint64_t)header->e_phnum * sizeof *segments, sizeof(void *));
  for (size_t i = 0; segments != NULL && i < header->e_phnum && backend == NULL; i++)
    if (segments[i].p_type == PT_NOTE)
      backend = backend_of_notes(image, &segments[i]);
    else if (segments[i].p_type == PT_DYNAMIC)
      backend = backend_of_libraries(image, segments, header->e_phnum, &segments[i]);
    else if (segments[i].p_type == PT_INTERP)
      take_linker(image, &segments[i], linker);
  return backend;
}

/* What the file itself says; NULL: nothing. */
static const char *backend_of_file(const char *path, char linker[PATH_MAX])
{
  int         fd      = open(path, O_RDONLY | O_CLOEXEC);
  struct stat file    = { 0 };
  image_t     image   = { MAP_FAILED, 0 };
  const char *backend = NULL;

  memset(linker, 0, PATH_MAX);
  if (fd >= 0 && fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > 0) {
    image.nbytes = (size_t)file.st_size;
    image.bytes  = mmap(NULL, image.nbytes, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  if (image.bytes != MAP_FAILED) {
    backend = backend_of_image(&image, linker);
    munmap((void *)(uintptr_t)image.bytes, image.nbytes);
  }
  if (fd >= 0)
    close(fd);
  return backend;
}

static const char *backend_of_library_file(const char *path)
{
  char linker[PATH_MAX]; /* some libraries can be started, too */

  return backend_of_file(path, linker);
}

/* NULL: it does not say. */
static const char *backend_of(const char *path)
{
  char        linker[PATH_MAX];
  const char *backend = backend_of_file(path, linker);

  if (backend == NULL && linker[0] != '\0')
    backend = find_library(linker, path, backend_of_library_file);
  return backend;
}

/* ---- its launcher ----------------------------------------------------------------------------- */

static bool is_mpi(const char *backend)
{
  return strncmp(backend, "mpi", 3) == 0;
}

/* Whether `words` has the backend. */
static bool has_word(const char *words, const char *backend)
{
  size_t length;

  for (; *words != '\0'; words += length + strspn(words + length, " ")) {
    length = strcspn(words, " ");
    if (length == strlen(backend) && strncmp(words, backend, length) == 0)
      return true;
  }
  return false;
}

/* Whether the launcher of `own` starts a program of the backend: its own; and of every MPI, if the user has named the
 * mpiexec. */
static bool starts(const char *own, const char *backend)
{
  return has_word(own, backend) ||
         (is_mpi(own) && is_mpi(backend) && getenv("DART_MPIEXEC") != NULL);
}

static bool is_launcher(char path[2 * PATH_MAX], const char *folder, const char *form,
                        const char *backend)
{
  int length = snprintf(path, 2 * PATH_MAX, "%s/", folder);

  snprintf(path + length, 2 * PATH_MAX - (size_t)length, form, backend);
  return access(path, X_OK) == 0;
}

/* Beside this one where DART is installed, else in the folder of the backend's build. A launcher that starts no MPI leaves
 * it to that of libdart-mpi to look for another one. */
static bool find_launcher(const char *own, const char *backend, char path[2 * PATH_MAX])
{
  char folder[PATH_MAX];

  launch_own_folder(folder);
  if (is_launcher(path, folder, "dartrun-%s", backend))
    return true;
  if (is_mpi(own) && is_mpi(backend) && strcmp(backend, "mpi") != 0)
    return false;
  if (is_mpi(backend))
    backend = "mpi";
  return is_launcher(path, folder, "dartrun-%s", backend) ||
         is_launcher(path, folder, "../dart-%s/dartrun", backend);
}

void launch_check_program(const char *own, const char *program, char **argv)
{
  char        path[PATH_MAX], launcher[2 * PATH_MAX];
  const char *backend;

  if (!find_program(program, path)) {
    int error = errno;

    if (strchr(program, '/') == NULL && is_executable(program)) /* mpiexec would start it */
      launch_fail(LAUNCH_EXIT_NOEXEC, "cannot start %s: PATH has none, but this folder: ./%s",
                  program, program);
    launch_fail(LAUNCH_EXIT_NOEXEC, "cannot start %s: %s", program, strerror(error));
  }
  backend = backend_of(path);
  if (backend == NULL || starts(own, backend))
    return;
  if (!find_launcher(own, backend, launcher)) {
    if (is_mpi(backend) && !is_mpi(own))
      backend = "mpi";
    launch_fail(LAUNCH_EXIT_USAGE,
                "%s is linked with dart-%s: start it with dartrun-%s, which is not installed here",
                program, backend, backend);
  }
  argv[0] = launcher;
  execv(launcher, argv);
  launch_fail(LAUNCH_EXIT_NOEXEC, "cannot start %s: %s", launcher, strerror(errno));
}
