# table.awk: the figures of the benchmark epochs as tables to read: a row for each size, of MPI's messages the
# time (µs), of each way the ratio to that by DART, by MPI, and in the paper, where it is known.
#
#   awk -F, -f table.awk bench/epochs/papers OUTPUT/epochs-TABLE.csv
#
# The column of registered memory is of a run of its own, and so is what its ratio is to; tables of registered memory
# alone have MPI's on a window of memory that it did not allocate.
#
# Puts of the halo exchange also in µs, by all ways side by side: there are more than those of the papers. The way
# "flush" is a flush and a barrier.
#
# Sizes of 0 are synchronisation alone: its time in µs, by DART and by MPI, on allocated and registered memory.
# Single figures have a column for each kind of memory, too: the time, and the ratio to what it is measured against.

# What a paper has for a case: "2.2-3.4", or "-".
function paper(nodes, name, bytes,    p) {
  for (p = 1; p <= npapers; p++)
    if ((nodes > 1) == (paper_nodes[p] == "several") && name ~ "^" paper_case[p] "$" &&
        bytes >= paper_from[p] && bytes <= paper_to[p])
      return paper_least[p] == paper_most[p] ? paper_least[p] : paper_least[p] "-" paper_most[p]
  return "-"
}

function number(value, digits) {
  return value == "" ? "-" : sprintf("%.*f", digits, value)
}

# Nanoseconds in microseconds.
function us(ns) {
  return ns == "" ? "-" : sprintf("%.2f", ns / 1000)
}

# The ratio on registered memory, in a table of allocated memory.
function on_registered(name, bytes) {
  return (name ".registered", bytes) in dart ? number(per_floor[name ".registered", bytes], 2) : "-"
}

# A table of ratios: of one pattern, operation and memory.
function ratios(pattern, operation, memory,    b, w, name, row, title) {
  title = pattern ", " operation memory
  if (!((pattern "." operation ".fence" memory) in has_data)) return
  printf "%s\n%10s %12s", title, "bytes", "messages, us"
  for (w = 1; w <= 3; w++) {
    printf " | %8s %8s %8s", way[w], "by MPI", "paper"
    if (memory == "") printf " %10s", "registered"
  }
  printf "\n"
  for (b = 1; b <= nsizes; b++) {
    if (size[b] == 0 || !((pattern "." operation ".fence" memory, size[b]) in dart)) continue
    printf "%10d %12s", size[b], number(floor[pattern "." operation ".fence" memory, size[b]] / 1000, 2)
    for (w = 1; w <= 3; w++) {
      name = pattern "." operation "." way[w] memory
      printf " | %8s %8s %8s", number(per_floor[name, size[b]], 2),
        mpi[name, size[b]] == "" ? "-" : number(mpi[name, size[b]] / floor[name, size[b]], 2),
        memory == "" ? paper(nodes, name, size[b]) : "-"
      if (memory == "") printf " %10s", on_registered(name, size[b])
    }
    printf "\n"
  }
  printf "\n"
}

# All ways of puts in microseconds.
function side_by_side(pattern,    b, w, n, name) {
  if (!((pattern ".put.notify") in is_case)) return
  n = split("flush notify fence pscw lock", name, " ")
  printf "%s, puts, all ways, us\n%10s %10s %10s", pattern, "bytes", "messages", "by MPI"
  for (w = 1; w <= n; w++) printf " | %8s %8s %10s", name[w], name[w] == "notify" ? "" : "by MPI", "registered"
  printf "\n"
  for (b = 1; b <= nsizes; b++) {
    if (size[b] == 0 || !((pattern ".put.notify", size[b]) in dart)) continue
    printf "%10d %10s %10s", size[b], us(dart[pattern ".messages", size[b]]), us(mpi[pattern ".messages", size[b]])
    for (w = 1; w <= n; w++)
      printf " | %8s %8s %10s", us(dart[pattern ".put." name[w], size[b]]),
        name[w] == "notify" ? "" : us(mpi[pattern ".put." name[w], size[b]]),
        us(dart[pattern ".put." name[w] ".registered", size[b]])
    printf "\n"
  }
  printf "\n"
}

# A single figure, with that of registered memory.
function print_single(name,    registered) {
  registered = name ".registered"
  printf "%-28s %12.2f us%12s", name, single[name] / 1000, single_ratio[name] == "" ? "" : sprintf("%.2f x", single_ratio[name])
  if (registered in single)
    printf " | %12.2f us%12s", single[registered] / 1000,
      single_ratio[registered] == "" ? "" : sprintf("%.2f x", single_ratio[registered])
  printf "\n"
}

# Synchronisation alone.
function overhead(pattern,    w, name, registered) {
  if (!((pattern ".put.fence", 0) in dart)) return
  printf "%s, synchronisation alone, us\n%-10s %10s %10s %12s %10s\n", pattern, "", "allocated", "by MPI",
    "registered", "by MPI"
  for (w = 0; w <= 3; w++) {
    name = w == 0 ? pattern ".messages" : pattern ".put." way[w]
    registered = name ".registered"
    printf "%-10s %10s %10s %12s %10s\n", w == 0 ? "messages" : way[w], us(dart[name, 0]), us(mpi[name, 0]),
      us(dart[registered, 0]), us(mpi[registered, 0])
  }
  printf "\n"
}

FILENAME ~ /papers$/ {
  if ($0 ~ /^#/) next
  split($0, p, " ")
  paper_nodes[++npapers] = p[1]; paper_case[npapers] = p[2]; paper_from[npapers] = p[3]; paper_to[npapers] = p[4]
  paper_least[npapers] = p[5]; paper_most[npapers] = p[6]
  next
}
FNR == 1 { next }
$4 ~ /^(halo|right|all)[.]/ {
  nodes = $3
  is_case[$4]
  if ($5 > 0) has_data[$4]
  if (!($5 in is_size)) { is_size[$5]; size[++nsizes] = $5 }
  dart[$4, $5] = $6; floor[$4, $5] = $7; per_floor[$4, $5] = $8; mpi[$4, $5] = $9
  next
}
{
  single[$4] = $6; single_ratio[$4] = $8
  if ($4 !~ /[.]registered$/) singles[++nsingles] = $4
}
END {
  split("fence pscw lock", way, " ")
  n = split("halo right all", pattern, " ")
  for (i = 1; i <= n; i++) {
    ratios(pattern[i], "put", ""); ratios(pattern[i], "get", "")
    ratios(pattern[i], "put", ".registered"); ratios(pattern[i], "get", ".registered")
  }
  for (i = 1; i <= n; i++) side_by_side(pattern[i])
  for (i = 1; i <= n; i++) overhead(pattern[i])
  if (nsingles) printf "single figures\n%-28s %15s%12s%s\n", "", "allocated", "", " |      registered"
  for (i = 1; i <= nsingles; i++) print_single(singles[i])
}
