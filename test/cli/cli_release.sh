# packaging/release makes a tarball that builds without git, and refuses a tree that is not clean and versions that
# do not agree. It is run in a clone of the commit that is checked out.
source "$(dirname "$0")/cli.bash"
need git cmake sha256sum
top=$(cd "$(dirname "$0")/../.." && pwd)
git clone -q "$top" "$work/tree" 2>"$work/log" || { echo "skipped: $top is no git repository"; exit 77; }
grep -q '^DART_SANITIZE:STRING=$' "$build/CMakeCache.txt" || { echo "skipped: once is enough"; exit 77; }
cd "$work/tree" || exit 1
git config user.name tester
git config user.email tester@tester.invalid

timeout -k 5 1600 packaging/release --try "$work/made" >"$work/out" 2>"$work/err" </dev/null
code=$?
expect_code 0
tarball=("$work"/made/dart-*.tar.gz)
[[ $(tail -n 1 "$work/out") == "$(sha256sum <"${tarball[0]}" | cut -d' ' -f1)  ${tarball[0]##*/}" ]] ||
  fail "no checksum of ${tarball[*]} in: $(<"$work/out")"
differ=$(diff <(tar -tzf "${tarball[0]}" | grep -v '/$' | sed 's|^[^/]*/||' | sort) <(git ls-files | sort)) ||
  fail "the tarball (<) and the tree (>) differ: $differ"

# refused PATTERN: it says so, and makes nothing.
refused() {
  run packaging/release "${try[@]}" "$work/refused"
  [[ $code == 1 ]] || fail "exit code $code"
  # shellcheck disable=SC2053
  [[ $err == $1 ]] || fail "stderr '$err' is not like '$1'"
  [[ -z $(ls "$work/refused") ]] || fail "made: $(ls "$work/refused")"
}
# changed FILE SCRIPT: a commit with that change of sed.
changed() {
  git reset -q --hard FETCH_HEAD
  sed -i "$2" "$1"
  ! git diff --quiet || fail "sed changed nothing in $1"
  git commit -qam "$1"
}
git fetch -q origin HEAD
try=(--try)
echo >>README.md
refused '*the tree is not clean*README.md'
changed dart-if/include/dash/dart/if/dart.h 's/\(define DART_VERSION_PATCH\) .*/\1 99/'
refused "*dart.h, in numbers, has the version '*.99', CMakeLists.txt has *"
changed CHANGELOG.md '0,/^## .*/s//## 9.9.9 (not released)/'
refused "*CHANGELOG.md has the version '9.9.9'*"
changed debian/changelog '1s/(.*)/(9.9.9)/'
refused "*debian/changelog has the version '9.9.9'*"
changed dart-base/dart.map 's/^DART_[0-9.]* {/DART_99.0 {/'
refused "*dart.map has symbols of 99.0*"
try=()
changed CHANGELOG.md '0,/^\(## [^ ]*\).*/s//\1 (soon)/'
refused "*CHANGELOG.md begins with '## * (soon)'*"
finish
