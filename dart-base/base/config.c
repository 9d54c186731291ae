/* Settings: the defaults and the parser of the table in config.h. */
#include "base/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/log.h"

#define DEFAULT_SIZE(field, name, value, least, most, meaning) .field = (value),
#define DEFAULT_INT(field, name, value, least, most, meaning)  .field = (value),
#define DEFAULT_CHOICE(field, name, value, choices, meaning)   .field = (value),
#define DEFAULT_OUTPUT(field, name, choices, meaning)          .field = { .form = 0 },
#define DEFAULT_TEXT(field, name, value, meaning)              .field = value,

#define DEFAULTS                                                                                \
  {                                                                                             \
    DART__CONFIG_TABLE(DEFAULT_SIZE, DEFAULT_INT, DEFAULT_CHOICE, DEFAULT_OUTPUT, DEFAULT_TEXT) \
    DART__HANDED_TABLE(DEFAULT_INT)                                                             \
    DART__CORNER_TABLE(DEFAULT_SIZE, DEFAULT_INT)                                               \
  }

static const dart__settings_t defaults = DEFAULTS;

dart__settings_t dart__settings = DEFAULTS;

static bool parse_size(const char *text, size_t *value_out)
{
  char              *end;
  unsigned long long value;
  unsigned           shift = 0;

  errno = 0;
  value = strtoull(text, &end, 10);
  if (end == text || errno != 0 || !isdigit((unsigned char)text[0]))
    return false;
  switch (toupper((unsigned char)*end)) {
  case 'K':
    shift = 10;
    end++;
    break;
  case 'M':
    shift = 20;
    end++;
    break;
  case 'G':
    shift = 30;
    end++;
    break;
  default: break;
  }
  if (*end != '\0' || value > SIZE_MAX >> shift)
    return false;
  *value_out = (size_t)value << shift;
  return true;
}

static bool parse_int(const char *text, long *value_out)
{
  char *end;

  errno      = 0;
  *value_out = strtol(text, &end, 10);
  return end != text && *end == '\0' && errno == 0;
}

/* The position of the word of `length` bytes among those of "a|b|c", or -1. */
static int find_choice(const char *text, size_t length, const char *choices)
{
  int index = 0;

  for (const char *word = choices;; index++) {
    size_t n = strcspn(word, "|");

    if (n == length && strncasecmp(word, text, n) == 0)
      return index;
    if (word[n] == '\0')
      return -1;
    word += n + 1;
  }
}

#define NEAR "near"

/* FORM, FORM:FILE, near, or near,FORM and near,FORM:FILE. */
static bool parse_output(const char *text, const char *choices, dart__output_t *output_out)
{
  bool        near = find_choice(text, strcspn(text, ","), NEAR) == 0;
  const char *form = near ? text + strlen(NEAR) : text, *file;
  size_t      length;

  *output_out = (dart__output_t){ .near = near };
  if (near && *form == '\0')
    return true;
  form += near;
  length           = strcspn(form, ":");
  file             = form[length] == ':' ? form + length + 1 : NULL;
  output_out->form = find_choice(form, length, choices);
  if (file == NULL)
    return output_out->form >= 0;
  if (output_out->form <= 0 || *file == '\0' || strlen(file) >= sizeof output_out->file)
    return false;
  memcpy(output_out->file, file, strlen(file) + 1);
  return true;
}

static void read_log_level(void)
{
  static const char *const names[] = { "ERROR", "WARN", "INFO", "DEBUG", "TRACE" };
  const char              *text    = getenv("DART_LOG_LEVEL");

  dart__log_set_level(DART__LOG_TRACE);
  if (text == NULL)
    return;
  if (strncasecmp(text, "DART_LOGLEVEL_", 14) == 0)
    text += 14;
  for (int level = 0; level < 5; level++)
    if (strcasecmp(text, names[level]) == 0) {
      dart__log_set_level((dart__log_level_t)level);
      return;
    }
  dart__warn("DART_LOG_LEVEL='%s' is none of ERROR WARN INFO DEBUG TRACE; printing all", text);
  unsetenv("DART_LOG_LEVEL"); /* said once: by the launcher for its units */
}

dart_ret_t dart__settings_read(void)
{
  dart__settings_t read = defaults;
  const char      *text;

  read_log_level();

#define READ_SIZE(field, name, value, least, most, meaning)                                 \
  if ((text = getenv(name)) != NULL &&                                                      \
      (!parse_size(text, &read.field) || read.field < (least) || read.field > (most))) {    \
    dart__error("%s='%s' is not a size from %zu to %zu bytes", name, text, (size_t)(least), \
                (size_t)(most));                                                            \
    return DART_ERR_INVAL;                                                                  \
  }
#define READ_INT(field, name, value, least, most, meaning)                              \
  if ((text = getenv(name)) != NULL &&                                                  \
      (!parse_int(text, &read.field) || read.field < (least) || read.field > (most))) { \
    dart__error("%s='%s' is not a number from %ld to %ld", name, text, (long)(least),   \
                (long)(most));                                                          \
    return DART_ERR_INVAL;                                                              \
  }
#define READ_CHOICE(field, name, value, choices, meaning)            \
  if ((text = getenv(name)) != NULL &&                               \
      (read.field = find_choice(text, strlen(text), choices)) < 0) { \
    dart__error("%s='%s' is not one of %s", name, text, choices);    \
    return DART_ERR_INVAL;                                           \
  }
#define READ_OUTPUT(field, name, choices, meaning)                                            \
  if ((text = getenv(name)) != NULL && !parse_output(text, choices, &read.field)) {           \
    dart__error("%s='%s' is not one of %s, nor 'near,' and one of these; ':FILE' may follow", \
                name, text, choices);                                                         \
    return DART_ERR_INVAL;                                                                    \
  }
#define READ_TEXT(field, name, value, meaning)                                \
  if ((text = getenv(name)) != NULL) {                                        \
    if (strlen(text) > DART__TEXT) {                                          \
      dart__error("%s='%s' is longer than %d bytes", name, text, DART__TEXT); \
      return DART_ERR_INVAL;                                                  \
    }                                                                         \
    memcpy(read.field, text, strlen(text) + 1);                               \
  }
  DART__CONFIG_TABLE(READ_SIZE, READ_INT, READ_CHOICE, READ_OUTPUT, READ_TEXT)
  DART__HANDED_TABLE(READ_INT)
#ifdef DART_ENABLE_ASSERTIONS
  DART__CORNER_TABLE(READ_SIZE, READ_INT)
#endif

  dart__settings = read;
  return DART_OK;
}

/* Sizes by which units compute each other's addresses. */
int32_t dart__settings_common(void)
{
  const dart__settings_t *s        = &dart__settings;
  const uint64_t          values[] = { s->heap_chunk, s->pool };

  return (int32_t)(dart__hash(DART__HASH_OF_NOTHING, values, sizeof values) >> 33);
}

void dart__settings_differ(void)
{
  const dart__settings_t *s = &dart__settings;

  dart__error(
      "dart_init: settings that have to be the same on all units are not: here DART_HEAP_CHUNK=%zu "
      "DART_POOL=%zu",
      s->heap_chunk, s->pool);
}
