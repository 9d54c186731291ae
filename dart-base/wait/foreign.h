#ifndef DART__WAIT_FOREIGN_H
#define DART__WAIT_FOREIGN_H
/* Memory of another process on this node that is not mapped here, copied by the kernel: cross-memory attach
 * (CMA).
 *
 * User memory that a unit registers is in its own address space only. process_vm_readv and
 * process_vm_writev copy to and from it in one system call, without the target's help; the copy is
 * complete when the call returns. Both processes must have the same user, and where the kernel restricts
 * ptrace (Yama), the target must have given its consent. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <dash/dart/if/dart_types.h>

#include "data/type.h"

/** Allow the other units of this node to access this process's memory from now on. */
void dart__foreign_consent(void);

/** Whether the kernel lets this process read a byte of another process. */
bool dart__foreign_reaches(pid_t pid, uint64_t address);

/** Copy elements from a local buffer to process `pid`'s memory at `address`, and back. The types are
 *  compatible. DART_ERR_OTHER: the kernel refuses; one log line says why. DART_ERR_UNIT_LOST: units may be lost, and this process
 *  has ended. */
dart_ret_t dart__foreign_put(pid_t pid, uint64_t address, const dart__type_t *there_type,
                             const void *src, const dart__type_t *src_type, size_t nelem);
dart_ret_t dart__foreign_get(void *dst, const dart__type_t *dst_type, pid_t pid, uint64_t address,
                             const dart__type_t *there_type, size_t nelem);

#endif
