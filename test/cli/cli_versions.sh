# What says something twice says the same: the version, in each of its places, and the packages that ./check needs, which
# packaging/Dockerfile has in its image.
source "$(dirname "$0")/cli.bash"
top=$(cd "$(dirname "$0")/../.." && pwd)

run "$top/packaging/release" --versions
expect_code 0
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
expect_out "== All have the version $version"

# Each program says it.
for program in tools/dart-trace dart-shmem/dartrun dart-mpi/dartrun tools/dart-info-shmem; do
  [[ ! -x $build/$program ]] || { run "$build/$program" --version; expect_code 0; [[ $out == "${program##*/}"*" $version" || $out == dart*" $version" ]] || fail "$program: $out"; }
done
run "$top/tools/dart-report" --version; expect_code 0; expect_out "dart-report $version"

# words FILE SCRIPT: the names of packages in what the script of sed prints of it.
words() { sed -n "$2" "$1" | grep -oE '[a-z][a-z0-9+.-]+' | sort -u; }
words "$top/check" '/^install_missing/,/||/{ s/install_missing//; s/||.*//; p }' >"$work/check"
words "$top/packaging/Dockerfile" '/^FROM.*develop/,/^FROM develop/p' >"$work/image"
(($(wc -l <"$work/check") > 10)) || fail "found few packages in ./check: $(<"$work/check")"
differ=$(comm -23 "$work/check" "$work/image")
[[ -z $differ ]] || fail "packaging/Dockerfile lacks packages of ./check: $differ"
finish
