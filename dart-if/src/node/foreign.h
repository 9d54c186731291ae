#ifndef DART__NODE_FOREIGN_H
#define DART__NODE_FOREIGN_H
/* Memory of another process on this node that is not mapped here, moved by the kernel.
 *
 * User memory that a unit registers is in its own address space only. process_vm_readv and
 * process_vm_writev copy to and from it in one system call, without the owner's help; the copy is
 * complete when the call returns. Needs the same user, and the owner's consent where the kernel
 * asks for it (Yama). */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <dash/dart/if/dart_types.h>

#include "data/type.h"

/** Let the other units of this node at the own memory from now on. */
void dart__foreign_consent(void);

/** Whether the kernel lets this process at a byte of another one. */
bool dart__foreign_reaches(pid_t pid, uint64_t address);

/** Elements from a local buffer to process `pid`'s memory at `address`, and back. The types are
 *  compatible. DART_ERR_OTHER: the kernel refuses; one log line says why. */
dart_ret_t dart__foreign_put(pid_t pid, uint64_t address, const dart__type_t *there_type,
                             const void *src, const dart__type_t *src_type, size_t nelem);
dart_ret_t dart__foreign_get(void *dst, const dart__type_t *dst_type, pid_t pid, uint64_t address,
                             const dart__type_t *there_type, size_t nelem);

#endif
