# pair.awk: which cases are slower in one tree than in the other, for bench/pair, whose --help defines slower.
#
#   awk -F, -f pair.awk ROUNDS.csv
#
# Lines are round,side,case,bytes,ns; the side is old or new. A line without ns says that this side alone has the case.
# Exit code 1: a case is slower; 2: nothing could be compared.
BEGIN { least_change = 0.05; spreads = 3 }

# Sorts v[1..n].
function sort(v, n,    i, j, t) {
  for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j] < v[j - 1]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
}

function middle(v, n) {
  return (v[int((n + 1) / 2)] + v[int((n + 2) / 2)]) / 2
}

# Least, median and spread of one side of a case.
function describe(side, key,    n, i, v) {
  n = rounds[side, key]
  for (i = 1; i <= n; i++) v[i] = value[side, key, i]
  sort(v, n)
  least[side] = v[1]
  median[side] = middle(v, n)
  for (i = 1; i <= n; i++) v[i] = v[i] < median[side] ? median[side] - v[i] : v[i] - median[side]
  sort(v, n)
  spread[side] = middle(v, n) / median[side]
}

# Names the cases that only this side has.
function list_alone(side, other,    i, line, n, part) {
  for (i = 1; i <= ncases; i++)
    if ((side, order[i]) in has && !((other, order[i]) in has)) {
      split(order[i], part, SUBSEP)
      line = line (n++ > 0 ? ", " : " ") part[1] (part[2] > 0 ? " of " part[2] " B" : "")
    }
  if (n > 0) printf "%d only in the %s tree, not compared:%s\n", n, side, line
}

FNR == 1 {
  if ($0 != "round,side,case,bytes,ns") {
    print "bench/pair: " FILENAME " has no figures of rounds" >"/dev/stderr"
    is_other_file = 1
    exit 2
  }
  next
}
{
  key = $3 SUBSEP $4
  if (!(key in known)) { known[key]; order[++ncases] = key }
  has[$2, key]
  if ($5 > 0) value[$2, key, ++rounds[$2, key]] = $5 + 0
}
END {
  if (is_other_file) exit 2
  printf "%-32s %9s  %10s %10s %6s  %10s %10s %6s  %6s\n", "# ns: case", "bytes", "least old", "new", "ratio",
    "median old", "new", "ratio", "spread"
  for (i = 1; i <= ncases; i++) {
    key = order[i]
    if (!rounds["old", key] || !rounds["new", key]) continue
    split(key, part, SUBSEP)
    describe("old", key); describe("new", key)
    by_least = least["new"] / least["old"]; by_median = median["new"] / median["old"]
    share = spread["old"] > spread["new"] ? spread["old"] : spread["new"]
    bound = spreads * share > least_change ? spreads * share : least_change
    mark = ""
    if (rounds["old", key] < 3 || rounds["new", key] < 3) { few++; mark = "  too few rounds" }
    else if (by_least > 1 + bound && by_median > 1 + bound) { slower++; mark = "  slower" }
    else if (by_least < 1 / (1 + bound) && by_median < 1 / (1 + bound)) { faster++; mark = "  faster" }
    both++
    printf "%-32s %9d  %10.4g %10.4g %6.3f  %10.4g %10.4g %6.3f  %5.1f%%%s\n", part[1], part[2],
      least["old"], least["new"], by_least, median["old"], median["new"], by_median, 100 * share, mark
  }
  list_alone("old", "new"); list_alone("new", "old")
  printf "%d of %d cases are slower, %d faster", slower, both, faster
  if (few > 0) printf ", %d have too few rounds", few
  printf "\n"
  if (both == few) print "bench/pair: no case has figures of three rounds of both trees" >"/dev/stderr"
  exit both == few ? 2 : slower > 0
}
