# tables.awk: the cells of bench/mutexes as tables to read: per cent overhead, and longest wait / mean, with a line
# for each mutex and a column for each number of units; and calls without contention. `>` is a run that was stopped.
#
#   awk -F, -f tables.awk mutex.csv
FNR == 1 { next }
function note(set, list, value) {
  if (!((set, value) in seen)) { seen[set, value]; list[++n[set]] = value }
}
$1 ~ /^free/ { if (!(($2, $3, $4, $1) in turn)) note("free", free, $2 SUBSEP $3 SUBSEP $4 SUBSEP $1)
  turn[$2, $3, $4, $1] = $7; acquire[$2, $3, $4, $1] = $10; release[$2, $3, $4, $1] = $11; next }
{
  note("mutex", mutex, $2); note("units", units, $3 + 0); note("work", work, $5 + 0); note("nodes", nodes, $4 + 0)
  overhead[$2, $3 + 0, $4 + 0, $5 + 0] = $1 == "stopped" ? ">" : sprintf("%.2f", $8)
  unfair[$2, $3 + 0, $4 + 0, $5 + 0] = $1 == "stopped" ? ">" : sprintf("%.1f", $9)
  if ($1 != "stopped" && $6 + 0 < 100) fewer[$3 + 0, $5 + 0] = $6
}
function sort(list, count,    i, j, t) {
  for (i = 2; i <= count; i++)
    for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
}
function table(title, cell, on, us,    m, u, line, any) {
  printf "\n%s, %s us of work, %s node(s)\n%-10s", title, us, on, "units"
  for (u = 1; u <= n["units"]; u++) printf "%10s", units[u]
  print ""
  for (m = 1; m <= n["mutex"]; m++) {
    line = any = ""
    for (u = 1; u <= n["units"]; u++) {
      v = cell[mutex[m], units[u], on, us]
      any = any v
      line = line sprintf("%10s", v == "" ? "-" : v)
    }
    if (any != "") printf "%-10s%s\n", mutex[m], line
  }
  line = ""
  for (u = 1; u <= n["units"]; u++) line = line sprintf("%10s", (units[u], us) in fewer ? fewer[units[u], us] : 100)
  printf "%-10s%s\n", "(rounds)", line
}
END {
  sort(units, n["units"]); sort(work, n["work"]); sort(nodes, n["nodes"])
  print "without contention: ns of acquire and release; by the clock, acquire, release"
  for (f = 1; f <= n["free"]; f++) {
    split(free[f], k, SUBSEP)
    if (k[2] == 2 * k[3] || k[2] == 2) # two units of one node, or one of each
      printf "%-10s %s units on %s node(s), %-10s %10.1f %10.1f %10.1f\n", k[1], k[2], k[3], substr(k[4], 6),
        turn[free[f]], acquire[free[f]], release[free[f]]
  }
  for (o = 1; o <= n["nodes"]; o++)
    for (w = 1; w <= n["work"]; w++) {
      if (work[w] > 0) table("per cent overhead", overhead, nodes[o], work[w])
      table("longest wait / mean", unfair, nodes[o], work[w])
    }
}
