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

# ./check NAME makes the builds that have a test of that name: here the first one has a.b, and all others c.d, too.
mkdir "$work/bin"
cat >"$work/bin/ctest" <<'END'
#!/bin/bash
[[ $1 != --help ]] || { printf ' %s\n' --output-on-failure --no-tests=error '-R <name>' '-j <n>'; exit; }
[[ $1 == --test-dir ]] || { echo "ctest of $(sed 's|.*/\([a-z_]*\)".*|\1|' CTestTestfile.cmake | paste -sd' ')"; exit; }
tests=a.b
[[ $2 == */release ]] || tests="${2##*/}.a.b ${2##*/}.c.d"
echo "Total Tests: $(tr ' ' '\n' <<<"$tests" | grep -cE -- "$5")"
END
cat >"$work/bin/cmake" <<'END'
#!/bin/bash
[[ $1 != --build ]] || echo "${2##*/}" >>"$DART_BUILD_DIR/built"
END
chmod +x "$work/bin/ctest" "$work/bin/cmake"
# check_by_name BUILDS ARGUMENT...
check_by_name() {
  local tree
  tree=$(mktemp -d "$work/tree.XXXXXX")
  run env PATH="$work/bin:$PATH" DART_BUILD_DIR="$tree" "$top/check" "${@:2}"
  expect_code 0
  [[ $out == *"ctest of $1" && $(paste -sd' ' "$tree/built") == "$1" ]] || fail "./check ${*:2}: $out, $(<"$tree/built")"
}
check_by_name release a.b
check_by_name 'asan clang inject tsan' c.d
check_by_name 'release asan clang inject tsan' a.b c.d
check_by_name asan asan.c
check_by_name 'release asan clang inject tsan' --all a.b
check_by_name 'asan clang inject tsan' --all c.d
finish
