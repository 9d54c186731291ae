#ifndef RANDOM_GENERATE_H
#define RANDOM_GENERATE_H
/* What the parts of a generator share: schedule.c draws rounds, generate_object.c what comes and goes,
 * generate_transfer.c and generate_sync.c operations.
 *
 * A job of more than UNITS_SMALL units is large. It has fewer rounds. They have more operations, in proportion, so that
 * each unit has as many, and more objects to use. In some cases more actors meet at a lock or in a file.
 * Portions are smaller, for each unit's model has the memory of all. */
#include "draw.h"
#include "rules.h"

enum { RECENT_MAX = 48 };

typedef struct generator {
  draw_t         draw;
  rules_t       *rules;
  const scene_t *scene;
  list_t        *list;
  uint32_t       id;                 /* of the last operation */
  size_t         most;               /* bytes of a transfer */
  size_t         left;               /* bytes that the round may still move */
  op_t           recent[RECENT_MAX]; /* places worth coming back to */
  size_t         nrecent;
} generator_t;

/** Take the operation into the list if the rules allow it. */
bool generate(generator_t *g, op_t *op);

/** The same; if they do not, complete something of its actor first and try again. */
bool generate_hard(generator_t *g, op_t *op);

/* Draw some; nothing, where there is no such thing. */
typedef void generate_t(generator_t *g);
generate_t   generate_object, generate_epoch, generate_transfer, generate_value, generate_access,
    generate_atomic, generate_streams, generate_shared, generate_completion, generate_notify,
    generate_await, generate_flag, generate_hold, generate_file, generate_new_file,
    generate_change_file, generate_fence, generate_section, generate_refused, generate_locked,
    generate_ranged, generate_message, generate_ring, generate_letters, generate_collective,
    generate_get_notify, generate_churn, generate_pause;

/** Order what the actor of `next` did to its unit before. */
void generate_order(generator_t *g, const op_t *next);

/** How many of something that units share there are where a small job has `n`. */
size_t generate_more(const generator_t *g, size_t n);

/** How many at once do something much alike: least .. most, and more in some cases in a large job. */
size_t draw_several(generator_t *g, size_t least, size_t most);

/* ---- draws ---------------------------------------------------------------------------------- */

/** An actor; one of a unit. */
void draw_actor(generator_t *g, op_t *op);

/** A segment with a portion of at least `least` bytes that the actor may use, and whose portion; -1: none
 *  was found. */
bool draw_portion(generator_t *g, int actor_unit, uint64_t least, int *seg_out, int *to_out);

/** The index of an array of n that is alive at `alive`, in steps of `size` bytes; -1: none. */
int draw_alive(generator_t *g, const void *array, int n, size_t size);
/** One that is not alive. */
int draw_free(const void *array, int n, size_t size);

/** Elements, and their layouts on both sides, for at most `room` bytes on the remote side. */
void draw_layouts(generator_t *g, op_t *op, uint64_t room);

/** Now and then the local buffer is in this unit's portion. */
void draw_here(generator_t *g, op_t *op);

/** How the elements of one side lie; `is_written`: no two share a byte. */
void draw_layout(generator_t *g, layout_t *layout, bool is_written);

/** A basic type. */
int draw_type(generator_t *g);

/** An operator for atomics on a type. */
int draw_oper(generator_t *g, int type);

#endif
