# Every function of the contract, as check_interface.c lists it, is in both libraries, and has a row
# in the table of bad arguments (suite_errors_*.c) unless it is named here. All functions have two names. The
# shared libraries export what dart.map lists, with versions, and programs that know of no versions run with them.
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
table=$(grep -oE '((ROW|REFUSED)\(|\{ ")dart_[a-z0-9_]+' "$folder"/*/suite_errors_*.c |
  grep -oE 'dart_[a-z0-9_]+')
for name in $contract; do
  if grep -qw "$name" <<<"$without_bad_arguments"; then
    ! grep -qx "$name" <<<"$table" || fail "$name is said to have no bad arguments, but has a row"
  else
    grep -qx "$name" <<<"$table" || fail "$name has no row in a suite_errors_*.c"
  fi
done
for name in $without_bad_arguments; do
  grep -qx "$name" <<<"$contract" || fail "$name is no function of the contract"
done

profile=$folder/../dart-if/include/dash/dart/ext/dart_profile.h
listed=$(grep -oE 'X\(dart_[a-z0-9_]+\)' "$profile" | sed 's/X(\(.*\))/\1/' | sort -u)

# What dart.map lists: of the versions up to this one's.
map=$folder/../dart-base/dart.map
listed_in_map=$(sed 's|/\*.*\*/||; /^\/\*/,/\*\/$/d' "$map" | grep -oE '\bp?dart_[a-z0-9_]+;' | tr -d ';' | sort)
differ=$(uniq -d <<<"$listed_in_map")
[[ -z $differ ]] || fail "dart.map lists twice: $differ"

tested=0
for library in "$build"/dart-{shmem,mpi}/libdart-{shmem,mpi}.{a,so}; do
  [[ -e $library ]] || continue
  tested=$((tested + 1))
  [[ $library == *.so ]] && what=--dynamic || what=--extern-only
  symbols=$(nm "$what" "$library" 2>/dev/null | awk 'NF > 1 { sub(/@.*/, "", $NF); print $(NF - 1), $NF }' | sort -u)
  for name in $contract; do
    grep -qx "W $name" <<<"$symbols" || fail "${library##*/} does not define $name, weakly"
  done
  # Every function has its second name, strong, and the library calls no first ones, which a program may define.
  first=$(sed -nE 's/^[WT] (dart_[a-z0-9_]+)$/\1/p' <<<"$symbols" | sort -u)
  second=$(sed -nE 's/^T p(dart_[a-z0-9_]+)$/\1/p' <<<"$symbols" | sort -u)
  differ=$(diff <(echo "$first" | grep -v '^dart__') <(echo "$second" | grep -v '^dart__')) ||
    fail "${library##*/} has names (<) without a second one: $differ"
  ! grep -E '^T dart_[a-z0-9]' <<<"$symbols" || fail "${library##*/} has first names that are not weak"
  variables=$(sed -nE 's/^[BDR] (dart_[a-z0-9_]+)$/U \1/p' <<<"$symbols")
  ! grep -E '^U dart_[a-z0-9]' <<<"$symbols" | grep -vxF "$variables" || fail "${library##*/} calls functions by their first names"
  differ=$(diff <(echo "$second" | grep -v '^dart__') <(echo "$listed")) ||
    fail "dart_profile.h (>) does not list the functions of ${library##*/} (<): $differ"
  [[ $what == --dynamic ]] || continue
  exported=$(nm -D --defined-only "$library" | awk '{ print $NF }' | grep -v '^DART_')
  differ=$(grep -v '@@DART_[0-9]*\.[0-9]*$' <<<"$exported")
  [[ -z $differ ]] || fail "${library##*/} exports without a version: $differ"
  differ=$(diff <(sed 's/@.*//' <<<"$exported" | grep -v 'dart__io__hdf5__' | sort) <(echo "$listed_in_map")) ||
    fail "dart.map (>) does not list what ${library##*/} exports (<): $differ"
done

# A program that was linked with a library without versions, alone and with a layer before it.
library=$build/dart-shmem/libdart-shmem.so
if has_backend shmem && [[ -e $library ]] && grep -q '^DART_SANITIZE:STRING=$' "$build/CMakeCache.txt"; then
  mkdir "$work/old" "$work/report"
  for name in $listed; do echo "void $name(void) {}"; done >"$work/old.c"
  soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
  run "${CC:-cc}" -shared -fPIC "-Wl,-soname,$soname" "$work/old.c" -o "$work/old/libdart-shmem.so"
  expect_code 0
  run "${CC:-cc}" -I"$folder/../dart-if/include" "$folder/../examples/ring.c" -o "$work/ring" "$work/old/libdart-shmem.so"
  expect_code 0
  ! readelf -V "$work/ring" | grep -q DART_ || fail "the program knows of versions"
  dartrun=(env LD_LIBRARY_PATH="$build/dart-shmem" "$build/dart-shmem/dartrun" -n 2 "$work/ring")
  run "${dartrun[@]}"; expect_code 0
  run env DART_REPORT="$work/report" "${dartrun[@]}"; expect_code 0
  [[ -s $work/report/unit-1.json ]] || fail "the layer was not in the calls of the program; it said: $err"
fi
[[ $tested -gt 0 ]] || { echo "skipped: no library in $build"; exit 77; }
finish
