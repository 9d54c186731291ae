# curves.awk: overhead over units for a plot: a line for each number of units, a column for each mutex of `names`.
#
#   awk -F, -v nodes=N -v us=WORK -v names=dart,... -f curves.awk mutex.csv
$1 == "contended" && $4 == nodes && $5 == us { cell[$2, $3] = $8 > 0 ? $8 : "nan"; units[$3] }
END {
  n = split(names, name, ",")
  for (u = 1; u <= 4096; u++) {
    if (!(u in units)) continue
    line = u
    for (i = 1; i <= n; i++) line = line " " ((name[i], u) in cell ? cell[name[i], u] : "nan")
    print line
  }
}
