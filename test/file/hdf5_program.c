/* One file shared by the units of a team through HDF5: each writes its part, and reads that of
 * another. Statement I of the contract's section 2.10: all units, and half of them as a team of
 * their own. The argument is the file's name; the team's number is appended. */
#include <hdf5.h>

#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_io.h>

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000 };

#define MUST(condition)                                                     \
  do {                                                                      \
    if (!(condition)) {                                                     \
      fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
      dart_abort(EXIT_FAILURE);                                             \
    }                                                                       \
  } while (0)

static hid_t part_of(hsize_t unit, hid_t whole)
{
  hsize_t start = unit * COUNT, count = COUNT;

  MUST(H5Sselect_hyperslab(whole, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0);
  return H5Screate_simple(1, &count, NULL);
}

static void share_file(const char *name, dart_team_t team)
{
  dart_team_unit_t me;
  size_t           nunits;
  hsize_t          length;
  hid_t            access = H5Pcreate(H5P_FILE_ACCESS), file, space, memory, data;
  static int       values[COUNT];

  MUST(dart_team_myid(team, &me) == DART_OK && dart_team_size(team, &nunits) == DART_OK);
  MUST(dart__io__hdf5__prep_mpio(access, team) == DART_OK);
  file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  MUST(file >= 0);
  length = nunits * COUNT;
  space  = H5Screate_simple(1, &length, NULL);
  data   = H5Dcreate2(file, "values", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  MUST(data >= 0);

  for (int i = 0; i < COUNT; i++)
    values[i] = 100000 * me.id + i;
  memory = part_of((hsize_t)me.id, space);
  MUST(H5Dwrite(data, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values) >= 0);
  H5Sclose(memory);
  MUST(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
  MUST(dart_barrier(team) == DART_OK);

  int other = (int)(((size_t)me.id + 1) % nunits);

  memory = part_of((hsize_t)other, space);
  MUST(H5Dread(data, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values) >= 0);
  for (int i = 0; i < COUNT; i++)
    MUST(values[i] == 100000 * other + i);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(data);
  H5Fclose(file);
  H5Pclose(access);
  MUST(dart_barrier(team) == DART_OK);
}

/* Units of even and of odd id each are a team, with a file of their own. */
static void share_in_parts(const char *name, int me, size_t nunits)
{
  char         own_name[4096];
  dart_group_t group;
  dart_team_t  team;

  MUST(dart_group_create(&group) == DART_OK);
  for (size_t unit = (size_t)me % 2; unit < nunits; unit += 2)
    MUST(dart_group_addmember(group, DART_GLOBAL_UNIT_ID((dart_unit_t)unit)) == DART_OK);
  MUST(dart_team_create(DART_TEAM_ALL, group, &team) == DART_OK);
  MUST(dart_group_destroy(&group) == DART_OK);
  snprintf(own_name, sizeof own_name, "%s.%d", name, me % 2);
  share_file(own_name, team);
  remove(own_name);
  MUST(dart_team_destroy(&team) == DART_OK);
}

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             nunits;

  MUST(dart_init(&argc, &argv) == DART_OK);
  MUST(argc == 2);
  MUST(dart_myid(&me) == DART_OK && dart_size(&nunits) == DART_OK);
  MUST(dart__io__hdf5__prep_mpio(H5P_DEFAULT, 12345) == DART_ERR_INVAL);
  MUST(dart__io__hdf5__prep_mpio(-1, DART_TEAM_ALL) == DART_ERR_OTHER);
  share_file(argv[1], DART_TEAM_ALL);
  if (me.id == 0)
    remove(argv[1]);
  share_in_parts(argv[1], me.id, nunits);
  MUST(dart_exit() == DART_OK);
  return EXIT_SUCCESS;
}
