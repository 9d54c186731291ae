# Every function of the contract, as check_interface.c lists it, is in both libraries, and has a row
# in the table of bad arguments (suite_errors.c) unless it is named here. All functions have two names.
source "$(dirname "$0")/cli.bash"
need nm

folder=$(dirname "$0")/..
contract=$(grep -oE '^  X\([^,]+, dart_[a-z0-9_]+' "$folder/headers/check_interface.c" | sed 's/.*, //')
contract=${contract//dart__io__hdf5__prep_mpio/} # exists where HDF5 does

# Any argument is a good one, or there is none, or no way to tell: NULL is a null handle, an empty
# array, "tell me nothing"; and who aborts or exits does so.
without_bad_arguments="dart_abort dart_config dart_exit dart_handle_free dart_initialized
  dart_lock_initialized dart_wait dart_wait_local dart_waitall dart_waitall_local"

((${#contract} > 1000)) || fail "no functions found in check_interface.c"
table=$(grep -oE '((ROW|REFUSED)\(|\{ ")dart_[a-z0-9_]+' "$folder/base/suite_errors.c" |
  grep -oE 'dart_[a-z0-9_]+')
for name in $contract; do
  if grep -qw "$name" <<<"$without_bad_arguments"; then
    ! grep -qx "$name" <<<"$table" || fail "$name is said to have no bad arguments, but has a row"
  else
    grep -qx "$name" <<<"$table" || fail "$name has no row in suite_errors.c"
  fi
done
for name in $without_bad_arguments; do
  grep -qx "$name" <<<"$contract" || fail "$name is no function of the contract"
done

profile=$folder/../dart-if/include/dash/dart/ext/dart_profile.h
listed=$(grep -oE 'X\(dart_[a-z0-9_]+\)' "$profile" | sed 's/X(\(.*\))/\1/' | sort -u)

tested=0
for library in "$build"/dart-{shmem,mpi}/libdart-{shmem,mpi}.{a,so}; do
  [[ -e $library ]] || continue
  tested=$((tested + 1))
  [[ $library == *.so ]] && what=--dynamic || what=--extern-only
  symbols=$(nm "$what" "$library" 2>/dev/null | awk 'NF > 1 { print $(NF - 1), $NF }' | sort -u)
  for name in $contract; do
    grep -qx "W $name" <<<"$symbols" || fail "${library##*/} does not define $name, weakly"
  done
  # Every function has its second name, strong, and the library calls no first ones, which a program may define.
  first=$(sed -nE 's/^[WT] (dart_[a-z0-9_]+)$/\1/p' <<<"$symbols" | sort -u)
  second=$(sed -nE 's/^T p(dart_[a-z0-9_]+)$/\1/p' <<<"$symbols" | sort -u)
  differ=$(diff <(echo "$first" | grep -v '^dart__') <(echo "$second" | grep -v '^dart__')) ||
    fail "${library##*/} has names (<) without a second one: $differ"
  ! grep -E '^T dart_[a-z0-9]' <<<"$symbols" || fail "${library##*/} has first names that are not weak"
  ! grep -E '^U dart_[a-z0-9]' <<<"$symbols" || fail "${library##*/} calls functions by their first names"
  differ=$(diff <(echo "$second" | grep -v '^dart__') <(echo "$listed")) ||
    fail "dart_profile.h (>) does not list the functions of ${library##*/} (<): $differ"
done
[[ $tested -gt 0 ]] || { echo "skipped: no library in $build"; exit 77; }
finish
