# both_mpis.sh BUILD MPICC: DART over the MPI of a build and dart-mpi over Open MPI, whose compiler is MPICC, in one
# installation. A program is built by each name of the library, by pkg-config and by CMake, static and shared, and every
# launcher starts it by the mpiexec of its MPI: another mpiexec would start jobs of one unit.
source "$(dirname "$0")/../cli/cli.bash"

top=$(cd "$(dirname "$0")/../.." && pwd)
mpicc=$2 prefix=$work/prefix
need cmake pkg-config
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
CC=$(cached CMAKE_C_COMPILER)
export CC
unset DESTDIR CMAKE_PREFIX_PATH DART_MPIEXEC
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# must COMMAND...: nothing can go on without it.
must() {
  timeout -k 5 800 "$@" >"$work/log" 2>&1 </dev/null && return
  echo "FAILED line ${BASH_LINENO[0]}: $*"
  tail -n 30 "$work/log"
  exit 1
}

must cmake --install "$build" --prefix "$prefix"
[[ -L $prefix/bin/dartrun-mpi-mpich ]] || { echo "skipped: the MPI of $build is not MPICH"; exit 77; }
find "$prefix" ! -type d | sort >"$work/before"
must cmake -S "$top" -B "$work/beside" -DCMAKE_BUILD_TYPE=Release -DMPI_C_COMPILER="$mpicc" -DDART_MPI_BESIDE=ON \
  -DDART_BACKEND_SHMEM=OFF -DDART_BUILD_TESTS=OFF -DDART_BUILD_BENCH=OFF -DDART_BUILD_EXAMPLES=OFF \
  -DCMAKE_INSTALL_LIBDIR="$(cached CMAKE_INSTALL_LIBDIR)" -DCMAKE_C_COMPILER_LAUNCHER="$(cached CMAKE_C_COMPILER_LAUNCHER)"
must cmake --build "$work/beside" --parallel 2
must cmake --install "$work/beside" --prefix "$prefix"
others=$(find "$prefix" ! -type d | sort | comm -13 "$work/before" - | grep -v mpi-openmpi)
[[ -z $others ]] || fail "dart-mpi-openmpi installs $others"
libdir=$(dirname "$(find "$prefix" -name libdart-mpi.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig

cat >"$work/units.c" <<'END_C'
#include <dash/dart/if/dart.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  size_t n;

  if (dart_init(&argc, &argv) != DART_OK || dart_size(&n) != DART_OK)
    return 1;
  printf("%zu units\n", n);
  return dart_exit() != DART_OK;
}
END_C

mkdir "$work/c"
cp "$work/units.c" "$work/c"
cat >"$work/c/CMakeLists.txt" <<'END_CMAKE'
cmake_minimum_required(VERSION 3.18)
project(outside LANGUAGES C)
find_package(DART 3.2 REQUIRED COMPONENTS mpi mpi-mpich mpi-openmpi)
foreach(backend mpi mpi-mpich mpi-openmpi)
  add_executable(cmake-static-dart-${backend} units.c)
  target_link_libraries(cmake-static-dart-${backend} PRIVATE dart-${backend})
  add_executable(cmake-shared-dart-${backend} units.c)
  target_link_libraries(cmake-shared-dart-${backend} PRIVATE DART::${backend}-shared)
endforeach()
END_CMAKE
must cmake -S "$work/c" -B "$work/c/build" -DCMAKE_PREFIX_PATH="$prefix"
must cmake --build "$work/c/build"

# has PROGRAM MPI: the program gets this MPI alone.
has() {
  local mpi
  mpi=$(ldd "$1" | grep -o 'libmpi[a-z]*\.so\.[0-9]*' | sort -u)
  case $2 in
    openmpi) [[ $mpi == libmpi.so.40 ]] ;;
    mpich) [[ $mpi == libmpich.so.12 ]] ;;
  esac || fail "$1 has '$mpi', not $2"
}

for package in dart-mpi dart-mpi-mpich dart-mpi-openmpi; do
  read -ra cflags <<<"$(pkg-config --cflags "$package")"
  read -ra shared <<<"$(pkg-config --libs "$package")"
  read -ra static <<<"$(pkg-config --static --libs "$package")"
  static=("${static[@]/#-l$package/-l:lib$package.a}")
  must "$CC" "$work/units.c" "${cflags[@]}" -o "$work/shared-$package" "${shared[@]}"
  must "$CC" "$work/units.c" "${cflags[@]}" -o "$work/static-$package" "${static[@]}"
  mpi=mpich
  [[ $package != *openmpi ]] || mpi=openmpi
  for program in "$work"/{shared,static}-"$package" "$work/c/build/cmake"-{static,shared}-"$package"; do
    has "$program" $mpi
    for launcher in dartrun dartrun-mpi dartrun-mpi-mpich dartrun-mpi-openmpi; do
      run "$prefix/bin/$launcher" -n 2 "$program"; expect_code 0; expect_out $'2 units\n2 units'
    done
  done
done

# The tag is the same, where Open MPI's own is another.
run "$prefix/bin/dartrun" --tag -n 2 "$work/static-dart-mpi-openmpi"; expect_code 0
[[ $(sort <<<"$out") == $'[0] 2 units\n[1] 2 units' ]] || fail "--tag over Open MPI: $out"

# A launcher alone says which other one it needs, unless the user names the mpiexec.
cp "$prefix/bin/dartrun-mpi" "$work/dartrun"
program=$work/static-dart-mpi-openmpi
run "$work/dartrun" -n 2 "$program"; expect_code 2
expect_line "dartrun: $program is linked with dart-mpi-openmpi: start it with dartrun-mpi-openmpi, which is not installed here"
run env DART_MPIEXEC="${mpicc/mpicc/mpiexec}" "$work/dartrun" -n 2 "$program"
expect_code 0; expect_out $'2 units\n2 units'
finish
