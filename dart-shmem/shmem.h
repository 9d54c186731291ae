/* Shared by the files of this backend: the job of which this process is a unit. */
#ifndef DART__SHMEM_SHMEM_H
#define DART__SHMEM_SHMEM_H

#include "job_file.h"

typedef struct {
  dart__job_t *job; /* NULL before the first init */
  int          fd;
  uint32_t     unit;
} dart__shmem_t;

extern dart__shmem_t dart__shmem;

#endif
