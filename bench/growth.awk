# The table of bench/growth, and what grows faster than the logarithm of the nodes. Lines are
# "call",shape,units,nodes,messages,bytes,chain,messages of the busiest unit,unit,bytes of a unit.

function steps(nodes,   n) {
  for (n = 0; 2 ^ n < nodes; n++)
    ;
  return n
}

{
  match($0, /^"[^"]*"/)
  call = substr($0, 2, RLENGTH - 2)
  split(substr($0, RLENGTH + 2), f, ",")
  if (!(call in first)) {
    first[call] = f[7]
    from[call]  = f[3]
    order[++n]  = call
  }
  last[call] = f[7]
  to[call]   = f[3]
  unit[call] = f[8]
  lines[call] = lines[call] sprintf("%-24s %6d %6d %10d %12d %6d %9d %6d %12d\n", call, f[2], f[3], f[4], f[5], f[6],
                                    f[7], f[8], f[9])
}

END {
  printf "%-24s %6s %6s %10s %12s %6s %9s %6s %12s\n", "call", "units", "nodes", "messages", "bytes", "chain",
         "busiest", "unit", "its bytes"
  for (i = 1; i <= n; i++)
    printf "%s", lines[order[i]]
  for (i = 1; i <= n; i++) {
    call = order[i]
    # and a step of a message that is sent and one that is taken
    may = first[call] * steps(to[call]) / steps(from[call]) + 2
    if (last[call] > may)
      printf "faster than the logarithm: %s, unit %d, %d messages on %d nodes, %d on %d\n", call, unit[call], first[call],
             from[call], last[call], to[call]
  }
}
