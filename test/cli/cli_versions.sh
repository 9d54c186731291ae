# What says something twice says the same: the version, in each of its places, and the packages that ./check needs, which
# packaging/Dockerfile has in its image.
source "$(dirname "$0")/cli.bash"
top=$(cd "$(dirname "$0")/../.." && pwd)

run "$top/packaging/release" --versions
expect_code 0
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
expect_out "== All have the version $version"

# words FILE SCRIPT: the names of packages in what the script of sed prints of it.
words() { sed -n "$2" "$1" | grep -oE '[a-z][a-z0-9+.-]+' | sort -u; }
words "$top/check" '/^install_missing/,/||/{ s/install_missing//; s/||.*//; p }' >"$work/check"
words "$top/packaging/Dockerfile" '/^FROM.*develop/,/^FROM develop/p' >"$work/image"
(($(wc -l <"$work/check") > 10)) || fail "found few packages in ./check: $(<"$work/check")"
differ=$(comm -23 "$work/check" "$work/image")
[[ -z $differ ]] || fail "packaging/Dockerfile lacks packages of ./check: $differ"
finish
