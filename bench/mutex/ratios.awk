# ratios.awk: the cells of bench/mutexes on `nodes` nodes as cases that bench/cases.awk holds against bench/bars:
# dart_lock's overhead (of MPI: that of the hybrid mutex), its time for a turn, and its calls without contention (floor:
# a pthread mutex; between nodes acquire and release over a fetch-and-op there and back). The column bytes is
# microseconds of work. A cell in which the hybrid mutex was stopped, or not measured, is a case of another name, which
# has no bar: nothing was compared there.
#
#   awk -F, -v nodes=N -f ratios.awk mutex.csv
BEGIN { print "backend,units,nodes,case,bytes,dart_ns,floor_ns,dart_per_floor,mpi_ns,dart_per_mpi" }
$4 != nodes { next }
$1 == "contended" { overhead[$2, $3, $5] = $8; turn[$2, $3, $5] = $7 }
$1 ~ /^free/ && $3 == 2 { pair[$1, $2] = $7; acquire[$1, $2] = $10; release[$1, $2] = $11 }
function case_line(name, work, value, floor, mpi) {
  printf("dart,,%s,%s,%s,%s,%s,%s,%s,%s\n", nodes, name, work, value, floor, (floor > 0 ? value / floor : ""), mpi,
    (mpi > 0 ? value / mpi : ""))
}
END {
  for (cell in overhead) {
    split(cell, k, SUBSEP)
    if (k[1] != "dart") continue
    other = "hybrid" SUBSEP k[2] SUBSEP k[3]
    if (k[3] > 0 && k[2] > 1)
      case_line("overhead." k[2] ((other in overhead) ? "" : ".alone"), k[3], overhead[cell], "", overhead[other])
    case_line("turn." k[2], k[3], turn[cell], "", "")
  }
  if (nodes == 1)
    case_line("free", 0, pair["free-last", "dart"], pair["free-last", "pthread"], "")
  else {
    case_line("free.acquire", 0, acquire["free-last", "dart"], acquire["free-last", "fetch-op"], "")
    case_line("free.release", 0, release["free-last", "dart"], acquire["free-last", "fetch-op"], "")
  }
}
