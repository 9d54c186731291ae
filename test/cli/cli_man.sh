# The manual: a page for each function and type of the interface, of which each names only pages that there are, and no page
# that mandoc complains about. Its examples are compiled, run on several units, and find their results right. As HTML its
# links lead somewhere, and the search field finds what was typed.
source "$(dirname "$0")/cli.bash"
top=$(cd "$(dirname "$0")/../.." && pwd)
man=$build/man
need mandoc cmake
[[ -e $man/made ]] || { echo "skipped: the build has made no pages"; exit 77; }
export DART_LOG_LEVEL=WARN
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

# Functions: each has a page with its prototype and a text, and belongs to one subject.
functions=$(grep -o 'X(dart_[a-z_0-9]*)' "$top/dart-if/include/dash/dart/ext/dart_profile.h" | sed 's/X(\(.*\))/\1/')
functions+=$'\n'$(sed -nE 's/^DART_INLINE .* (dart_[a-z_0-9]+)\(.*/\1/p' "$top"/dart-if/include/dash/dart/if/*.h)
(($(wc -l <<<"$functions") > 100)) || fail "few functions were found: $functions"
declare -A has # what each page has
while read -r name what; do
  has[$name]+=" $what"
done < <(awk '
  FNR == 1 { name = FILENAME; sub(/.*\//, "", name); sub(/\.3$/, "", name); section = "" }
  /^\.Sh / { section = $2; if (section == "EXAMPLES") print name, "examples"; next }
  $0 == ".Fo " name { print name, "prototype" }
  /^\.Nd ./ { print name, "summary" }
  section == "DESCRIPTION" && !text[name]++ { print name, "text" }' "$man"/man3/*.3)
for name in $functions; do
  [[ -s $man/man3/$name.3 ]] || { fail "no page for $name"; continue; }
  [[ ${has[$name]-} == *prototype* && ${has[$name]} == *summary* && ${has[$name]} == *text* ]] ||
    fail "the page of $name has no prototype or no text"
done
names=$(grep -hv -e '^#' -e '^= ' -e '^see ' -e '^example ' "$top/doc/man/subjects" | tr ' ' '\n' | sed '/^$/d' | sort)
[[ -z $(uniq -d <<<"$names") ]] || fail "in several subjects: $(uniq -d <<<"$names")"
for name in $names $(sed -n 's/^see //p' "$top/doc/man/subjects"); do
  [[ -s $man/man3/$name.3 ]] || fail "doc/man/subjects names $name, which has no page"
done
without=$(awk -F'\t' '$3 == "" && $1 !~ /\.h$/ && $5 == $1 { print $1 }' "$man/list")
[[ -z $without ]] || fail "in no subject of doc/man/subjects: $without"

# Types, their constants, which show the page of their type, and the promises of epochs, which have pages of their own.
for name in dart_gptr_t dart_datatype_t dart_operation_t dart_ret_t dart_handle_t dart_file_t dart_lock_t; do
  grep -q "^\.Nm $name" "$man/man3/$name.3" && grep -q "^\.In " "$man/man3/$name.3" || fail "no page for the type $name"
done
for name in DART_TYPE_INT DART_TYPE_UINT64 DART_OP_SUM DART_OP_MINMAX DART_GPTR_NULL DART_ERR_INVAL; do
  page=$(mandoc -Tascii "$man/man3/$name.3" | col -b)
  [[ $page == *"$name"*$'\n'*[a-z]* ]] || fail "no page says what $name is"
done
for name in NOPRECEDE NOSUCCEED NOSTORE NOPUT NOCHECK LAZY; do
  grep -q "^\.Dt DART_EPOCH_$name " "$man/man3/DART_EPOCH_$name.3" &&
    grep -q '^\.Sh EXAMPLES' "$man/man3/DART_EPOCH_$name.3" || fail "no page for the promise DART_EPOCH_$name"
done

for name in dartrun dart-info dart-report dart-trace; do
  [[ -s $man/man1/$name.1 ]] || fail "no page for the program $name"
done

# References, for each of which mandoc would read the index of all pages here, are looked at below.
awk -v folder="$work" 'FNR == 1 { close(file); file = FILENAME; sub(/.*\//, folder "/lint.", file) }
  { sub(/^\.Xr /, ".Sy "); print >file }' "$man"/man[137]/*
said=$(mandoc -Tlint "$work"/lint.* 2>&1 | grep -v -e 'referenced manual not found' -e 'mandoc.db lacks')
rm "$work"/lint.*
[[ -z $said ]] || fail "mandoc says: $said"
while read -r _ name chapter _; do
  [[ -s $man/man$chapter/$name.$chapter || $name == mpiexec ]] || fail "a page names $name($chapter), which there is not"
done < <(grep -h '^\.Xr ' "$man"/man[137]/* | sort -u)
said=$(grep -lE '\b(see|as|errors) (above|below)\b|\((above|below)\)' "$man"/man[137]/*)
[[ -z $said ]] || fail "pages that speak of a text on another page: $said"

[[ $(mandoc -Tascii "$man/man3/dart_put_blocking.3" | col -b) == *'dart_put_blocking(dart_gptr_t'*'DART_ERR_'* ]] ||
  fail "the page of dart_put_blocking is not its contract"

# Examples: where a call is not obvious there is one, each is on some page, and does what it says.
for name in dart_epoch_{fence,post,start,complete,wait,lock,unlock,lock_all,unlock_all} dart_notify dart_put_notify \
  dart_get_notify dart_notify_wait dart_notify_waitany dart_notify_op dart_wait_word dart_wait_word_range \
  dart_file_{open,read_at,write_at,read_all,write_all,set_view,write_at_request,wait,write_shared,write_ordered} \
  dart_lock_acquire dart_lock_at_acquire dart_range_acquire dart_team_create dart_team_create_group \
  dart_context_{create,enter,flush} dart_accumulate dart_fetch_and_op dart_compare_and_swap dart_accumulate_typed \
  dart_fetch_and_op_handle dart_type_create_{strided,indexed} dart_op_create dart_datatype_t; do
  sed -n '/^\.Sh EXAMPLES/,$p' "$man/man3/$name.3" | grep -qw "$name" || fail "no example on the page of $name"
done
for name in $functions; do
  case $name in
    dart_epoch_* | *notify* | dart_file_* | *lock* | *range* | dart_team_* | dart_group_* | dart_context_* | dart_wait* | \
      dart_accumulate* | dart_fetch_and_op* | dart_type_* | dart_op_* | dart_put* | dart_get* | dart_test*)
      [[ ${has[$name]-} == *examples* ]] || fail "no example on the page of $name" ;;
  esac
done

examples() {
  local source name shape
  mkdir "$work/examples"
  cd "$work/examples" || return
  for source in "$top"/doc/man/examples/*.c; do
    name=$(basename "$source" .c)
    name=${name#show_}
    grep -qE "^example (.* )?$name( |\$)" "$top/doc/man/subjects" || fail "$name.c is on no page"
    run "$(cached CMAKE_C_COMPILER)" -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -O1 -UNDEBUG \
      -I"$top/dart-if/include" -o "$name" "$source" "$build/dart-shmem/libdart-shmem.so" \
      -Wl,-rpath,"$build/dart-shmem" -pthread
    [[ $code == 0 ]] || { fail "$name.c does not compile: $err"; continue; }
    for shape in '-n 2' '-n 3' '-n 4 --nodes 2'; do
      # shellcheck disable=SC2086
      run "$build/dart-shmem/dartrun" $shape "./$name"
      [[ $code == 0 && -z $err ]] || fail "$name.c on $shape: exit code $code, and it said: $err"
    done
  done
}
if [[ -n $(cached DART_SANITIZE) || ! -e $build/dart-shmem/libdart-shmem.so ]]; then
  echo "examples were not run: they are for a shared library without sanitizers"
else
  examples
fi

# As HTML, made by the target, and installed with the pages of doc/.
html=$work/prefix/share/doc/dart/html
run_limit=300
made() { # ARGUMENT...: of cmake
  run cmake "$@"
  [[ $code == 0 ]] || { fail "cmake $*: exit code $code: $out $err"; finish; }
}
made -S "$top" -B "$work/build" -DDART_BACKEND_MPI=OFF -DDART_BUILD_TESTS=OFF -DDART_BUILD_BENCH=OFF
made --build "$work/build" --target html
made --install "$work/build" --prefix "$work/prefix" --component doc
for page in "$man"/man[137]/*; do
  [[ -L $page || $(<"$html/${page##*/}.html") == *'<h1 class="Sh"'*search.js*'</html>' ]] ||
    fail "no HTML of $page"
done
while read -r target; do
  [[ -s $html/$target ]] || fail "a link leads to $target, which there is not"
done < <(grep -oh '\(href\|src\)="[^"#]*"' "$html"/*.html | cut -d'"' -f2 | sort -u)
while read -r target; do
  fail "a link of the index leads to #$target, which there is not"
done < <(comm -23 <(grep -o 'href="#[^"]*"' "$html/index.html" | cut -d'"' -f2 | tr -d '#' | sort -u) \
  <(grep -o 'id="[^"]*"' "$html/index.html" | cut -d'"' -f2 | sort -u))
while read -r name; do
  fail "$name is not in the index once by subject and once by header"
done < <(comm -23 <(tr ' ' '\n' <<<"$functions" | sort -u) \
  <(grep -o '<dt><a href="[^"]*\.3\.html">' "$html/index.html" | cut -d'"' -f2 | sed 's/\.3\.html$//' | sort | uniq -c |
    awk '$1 == 2 { print $2 }'))

# search WORDS: what the field finds for them, in order.
search() {
  node -e '
    const fs = require("fs"), vm = require("vm"), on = {};
    const element = (of) => ({ value: "", innerHTML: "", addEventListener: (name, call) => { on[of + name] = call; } });
    const elements = { search: element("search."), found: element("found.") };
    const context = vm.createContext({ document: {
      getElementById: (id) => elements[id], addEventListener: () => {} } });
    for (const file of ["names.js", "search.js"])
      vm.runInContext(fs.readFileSync(process.argv[1] + "/" + file, "utf8"), context);
    elements.search.value = process.argv[2];
    on["search.input"]();
    console.log([...elements.found.innerHTML.matchAll(/href="([^"]*)\.html"/g)].map((one) => one[1]).join(" "));
  ' "$html" "$1"
}
if command -v node >/dev/null; then
  [[ $(search dart_put) == 'dart_put.3 '*'dart_put_notify.3'* ]] || fail "dart_put finds: $(search dart_put)"
  [[ $(search 'FENCE') == *dart_epoch_fence.3* ]] || fail "FENCE finds: $(search FENCE)"
  [[ $(search 'strided type') == *dart_type_create_strided.3* ]] || fail "'strided type' finds: $(search 'strided type')"
  [[ $(search DART_TYPE_INT64) == dart_datatype_t.3 ]] || fail "DART_TYPE_INT64 finds: $(search DART_TYPE_INT64)"
  [[ -z $(search 'no such words') ]] || fail "'no such words' finds: $(search 'no such words')"
else
  echo "the search field was not tested: there is no node here"
fi
finish
