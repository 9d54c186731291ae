# html.sh MAN LIST OUT TITLE: the manual as HTML. A page of OUT for each page of MAN, by mandoc; an index by subject and by
# header, from the LIST that pages.awk writes; and a search field, which needs no network.
#
# A page links to what it names, if that has a page.
[ "${1-}" != --help ] || { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit; }
set -eu
man=$1 list=$2 out=$3 title=$4
folder=$(dirname "$0")

command -v mandoc >/dev/null || { echo 'The manual as HTML needs mandoc (Debian: apt install mandoc)' >&2; exit 1; }
rm -rf "$out"
mkdir -p "$out"
cp "$folder/html/style.css" "$folder/html/search.js" "$out"

# All names and what they are about: those of the list, and the pages that are written by hand.
{
  for page in "$man"/man[17]/*; do
    name=${page##*/}
    printf '%s\t\t%s\t%s\t%s\n' "${name%.*}" "${name##*.}" "$(sed -n 's/^\.Nd //p' "$page")" "$name"
  done
  sed 's/$/.3/' "$list"
} >"$out/names"

awk -v title="$title" -v out="$out" -v subjects="$folder/subjects" -f "$folder/html.awk" "$out/names"
for page in "$man"/man[137]/*; do
  [ ! -L "$page" ] || continue # a further name of another page
  name=${page##*/}
  mandoc -T html -O 'fragment,man=%N.%S.html' "$page" >"$out/page"
  awk -v title="$title" -v page="$name" -f "$folder/html.awk" "$out/names" - <"$out/page" >"$out/$name.html"
done
rm "$out/names" "$out/page"
