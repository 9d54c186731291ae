/* Messages of a program: which library runs, what a result means, and how a type and an operator
 * are called. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <dash/dart/ext/dart_name.h>
#include <dash/dart/ext/dart_stats.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  size_t             index;
  dart_ret_t         ret;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  ret = dart_stats_find("no_such_statistic", &index);
  if (ret != DART_OK)
    printf("unit %d of %zu, DART %s: %s\n", me.id, n, dart_version(), dart_strerror(ret));
  printf("a sum of ints: %s, %s\n", dart_op_name(DART_OP_SUM), dart_type_name(DART_TYPE_INT));
  assert(ret == DART_ERR_NOTFOUND && strcmp(dart_op_name(DART_OP_SUM), "DART_OP_SUM") == 0);

  dart_exit();
  return 0;
}
