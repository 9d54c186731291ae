# The manual: a page for each function of the interface, of which each names only pages that there are, and no page that
# a reader of pages has anything to say about.
source "$(dirname "$0")/cli.bash"
top=$(cd "$(dirname "$0")/../.." && pwd)
man=$build/man
need mandoc
[[ -e $man/made ]] || { echo "skipped: the build has made no pages"; exit 77; }

functions=$(grep -o 'X(dart_[a-z_0-9]*)' "$top/dart-if/include/dash/dart/ext/dart_profile.h" | sed 's/X(\(.*\))/\1/')
functions+=$'\n'$(sed -nE 's/^DART_INLINE .* (dart_[a-z_0-9]+)\(.*/\1/p' "$top"/dart-if/include/dash/dart/if/*.h)
(($(wc -l <<<"$functions") > 100)) || fail "few functions were found: $functions"
for name in $functions; do
  [[ -s $man/man3/$name.3 ]] || { fail "no page for $name"; continue; }
  grep -q "^\.Fo $name\$" "$man/man3/$name.3" && grep -q '^\.Nd .' "$man/man3/$name.3" &&
    [[ $(sed -n '/^\.Sh DESCRIPTION/,/^\.Sh [^D]/p' "$man/man3/$name.3" | wc -l) -gt 2 ]] ||
    fail "the page of $name has no prototype or no text"
done

for name in dartrun dart-info dart-report dart-trace; do
  [[ -s $man/man1/$name.1 ]] || fail "no page for the program $name"
done

# Other packages' pages, which may be missing here or not yet in mandoc's index, are not tested.
said=$(mandoc -Tlint "$man"/man[137]/* 2>&1 | grep -v -e 'referenced manual not found' -e 'mandoc.db lacks')
[[ -z $said ]] || fail "mandoc says: $said"
while read -r _ name chapter _; do
  [[ -s $man/man$chapter/$name.$chapter || $name == mpiexec ]] || fail "a page names $name($chapter), which there is not"
done < <(grep -h '^\.Xr ' "$man"/man[137]/* | sort -u)

[[ $(mandoc -Tascii "$man/man3/dart_put_blocking.3" | col -b) == *'dart_put_blocking(dart_gptr_t'*'DART_ERR_'* ]] ||
  fail "the page of dart_put_blocking is not its contract"
finish
