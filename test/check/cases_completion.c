/* Operations that are completed before their buffers are used, and that are not. Unit 1 is the one that
 * errs. */
#include "check.h"

enum { MANY = 100 }; /* too many to be copied when they are put */

static int values[MANY], more[MANY];

/* An end for what all cases begin with: all is complete, and nobody is in the segment. */
static void end(dart_gptr_t gptr)
{
  dart_flush_all(gptr);
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

static void right_flush(void)
{
  dart_gptr_t gptr = segment(MANY, (me + 1) % n);

  for (int i = 0; i < 5; i++) {
    dart_put(gptr, values, MANY, DART_TYPE_INT, DART_TYPE_INT);
    dart_flush_local(gptr);
    values[i]++;
  }
  dart_flush(gptr);
  dart_get(more, gptr, MANY, DART_TYPE_INT, DART_TYPE_INT);
  dart_flush_local_all(gptr);
  dart_put_blocking(gptr, more, MANY, DART_TYPE_INT, DART_TYPE_INT);
  end(gptr);
}

/* Small operands are the caller's again at once. */
static void right_small(void)
{
  dart_gptr_t gptr = segment(MANY, (me + 1) % n);

  for (int i = 0; i < MANY; i++)
    dart_put(at(gptr, (me + 1) % n, (size_t)i), &i, 1, DART_TYPE_INT, DART_TYPE_INT);
  for (int i = 0; i < MANY; i++)
    dart_accumulate(gptr, &i, 1, DART_TYPE_INT, DART_OP_SUM);
  end(gptr);
}

static void right_handles(void)
{
  dart_gptr_t   gptr = segment(MANY, (me + 1) % n);
  dart_handle_t handles[3];
  int32_t       done = 0;

  dart_put_handle(gptr, values, MANY, DART_TYPE_INT, DART_TYPE_INT, &handles[0]);
  dart_wait(&handles[0]);
  values[0]++;
  dart_get_handle(more, gptr, MANY, DART_TYPE_INT, DART_TYPE_INT, &handles[1]);
  while (!done)
    dart_testall(handles, 2, &done);
  more[0]++;
  dart_get_handle(more, gptr, MANY, DART_TYPE_INT, DART_TYPE_INT, &handles[2]);
  dart_handle_free(&handles[2]);
  end(gptr);
}

/* Several results that nobody wants, in one place. */
static void right_results(void)
{
  dart_gptr_t gptr = segment(1, 0);
  int         one  = 1, unwanted;

  for (int i = 0; i < 5; i++)
    dart_fetch_and_op(gptr, &one, &unwanted, DART_TYPE_INT, DART_OP_SUM);
  end(gptr);
}

static void right_elements(void)
{
  dart_gptr_t     gptr = segment(3 * MANY, (me + 1) % n);
  dart_datatype_t column;
  dart_handle_t   handles[2];

  dart_type_create_strided(DART_TYPE_INT, 3, 1, &column);
  for (int i = 0; i < 5; i++)
    dart_accumulate_typed(gptr, values, MANY, DART_TYPE_INT, column, DART_OP_SUM);
  dart_fetch_and_op_typed(gptr, values, more, MANY, DART_TYPE_INT, DART_TYPE_INT, column,
                          DART_OP_SUM);
  dart_flush_local(gptr);
  more[0]++;
  dart_accumulate_handle(gptr, values, MANY, DART_TYPE_INT, column, DART_OP_SUM, &handles[0]);
  dart_fetch_and_op_handle(gptr, values, more, MANY, DART_TYPE_INT, DART_TYPE_INT, column,
                           DART_OP_SUM, &handles[1]);
  dart_waitall(handles, 2);
  more[0]++;
  dart_type_destroy(&column);
  end(gptr);
}

static void right_epoch(void)
{
  dart_gptr_t gptr = segment(MANY, (me + 1) % n);

  dart_epoch_fence(gptr, 0);
  dart_put(gptr, values, MANY, DART_TYPE_INT, DART_TYPE_INT);
  dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED);
  values[0]++;
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

static void right_strided(void)
{
  dart_gptr_t     gptr = segment(MANY, (me + 1) % n);
  dart_datatype_t type;

  dart_type_create_strided(DART_TYPE_INT, 2, 1, &type);
  dart_put(gptr, values, 40, type, DART_TYPE_INT);
  values[1]++; /* between elements */
  dart_get(more, gptr, 40, DART_TYPE_INT, type);
  dart_type_destroy(&type);
  end(gptr);
}

static void wrong_source(void)
{
  dart_gptr_t gptr = segment(MANY, (me + 1) % n);

  dart_put(gptr, values, MANY, DART_TYPE_INT, DART_TYPE_INT);
  values[7] += me == 1;
  end(gptr);
}

static void wrong_source_of_handle(void)
{
  dart_gptr_t   gptr = segment(MANY, (me + 1) % n);
  dart_handle_t handle;

  dart_put_handle(gptr, values, MANY, DART_TYPE_INT, DART_TYPE_INT, &handle);
  values[7] += me == 1;
  dart_wait(&handle);
  end(gptr);
}

static void wrong_freed_source(void)
{
  enum { BYTES = 1 << 20 }; /* malloc returns it to the system */
  dart_gptr_t gptr  = segment(BYTES / sizeof(int), 2);
  char       *bytes = calloc(1, BYTES);

  dart_put(at(gptr, me, 0), bytes, BYTES, DART_TYPE_BYTE, DART_TYPE_BYTE);
  if (me != 1)
    dart_flush_all(gptr);
  free(bytes);
  end(gptr);
}

static void wrong_read(void)
{
  dart_gptr_t gptr = segment(2 * MANY, 2);

  dart_get(more, gptr, MANY, DART_TYPE_INT, DART_TYPE_INT);
  if (me != 1)
    dart_flush(gptr);
  dart_put(at(gptr, me, MANY), more, 1, DART_TYPE_INT, DART_TYPE_INT);
  end(gptr);
}

static void wrong_send(void)
{
  dart_gptr_t   gptr = segment(MANY, 2);
  dart_handle_t handle;

  dart_get_handle(more, gptr, 1, DART_TYPE_INT, DART_TYPE_INT, &handle);
  if (me != 1)
    dart_wait(&handle);
  dart_sendrecv(more, 1, DART_TYPE_INT, 0, DART_GLOBAL_UNIT_ID((me + 1) % n), values, 1,
                DART_TYPE_INT, 0, DART_GLOBAL_UNIT_ID((me + n - 1) % n));
  dart_wait(&handle);
  end(gptr);
}

static void wrong_write(void)
{
  dart_gptr_t gptr = segment(MANY, 2);

  dart_get(more, gptr, MANY, DART_TYPE_INT, DART_TYPE_INT);
  if (me == 1)
    more[5] = 5;
  end(gptr);
}

static void wrong_elements(void)
{
  dart_gptr_t   gptr = segment(MANY, 2);
  dart_handle_t handle;

  dart_fetch_and_op_handle(gptr, values, more, MANY, DART_TYPE_INT, DART_TYPE_INT, DART_TYPE_INT,
                           DART_OP_SUM, &handle);
  if (me == 1)
    more[5] = 1;
  dart_wait(&handle);
  end(gptr);
}

static void wrong_no_wait(void)
{
  dart_gptr_t   gptr = segment(MANY, (me + 1) % n);
  dart_handle_t handle;

  dart_put_handle(gptr, values, MANY, DART_TYPE_INT, DART_TYPE_INT, &handle);
  if (me != 1)
    dart_wait(&handle);
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

static void wrong_no_flush(void)
{
  dart_gptr_t gptr = segment(MANY, (me + 1) % n);

  dart_put(gptr, values, 1, DART_TYPE_INT, DART_TYPE_INT);
  if (me != 1)
    dart_flush(gptr);
}

static void wrong_handle(void)
{
  dart_gptr_t   gptr = segment(MANY, 2);
  dart_handle_t handle, same;

  dart_get_handle(more, gptr, MANY, DART_TYPE_INT, DART_TYPE_INT, &handle);
  same = handle;
  dart_wait(&handle);
  if (me == 1)
    dart_wait(&same);
  end(gptr);
}

/* A flush of the context completes what was started in it, and a test that finds all complete. */
static void right_context(void)
{
  dart_gptr_t    gptr = segment(MANY, (me + 1) % n);
  dart_context_t context;

  dart_context_create(DART_TEAM_ALL, &context);
  for (int i = 0; i < 3; i++) {
    dart_context_enter(context);
    dart_put(gptr, values, MANY, DART_TYPE_INT, DART_TYPE_INT);
    dart_context_leave(context);
    dart_context_flush(context);
    values[i]++;
  }
  dart_context_enter(context);
  dart_put(gptr, values, MANY, DART_TYPE_INT, DART_TYPE_INT);
  dart_context_leave(context);
  dart_context_flush_local(context); /* only the source is free */
  values[0]++;
  for (int i = 0; i < 2; i++) {
    for (int32_t done = 0; !done;)
      dart_context_test(context, &done);
    values[1]++;
    dart_context_enter(context);
    dart_put(gptr, values, MANY, DART_TYPE_INT, DART_TYPE_INT);
    dart_context_leave(context);
  }
  for (int32_t done = 0; !done;)
    dart_context_test(context, &done);
  dart_context_enter(context);
  dart_get(more, gptr, MANY, DART_TYPE_INT, DART_TYPE_INT);
  dart_context_flush_unit(context, DART_TEAM_UNIT_ID((me + 1) % n));
  if (more[0] != values[0])
    dart_abort(1);
  memset(more, 0, MANY * sizeof more[0]);
  dart_get(more, gptr, MANY, DART_TYPE_INT, DART_TYPE_INT);
  dart_context_flush_local_unit(context, DART_TEAM_UNIT_ID((me + 1) % n));
  dart_context_leave(context);
  if (more[0] != values[0])
    dart_abort(1);
  dart_context_destroy(&context);
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

/* What was started outside of it, it does not. */
static void wrong_context(void)
{
  dart_gptr_t    gptr = segment(MANY, (me + 1) % n);
  dart_context_t context;

  dart_context_create(DART_TEAM_ALL, &context);
  if (me == 1) {
    dart_put(gptr, values, MANY, DART_TYPE_INT, DART_TYPE_INT);
    dart_context_flush(context);
    values[0]++;
  }
  dart_context_destroy(&context);
  end(gptr);
}

/* The place is one, so it is not put into several calls. */
static __attribute__((noinline)) void add_one(dart_gptr_t gptr)
{
  int one = 1;

  dart_accumulate(gptr, &one, 1, DART_TYPE_INT, DART_OP_SUM);
}

/* One of two from the same place is in the context. */
static void wrong_after_context(void)
{
  dart_gptr_t    gptr = segment(MANY, (me + 1) % n);
  dart_context_t context;

  dart_context_create(DART_TEAM_ALL, &context);
  dart_context_enter(context);
  add_one(gptr);
  dart_context_leave(context);
  add_one(gptr);
  dart_context_destroy(&context);
  if (me != 1)
    dart_flush(gptr);
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

const case_t completion_cases[] = {
  { "right_flush", NULL, right_flush, TOGETHER },
  { "right_small", NULL, right_small, TOGETHER },
  { "right_handles", NULL, right_handles, TOGETHER },
  { "right_results", NULL, right_results, TOGETHER },
  { "right_elements", NULL, right_elements, TOGETHER },
  { "right_epoch", NULL, right_epoch, TOGETHER },
  { "right_strided", NULL, right_strided, TOGETHER },
  { "right_context", NULL, right_context, TOGETHER },
  { "wrong_after_context", "*unit 1: completion: an operation was never completed",
    wrong_after_context, TOGETHER },
  { "wrong_context",
    "*unit 1: completion: the source of an operation, 400 bytes, was changed before it was "
    "complete",
    wrong_context, TOGETHER },
  { "wrong_source",
    "*unit 1: completion: the source of an operation, 400 bytes, was changed before it was "
    "complete",
    wrong_source, TOGETHER },
  { "wrong_source_of_handle",
    "*unit 1: completion: the source of an operation, 400 bytes, was changed before it was "
    "complete",
    wrong_source_of_handle, TOGETHER },
  { "wrong_freed_source",
    "*unit 1: completion: the source of an operation, 1048576 bytes, was [cf]*ed before it was "
    "complete",
    wrong_freed_source, TOGETHER },
  { "wrong_read",
    "*unit 1: completion: dart_put reads the result of an operation before it is complete",
    wrong_read, TOGETHER },
  { "wrong_send",
    "*unit 1: completion: dart_sendrecv reads the result of an operation before it is complete",
    wrong_send, TOGETHER },
  { "wrong_write",
    "*unit 1: completion: the result of an operation, 400 bytes, was written to before it was "
    "complete",
    wrong_write, TOGETHER },
  { "wrong_elements",
    "*unit 1: completion: the result of an operation, 400 bytes, was written to before it was "
    "complete",
    wrong_elements, TOGETHER },
  { "wrong_no_wait", "*unit 1: completion: an operation was never completed", wrong_no_wait,
    TOGETHER },
  { "wrong_handle",
    "*unit 1: completion: dart_wait is called with an invalid handle, or one that was waited for",
    wrong_handle, TOGETHER },
  { "wrong_no_flush", "*unit 1: completion: an operation was never completed", wrong_no_flush,
    ALONE },
  { NULL, NULL, NULL, TOGETHER },
};
