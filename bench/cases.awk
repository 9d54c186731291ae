# cases.awk: a line of CSV for every case of the benchmarks micro and epochs and each of its bars, over all rounds
# of all tables: the median of what the bar is about, the least and the most of the rounds, the bar, and whether
# it is met. A case without a bar has one line.
#
#   awk -f cases.awk bench/bars RAW/TABLE.ROUND.csv...
#
# Cases between two nodes have columns for the same ratio over TCP, and between hosts with a delay on the wire.

function median(key,    n, i, j, t, v) {
  n = rounds[key]
  for (i = 1; i <= n; i++) v[i] = value[key, i]
  for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j] < v[j - 1]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
  least = v[1]; most = v[n]
  return (v[int((n + 1) / 2)] + v[int((n + 2) / 2)]) / 2
}

# The numbers of the bars for a case: the first line that fits, and those with a plus; "": it has none.
function bars_of(table, name, bytes,    b, found, is_first) {
  is_first = 1
  for (b = 1; b <= nbars; b++) {
    if (!(table ~ bar_table[b] && name ~ bar_case[b] && bytes >= bar_from[b] && bytes <= bar_to[b])) continue
    if (bar_is_added[b] || is_first) found = found " " b
    if (!bar_is_added[b]) is_first = 0
  }
  return found
}

# The same ratio in another table of two nodes.
function elsewhere(table, key) {
  return (table, key) in ratio ? sprintf("%.3g", ratio[table, key]) : ""
}

# Of what a case without a bar is a ratio.
function best_of(floor, mpi) {
  return mpi != "" ? "mpi" : floor != "" ? "floor" : "ns"
}

# A round of a case, held against one bar; 0: none.
function note(table, name, bytes, b, floor, mpi, ns,    what, figure, key) {
  what = b ? bar_of_what[b] : best_of(floor, mpi)
  figure = what == "mpi" ? mpi : what == "floor" ? floor : ns
  key = table SUBSEP name SUBSEP bytes SUBSEP what
  if (!(key in known)) { known[key]; order[++ncases] = key; bar[key] = b }
  if (figure != "") value[key, ++rounds[key]] = figure + 0
}

NR == FNR {
  if ($0 ~ /^#/ || NF == 0) next
  nbars++
  bar_is_added[nbars] = sub(/^[+]/, "", $1)
  bar_table[nbars] = "^" $1 "$"; bar_case[nbars] = "^" $2 "$"
  bar_from[nbars] = $3; bar_to[nbars] = $4; bar_of_what[nbars] = $5; bar_bound[nbars] = $6
  next
}
FNR == 1 {
  FS = ","; $0 = $0
  for (c = 1; c <= NF; c++) at[$c] = c
  table = FILENAME; sub(/.*\//, "", table); sub(/\.[0-9]+\.csv$/, "", table)
  next
}
$at["dart_ns"] != "" {
  name = $at["case"]; bytes = $at["bytes"]; floor = $at["dart_per_floor"]; mpi = $at["dart_per_mpi"]
  n = split(bars_of(table, name, bytes + 0), bars, " ")
  for (i = 1; i <= n; i++) note(table, name, bytes, bars[i], floor, mpi, $at["dart_ns"])
  if (n == 0) note(table, name, bytes, 0, floor, mpi, $at["dart_ns"])
  if (mpi != "") ratio[table, name, bytes, "mpi"] = mpi + 0
  if (floor != "") ratio[table, name, bytes, "floor"] = floor + 0
}
END {
  print "table,case,bytes,of,figure,least,most,bar,result,tcp,delayed"
  for (i = 1; i <= ncases; i++) {
    key = order[i]
    if (!rounds[key]) continue
    split(key, part, SUBSEP)
    figure = median(key)
    bound = bar[key] ? bar_bound[bar[key]] : ""
    tcp = delayed = ""
    if (part[1] == "epochs-mpi-2x2" || (part[1] == "micro-mpi-2x2" && part[2] ~ /^far_/)) {
      tcp = elsewhere(part[1] "-tcp", part[2] SUBSEP part[3] SUBSEP part[4])
      delayed = elsewhere(part[1] "-delayed", part[2] SUBSEP part[3] SUBSEP part[4])
    }
    printf "%s,%s,%s,%s,%.4g,%.4g,%.4g,%s,%s,%s,%s\n", part[1], part[2], part[3], part[4], figure, least, most,
      bound, bound == "" ? "" : figure <= bound ? "met" : "MISSED", tcp, delayed
  }
}
