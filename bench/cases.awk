# cases.awk: a line of CSV for every case of the micro benchmark, over all rounds of all tables: the median of
# what its bar is about, the least and the most of the rounds, the bar, and whether it is met.
#
#   awk -f cases.awk bench/bars RAW/micro-TABLE.ROUND.csv...
#
# Cases between two nodes have columns for the same ratio over TCP, and between hosts with a delay on the wire.

function median(key,    n, i, j, t, v) {
  n = rounds[key]
  for (i = 1; i <= n; i++) v[i] = value[key, i]
  for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j] < v[j - 1]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
  least = v[1]; most = v[n]
  return (v[int((n + 1) / 2)] + v[int((n + 2) / 2)]) / 2
}

# The number of the bar for a case; 0: it has none.
function bar_of(table, name, bytes,    b) {
  for (b = 1; b <= nbars; b++)
    if (table ~ bar_table[b] && name ~ bar_case[b] && bytes >= bar_from[b] && bytes <= bar_to[b]) return b
  return 0
}

# The ratio to MPI in another table of two nodes.
function elsewhere(table, key) {
  return (table, key) in by_mpi ? sprintf("%.3g", by_mpi[table, key]) : ""
}

NR == FNR {
  if ($0 ~ /^#/ || NF == 0) next
  nbars++
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
  name = $at["case"]; bytes = $at["bytes"]; key = table SUBSEP name SUBSEP bytes
  if (!(key in known)) { known[key]; order[++ncases] = key; bar[key] = bar_of(table, name, bytes + 0) }
  floor = $at["dart_per_floor"]; mpi = $at["dart_per_mpi"]
  if (bar[key]) what = bar_of_what[bar[key]]
  else what = mpi != "" ? "mpi" : floor != "" ? "floor" : "ns"
  of[key] = what
  figure = what == "mpi" ? mpi : what == "floor" ? floor : $at["dart_ns"]
  if (figure != "") value[key, ++rounds[key]] = figure + 0
  if (mpi != "") by_mpi[table, name, bytes] = mpi + 0
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
    if (part[1] == "micro-mpi-2x2" && part[2] ~ /^far_/) {
      tcp = elsewhere("micro-mpi-2x2-tcp", part[2] SUBSEP part[3])
      delayed = elsewhere("micro-mpi-2x2-delayed", part[2] SUBSEP part[3])
    }
    printf "%s,%s,%s,%s,%.4g,%.4g,%.4g,%s,%s,%s,%s\n", part[1], part[2], part[3], of[key], figure, least, most,
      bound, bound == "" ? "" : figure <= bound ? "met" : "MISSED", tcp, delayed
  }
}
