#ifndef DART__CHECK_WHERE_H
#define DART__CHECK_WHERE_H
/* Names of places in the program, and numbers for places that mean the same in all units. */
#include "check.h"

/** Write "main at ring.c:12" for the address to which a call returns, as far as addr2line and the debugging information
 *  allow. */
void dart__check_where(const void *from, char *text, size_t nbytes);

/** A number for an address that other units can turn back into an address, though their program is loaded elsewhere. 0:
 *  the address is not in the program itself. */
uint64_t    dart__check_place_number(const void *from);
const void *dart__check_place_address(uint64_t number);

#endif
