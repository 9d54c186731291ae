#ifndef DART__TOOLS_DOCTOR_H
#define DART__TOOLS_DOCTOR_H

/** Check what the machine of unit 0 offers to a job, and print a line for each check, with a setting that helps. All
 *  units call it. Returns, on unit 0, how many checks found something to change. */
int doctor(void);

#endif
