/* Descriptions of units by the processors that they may use, on this machine. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "node_machine.h"

/* On one host any unit can describe another one, by the processors that it may use. */
static void units_are_described_by_their_processors(void **state)
{
  size_t           nbytes = dart__processors_bytes();
  unsigned char   *set    = calloc(1, nbytes);
  cpu_set_t       *cpus   = (cpu_set_t *)(void *)set;
  dart__hardware_t here, there;
  int              cpu;

  (void)state;
  assert_true(nbytes > 0 && set != NULL);
  assert_false(dart__hardware_goes_by_position());
  cpu = dart__processors_here(set, nbytes);
  assert_true(cpu >= 0 && CPU_ISSET_S((size_t)cpu, nbytes, cpus));

  dart__hardware_here(0, 1, &here);
  dart__hardware_of(0, 1, here.info.cpu_id, set, nbytes, &there);
  assert_memory_equal(&here, &there, sizeof here);

  memset(set, 0, nbytes);
  CPU_SET_S((size_t)cpu, nbytes, cpus);
  dart__hardware_of(0, 1, cpu, set, nbytes, &there);
  assert_int_equal(there.info.cpu_id, cpu);
  assert_int_equal(there.info.num_cores, 1);
  assert_int_equal(there.host_cores, here.host_cores);
  free(set);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(units_are_described_by_their_processors) };

  return cmocka_run_group_tests_name("processors", tests, NULL, NULL);
}
