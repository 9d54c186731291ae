# dart-shmem with another C library: built by musl-gcc with musl, and its suites run, on one node and on two. hwloc is built
# with musl first, from the source in DART_HWLOC_SOURCE (apt-get source hwloc).
source "$(dirname "$0")/cli.bash"
top=$(cd "$(dirname "$0")/../.." && pwd)
need cmake ninja make musl-gcc
has_backend shmem || { echo "skipped: $build has no dart-shmem"; exit 77; }
[[ -x ${DART_HWLOC_SOURCE-}/configure ]] || { echo "skipped: DART_HWLOC_SOURCE is no folder with hwloc's source"; exit 77; }
unset CFLAGS LDFLAGS CC

musl=$build/musl hwloc=$build/musl/hwloc
build_hwloc() {
  rm -rf "$musl/source" && cp -a "$DART_HWLOC_SOURCE" "$musl/source" && cd "$musl/source" &&
    CC=musl-gcc nice ./configure --prefix="$hwloc" --enable-static --disable-shared --disable-io --disable-libxml2 \
      --disable-cairo --disable-readme && nice make -C include install && nice make -j2 -C hwloc install &&
    mkdir -p "$hwloc/lib/pkgconfig" && cp hwloc.pc "$hwloc/lib/pkgconfig"
}
mkdir -p "$musl"
[[ -e $hwloc/lib/pkgconfig/hwloc.pc ]] || (build_hwloc) >"$work/log" 2>&1 ||
  { tail -n 30 "$work/log"; fail "hwloc does not build with musl"; finish; }

# What musl-gcc does not look for: the kernel's headers, and sys/queue.h, which depends on no C library. Systems with musl
# have packages of these.
multiarch=/usr/include/$(gcc -print-multiarch)
rm -rf "$musl/include"
mkdir -p "$musl/include/sys"
ln -s /usr/include/{linux,asm-generic} "$multiarch/asm" "$musl/include"
ln -s "$multiarch/sys/queue.h" "$musl/include/sys"
PKG_CONFIG_LIBDIR=$hwloc/lib/pkgconfig nice cmake -S "$top" -B "$musl/dart" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_C_FLAGS="-idirafter $musl/include -Werror" -DDART_BACKEND_MPI=OFF \
  -DDART_ENABLE_ASSERTIONS=ON -DDART_TEST_ALL=OFF -DDART_BUILD_BENCH=OFF -DDART_BUILD_EXAMPLES=OFF >"$work/log" 2>&1 &&
  nice cmake --build "$musl/dart" --target dart-test-shmem dartrun-shmem >>"$work/log" 2>&1 ||
  { tail -n 30 "$work/log"; fail "dart-shmem does not build with musl"; finish; }
program=$musl/dart/test/dart-test-shmem dartrun=$musl/dart/dart-shmem/dartrun
for file in "$program" "$dartrun"; do
  strings -a "$file" | grep -q ld-musl || fail "$file is not for musl"
done
run "$dartrun" -n 0 true; expect_code 2; expect_line "dartrun: -n '0' is not a number from 1 *"
run "$dartrun" --tag -n 2 echo x; expect_code 0; [[ $(sort <<<"$out") == $'[0] x\n[1] x' ]] || fail "tags: $out $err"

suites=()
for suite in "$top"/test/*/suite_*.c; do
  suite=${suite##*/suite_} suite=${suite%.c}
  [[ $suite == large || $suite == life ]] || suites+=("$suite") # gigabytes; many cycles
done
((${#suites[@]} > 50)) || fail "only ${#suites[@]} suites were found"
export DART_LOG_LEVEL=ERROR DART_TEST_TIMEOUT=100
suites_pass "$dartrun" "$program" "${suites[@]}"
finish
