#ifndef DART__TOOLS_DOCTOR_H
#define DART__TOOLS_DOCTOR_H

/** Look at what the machine of unit 0 gives a job, and print a line for each finding, with the setting that helps. All
 *  units call it. Returns, on unit 0, how many of them there is something to do about. */
int doctor(void);

#endif
