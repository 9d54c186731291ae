# ./quickstart as a newcomer runs it, in a copy of the tree without a build: it builds, its nine runs are verified, README's next
# command works, and a second run builds nothing. What is missing is said.
source "$(dirname "$0")/cli.bash"
top=$(cd "$(dirname "$0")/../.." && pwd)
need git cmake
[[ $(git -C "$top" rev-parse --show-toplevel 2>/dev/null) == "$top" ]] || { echo "skipped: $top is no clone"; exit 77; }
unset DART_BUILD_DIR CFLAGS CXXFLAGS LDFLAGS
run_limit=2400

mkdir "$work/clone"
# What is there but not committed yet is a part of it.
(cd "$top" && git ls-files -z --cached --others --exclude-standard | xargs -0 ls -d 2>/dev/null | tar -c -T -) |
  tar -x -C "$work/clone" || fail "the tree could not be copied"
cd "$work/clone" || exit 1
run nice ./quickstart
expect_code 0
[[ $out != *warning:* ]] || fail "warnings: $out"
rows=9
[[ $out == *' mpi '* ]] || rows=3
[[ $(grep -c ' yes$' <<<"$out") == "$rows" && $out != *FAILED* ]] || fail "not $rows verified rows: $out"
run build/release/dart-shmem/dartrun -n 2 build/release/bench/stencil-shmem --size 64
[[ $code == 0 && $out == *verified=yes* ]] || fail "the stencil: exit code $code; it said: $out$err"

touch "$work/moment"
run ./quickstart
expect_code 0
made=$(find build -newer "$work/moment" -name '*.o' -not -path '*/_CMake*') # what CMake tries at each configuration
[[ -z $made ]] || fail "a second run has built again: $made"
# A machine that lacks what README's commands need, and has nobody who could install it, is told so.
mkdir "$work/bin"
ln -s /usr/bin/* "$work/bin/"
rm "$work"/bin/{pkg-config,make,man,mandoc,apt-get,sudo} 2>/dev/null
PATH=$work/bin run ./quickstart
expect_code 0
[[ $err == *"and not installed for want of apt-get and root or sudo: pkg-config make man-db mandoc"$'\n'*"README's commands do not work"* ]] ||
  fail "what is missing was not said: $err"
run ./quickstart now
expect_code 2; expect_line "quickstart: 'now' is too much: it takes no arguments"
finish
