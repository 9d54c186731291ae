# bench/plots: the plots of doc/performance.md are what its tables make of them, small, and readable in light and dark; a
# figure that changes in the page changes its dot.
source "$(dirname "$0")/cli.bash"
need python3
top=$(cd "$(dirname "$0")/../.." && pwd)
page=$top/doc/performance.md

run "$top/bench/plots" --check; expect_code 0
questions=$(grep -c '^## .*?$' "$page")
((questions >= 7)) || fail "only $questions questions in the page"
[[ $(grep -c '^!\[.*](plots/.*\.svg)$' "$page") == "$questions" && $(ls "$top/doc/plots" | wc -l) == "$questions" ]] ||
  fail "$questions questions, and these plots: $(ls "$top/doc/plots")"
for plot in "$top"/doc/plots/*.svg; do
  (($(wc -c <"$plot") <= 6144)) || fail "$plot has $(wc -c <"$plot") bytes"
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$plot" || fail "$plot is no XML"
  [[ $(<"$plot") == *prefers-color-scheme:dark*'<circle'* ]] || fail "$plot has no colours for the dark, or no dots"
done

# A page of its own: another figure, and nothing else, moves one dot, with its line.
mkdir "$work/doc"
plots() { run "$top/bench/plots" --page "$work/doc/page.md" "$@"; }
awk -F ' [|] ' -v OFS=' | ' '/^[|] 64 [|] / { $2 *= 2 } 1' "$page" >"$work/doc/page.md"
cmp -s "$page" "$work/doc/page.md" && fail "the page has no such row any more"
cp -r "$top/doc/plots" "$work/doc/"
plots --check; expect_code 1; expect_line "bench/plots: not what the page makes of it: $work/doc/plots/put-on-a-node.svg"
plots; expect_code 0
plots --check; expect_code 0
diff -rq "$top/doc/plots" "$work/doc/plots" | grep -q 'put-on-a-node.svg' || fail "the plot has not changed"
[[ $(diff -rq "$top/doc/plots" "$work/doc/plots" | wc -l) == 1 ]] || fail "other plots have changed, too"
dots() { grep -o '<circle[^/]*r="3"/>' "$1/put-on-a-node.svg"; }
[[ $(diff <(dots "$top/doc/plots") <(dots "$work/doc/plots") | grep -c '^>') == 1 ]] || fail "not one dot has moved"
# On the logarithmic axis, of 50 pixels a decade and more, twice as much is a third of a decade higher.
python3 - "$top/doc/plots" "$work/doc/plots" <<'END' || fail "the dot is not where it belongs"
import math, re, sys
ys = [[float(y) for y in re.findall(r'<circle cx="[\d.]+" cy="([\d.]+)" r="3"', open(f"{folder}/put-on-a-node.svg").read())]
      for folder in sys.argv[1:]]
ticks = {float(name): float(y) - 4 for y, name in
         re.findall(r'<text x="56" y="([\d.]+)" text-anchor="end">([\d.]+)<', open(f"{sys.argv[1]}/put-on-a-node.svg").read())}
decade = ticks[1] - ticks[10]
moved = [a - b for a, b in zip(*ys) if a != b]
sys.exit(not (len(moved) == 1 and abs(moved[0] - decade * math.log10(2)) < 0.3))
END

# A plot that nobody knows how to draw, or that is missing, is named.
sed 's/plots.stencil/plots\/other/' "$page" >"$work/doc/page.md"
plots; expect_code 1; expect_line "bench/plots: $work/doc/page.md has the plots *, other, *"
finish
