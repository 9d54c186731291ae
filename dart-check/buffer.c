/* See buffer.h. */
#include "buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bytes.h"
#include "check_report.h"

enum {
  MOST_BYTES = 1 << 28, /* of all buffers for results */
  NOT_YET    = 0xdb     /* fills results that are not complete */
};

static size_t in_use; /* bytes of all buffers */

void *dart__check_buffer_new(void *result, uint64_t nbytes)
{
  static bool said;
  void       *given = NULL;

  if (in_use + nbytes > MOST_BYTES)
    dart__check_note(&said,
                     "results of more than %d bytes are outstanding; further ones are not checked",
                     MOST_BYTES);
  else
    given = malloc(nbytes);
  return given == NULL ? result : given;
}

/* Hash memory of this process. False: the memory is no longer mapped. */
static bool hash_bytes(const char *bytes, uint64_t nbytes, uint64_t *hash_out)
{
  char     piece[4096];
  uint64_t hash = 0;

  for (uint64_t done = 0; done < nbytes;) {
    size_t       n    = nbytes - done < sizeof piece ? (size_t)(nbytes - done) : sizeof piece;
    struct iovec here = { piece, n }, there = { (void *)(bytes + done), n };

    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != (ssize_t)n) {
      if (errno == EFAULT)
        return false;
      memcpy(piece, bytes + done, n); /* this kernel forbids the call */
    }
    hash = dart__check_hash(hash, piece, n);
    done += n;
  }
  *hash_out = hash;
  return true;
}

void dart__check_buffer_source(dart__check_buffer_t *buffer, const void *source, uint64_t nbytes)
{
  buffer->nbytes = nbytes;
  if (source != NULL && hash_bytes(source, nbytes, &buffer->hash))
    buffer->source = source;
}

void dart__check_buffer_result(dart__check_buffer_t *buffer, void *given, void *result,
                               uint64_t nbytes)
{
  buffer->given  = given;
  buffer->result = result;
  buffer->nbytes = nbytes;
  in_use += nbytes;
  memset(result, NOT_YET, nbytes);
}

static void report_buffer(const dart__check_buffer_t *buffer, const char *what, dart__at_t at)
{
  dart__check_report_t report;

  if (!dart__check_begin(
          &report, "completion", buffer->at, "%s, %llu bytes, %s before it was complete",
          buffer->given != NULL ? "the result of an operation" : "the source of an operation",
          (unsigned long long)buffer->nbytes, what))
    return;
  dart__check_place(&report, "started by", buffer->at);
  dart__check_place(&report, "completed by", at);
  dart__check_line(&report, "missing: a flush or a wait before the buffer is used again");
  dart__check_end(&report);
}

static void look_at_source(const dart__check_buffer_t *buffer, dart__at_t at)
{
  uint64_t hash;

  if (!hash_bytes(buffer->source, buffer->nbytes, &hash))
    report_buffer(buffer, "was freed", at);
  else if (hash != buffer->hash)
    report_buffer(buffer, "was changed", at);
}

void dart__check_buffer_look(const dart__check_buffer_t *buffer, dart__at_t at)
{
  if (buffer->source != NULL)
    look_at_source(buffer, at);
  if (buffer->given != NULL && dart__check_intact((const unsigned char *)buffer->result,
                                                  buffer->nbytes, NOT_YET) < buffer->nbytes)
    report_buffer(buffer, "was written to", at);
}

void dart__check_buffer_drop(dart__check_buffer_t *buffer)
{
  if (buffer->given == NULL)
    return;
  in_use -= buffer->nbytes;
  free(buffer->given);
  buffer->given = NULL;
}

void dart__check_buffer_end(dart__check_buffer_t *buffer)
{
  buffer->source = NULL;
  if (buffer->given != NULL)
    memcpy(buffer->result, buffer->given, buffer->nbytes);
  dart__check_buffer_drop(buffer);
}

bool dart__check_buffer_is_in(const dart__check_buffer_t *buffer, const void *from, uint64_t nbytes)
{
  const char *first = from;

  return buffer->given != NULL && first < buffer->result + buffer->nbytes &&
         buffer->result < first + nbytes;
}
