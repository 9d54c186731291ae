#ifndef NODE_MACHINE_H
#define NODE_MACHINE_H
/* Machines for tests that nobody has at hand: hwloc's synthetic ones, described by a line such as
 * "pack:2 core:4 pu:2", and those recorded in machines/, named by their file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topology/hardware.h"

/** The machine; the last one is kept, for large ones take their time. */
static inline hwloc_topology_t test_machine(const char *name)
{
  static hwloc_topology_t machine;
  static char             loaded[128];
  const char             *end = strrchr(name, '.');
  char                    path[512];

  if (strcmp(name, loaded) == 0)
    return machine;
  if (loaded[0] != '\0')
    hwloc_topology_destroy(machine);
  assert_true(strlen(name) < sizeof loaded);
  strcpy(loaded, name);
  assert_int_equal(hwloc_topology_init(&machine), 0);
  if (end != NULL && strcmp(end, ".xml") == 0) {
    snprintf(path, sizeof path, "%s/topology/machines/%s", TEST_FOLDER, name);
    assert_int_equal(hwloc_topology_set_xml(machine, path), 0);
  } else {
    assert_int_equal(hwloc_topology_set_synthetic(machine, name), 0);
  }
  assert_int_equal(hwloc_topology_load(machine), 0);
  return machine;
}

/* What a unit has that may use processors [first, last] of `name` and runs on `cpu`. */
static inline dart__hardware_t test_hardware(const char *name, int first, int last, int cpu)
{
  hwloc_topology_t machine = test_machine(name);
  hwloc_bitmap_t   allowed = hwloc_bitmap_alloc();
  dart__hardware_t hardware;

  hwloc_bitmap_set_range(allowed, (unsigned)first, last);
  memset(&hardware, 0x5a, sizeof hardware); /* all of it is filled in */
  dart__hardware_describe(machine, allowed, cpu, &hardware);
  hwloc_bitmap_free(allowed);
  return hardware;
}

/* The same for a unit that may use the whole machine. */
static inline dart__hardware_t test_hardware_at(const char *name, int cpu)
{
  return test_hardware(name, 0, -1, cpu);
}

#endif
