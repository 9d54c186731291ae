#ifndef DART__CHECK_WHERE_H
#define DART__CHECK_WHERE_H
/* Names of places in the program, and numbers for them that mean the same in all units. */
#include "check.h"

/** "main at ring.c:12", from the address that a call returns to; as good as addr2line and the program's
 *  debugging information allow. */
void dart__check_where(const void *from, char *text, size_t nbytes);

/** A number for the same address in another unit, whose program is loaded elsewhere; 0: it is not in the
 *  program itself. And back. */
uint64_t    dart__check_place_number(const void *from);
const void *dart__check_place_address(uint64_t number);

#endif
