#!/usr/bin/env bash
# Models name what their steps stand for, and this finds names that the library no longer has: each word in a
# model's comments that looks like one of C (it has an underscore, or is in backticks) is in the library's code,
# or in the model itself; and each file that is named with its folder exists.
[[ ${1-} != --help ]] || { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit; }
set -euo pipefail

models=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -- "$models/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v "${CC:=cc}" >/dev/null || { echo "skipped: there is no $CC here"; exit 77; }

# Comments do not count as code: a function that is mentioned somewhere may be gone.
without_comments() { cat "$@" | "$CC" -fpreprocessed -dD -E -P -w -x c -; }
words() { grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u; }
comments() { grep -ozP '(?s)/\*.*?\*/' "$1" | tr '\0' '\n'; }

cd "$root"
find dart-if dart-base dart-mpi dart-shmem launch -name '*.[ch]' >"$work/files"
xargs cat <"$work/files" | without_comments | words >"$work/library"

failures=0
fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s names %s, which the library does not have\n' "$1" "$2"
}

for model in test/models/*.pml; do
  { without_comments "$model" | words
    sed -nE 's/^ \* (run|large|mutant|limit): ([a-z_0-9]+).*/\2/p' "$model"
    ls test/models | sed 's/\.pml$//'
    printf '%s\n' seq_cst acq_rel; } | sort -u >"$work/model"
  comments "$model" | grep -vE '^ \* (run|large|mutant|limit): ' >"$work/comments"
  file='\b[a-z][a-z0-9-]*(/[a-z0-9_-]+)+\.[a-z]+\b'
  { sed -E "s#$file##g" "$work/comments" | grep -oE '\b[a-z][a-z0-9]*_[a-z0-9_]+\b' || true
    grep -oP '`\K[a-z_0-9]+(?=`)' "$work/comments" || true; } | sort -u >"$work/named"
  for name in $(sort -m "$work/library" "$work/model" | comm -23 "$work/named" -); do
    fail "$model" "$name"
  done
  for path in $(grep -oE "$file" "$work/comments" | sort -u); do
    grep -qE "(^|/)$path\$" "$work/files" || [[ -e $path ]] || fail "$model" "$path"
  done
done
((failures == 0)) && echo "$(ls test/models/*.pml | wc -l) models name what there is"
