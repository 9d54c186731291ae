# The part of bench/run that takes the figures of epochs: the tables of Thakur, Gropp, Toonen (halo exchange) and
# of Traeff, Ritzdorf, Hempel (exchange with one neighbour and with all, and synchronisation alone), and single
# figures, in one CSV for each shape with the columns of micro. It uses launch, complain, medians and the
# variables of bench/run.

# Shapes: name, program, units, nodes, variables to set, tables.
epoch_shapes=("shmem-2|epochs-shmem|2|1||halo singles" "shmem-8|epochs-shmem|8|1||halo singles")
if [[ $with_mpi == yes ]]; then
  epoch_shapes+=("mpi-2|epochs-mpi|2|1||halo exchange overhead singles")
  epoch_shapes+=("mpi-4|epochs-mpi|4|1||halo exchange overhead")
  epoch_shapes+=("mpi-6|epochs-mpi|6|1||overhead")
  epoch_shapes+=("mpi-8|epochs-mpi|8|1||halo overhead singles")
  epoch_shapes+=("mpi-2x2|epochs-mpi|2|2||halo exchange overhead singles")
  epoch_shapes+=("mpi-4x2|epochs-mpi|4|2||halo overhead")
  epoch_shapes+=("mpi-2x2-tcp|epochs-mpi|2|2|UCX_TLS=tcp,self|halo exchange overhead singles")
  ! has_hosts || epoch_shapes+=("mpi-2x2-delayed|epochs-mpi|2|hosts||halo exchange overhead singles")
fi
# Beside Open MPI, whose own components are meant, and no thread of DART's that calls it, too.
if [[ -n $openmpi ]]; then
  alone="DART_PROGRESS=none OMPI_MCA_pml=ob1"
  epoch_shapes+=("openmpi-2|epochs-mpi|2|openmpi|$alone OMPI_MCA_btl=self,vader|halo exchange overhead")
  epoch_shapes+=("openmpi-2-tcp|epochs-mpi|2|openmpi|$alone OMPI_MCA_btl=self,tcp|halo exchange")
fi

# epoch_runs <table>: the command lines of a table, one on each line.
epoch_runs() {
  local pattern memory
  case $1 in
    halo) printf '%s\n' "--pattern halo" "--pattern halo --registered" ;;
    singles) printf '%s\n' "--singles --compute 1000" "--singles --compute 1000 --registered" ;;
    *)
      for pattern in right all; do
        for memory in '' --registered; do
          case $1 in
            exchange) echo "--pattern $pattern --operation both $memory --least 1024 --most 4194304" ;;
            overhead) echo "--pattern $pattern $memory --overhead" ;;
          esac
        done
      done ;;
  esac
}

# run_epochs <shape> <number>: all tables of the shape, after one header.
run_epochs() {
  local name program units nodes variables tables raw table line arguments settings quick_argument=()
  IFS='|' read -r name program units nodes variables tables <<<"$1"
  raw=$output/raw/epochs-$name.$2
  read -ra settings <<<"$variables"
  [[ $quick == no ]] || quick_argument=(--quick)
  : >"$raw.csv"
  for table in $tables; do
    while read -r line; do
      read -ra arguments <<<"$line"
      (
        # MPICH over TCP may hang when all is done and said, in MPI_Finalize: see doc/running.md
        [[ $variables != UCX_TLS=* ]] || limit=300
        # shellcheck disable=SC2163
        [[ -z $variables ]] || export "${settings[@]}"
        launch "$program" "$units" "$nodes" "${arguments[@]}" "${quick_argument[@]}" --format csv ||
          [[ $? == 124 && $variables == UCX_TLS=* ]]
      ) >"$raw.part" 2>"$raw.err" || complain "$program $line in the shape $name" "$raw.part" "$raw.err"
      awk -v first="$(wc -l <"$raw.csv")" 'NR > 1 || !first' "$raw.part" >>"$raw.csv"
    done < <(epoch_runs "$table")
  done
}

# epoch_tables: medians, and tables to read.
epoch_tables() {
  local shape name
  for shape in "${epoch_shapes[@]}"; do
    name=epochs-${shape%%|*}
    medians "$output/raw/$name".*.csv >"$output/$name.csv"
    awk -F, -f "$top/bench/epochs/table.awk" "$top/bench/epochs/papers" "$output/$name.csv" >"$output/$name.txt"
  done
}

# epoch_series <table> <case>: bytes, and the ratio to MPI's messages of DART's and MPI's time.
epoch_series() {
  awk -F, -v name="$2" '$4 == name && $5 > 0 && $7 > 0 { print $5, $6 / $7, $9 == "" ? "nan" : $9 / $7 }' \
    "$output/$1.csv"
}

# plot_epochs <table> <pattern> <operation> <memory>: ratios to messages over size, and the papers' as boxes.
plot_epochs() {
  local table=$1 name=$2.$3 memory=$4 way data nodes=one measured_on lines=()
  local base=$output/raw/$table-$2-$3$memory
  measured_on=$(awk -F, 'NR == 2 { print $3 }' "$output/$table.csv") # empty, if no run has succeeded
  ((${measured_on:-1} == 1)) || nodes=several
  for way in fence pscw lock; do
    data=$base-$way.dat
    epoch_series "$table" "$name.$way$memory" >"$data"
    (($(wc -l <"$data") > 1)) || return 0
    lines+=("'$data' using 1:2 with linespoints lw 2 title '$way'")
    lines+=("'$data' using 1:3 with linespoints dashtype 2 title '$way by MPI'")
    awk -v nodes=$nodes -v name="$name.$way" '$1 == nodes && name ~ "^" $2 "$" {
      print sqrt($3 * $4), sqrt($5 * $6), $3 / 1.2, $4 * 1.2, $5 / 1.02, $6 * 1.02 }' "$top/bench/epochs/papers" >"$base-$way.paper"
    [[ -n $memory || ! -s $base-$way.paper ]] ||
      lines+=("'$base-$way.paper' with boxxyerror fs transparent solid 0.3 title 'paper, $way'")
  done
  gnuplot <<END_PLOT
set terminal pngcairo size 900,560
set output "$output/plots/$table-$2-$3$memory.png"
set title "$name$memory over messages, $table" noenhanced
set xlabel "bytes"
set logscale xy
set format x "%.0s%c"
set key outside
plot 1 lc "gray" notitle, $(IFS=,; echo "${lines[*]}")
END_PLOT
}

# plot_overhead <pattern> <memory>: synchronisation alone on one node, over the number of units.
plot_overhead() {
  local way data side lines=() column=1
  data=$output/raw/epochs-overhead-$1$2.dat
  for side in 2 4 6 8; do
    [[ -f $output/epochs-mpi-$side.csv ]] || continue
    awk -F, -v pattern="$1" -v memory="$2" -v units=$side '
      $5 == 0 { dart[$4] = $6 / 1000; mpi[$4] = $9 / 1000 }
      END {
        printf "%d", units
        n = split("fence pscw lock", way, " ")
        for (i = 1; i <= n; i++) { name = pattern ".put." way[i] memory; printf " %s %s", dart[name], mpi[name] }
        printf "\n"
      }' "$output/epochs-mpi-$side.csv"
  done >"$data"
  (($(wc -l <"$data") > 1)) || return 0
  for way in fence pscw lock; do
    lines+=("'$data' using 1:$((column += 1)) with linespoints lw 2 title '$way'")
    lines+=("'$data' using 1:$((column += 1)) with linespoints dashtype 2 title '$way by MPI'")
  done
  gnuplot <<END_PLOT
set terminal pngcairo size 900,560
set output "$output/plots/epochs-overhead-$1$2.png"
set title "synchronisation alone, $1$2, one node" noenhanced
set xlabel "units"
set ylabel "us"
set logscale y
set key outside
plot $(IFS=,; echo "${lines[*]}")
END_PLOT
}

epoch_plots() {
  local shape pattern operation memory
  for memory in '' .registered; do
    for shape in "${epoch_shapes[@]}"; do
      for pattern in halo right all; do
        for operation in put get; do
          plot_epochs "epochs-${shape%%|*}" $pattern $operation "$memory"
        done
      done
    done
    for pattern in right all; do plot_overhead $pattern "$memory"; done
  done
}
