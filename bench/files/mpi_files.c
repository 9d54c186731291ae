/* ROMIO, the MPI-IO of MPICH, on the MPI that DART has started. In atomic mode it locks by fcntl. */
#include <mpi.h>

#include "files.h"

static MPI_File     file;
static MPI_Datatype type = MPI_DATATYPE_NULL;
static bool         has_view;

static void open_file(const char *path, bool atomic)
{
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
  MPI_File_set_atomicity(file, atomic);
}

static void end_type(void)
{
  if (type != MPI_DATATYPE_NULL)
    MPI_Type_free(&type);
}

/* A write that is not contiguous needs a view, from its offset on. */
static void set(const files_access_t *a)
{
  end_type();
  has_view = a->count > 1;
  if (!has_view)
    return;
  MPI_Type_vector((int)a->count, (int)a->block, (int)a->stride, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, (MPI_Offset)a->offset, MPI_BYTE, type, "native", MPI_INFO_NULL);
}

static void write_at(const files_access_t *a, const void *data)
{
  MPI_File_write_at(file, has_view ? 0 : (MPI_Offset)a->offset, data, (int)(a->block * a->count),
                    MPI_BYTE, MPI_STATUS_IGNORE);
}

static void write_all(const files_access_t *a, const void *data)
{
  MPI_File_write_at_all(file, has_view ? 0 : (MPI_Offset)a->offset, data,
                        (int)(a->block * a->count), MPI_BYTE, MPI_STATUS_IGNORE);
}

static void close_file(void)
{
  end_type();
  MPI_File_close(&file);
}

const files_side_t *files_romio(void)
{
  static const files_side_t side = { "romio", open_file, set, write_at, write_all, close_file };

  return &side;
}
