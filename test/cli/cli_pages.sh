# The pages for users: each block of shell in them runs as it stands, in a folder like that of a clone after quickstart; the
# code of the guide is that of examples/guide.c; links lead somewhere; and there is not more to read than people read.
# cli_tutorial.sh looks at the tutorial's programs, cli_clusters.sh at the commands for clusters.
source "$(dirname "$0")/cli.bash"
top=$(cd "$(dirname "$0")/../.." && pwd)
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
[[ -n $(cached DART_INSTALL) ]] || { echo "skipped: $build installs nothing"; exit 77; }
[[ -z $(cached DART_SANITIZE) ]] || { echo "skipped: sanitizers are not for outside"; exit 77; }
[[ -d $build/examples ]] || { echo "skipped: this build has no examples"; exit 77; }
need cmake pkg-config
cd "$top" || exit 1
pages=(README.md doc/*.md)

# ---- links ---------------------------------------------------------------------------------------

# The anchors of a page, as GitHub makes them of its headings.
anchors() { sed -nE 's/^#+ //p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'; }
links=0
for page in "${pages[@]}" CONTRIBUTING.md doc/internals/*.md test/README.md; do
  while IFS= read -r link; do
    links=$((links + 1))
    file=${link%%#*}
    to=$(dirname "$page")/$file
    [[ -n $file ]] || to=$page
    [[ -e $to ]] || fail "$page: there is no $link"
    [[ $link != *#* || ! -e $to ]] || anchors "$to" | grep -qxF -e "${link#*#}" || fail "$page: there is no $link"
  done < <(grep -oE '\]\([^)]+\)' "$page" | sed 's/^](//; s/)$//' | grep -v '^https\?:')
done
((links > 60)) || fail "only $links links were found"

# ---- code and length -----------------------------------------------------------------------------

# fenced KIND PAGE: the blocks of that kind, one after the other.
fenced() { awk -v kind="\`\`\`$1" '/^```$/ { inside = 0 } inside { print } $0 == kind { inside = 1 }' "$2"; }

inside=$(<examples/guide.c) pieces=0
piece=
while IFS= read -r line; do
  if [[ $line == '```' ]]; then
    pieces=$((pieces + 1))
    [[ $inside == *"${piece%$'\n'}"* ]] || fail "not in examples/guide.c: $piece"
    piece=
  else
    piece+=$line$'\n'
  fi
done < <(awk '/^```$/ && inside { print; inside = 0 } inside { print } /^```c$/ { inside = 1 }' doc/guide.md)
((pieces >= 10)) || fail "only $pieces pieces of code in the guide"

words=$(cat "${pages[@]}" | wc -w)
((words > 5000 && words <= 20000)) || fail "the pages for users have $words words, not at most 20000"
words=$(cat doc/internals/*.md | wc -w)
((words > 5000 && words <= 15000)) || fail "doc/internals has $words words, not at most 15000"
(($(wc -l <doc/next.md) <= 60)) || fail "doc/next.md has more than 60 lines"

# ---- commands ------------------------------------------------------------------------------------

clone=$work/clone
mkdir -p "$clone/build"
ln -s "$build" "$clone/build/release"
ln -s "$top"/{dart-if,bench,tools,examples} "$clone/"
cd "$clone" || exit 1
fenced c "$top/README.md" >ring.c
# The first block of README with `cmake --install` makes the folder that the other pages' commands are in.
awk -v folder="$work" '
  /^```$/ && inside { inside = 0; close(file) }
  inside { print > file }
  /^```sh$/ { inside = 1; n = FILENAME; gsub(/.*\/|\.md$/, "", n); file = sprintf("%s/%s.%03d.sh", folder, n, ++count) }
' "$top/README.md" $(cd "$top" && ls doc/*.md | grep -v clusters.md | sed "s|^|$top/|")
PATH=$clone/dart/bin:$PATH
export PATH DART_LOG_LEVEL=ERROR
blocks=0
for block in "$work"/README.*.sh "$work"/[!R]*.sh; do
  [[ -e $block ]] || continue
  ! grep -q mpi "$block" || [[ -x $build/dart-mpi/dartrun ]] || continue
  blocks=$((blocks + 1))
  run timeout 100 bash -ex "$block"
  [[ $code == 0 ]] || fail "$(basename "$block"), exit code $code: $(<"$block")"$'\n'"it said: $out"$'\n'"$err"
  if [[ ! -e program && -d dart/bin ]]; then # what the pages call ./program
    PKG_CONFIG_PATH=$clone/dart/lib/pkgconfig bash -c 'cc "$1" -o program $(pkg-config --cflags --libs dart-shmem)' - \
      "$top/examples/guide.c" || fail "no program could be made"
  fi
done
((blocks >= 7)) || fail "only $blocks blocks of commands were found"
finish
