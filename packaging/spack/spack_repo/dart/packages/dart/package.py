# The recipe for Spack 1.0 or later. It builds the clone that it is in, at the branch main:
#
#   spack repo add packaging/spack/spack_repo/dart
#   spack install dart
#
# CMake has been run with its arguments, for each variant; Spack itself has not been at hand to run it.
import os

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 6))


class Dart(CMakePackage):
    """A PGAS runtime in C11: one global address space for the units of an SPMD program, on one machine through shared
    memory, or on many over MPI-3 RMA."""

    git = "file://" + TOP

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("mpi", default=True, description="Build dart-mpi, for any number of nodes")
    variant("hdf5", default=False, when="+mpi", description="Files of HDF5 in dart-mpi")
    variant("otf2", default=False, description="dart-trace writes OTF2")

    depends_on("c", type="build")
    depends_on("cmake@3.18:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2:")
    depends_on("mpi@3:", when="+mpi")
    depends_on("hdf5+mpi", when="+hdf5")
    depends_on("otf2", when="+otf2")
    depends_on("python@3:", type="run")

    def cmake_args(self):
        args = [
            self.define_from_variant("DART_BACKEND_MPI", "mpi"),
            self.define_from_variant("DART_ENABLE_HDF5", "hdf5"),
            self.define("DART_BUILD_TESTS", self.run_tests),
            self.define("DART_BUILD_BENCH", False),
            self.define("DART_BUILD_EXAMPLES", False),
        ]
        if self.spec.satisfies("+mpi"):
            args.append(self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc))
        return args
