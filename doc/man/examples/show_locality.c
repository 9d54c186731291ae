/* Where units run: the host and the core of this one, and the nodes of the team. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_locality.h>

int main(int argc, char **argv)
{
  dart_global_unit_t      me;
  size_t                  n;
  dart_unit_locality_t   *where;
  dart_domain_locality_t *root, **nodes;
  int                     nnodes;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(me.id), &where);
  printf("unit %d: host %s, core %d, domain %s\n", me.id, where->hwinfo.host, where->hwinfo.core_id,
         where->domain_tag);

  dart_domain_team_locality(DART_TEAM_ALL, ".", &root);
  dart_domain_scope_domains(root, DART_LOCALITY_SCOPE_NODE, &nnodes, &nodes);
  assert(nnodes == root->num_nodes && root->num_units == (int)n);
  for (int i = 0; i < nnodes; i++)
    printf("node %s has %d units\n", nodes[i]->host, nodes[i]->num_units);
  free(nodes);

  dart_exit();
  return 0;
}
