/* The command line that all launchers have in common. */
#include "launch.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dash/dart/if/dart.h>

#include "base/config.h"
#include "base/log.h"

static void print_line(const char *format, va_list args)
{
  char text[1024], line[sizeof text + 16];

  vsnprintf(text, sizeof text, format, args);
  dart__log_one_line(text);
  launch_write(STDERR_FILENO, line, (size_t)snprintf(line, sizeof line, "dartrun: %s\n", text));
}

void launch_say(const char *format, ...)
{
  va_list args;

  va_start(args, format);
  print_line(format, args);
  va_end(args);
}

void launch_fail(int code, const char *format, ...)
{
  va_list args;

  va_start(args, format);
  print_line(format, args);
  va_end(args);
  exit(code);
}

void launch_keep_standard_streams(void)
{
  int fd;

  do
    fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0)
    close(fd);
}

void launch_raise_files(struct rlimit *before_out)
{
  struct rlimit most;

  getrlimit(RLIMIT_NOFILE, before_out);
  most          = *before_out;
  most.rlim_cur = most.rlim_max;
  setrlimit(RLIMIT_NOFILE, &most);
}

/* ---- output ------------------------------------------------------------------------------------- */

#define LOOK_MS 10

/* What is to be looked for while a stream is full. */
static struct {
  void (*look)(void *owner); /* NULL: nothing, so writes may block */
  void *owner;
  /* Of the standard streams: a description that does not block, if it is a pipe or terminal, 0: none; or it is a socket. */
  int  own[3];
  bool is_socket[3];
} while_full;

/* Streams are shared with other processes, which may not expect that they do not block. */
static int open_again(int fd)
{
  char path[32];
  int  own;

  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  return own < 0 ? 0 : own;
}

void launch_look_while_full(void (*look)(void *owner), void *owner)
{
  for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
    struct stat status;
    mode_t      mode = look != NULL && fstat(fd, &status) == 0 ? status.st_mode : 0;

    if (while_full.own[fd] > 0)
      close(while_full.own[fd]);
    while_full.own[fd]       = S_ISFIFO(mode) || (S_ISCHR(mode) && isatty(fd)) ? open_again(fd) : 0;
    while_full.is_socket[fd] = S_ISSOCK(mode);
  }
  while_full.look  = look;
  while_full.owner = owner;
}

static void wait_for_room(int fd)
{
  struct pollfd room = { .fd = fd, .events = POLLOUT };

  while (poll(&room, 1, while_full.look != NULL ? LOOK_MS : -1) == 0)
    while_full.look(while_full.owner);
}

bool launch_write(int fd, const char *bytes, size_t nbytes)
{
  if (fd <= STDERR_FILENO && while_full.own[fd] > 0)
    fd = while_full.own[fd];
  while (nbytes > 0) {
    bool    is_sent = fd <= STDERR_FILENO && while_full.is_socket[fd];
    ssize_t n       = is_sent ? send(fd, bytes, nbytes, MSG_DONTWAIT) : write(fd, bytes, nbytes);

    if (n < 0 && errno == EAGAIN)
      wait_for_room(fd);
    else if (n < 0 && errno != EINTR)
      return false;
    if (n > 0) {
      bytes += n;
      nbytes -= (size_t)n;
    }
  }
  return true;
}

const char *launch_reason(int error)
{
  static char   text[128];
  struct rlimit files;

  if (error != EMFILE || getrlimit(RLIMIT_NOFILE, &files) != 0)
    return strerror(error);
  snprintf(text, sizeof text, "%s (ulimit -n is %llu)", strerror(error),
           (unsigned long long)files.rlim_cur);
  return text;
}

static bool read_number(const char *text, int least, int most, int *value_out)
{
  char *end;
  long  value;

  errno      = 0;
  value      = strtol(text, &end, 10);
  *value_out = (int)value;
  return isdigit((unsigned char)text[0]) && *end == '\0' && errno == 0 && value >= least &&
         value <= most;
}

/* The value of `option`. Exits with one line if it is not a number from `least` to `most`. */
static int number_of(const char *option, const char *text, int least, int most)
{
  int value;

  if (!read_number(text, least, most, &value))
    launch_fail(LAUNCH_EXIT_USAGE, "%s '%s' is not a number from %d to %d", option, text, least,
                most);
  return value;
}

void launch_check_settings(void)
{
  if (dart__settings_read() != DART_OK)
    exit(LAUNCH_EXIT_USAGE);
}

void launch_set(const char *name, const char *value)
{
  if (setenv(name, value, 1) != 0)
    launch_fail(LAUNCH_EXIT_FAILURE, "cannot set %s: %s", name, strerror(errno));
}

void launch_set_number(const char *name, int value)
{
  char text[16];

  snprintf(text, sizeof text, "%d", value);
  launch_set(name, text);
}

/* In the order of launch_bind_t. */
static const char *const bind_names[] = { "auto", "none", "cpu", "core", "numa", "package" };

enum { BIND_NAMES = sizeof bind_names / sizeof bind_names[0] };

/* `option` is the option or variable whose value `text` is. */
static launch_bind_t bind_number(const char *option, const char *text)
{
  for (int i = 0; i < BIND_NAMES; i++)
    if (strcmp(text, bind_names[i]) == 0)
      return (launch_bind_t)i;
  launch_fail(LAUNCH_EXIT_USAGE, "%s '%s' is none of auto, none, cpu, core, numa, package", option,
              text);
}

/* The character set of host names, which also keeps options out of the arguments of ssh. */
static bool is_host(const char *name, size_t length)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

  return length > 0 && name[0] != '-' && strspn(name, letters) >= length;
}

bool launch_is_host(const char *text)
{
  const char *colon = strchr(text, ':');
  int         units;

  return is_host(text, strcspn(text, ":")) &&
         (colon == NULL || read_number(colon + 1, 1, INT_MAX, &units));
}

/* One element of --hosts, HOST or HOST:UNITS, of `length` letters. */
static void check_host(const char *list, const char *host, size_t length)
{
  const char *colon = memchr(host, ':', length);
  size_t      name  = colon != NULL ? (size_t)(colon - host) : length;
  char        units[16];

  if (length == 0)
    launch_fail(LAUNCH_EXIT_USAGE, "--hosts '%s' has an empty host", list);
  if (!is_host(host, name))
    launch_fail(LAUNCH_EXIT_USAGE, "--hosts '%s': '%.*s' is not HOST or HOST:UNITS", list,
                (int)length, host);
  if (colon == NULL)
    return;
  snprintf(units, sizeof units, "%.*s", (int)(length - name - 1), colon + 1);
  number_of("--hosts: the units of a host,", units, 1, INT_MAX);
}

static const char *check_hosts(const char *list)
{
  for (const char *host = list;; host++) {
    size_t length = strcspn(host, ",");

    check_host(list, host, length);
    host += length;
    if (*host == '\0')
      return list;
  }
}

/* mpiexec would start the units on this host if the file named none. */
static const char *check_hosts_file(const char *path)
{
  FILE  *file     = fopen(path, "re");
  char  *line     = NULL;
  size_t size     = 0;
  bool   has_host = false;

  errno = file != NULL ? 0 : errno;
  while (file != NULL && !has_host && getline(&line, &size, file) > 0)
    has_host = strchr("#\n", line[strspn(line, " \t\r")]) == NULL;
  if (file == NULL || (!has_host && errno != 0))
    launch_fail(LAUNCH_EXIT_USAGE, "--hosts-file '%s' cannot be read: %s", path,
                launch_reason(errno));
  if (!has_host)
    launch_fail(LAUNCH_EXIT_USAGE, "--hosts-file '%s' names no host", path);
  free(line);
  fclose(file);
  return path;
}

const char *launch_hosts(const launch_t *launch, const char **option_out)
{
  *option_out = launch->hosts != NULL ? "--hosts" : "--hosts-file";
  return launch->hosts != NULL ? launch->hosts : launch->hosts_file;
}

/* Options that exclude each other. */
static void check_places(const launch_t *launch)
{
  const char *option, *value = launch_hosts(launch, &option);

  if (launch->hosts != NULL && launch->hosts_file != NULL)
    launch_fail(LAUNCH_EXIT_USAGE, "--hosts '%s' and --hosts-file '%s': give one of them",
                launch->hosts, launch->hosts_file);
  if (value != NULL && launch->nnodes > 0)
    launch_fail(LAUNCH_EXIT_USAGE, "%s '%s' and --nodes %d: nodes are either hosts or simulated",
                option, value, launch->nnodes);
}

/* ---- options ------------------------------------------------------------------------------------ */

enum { KEY_HOSTS_FILE = 256 }; /* it has no letter */

static const char letters[] = "+:hVtn:N:H:b::"; /* +: up to the program; `:`: errors told here */

static const struct option options[] = {
  { "units", required_argument, NULL, 'n' },
  { "np", required_argument, NULL, 'n' }, /* -np, as mpiexec has it */
  { "nodes", required_argument, NULL, 'N' },
  { "hosts", required_argument, NULL, 'H' },
  { "host", required_argument, NULL, 'H' }, /* -host and -machinefile, as mpiexec has them */
  { "machinefile", required_argument, NULL, KEY_HOSTS_FILE },
  { "hosts-file", required_argument, NULL, KEY_HOSTS_FILE },
  { "hostfile", required_argument, NULL, KEY_HOSTS_FILE },
  { "bind", optional_argument, NULL, 'b' },
  { "tag", no_argument, NULL, 't' },
  { "help", no_argument, NULL, 'h' },
  { "version", no_argument, NULL, 'V' },
  { 0 },
};

static const char help[] =
    "  -n, -np, --units=N           Start N units of the program\n"
    "  -N, --nodes=K                Act as if the machine were K nodes; 1 to N\n"
    "  -b, --bind[=WHAT]            Bind each unit to a cpu or a core of its own, to a\n"
    "                               numa domain or a package, or to none. --bind alone\n"
    "                               means core; without it, what the variable DART_BIND\n"
    "                               says, or else auto\n"
    "  -t, --tag                    Put [UNIT] before each line of output\n"
    "      --hosts-file=FILE, --hostfile=FILE\n"
    "                               Start the units on the hosts that FILE names, in the\n"
    "                               format of mpiexec. dart-mpi only\n"
    "  -H, --hosts=HOST[:UNITS],... Start the units on these hosts, which share them evenly\n"
    "                               unless numbers of UNITS are given. dart-mpi only:\n"
    "                               mpiexec starts them, by ssh\n"
    "  -h, --help                   Print this\n"
    "  -V, --version                Print the version\n";

static _Noreturn void print_and_exit(const char *text, const char *more, const char *last)
{
  printf("%s%s%s", text, more, last);
  exit(EXIT_SUCCESS);
}

/* Take one option, the number of getopt_long_only, which is in `word`. `*nodes_out`: as given, for its limit is known at the
 * end. */
static void take_option(const launch_about_t *about, launch_t *launch, int key, const char *word,
                        const char **nodes_out)
{
  bool is_letter = word[0] == '-' && word[1] != '-' && word[2] == '\0';

  if (is_letter && key != ':' && key != word[1])
    key = '?'; /* a letter is no abbreviation of a word */
  switch (key) {
  case 'n': launch->nunits = number_of("-n", optarg, 1, launch->nunits_most); break;
  case 'N': *nodes_out = optarg; break;
  case 'H': launch->hosts = check_hosts(optarg); break;
  case KEY_HOSTS_FILE: launch->hosts_file = check_hosts_file(optarg); break;
  case 'b': launch->bind = optarg != NULL ? bind_number("--bind", optarg) : LAUNCH_BIND_CORE; break;
  case 't': launch->is_tagged = true; break;
  case 'h': print_and_exit(about->what, help, about->more);
  case 'V': print_and_exit("dartrun (", about->backend, ") " DART_VERSION_STR "\n");
  case ':':
    launch_fail(LAUNCH_EXIT_USAGE, "option '%s' needs an argument: see dartrun --help", word);
  default:
    launch_fail(LAUNCH_EXIT_USAGE, "'%s' is no option, or takes no argument: see dartrun --help",
                word);
  }
}

void launch_parse(const launch_about_t *about, int argc, char **argv, launch_t *launch)
{
  const char *nodes = NULL;

  if (getenv("DART_BIND") != NULL)
    launch->bind = bind_number("DART_BIND", getenv("DART_BIND"));
  for (int key, at = optind; (key = getopt_long_only(argc, argv, letters, options, NULL)) != -1;
       at = optind)
    take_option(about, launch, key, argv[at], &nodes);
  if (launch->nunits == 0)
    launch_fail(LAUNCH_EXIT_USAGE, "option -n N is missing: how many units?");
  if (optind == argc)
    launch_fail(LAUNCH_EXIT_USAGE, "which program? none was named");
  launch->command = &argv[optind];
  if (nodes != NULL)
    launch->nnodes = number_of("--nodes", nodes, 1, launch->nunits);
  check_places(launch);
}
