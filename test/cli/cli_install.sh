# DART installed, as other projects find it: what the libraries export, and a C and a C++14 program
# outside of the tree, by CMake package and by pkg-config, static and shared, for every backend.
# Last, DART as a folder of another project, all optimised at link time.
source "$(dirname "$0")/cli.bash"

top=$(cd "$(dirname "$0")/../.." && pwd)
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

need cmake
[[ -n $(cached DART_INSTALL) ]] || { echo "skipped: $build installs nothing"; exit 77; }
[[ -z $(cached DART_SANITIZE) ]] || { echo "skipped: sanitizers are not for outside"; exit 77; }
CC=$(cached CMAKE_C_COMPILER) CXX=$(cached CMAKE_CXX_COMPILER)
export CC CXX
[[ -x $CXX ]] || unset CXX
unset DESTDIR CMAKE_PREFIX_PATH PKG_CONFIG_PATH
backends=()
for backend in shmem mpi; do
  [[ ! -e $build/dart-$backend/libdart-$backend.a ]] || backends+=("$backend")
done

# must COMMAND...: nothing can go on without it.
must() {
  timeout -k 5 1200 "$@" >"$work/log" 2>&1 </dev/null && return
  echo "FAILED line ${BASH_LINENO[0]}: $*"
  tail -n 30 "$work/log"
  exit 1
}

# runs PROGRAM: by the installed launcher of the backend $backend, on two nodes if it can.
runs() {
  local nodes=()
  [[ $backend != mpi ]] || nodes=(--nodes 2)
  run "$prefix/bin/dartrun-$backend" "${nodes[@]}" -n 3 "$1"
  expect_code 0
}

# linked static|shared PROGRAM: with DART that way?
linked() {
  local way=static
  ! readelf -d "$2" | grep -q 'NEEDED.*libdart-' || way=shared
  [[ $way == "$1" ]] || fail "$2 is linked $way, not $1"
}

# Installed in one place and moved to another, nothing in it may know the first.
must cmake --install "$build" --prefix "$work/first"
prefix=$work/prefix
mv "$work/first" "$prefix"
libdir=$(dirname "$(find "$prefix" -name libdart-base.a)")
! grep -rIl "$build\|$work/first" "$prefix" || fail "the above name the folder of the build"

# ---- symbols: exactly what the headers declare ---------------------------------------------------

{
  echo 'typedef long hid_t;'
  (cd "$prefix/include" && printf '#include <%s>\n' dash/dart/*/*.h)
} >"$work/all.c"
"$CC" -E -P -I"$prefix/include" "$work/all.c" | grep -v '^#' | tr '\n' ' ' | sed 's/[;{}]/\n/g' |
  sed -nE -e 's/^ *(dart_ret_t|void|_Bool|int|size_t|const char) +\*?(dart_[a-z_0-9]+) *\(.*/\2/p' \
    -e 's/^ *extern [a-z_ ]+ (dart_[a-z_]+) *$/\1/p' \
    -e 's/^ *extern __typeof__\(dart_[a-z_0-9]+\) (pdart_[a-z_0-9]+) *$/\1/p' | sort -u >"$work/declared"
echo pdart__io__hdf5__prep_mpio >>"$work/declared" # which nobody declares
[[ $(wc -l <"$work/declared") -gt 100 ]] || fail "found only $(wc -l <"$work/declared") functions"
exported() { # of static libraries: what they would add to the exports of a library that links them
  case $1 in
    *.so) nm -D --defined-only "$1" | awk '$NF !~ /^DART_[0-9.]+$/ { sub(/@.*/, "", $NF); print $NF }' ;;
    *.a) readelf -sW "$1" |
      awk '$5 != "LOCAL" && $6 == "DEFAULT" && $7 ~ /^[0-9]/ { print $8 }' ;;
  esac | sort -u
}
for backend in "${backends[@]}"; do
  for library in "$libdir/libdart-$backend".{so,a}; do
    exported "$library" >"$work/exported"
    # Parallel files are there in dart-mpi with HDF5 only.
    sort -u "$work/declared" >"$work/expected"
    [[ $backend == mpi && $(cached DART_ENABLE_HDF5) == ON ]] ||
      sed -i '/^p\?dart__io__hdf5__prep_mpio$/d' "$work/expected"
    differ=$(diff "$work/expected" "$work/exported") || fail "${library##*/} (>) exports: $differ"
  done
done
for library in "$libdir"/libdart-base.{so,a}; do
  [[ -z $(exported "$library") ]] || fail "${library##*/} exports: $(exported "$library")"
done

# ---- CMake packages ------------------------------------------------------------------------------

mkdir "$work/c" "$work/static" "$work/shared"
cp "$top/examples/ring.c" "$work/c"
cat >"$work/c/CMakeLists.txt" <<'END_CMAKE'
cmake_minimum_required(VERSION 3.18)
project(outside LANGUAGES C)
if(PACKAGES) # each by its own name, looked for where builds look that know DART of old
  foreach(package IN LISTS PACKAGES)
    find_package(${package} 3 REQUIRED HINTS ${INSTALLED}/share/cmake)
  endforeach()
else()
  find_package(DART 3.2 REQUIRED COMPONENTS ${BACKENDS})
endif()
foreach(backend IN LISTS BACKENDS)
  add_executable(ring-${backend} ring.c)
  target_link_libraries(ring-${backend} PRIVATE dart-${backend}${KIND})
  add_executable(ring2-${backend} ring.c) # by the target's other name
  target_link_libraries(ring2-${backend} PRIVATE DART::check DART::${backend}${KIND}) # with the debug mode
endforeach()
END_CMAKE
list=$(IFS=';' && echo "${backends[*]}")
packages=$(IFS=';' && upper=("${backends[@]^^}") && echo "${upper[*]/#/DART-}")
must cmake -S "$work/c" -B "$work/static/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DBACKENDS="$list"
must cmake --build "$work/static/cmake"
must cmake -S "$work/c" -B "$work/shared/cmake" -DINSTALLED="$prefix" -DPACKAGES="$packages" \
  -DBACKENDS="$list" -DKIND=-shared
must cmake --build "$work/shared/cmake"
for backend in "${backends[@]}"; do
  for kind in static shared; do
    linked $kind "$work/$kind/cmake/ring-$backend"
    runs "$work/$kind/cmake/ring-$backend"
    linked $kind "$work/$kind/cmake/ring2-$backend"
  done
done

for wrong in smoke 'shmem;smoke;fire'; do
  run cmake -S "$work/c" -B "$work/none" -DCMAKE_PREFIX_PATH="$prefix" -DBACKENDS="$wrong"
  [[ $code != 0 && $err == *"no backend 'smoke'"*shmem* ]] || fail "backends $wrong: $code, $err"
  [[ $(grep -c '^CMake Error' <<<"$err") == 1 ]] || fail "backends $wrong: not one error: $err"
done
[[ $err == *"no backend 'smoke' or 'fire' in"* ]] || fail "two backends that do not exist: $err"

# The C++ library and its own tests, unchanged, in a folder of their own.
if [[ -n $CXX ]]; then
  cp -r "$top/examples/cxx" "$work/cxx"
  must cmake -S "$work/cxx" -B "$work/cxx/build" -DCMAKE_PREFIX_PATH="$prefix"
  must cmake --build "$work/cxx/build" --parallel 2 --target "${backends[@]/#/pi-}" "${backends[@]/#/garray-test-}"
  for backend in "${backends[@]}"; do
    runs "$work/cxx/build/pi-$backend"
    runs "$work/cxx/build/garray-test-$backend"
  done
fi

# ---- pkg-config ----------------------------------------------------------------------------------

if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$libdir/pkgconfig
  for backend in "${backends[@]}"; do
    package=dart-$backend
    read -ra cflags <<<"$(pkg-config --cflags "$package")"
    read -ra shared <<<"$(pkg-config --libs "$package")" # its rpath is enough
    read -ra static <<<"$(pkg-config --static --libs "$package")"
    static=("${static[@]/#-l$package/-l:lib$package.a}")

    cflags+=("$work/c/ring.c" -std=c99)
    must "$CC" "${cflags[@]}" -o "$work/shared/ring-$backend" "${shared[@]}"
    must "$CC" "${cflags[@]}" -o "$work/static/ring-$backend" "${static[@]}"
    for kind in static shared; do
      linked $kind "$work/$kind/ring-$backend"
      runs "$work/$kind/ring-$backend"
    done
    if [[ -n $CXX ]]; then
      read -ra cflags <<<"$(pkg-config --cflags "$package")"
      cflags+=("$work/cxx/pi.cc" -std=c++17 -I"$work/cxx/include")
      must "$CXX" "${cflags[@]}" -o "$work/shared/pi-$backend" "${shared[@]}"
      must "$CXX" "${cflags[@]}" -o "$work/static/pi-$backend" "${static[@]}"
      for kind in static shared; do
        linked $kind "$work/$kind/pi-$backend"
        runs "$work/$kind/pi-$backend"
      done
    fi
  done
else
  echo "without pkg-config its files are not tried"
fi

# `dartrun` without a backend in its name is the launcher of the last one.
backend=${backends[-1]}
run "$prefix/bin/dartrun" -n 2 "$work/static/cmake/ring-$backend"; expect_code 0

# It starts programs of every backend, of which the archive or the shared library tells.
for backend in "${backends[@]}"; do
  for kind in static shared; do
    [[ -x $work/$kind/ring-$backend ]] || continue
    run "$prefix/bin/dartrun" -n 2 "$work/$kind/ring-$backend"; expect_code 0
  done
done
# The manual.
[[ ! -e $build/man/made || (-s $prefix/share/man/man3/dart_put.3 && -s $prefix/share/man/man1/dartrun.1) ]] ||
  fail "no manual pages in $prefix/share/man"

# So is `dart-info`, where it was built.
if [[ -x $prefix/bin/dart-info-$backend ]]; then
  run "$prefix/bin/dartrun" -n 2 "$prefix/bin/dart-info" --topology; expect_code 0
  [[ $out == *"dart-$backend"*"2 units on 1 node"* ]] || fail "dart-info: $out"
fi

# `dart-report` finds its modules.
if command -v python3 >/dev/null; then
  run "$prefix/bin/dart-report" "$work/nothing"; expect_code 1; expect_line "dart-report: no reports in $work/nothing*"
fi

# ---- as a part of another project, and link-time optimisation ------------------------------------

mkdir "$work/whole"
cp "$top/examples/ring.c" "$work/whole"
cat >"$work/whole/CMakeLists.txt" <<'END_CMAKE'
cmake_minimum_required(VERSION 3.18)
project(whole LANGUAGES C)
set(CMAKE_BUILD_TYPE Release)
include(CheckIPOSupported)
check_ipo_supported(RESULT lto LANGUAGES C) # a compiler may be there without its linker plug-in
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ${lto})
file(WRITE ${CMAKE_BINARY_DIR}/lto ${lto})
add_subdirectory(${DART} dart)
foreach(backend IN LISTS BACKENDS)
  add_executable(ring-${backend} ring.c)
  target_link_libraries(ring-${backend} PRIVATE dart-${backend})
endforeach()
if(NOT EXISTS ${DASH_DART_IF_INCLUDE_DIR}/dash/dart/if/dart.h)
  message(FATAL_ERROR "DASH_DART_IF_INCLUDE_DIR is '${DASH_DART_IF_INCLUDE_DIR}'")
endif()
END_CMAKE
must cmake -S "$work/whole" -B "$work/whole/build" -DDART="$top" -DBACKENDS="$list" \
  -DDART_BACKEND_MPI="$([[ $list == *mpi* ]] && echo ON || echo OFF)" -DDART_INSTALL=ON
must cmake --build "$work/whole/build" --parallel 2
must cmake --install "$work/whole/build" --prefix "$work/lto"
[[ -z $(cd "$work/whole/build/dart" && ls -d test bench examples tools 2>/dev/null) ]] ||
  fail "as a part of another project DART built more than its libraries"
libdir=$(dirname "$(find "$work/lto" -name libdart-base.a)")
for backend in "${backends[@]}"; do
  linked static "$work/whole/build/ring-$backend"
  runs "$work/whole/build/ring-$backend"

  if [[ $(<"$work/whole/build/lto") != YES ]]; then
    echo "without link-time optimisation, which $CC does not have here"
    continue
  fi
  read -ra libraries <<<"$(sed -n 's/^Libs.private: //p' "$libdir/pkgconfig/dart-$backend.pc")"
  must "$CC" -O2 -flto -I"$work/lto/include" "$work/c/ring.c" -o "$work/static/ring-lto" \
    "$libdir/libdart-$backend.a" "${libraries[@]}"
  linked static "$work/static/ring-lto"
  runs "$work/static/ring-lto"
  # All of DART was there for the optimiser: what is small has no call left.
  ! nm "$work/static/ring-lto" | grep -q ' dart_gptr_setaddr$' ||
    fail "ring-lto has functions of DART that it does not call"
done

finish
