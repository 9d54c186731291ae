# compare.awk: what got slower from one cases.csv to another, beyond noise.
#
#   awk -F, -f compare.awk EARLIER/cases.csv LATER/cases.csv
#
# Noise is what the rounds of a run differ by: a case is slower if the least of the later rounds is above the
# most of the earlier ones, and the median more than a tenth above. Where one of the runs has a single round,
# which says nothing about noise, a quarter. Exit code 1: something got slower.
FNR == 1 { if (NR > 1) later = 1; next }
!later { figure[$1, $2, $3, $4] = $5; least[$1, $2, $3, $4] = $6; most[$1, $2, $3, $4] = $7; next }
!(($1, $2, $3, $4) in figure) { unknown++; next }
{
  both++
  old = figure[$1, $2, $3, $4]
  single = least[$1, $2, $3, $4] == most[$1, $2, $3, $4] || $6 == $7
  if ($6 + 0 > most[$1, $2, $3, $4] + 0 && $5 > old * (single ? 1.25 : 1.1)) {
    slower++
    printf "slower: %-24s %-28s %9d B  %s: %.4g, was %.4g (%.2f times)\n", $1, $2, $3, $4, $5, old, $5 / old
  }
}
END {
  printf "%d of %d cases got slower; %d are only in the later run\n", slower, both, unknown
  exit slower > 0
}
