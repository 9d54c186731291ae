/* Descriptions of hardware, on machines from machines/ and on synthetic ones. */
#include "node_machine.h"

#define SOCKETS "pack:2 numa:4 core:16 pu:2" /* 128 cores, 256 processors */

/* The scopes of a description, one letter each from the core outwards, with their indices. */
static void check_scopes(const dart__hardware_t *hardware, const char *expected)
{
  const dart_hwinfo_t *info      = &hardware->info;
  char                 text[256] = "";
  size_t               used      = 0;

  assert_in_range(info->num_scopes, 1, 11);
  for (int i = 0; i < info->num_scopes; i++) {
    char letter = '?';

    switch (info->scopes[i].scope) {
    case DART_LOCALITY_SCOPE_CORE: letter = 'c'; break;
    case DART_LOCALITY_SCOPE_CACHE: letter = 'L'; break;
    case DART_LOCALITY_SCOPE_PACKAGE: letter = 'p'; break;
    case DART_LOCALITY_SCOPE_NUMA: letter = 'n'; break;
    default: break;
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%c%d", i > 0 ? " " : "", letter,
                             info->scopes[i].index);
  }
  assert_string_equal(text, expected);
  for (int i = info->num_scopes; i < DART_LOCALITY_MAX_DOMAIN_SCOPES; i++) {
    assert_int_equal(info->scopes[i].scope, DART_LOCALITY_SCOPE_UNDEFINED);
    assert_int_equal(info->scopes[i].index, -1);
  }
}

static void two_sockets_of_four_numa_domains(void **state)
{
  dart__hardware_t     hardware = test_hardware_at(SOCKETS, 203);
  const dart_hwinfo_t *info     = &hardware.info;

  (void)state;
  assert_int_equal(hardware.host_cores, 128);
  assert_int_equal(info->num_cores, 128);
  assert_int_equal(info->num_numa, 8);
  assert_int_equal(info->num_sockets, 2);
  assert_int_equal(info->cpu_id, 203);
  assert_int_equal(info->core_id, 101);
  assert_int_equal(info->numa_id, 6);
  assert_int_equal(info->min_threads, 2);
  assert_int_equal(info->max_threads, 2);
  assert_int_equal(info->system_memory_bytes, 8 * 1024);
  assert_int_equal(info->numa_memory_bytes, 1024);
  assert_int_equal(info->cache_sizes[0], -1);
  assert_int_equal(info->min_cpu_mhz, -1);
  check_scopes(&hardware, "c101 n6 p1");
}

static void machines_have_no_largest_size(void **state)
{
  dart__hardware_t hardware = test_hardware_at("numa:40 core:32 pu:4", 5119);

  (void)state;
  assert_int_equal(hardware.host_cores, 1280);
  assert_int_equal(hardware.info.num_numa, 40);
  assert_int_equal(hardware.info.numa_id, 39);
  assert_int_equal(hardware.info.core_id, 1279);
  assert_int_equal(hardware.info.cpu_id, 5119);
  check_scopes(&hardware, "c1279 n39");
}

static void caches_of_every_level_are_known(void **state)
{
  dart__hardware_t hardware = test_hardware_at(
      "pack:2 l3:2(size=33554432) l2:4(size=1048576) l1d:1(size=32768) core:1 pu:2", 21);

  (void)state;
  check_scopes(&hardware, "c10 L10 L10 L2 p1 n0");
  assert_int_equal(hardware.info.cache_sizes[0], 32768);
  assert_int_equal(hardware.info.cache_sizes[1], 1048576);
  assert_int_equal(hardware.info.cache_sizes[2], 33554432);
  assert_int_equal(hardware.info.cache_sizes[3], -1);
  assert_int_equal(hardware.info.cache_line_sizes[2], 64);
  assert_int_equal(hardware.info.cache_ids[0], 10);
  assert_int_equal(hardware.info.cache_ids[2], 2);
  assert_int_equal(hardware.info.cache_ids[3], -1);
}

/* As many levels as hwloc knows, a cache around two memories, and sizes that no int holds. */
static void deep_and_large_machines_fit(void **state)
{
  dart__hardware_t deep = test_hardware_at(
      "pack:2 l5:1(size=8589934592) l4:1 numa:2(memory=4398046511104) l3:2 l2:2 l1d:1 core:2 pu:1",
      31);

  (void)state;
  check_scopes(&deep, "c31 L15 L15 L7 n3 L1 L1 p1");
  assert_int_equal(deep.info.cache_sizes[4], INT32_MAX);
  assert_int_equal(deep.info.system_memory_bytes, 4 * 4194304);
}

static void cores_of_a_restricted_unit_are_counted(void **state)
{
  dart__hardware_t some  = test_hardware(SOCKETS, 3, 8, 5); /* of cores 1, 2, 3 and 4 */
  dart__hardware_t other = test_hardware(SOCKETS, 3, 8, 7);
  dart__hardware_t one   = test_hardware(SOCKETS, 255, 255, 255);
  dart__hardware_t lost  = test_hardware(SOCKETS, 40, 41, 200); /* has just been moved */
  dart__hardware_t gone  = test_hardware(SOCKETS, 1000, 1001, -1);

  (void)state;
  assert_int_equal(some.info.num_cores, 4);
  assert_int_equal(some.host_cores, 128);
  assert_int_equal(some.info.core_id, 2);
  assert_int_equal(one.info.num_cores, 1);
  assert_int_equal(one.info.core_id, 127);
  assert_int_equal(lost.info.cpu_id, 40);
  assert_int_equal(gone.info.num_cores, 128);
  assert_int_equal(some.cpus, other.cpus);
  assert_int_not_equal(some.cpus, one.cpus);
}

static void units_divide_the_cores_that_they_may_use(void **state)
{
  static const struct {
    int         cores;
    uint32_t    cpus;
    const char *host;
    int         share;
  } units[] = { { 16, 1, "a", 5 }, { 4, 2, "a", 4 }, { 16, 1, "a", 5 }, { 16, 1, "b", 16 },
                { 1, 3, "a", 1 },  { 1, 3, "a", 1 }, { 16, 1, "a", 5 }, { -1, 4, "c", 1 } };
  enum { UNITS = sizeof units / sizeof units[0] };
  dart__hardware_t hardware[UNITS] = { 0 };

  (void)state;
  for (int u = 0; u < UNITS; u++) {
    hardware[u].info.num_cores = units[u].cores;
    hardware[u].cpus           = units[u].cpus;
    strcpy(hardware[u].info.host, units[u].host);
  }
  assert_true(dart__hardware_share_cores(hardware, UNITS));
  for (int u = 0; u < UNITS; u++)
    assert_int_equal(hardware[u].info.num_cores, units[u].share);
}

static void processors_stand_in_for_cores(void **state)
{
  dart__hardware_t hardware = test_hardware("processors-only.xml", 0, 3, 2);

  (void)state;
  assert_string_equal(hardware.info.host, "virtual");
  assert_int_equal(hardware.host_cores, 6);
  assert_int_equal(hardware.info.num_cores, 4);
  assert_int_equal(hardware.info.core_id, 2);
  assert_int_equal(hardware.info.num_sockets, -1);
  assert_int_equal(hardware.info.min_threads, -1);
  assert_int_equal(hardware.info.max_threads, -1);
  check_scopes(&hardware, "c2 n0");
}

/* Fast memory beside ordinary memory: pages come from the ordinary one, number 0 of the system. */
static void ordinary_memory_counts(void **state)
{
  dart__hardware_t hardware = test_hardware_at("two-memories.xml", 4);

  (void)state;
  assert_int_equal(hardware.info.num_numa, 2);
  assert_int_equal(hardware.info.numa_id, 1);
  assert_int_equal(hardware.info.numa_memory_bytes, 96000000000 >> 20);
  check_scopes(&hardware, "c2 n1");
}

static void big_and_little_cores_differ(void **state)
{
  dart__hardware_t little = test_hardware_at("arm-big-little.xml", 0);
  dart__hardware_t same   = test_hardware_at("arm-big-little.xml", 3);
  dart__hardware_t big    = test_hardware_at("arm-big-little.xml", 7);

  (void)state;
  assert_string_equal(little.info.host, "arm-board");
  check_scopes(&little, "c0 L0 L0 p0 n0");
  check_scopes(&big, "c7 L7 L1 p0 n0");
  assert_int_equal(little.info.max_cpu_mhz, 1800);
  assert_int_equal(little.info.min_cpu_mhz, 1800); /* nobody says how far down it goes */
  assert_int_equal(big.info.max_cpu_mhz, 2400);
  assert_int_equal(big.info.min_cpu_mhz, 600);
  assert_int_equal(big.info.cache_sizes[1], 2097152);
  assert_int_equal(little.kind[0], same.kind[0]);
  assert_int_not_equal(little.kind[0], big.kind[0]);
  assert_int_not_equal(little.kind[2], big.kind[2]); /* their L2 */
  assert_int_equal(little.kind[4], big.kind[4]);     /* the NUMA domain has both */
  assert_int_equal(little.host_kind, big.host_kind);
}

/* Recorded: caches around NUMA domains and inside them, and the innermost ones inside the cores. */
static void recorded_machines_are_read(void **state)
{
  dart__hardware_t sockets = test_hardware_at("recorded-two-sockets.xml", 11);
  dart__hardware_t same    = test_hardware_at("recorded-two-sockets.xml", 2);
  dart__hardware_t small   = test_hardware_at("recorded-two-cores.xml", 1);

  (void)state;
  assert_int_equal(sockets.host_cores, 8);
  assert_int_equal(sockets.info.num_sockets, 2);
  assert_int_equal(sockets.info.num_numa, 8);
  assert_int_equal(sockets.info.max_threads, 2);
  check_scopes(&sockets, "c5 L5 n5 L1 p1");
  assert_int_equal(sockets.info.cache_sizes[0], 32768);
  assert_int_equal(sockets.info.cache_ids[0], 11);
  assert_int_equal(sockets.info.cache_sizes[1], 4194304);
  assert_int_equal(sockets.info.cache_sizes[2], 16777216);
  assert_int_equal(sockets.host_kind, same.host_kind);
  assert_int_equal(sockets.kind[4], same.kind[4]); /* their packages */

  assert_int_equal(small.host_cores, 2);
  check_scopes(&small, "c1 L1 L1 L0 p0 n0");
  assert_int_equal(small.info.cache_sizes[2], 37486592);
}

/* Memory that the system keeps for itself does not make two domains different. */
static void equal_hardware_is_of_equal_kind(void **state)
{
  dart__hardware_t a = test_hardware_at("numa:2(memory=68719476736) core:2 pu:1", 0);
  dart__hardware_t b = test_hardware_at("numa:2(memory=67645734912) core:2 pu:1", 3);
  dart__hardware_t c = test_hardware_at("numa:2(memory=34359738368) core:2 pu:1", 3);
  dart__hardware_t d = test_hardware_at("numa:2(memory=68719476736) core:2 pu:2", 3);

  (void)state;
  assert_int_equal(a.host_kind, b.host_kind);
  assert_int_equal(a.kind[0], b.kind[0]);
  assert_int_equal(a.kind[1], b.kind[1]);
  assert_int_equal(a.kind[0], c.kind[0]); /* the cores are alike */
  assert_int_not_equal(a.kind[1], c.kind[1]);
  assert_int_not_equal(a.host_kind, c.host_kind);
  assert_int_not_equal(a.kind[0], d.kind[0]);
}

static void bandwidth_comes_from_the_environment(void **state)
{
  (void)state;
  unsetenv("DASH_MAX_SHMEM_MBPS");
  assert_int_equal(test_hardware_at("pu:1", 0).info.max_shmem_mbps, 1235);
  setenv("DASH_MAX_SHMEM_MBPS", "77", 1);
  assert_int_equal(test_hardware_at("pu:1", 0).info.max_shmem_mbps, 77);
  setenv("DASH_MAX_SHMEM_MBPS", "-3", 1);
  assert_int_equal(test_hardware_at("pu:1", 0).info.max_shmem_mbps, 1235);
  setenv("DASH_MAX_SHMEM_MBPS", "many", 1);
  assert_int_equal(test_hardware_at("pu:1", 0).info.max_shmem_mbps, 1235);
  setenv("DASH_MAX_SHMEM_MBPS", "12x", 1);
  assert_int_equal(test_hardware_at("pu:1", 0).info.max_shmem_mbps, 1235);
  unsetenv("DASH_MAX_SHMEM_MBPS");
}

/* The machine that hwloc is told to show instead of this one: units are spread over it. */
static void units_are_spread_over_a_machine_that_is_not_this_one(void **state)
{
  dart__hardware_t hardware;

  (void)state;
  setenv("HWLOC_SYNTHETIC", "numa:2 core:4 pu:2", 1);
  dart__hardware_here(0, 3, &hardware);
  assert_int_equal(hardware.info.core_id, 0);
  assert_true(strlen(hardware.info.host) > 0);
  unsetenv("HWLOC_SYNTHETIC"); /* the machine is loaded once */
  dart__hardware_here(2, 3, &hardware);
  assert_int_equal(hardware.info.core_id, 5);
  assert_int_equal(hardware.info.cpu_id, 10);
  assert_int_equal(hardware.info.num_cores, 8);
  dart__hardware_here(16, 17, &hardware); /* more units than cores */
  assert_int_equal(hardware.info.core_id, 7);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(two_sockets_of_four_numa_domains),
                                      cmocka_unit_test(machines_have_no_largest_size),
                                      cmocka_unit_test(caches_of_every_level_are_known),
                                      cmocka_unit_test(deep_and_large_machines_fit),
                                      cmocka_unit_test(cores_of_a_restricted_unit_are_counted),
                                      cmocka_unit_test(units_divide_the_cores_that_they_may_use),
                                      cmocka_unit_test(processors_stand_in_for_cores),
                                      cmocka_unit_test(ordinary_memory_counts),
                                      cmocka_unit_test(big_and_little_cores_differ),
                                      cmocka_unit_test(recorded_machines_are_read),
                                      cmocka_unit_test(equal_hardware_is_of_equal_kind),
                                      cmocka_unit_test(bandwidth_comes_from_the_environment),
                                      cmocka_unit_test(
                                          units_are_spread_over_a_machine_that_is_not_this_one) };

  return cmocka_run_group_tests_name("hardware", tests, NULL, NULL);
}
