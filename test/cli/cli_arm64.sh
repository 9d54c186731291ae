# dart-shmem on arm64: built by a cross compiler, and its suites run by qemu's user emulation, on one node and on two.
# The kernel hands programs of arm64 to qemu in namespaces of this script's own: nothing is registered for others.
#
# The emulator has no process_vm_readv, so registered memory of other units cannot be reached; and its mremap makes no second
# mapping, so that no memory is adopted, and puts wake no sleepers (rma/watch.h). Suites whose tests need these are left
# out below. Machines of x86-64 keep stores in order, so that qemu does not show missing barriers: test/models and
# ThreadSanitizer look for these.
#
# char is signed in this build, as the tests' own results have it; on arm64 it is not by default, and then MIN and
# MAX of DART_TYPE_BYTE, which is ordered as char, have other results.
source "$(dirname "$0")/cli.bash"
top=$(cd "$(dirname "$0")/../.." && pwd)
need cmake ninja aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64 unshare
[[ -e /usr/lib/aarch64-linux-gnu/libhwloc.so && -e /usr/lib/aarch64-linux-gnu/libcmocka.so ]] ||
  { echo "skipped: there are no libhwloc-dev:arm64 and libcmocka-dev:arm64 here"; exit 77; }

# ELF of 64 bits, little-endian, executable or shared, machine 183.
cat >"$work/enter" <<'END'
elf='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc &&
  printf '%s' ":dart-arm64:M::$elf:$mask:$(command -v qemu-aarch64):" >/proc/sys/fs/binfmt_misc/register || exit 77
exec "$@"
END
emulated=(unshare --user --map-root-user --mount bash "$work/enter")
run "${emulated[@]}" true; [[ $code == 0 ]] || { echo "skipped: the kernel takes no binfmt_misc here: $err"; exit 77; }

arm=$build/arm64
nice cmake -S "$top" -B "$arm" -G Ninja --toolchain "$top/cmake/arm64.cmake" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_C_FLAGS=-fsigned-char -DDART_BACKEND_MPI=OFF -DDART_ENABLE_ASSERTIONS=ON -DDART_TEST_ALL=OFF \
  -DDART_BUILD_BENCH=OFF -DDART_BUILD_EXAMPLES=OFF >"$work/log" 2>&1 &&
  nice cmake --build "$arm" --target dart-test-shmem dartrun-shmem >>"$work/log" 2>&1 ||
  { tail -n 30 "$work/log"; fail "arm64 does not build"; finish; }

left_out=' adopt large life' # adopted memory; gigabytes; many cycles, which take minutes
left_out+=' atomics_typed epoch epoch_lock epoch_turns epoch_types lock_at lock_at_threads notify notify_get register road stats wait_word word_order '
suites=()
for suite in "$top"/test/*/suite_*.c; do
  suite=${suite##*/suite_} suite=${suite%.c}
  [[ $left_out == *" $suite "* ]] || suites+=("$suite")
done
((${#suites[@]} > 30)) || fail "only ${#suites[@]} suites were found"
export DART_LOG_LEVEL=ERROR DART_TEST_TIMEOUT=200
for nodes in 1 2; do
  for suite in "${suites[@]}"; do
    timeout -k 5 240 "${emulated[@]}" "$arm/dart-shmem/dartrun" -n 3 --nodes $nodes "$arm/test/dart-test-shmem" "$suite" \
      >"$work/out" 2>"$work/err" </dev/null
    code=$?
    [[ $code == 0 && $(<"$work/out") == *", 0 failed, "* ]] ||
      fail "$suite on $nodes nodes: exit code $code: $(tail -n 20 "$work/out" "$work/err")"
  done
done
finish
