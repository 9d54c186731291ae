# shellcheck shell=bash
# The tested program calls every function of the interface, and every call of MPI in the library goes by
# the macros that the injector replaces.
top=$1
wrong=0

functions=$(grep -ohE '\bdart_[a-z0-9_]+\(|\bdart__io[a-z0-9_]+\(' \
  "$top"/dart-if/include/dash/dart/{if,ext}/*.h | sort -u | tr -d '(')
for function in $functions; do
  case $function in
    dart_abort | dart_create_*_unit | dart_*_unit) continue ;; # the end, and names of types
    dart_inline_*) continue ;; # they load and store, or call a function of the library
  esac
  grep -qE "\b$function\(" "$top"/test/inject/*.c || {
    echo "FAILED: nobody calls $function"
    wrong=1
  }
done

# What MPI is asked at the very end, or when something has failed already, is not made to fail.
plain=$(grep -rnE --include='*.[ch]' '\bMPI_[A-Z][A-Za-z_]*\(' "$top"/dart-mpi |
  grep -vE '/(job/finalize|mpi/call)\.c:|^[^:]*:[0-9]*: *(/\*|\*)|/\*.*MPI_|MPI_Abort|MPI_Finalize|MPI_Finalized\(&finalized\)|MPI_Initialized\(&running\)|MPI_T_')
[ -z "$plain" ] || {
  printf 'FAILED: calls that cannot be made to fail:\n%s\n' "$plain"
  wrong=1
}
exit $wrong
