#ifndef RANDOM_TEXT_H
#define RANDOM_TEXT_H
/* Schedules as text: a line for an operation, for people and for the program itself.
 *
 *   shape units=3 threads=1 salt=77
 *   1 alloc seg=s0 team=t0 type=BYTE sizes=100,0,64 how=filled
 *   2 meet
 *   3 put by=0.0 to=s0:2+13 n=4 local=strided(INT,3,2) remote=INT shift=1
 *   4 round how=flush
 *
 * A number in front tells an operation from others, `by` is a unit and its thread, `to` a segment, a unit
 * and a byte. Lines that start with # are comments; "set NAME=VALUE", a setting of the environment, "nodes N"
 * and "backend NAME" say how to start the job: these are for the driver (drive.c). */
#include <stdio.h>

#include "random_op.h"

enum { TEXT_MAX = 8192 }; /* the pairs of 64 units, every second one a target */

/** The line of an operation, without a newline. */
void text_op(const op_t *op, char line[TEXT_MAX]);

/* Fields in the order in which a line has them. */
typedef struct {
  field_t     field;
  const char *name;
} text_field_t;

enum { TEXT_FIELDS = 29 };
extern const text_field_t text_fields[TEXT_FIELDS];

/** The name of a basic type, of an operator. */
const char *text_type(int basic);
const char *text_oper(int oper);

void text_shape(const shape_t *shape, char line[TEXT_MAX]);

/** Take a line; false: it is none, and `*why_out` says what is wrong with it. */
bool text_parse_op(const char *line, op_t *op_out, const char **why_out);
bool text_parse_shape(const char *line, shape_t *shape_out);

void text_print(FILE *to, const list_t *list);

/** Read a list; false after a message on stderr. Lines for the driver are skipped. */
bool text_read(const char *path, list_t *list_out);

#endif
