# run.sh BUILD, or run.sh MPICC MPIEXEC for another MPI: what is wrong with this MPI, as a table. What
# is found is no failure; a program that does not build or does not end is.
source "$(dirname "$0")/../cli/cli.bash"

sources=$(cd "$(dirname "$0")" && pwd)
if (($# == 1)); then
  programs=$build/test/mpi_bugs
  mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
  program() { echo "$programs/mpi-bug-$1"; }
else
  mpicc=$1 mpiexec=$2
  program() { echo "$work/$1"; }
  for source in "$sources"/*.c; do
    name=$(basename "$source" .c)
    "$mpicc" -std=c11 -D_GNU_SOURCE -O2 "$source" -o "$work/$name" -pthread >"$work/out" 2>&1 ||
      fail "$name does not build: $(<"$work/out")"
  done
fi
need "$mpiexec"
read -ra mpiexec <<<"$mpiexec $DART_MPI_BUGS_OPTIONS" # such as --oversubscribe

# try NAME RANKS [SETTING...]: a line of the table.
try() {
  local name=$1 ranks=$2 word
  shift 2
  run env "$@" "${mpiexec[@]}" -n "$ranks" "$(program "$name")"
  case $code in
    0) word=right ;;
    77) word='not here' ;;
    124 | 137) word=hangs; fail "$name does not end" ;;
    *) word=wrong ;;
  esac
  # without what the launcher has to say
  printf '%-20s %-9s %s\n' "$name" "$word" \
    "$(grep -v '^$\|^[=*-]\|^YOUR APPL\|^This typ\|^Please see' <<<"$out" | tail -n 1)"
}

# outlive NAME: the last of three ranks ends, and the launcher is asked to let the others go on, if it has an option for
# that. What they say decides, for the launcher's code may be that of the one that has ended.
leave=()
[[ $("${mpiexec[0]}" --help 2>&1) != *-disable-auto-cleanup* ]] || leave=(-disable-auto-cleanup)
outlive() {
  local word=right line
  run "${mpiexec[@]}" "${leave[@]}" -n 3 "$(program "$1")"
  [[ $code != 124 && $code != 137 ]] || fail "$1 does not end"
  line=$(grep -m 1 'rank' <<<"$out") || line='the launcher has ended the others'
  [[ $line != *hangs* && $line != *'returns 0' && $line != the* ]] || word=wrong
  printf '%-20s %-9s %s\n' "$1" $word "$line"
}

try version 1
try windows_of_teams 4
try attach_often 2
try free_attached 2 OMPI_MCA_osc=ucx,sm
try late_get 2
try flush_by_a_thread 2
try strided_rget 2
try unsigned_min_max 2
try unaligned_base 2
try small_window 2
try small_portions 3 MPIR_CVAR_NUM_CLIQUES=2
try no_progress 2
try out_of_bounds 2
try context_ids 2
try dynamic_without_id 2
try shared_window_time 2
try t_finalize_first 1
try t_again 1
try mremap_hook 1
outlive kill_of_one
outlive flush_of_dead
outlive finalize_with_dead
try finalize_over_tcp 3 UCX_TLS=tcp,self MPIR_CVAR_NUM_CLIQUES=3

finish
