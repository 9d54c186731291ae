# layers.sh SOURCE: includes go one way. A file includes files of its own folder and of folders below it; no
# two modules (x.h and x.c) of the library, the layers, the tools, the benchmarks or the tests use each other in a circle;
# MPI and Open MPI are where their names are; and what is named can be found: no two .c files of one name, a guard that is its
# path, no static function that three files have. Circles behind a common header are found by layers_uses.sh.
[[ ${1-} != --help ]] || { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit; }
cd "$1" || exit 1
status=0

say() {
  echo "$@"
  status=1
}

# The order, from the bottom to the top: a folder uses those of the lines above its own; those on one line know
# nothing of each other. First dart-base, then each backend, which knows dart-base up to net.h alone.
order='base
data topology
wait
model
net.h
far/am
far
coll
memory
p2p
team rma
lock epoch
file
job
dart-mpi/mpi
dart-mpi/window
dart-mpi/hdf5 dart-mpi/start
dart-mpi/dartrun
dart-shmem
dart-shmem/dartrun
launch'

# Folders that do not use another one though it is below them.
apart='far/am topology
file epoch
launch net.h'

# includes FILE...: "file included" for every include with quotes.
includes() {
  awk -F'"' '/^#include "/ { print FILENAME, $2 }' "$@"
}

library=$(find dart-base dart-mpi dart-shmem launch -name '*.[ch]' | sort)
# shellcheck disable=SC2086  # names of files have no spaces
found=$(includes $library | awk -v order="$order" -v apart="$apart" '
  function folder(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : path }
  function room(path) { sub(/^dart-base\//, "", path); return folder(path) }
  function at_seam(path) { return path == "net.h" }
  # The folder that an include names: of dart-base, or of the backend itself; its own, if it names none.
  function named(included, own) {
    if (at_seam(included)) return included
    if (included !~ /\//) return own
    return folder(included) in height ? folder(included) : "dart-mpi/" folder(included)
  }
  BEGIN {
    n = split(order, lines, "\n")
    for (i = 1; i <= n; i++) {
      m = split(lines[i], names, " ")
      for (j = 1; j <= m; j++) height[names[j]] = i
    }
    n = split(apart, lines, "\n")
    for (i = 1; i <= n; i++) without[lines[i]] = 1
  }
  {
    own = room($1); other = named($2, own)
    if (!(own in height)) { print $1 ": the folder " own " is in no layer"; next }
    if (!(other in height)) { print $1 ": includes " $2 ", which is in no layer"; next }
    if (own == other) next
    wrong = height[other] >= height[own] || (own " " other) in without
    if (own ~ /^(dart-|launch)/ && other !~ /^dart-/ && height[other] > height["net.h"]) wrong = 1
    if (own ~ /^(dart-|launch)/ && other ~ /^dart-/ && substr(own, 1, 8) != substr(other, 1, 8)) wrong = 1
    if (wrong) print $1 ": includes " $2 ", which is not below it"
  }')
[[ -z $found ]] || say "$found"
(($(wc -l <<<"$library") > 300)) || say "few files were found: $(wc -l <<<"$library")"

# A folder of dart-mpi has a name that none of dart-base has: so an include names one file.
found=$(for folder in dart-base/*/ dart-mpi/*/; do basename "$folder"; done | sort | uniq -d)
[[ -z $found ]] || say "a folder of dart-base and one of dart-mpi have one name: $found"

# MPI is not on the include path of dart-base either.
found=$(grep -rl '<mpi\.h>' dart-base dart-shmem launch)
[[ -z $found ]] || say "includes <mpi.h>: $found"

# What is Open MPI's own is in one file.
found=$(grep -rlE 'OPEN_MPI|OMPI_|PRTE_|PMIX_' dart-base dart-mpi dart-shmem launch)
[[ $found == dart-base/base/openmpi.h ]] || say "names of Open MPI are in: $found"

# The debug mode knows DART by its public headers only.
found=$(includes dart-check/*.[ch] | grep ' .*/')
[[ -z $found ]] || say "dart-check includes: $found"

# A module uses another if one of its files includes the other's header. A header or a .c alone is a module, too.
uses=$(find dart-base dart-mpi dart-shmem launch dart-check trace tools test bench -name '*.[ch]' -exec \
         awk -F'"' '/^#include "/ { print FILENAME, $2 }' {} + |
  while read -r file included; do
    for at in "${file%/*}" dart-base dart-mpi dart-shmem launch trace test test/am; do
      if [[ -f $at/$included ]]; then
        [[ ${file%.*} == "$at/${included%.*}" ]] || echo "${file%.*} $at/${included%.*}"
        break
      fi
    done
  done)
(($(wc -l <<<"$uses") > 300)) || say "few includes were found: $(wc -l <<<"$uses")"
circle=$(tsort <<<"$uses" 2>&1 >/dev/null)
[[ -z $circle ]] || say "$circle"

# A name of a file is found once; a program begins in main.c.
found=$(find dart-* launch trace tools test bench examples doc -name '*.c' ! -name main.c | sed 's|.*/||' | sort | uniq -d)
[[ -z $found ]] || say "two files of one name: $found"

# The guard of a header is its path: DART__LOCK_RANGE_H of dart-base/lock/range.h, DART__MPI_MPI_CALL_H of dart-mpi/mpi/call.h.
found=$(grep '\.h$' <<<"$library" | while read -r header; do
  guard=${header#dart-base/} guard=${guard#dart-}
  guard=${guard^^} guard=DART__${guard//[^A-Z0-9]/_}
  grep -qx "#define $guard" "$header" || echo "$header: its guard is not $guard"
done)
[[ -z $found ]] || say "$found"

# A name of a static function is in two files at most, of the library, the layers and the tools.
statics=$(for file in $library $(find dart-check trace tools -name '*.[ch]'); do
  sed -E 's/__attribute__\(\([a-z_, ]*\)\) *//' "$file" | sed -nE 's/^static [^(=]*[ *]([a-z_0-9]+)\(.*/\1/p' | sort -u
done | sort)
(($(wc -l <<<"$statics") > 1000)) || say "few static functions were found: $(wc -l <<<"$statics")"
found=$(uniq -c <<<"$statics" | awk '$1 > 2 { print $2 }')
[[ -z $found ]] || say "static functions that more than two files have: $found"

exit $status
