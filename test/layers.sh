# layers.sh SOURCE: includes go one way. A file includes files of its own folder and of folders below it; no
# two modules (x.h and x.c) of the library, the benchmarks or the tests use each other in a circle; and MPI is
# where its names are.
cd "$1" || exit 1
status=0

say() {
  echo "$@"
  status=1
}

# From the bottom to the top; those on one line know nothing of each other.
core='base
data topology
node
model
port.h
api/progress
api/coll
api/memory
api/locality api/p2p
api/rma api/team api/range
api/epoch api/file api/sync
api/job'
mpi='base
data
node
model
port.h
mpi
transport
am
progress
memory
coll rma p2p
hdf5 job'

# includes FILE...: "file included" for every include with quotes.
includes() {
  awk -F'"' '/^#include "/ { print FILENAME, $2 }' "$@"
}

# one_way LAYERS FOLDER PREFIX: includes of the files below FOLDER keep to LAYERS, whose names follow PREFIX.
one_way() {
  find "$2" -name '*.[ch]' ! -path '*/dartrun/*' -exec awk -F'"' '/^#include "/ { print FILENAME, $2 }' {} + |
    awk -v layers="$1" -v prefix="$3" '
      function folder(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : path }
      BEGIN {
        n = split(layers, lines, "\n")
        for (i = 1; i <= n; i++) {
          m = split(lines[i], names, " ")
          for (j = 1; j <= m; j++) height[names[j]] = i
        }
      }
      {
        own = folder(substr($1, length(prefix) + 1)); other = folder($2)
        if (!(own in height)) { print $1 ": the folder " own " is in no layer"; next }
        if (!(other in height)) { print $1 ": includes " $2 ", which is in no layer"; next }
        if (own != other && height[other] >= height[own]) print $1 ": includes " $2 ", which is not below it"
      }'
}

found=$(one_way "$core" dart-if/src dart-if/src/
        one_way "$mpi" dart-mpi dart-mpi/)
[[ -z $found ]] || say "$found"

# The core of active messages knows neither MPI (which is not on its include path either) nor the model, and of the transport only its calls.
found=$(includes dart-mpi/am/*.[ch] | grep -Ev ' (am|base|data|node)/| transport/transport\.h$')
[[ -z $found ]] || say "dart-mpi/am includes: $found"
found=$(grep -rl '<mpi\.h>' dart-if/src dart-mpi/am dart-mpi/transport/transport.h dart-shmem)
[[ -z $found ]] || say "includes mpi.h: $found"

# The debug mode knows DART by its public headers only.
found=$(includes dart-check/*.[ch] | grep ' .*/')
[[ -z $found ]] || say "dart-check includes: $found"

# A module uses another if one of its two files includes the other's header. A header that has no .c, what
# the files of one folder share, is nobody's.
uses=$(find dart-if/src dart-mpi dart-shmem dart-check test bench -name '*.[ch]' -exec \
         awk -F'"' '/^#include "/ { print FILENAME, $2 }' {} + |
  while read -r file included; do
    for at in "${file%/*}" dart-if/src dart-mpi dart-shmem dart-shmem/launch test test/am; do
      if [[ -f $at/$included ]]; then
        [[ ${file%.*} == "$at/${included%.*}" || ! -f $at/${included%.h}.c ]] || echo "${file%.*} $at/${included%.*}"
        break
      fi
    done
  done)
(($(wc -l <<<"$uses") > 300)) || say "few includes were found: $(wc -l <<<"$uses")"
circle=$(tsort <<<"$uses" 2>&1 >/dev/null)
[[ -z $circle ]] || say "$circle"

exit $status
