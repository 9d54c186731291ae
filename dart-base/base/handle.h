#ifndef DART__BASE_HANDLE_H
#define DART__BASE_HANDLE_H
/* Handles: numbers that name objects private to the process.
 *
 * A handle is a slot and a generation, never an address: any value can be looked up, and the handle of a
 * removed object is never found again. Handles are larger than any predefined constant of the
 * interface. A look-up takes no lock and may run while other threads create and remove objects. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  DART__HANDLE_BLOCKS      = 256,
  DART__HANDLE_BLOCK_SLOTS = 256,
  DART__HANDLE_SLOTS       = DART__HANDLE_BLOCKS * DART__HANDLE_BLOCK_SLOTS
};

/* What is before an object: the handle by which it is found, 0: by none. */
typedef struct {
  _Atomic uintptr_t handle;
  size_t            next_free;
  _Alignas(max_align_t) char object[];
} dart__handle_slot_t;

/* Bytes of a slot for objects of `size` bytes. */
#define DART__HANDLE_SLOT_BYTES(size)                                           \
  ((sizeof(dart__handle_slot_t) + (size) + _Alignof(dart__handle_slot_t) - 1) / \
   _Alignof(dart__handle_slot_t) * _Alignof(dart__handle_slot_t))

typedef struct {
  size_t object_size;
  size_t slot_size;
  void (*release)(void *object); /* frees what the object owns, not the object; or NULL */
  pthread_mutex_t lock;          /* for all below, except reads of the blocks' addresses */
  _Atomic(char *) block[DART__HANDLE_BLOCKS];
  size_t          nslots;     /* slots ever used */
  size_t          nfree;      /* of these, slots queued for reuse; the queue ... */
  size_t          first_free; /* ... starts here ... */
  size_t          last_free;  /* ... and ends here */
  uintptr_t       generation; /* of the newest handle */
} dart__handles_t;

/* Initialiser of a table without objects. */
#define DART__HANDLES(object_t, release_object)                                              \
  {                                                                                          \
    .object_size = sizeof(object_t), .slot_size = DART__HANDLE_SLOT_BYTES(sizeof(object_t)), \
    .release = (release_object), .lock = PTHREAD_MUTEX_INITIALIZER                           \
  }

/** A new object, zeroed, which is not found before dart__handle_publish. NULL: out of memory, or
 *  DART__HANDLE_SLOTS objects exist. */
void *dart__handle_reserve(dart__handles_t *handles, uintptr_t *handle_out);

/** Make `handle` find its object. The object must not be written any more. */
void dart__handle_publish(dart__handles_t *handles, uintptr_t handle);

static inline dart__handle_slot_t *dart__handle_slot(dart__handles_t *handles, size_t index)
{
  /* acquire: pairs with the release in new_slot (handle.c), the block's content comes with its address */
  char *block =
      atomic_load_explicit(&handles->block[index / DART__HANDLE_BLOCK_SLOTS], memory_order_acquire);

  if (block == NULL)
    return NULL;
  return (dart__handle_slot_t *)(void *)(block +
                                         index % DART__HANDLE_BLOCK_SLOTS * handles->slot_size);
}

/** The object of `handle`, or NULL if there is none. */
static inline void *dart__handle_find(dart__handles_t *handles, uintptr_t handle)
{
  dart__handle_slot_t *slot =
      handle == 0 ? NULL : dart__handle_slot(handles, handle % DART__HANDLE_SLOTS);

  if (slot == NULL)
    return NULL;
  /* acquire: pairs with dart__handle_publish */
  return atomic_load_explicit(&slot->handle, memory_order_acquire) == handle ? slot->object : NULL;
}

/** Make `handle` unknown; false if it was unknown before. The object stays intact for some time, and its
 *  memory until dart__handle_clear: if one thread removes an object that another uses, the other does not
 *  access freed memory. */
bool dart__handle_remove(dart__handles_t *handles, uintptr_t handle);

/** Remove all objects and free their memory. No other thread uses the table. Handles from before
 *  stay unknown. */
void dart__handle_clear(dart__handles_t *handles);

#endif
