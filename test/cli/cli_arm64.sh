# dart-shmem on arm64: built by a cross compiler. Its suites, on one node and on two, and the tests between threads run by
# qemu's user emulation. The kernel hands programs of arm64 to qemu in namespaces of this script's own: nothing is
# registered for others.
#
# The emulator has no process_vm_readv, so registered memory of other units cannot be reached; and its mremap makes no second
# mapping, so that no memory is adopted, and puts wake no sleepers (rma/watch.h). Its threads are listed for a moment after
# they were joined. Tests that need these are left out below.
# Machines of x86-64 keep stores in order, so that qemu does not show missing barriers: test/models and
# ThreadSanitizer look for these.
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
threads=() # programs of tests between threads, by their names
for test in "$top"/test/{*/node,am/am,wire/wire,far/clock}_*.c; do
  test=${test##*/}
  threads+=("${test%.c}")
done
((${#threads[@]} >= 25)) || fail "only ${#threads[@]} tests between threads were found"
nice cmake -S "$top" -B "$arm" -G Ninja --toolchain "$top/cmake/arm64.cmake" -DCMAKE_BUILD_TYPE=Release \
  -DDART_BACKEND_MPI=OFF -DDART_ENABLE_ASSERTIONS=ON -DDART_TEST_ALL=ON \
  -DDART_BUILD_BENCH=OFF -DDART_BUILD_EXAMPLES=OFF >"$work/log" 2>&1 &&
  nice cmake --build "$arm" --target dart-test-shmem dartrun-shmem "${threads[@]}" >>"$work/log" 2>&1 ||
  { tail -n 30 "$work/log"; fail "arm64 does not build"; finish; }

# Copies between processes.
left_out=' node_foreign node_coll '
for test in "${threads[@]}"; do
  [[ $left_out != *" $test "* ]] || continue
  program=$(find "$arm/test" -name "$test" -type f)
  DART_TEST_TIMEOUT=200 timeout -k 5 240 "${emulated[@]}" "$program" >"$work/out" 2>&1 </dev/null ||
    fail "$test: exit code $?: $(tail -n 20 "$work/out")"
  grep -q '\[  PASSED  \] [1-9]' "$work/out" || fail "$test has run nothing: $(<"$work/out")"
done

# Adopted memory, and registered memory of others, of which nearly all of their tests are; gigabytes; many cycles, and
# many turns at locks, which take minutes.
left_out=' adopt register_many large life epoch_turns '
DART_TEST_WITHOUT='
atomics_typed.registered_memory_is_updated_too
epoch.a_ring_by_post_and_start epoch.gets_and_accumulates_in_a_fence epoch.puts_are_there_after_a_fence
epoch.puts_are_there_after_a_fence_that_nothing_preceded epoch.results_come_before_puts_of_the_next_epoch
epoch_lock.exclusive_locks_exclude epoch_lock.locks_are_left_after_their_memory_is_gone epoch_lock.puts_are_there_after_an_unlock
epoch_types.every_layout_on_registered_memory
lock_at.refused_operations_do_not_break_a_registered_lock lock_at.registered_memory
lock_at_threads.counting_by_threads_is_exact_in_registered_memory
notify.flags_in_registered_memory notify.no_operation_changes_nothing notify_get.registered_memory notify_get.adopted_memory
far.the_agent_ends_with_every_cycle near.registered_memory_is_resolved register.a_new_team_shares_what_it_registers
register.all_operations_work_on_registered_memory register.any_memory_can_be_registered
register.atomics_on_registered_memory_lose_nothing register.deregistration_is_local
register.memory_is_the_users_after_deregistration register.registered_memory_is_a_segment
register.units_may_register_nothing register.what_is_no_memory_on_one_unit_is_refused_on_all
register.who_has_deregistered_reaches_those_who_have_not
stats.own_registered_memory_is_near_and_of_others_is_far stats.waits_for_locks_in_words_are_counted
wait_word.who_waits_for_several_words_is_not_woken_for_ever
wait_word.a_range_is_served_in_turn wait_word.registered_memory wait_word.who_sleeps_for_a_range_is_woken
wait_word.who_sleeps_is_woken_by_near_puts_and_atomics wait_word.who_waits_for_words_of_several_segments_is_woken_by_each
word_order.mixtures_on_an_element_take_effect_in_order'
suites=()
for suite in "$top"/test/*/suite_*.c; do
  suite=${suite##*/suite_} suite=${suite%.c}
  [[ $left_out == *" $suite "* ]] || suites+=("$suite")
done
((${#suites[@]} > 45)) || fail "only ${#suites[@]} suites were found"
for test in $DART_TEST_WITHOUT; do
  tr -d ' \n' <"$(echo "$top"/test/*/suite_"${test%.*}".c)" | grep -qE "TEST(_N)?\(([0-9]+,)?${test#*.}\)" ||
    fail "there is no test $test to leave out"
done
DART_TEST_WITHOUT=" $(tr -s '\n ' ' ' <<<"$DART_TEST_WITHOUT") "
export DART_TEST_WITHOUT DART_LOG_LEVEL=ERROR DART_TEST_TIMEOUT=400
before=("${emulated[@]}")
suites_pass "$arm/dart-shmem/dartrun" "$arm/test/dart-test-shmem" "${suites[@]}"
finish
