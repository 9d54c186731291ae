# layers_uses.sh BUILD: no two modules of the library, the layers and the tools use each other in a circle, by the
# symbols of the object files in BUILD. layers.sh looks at includes, so it misses a circle of files behind one header.
[[ ${1-} != --help ]] || { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit; }
cd "$(dirname "$0")/.." || exit 1
build=$1
status=0

say() {
  echo "$@"
  status=1
}

# An object whose source is gone is left over from an older tree.
cd "$build" || exit 1
mapfile -t objects < <(
  find dart-base dart-mpi dart-shmem launch dart-check trace tools -name '*.c.o' 2>/dev/null | while read -r object; do
    module=${object/CMakeFiles\/*.dir\//}
    [[ ! -f $OLDPWD/${module%.o} && ! -f ${module%.o} ]] || echo "$object"
  done)
((${#objects[@]} > 200)) || { echo "few objects were found: ${#objects[@]}"; exit 1; }

# "module used-module symbol" for each use. What dart-base uses of a backend goes through the seam, which is no module;
# a backend uses its own functions, not those of the same name in another one.
uses=$(nm -A -P -g "${objects[@]}" 2>/dev/null | awk '
  function top(module) { return substr(module, 1, index(module, "/") - 1) }
  {
    module = $1
    sub(/\.c\.o:$/, "", module)
    sub(/CMakeFiles\/[^\/]*\.dir\//, "", module)
  }
  $3 == "U" || ($3 ~ /^[wv]$/ && NF == 3) { used[module " " $2] = 1; next }
  !((module, $2) in defines) { defines[module, $2] = 1; definers[$2] = definers[$2] " " module; has[top(module), $2] = 1 }
  END {
    for (use in used) {
      split(use, of, " ")
      n = split(definers[of[2]], modules, " ")
      for (i = 1; i <= n; i++)
        if (modules[i] != of[1] && (top(modules[i]) == top(of[1]) ||
            (top(of[1]) != "dart-base" && !((top(of[1]), of[2]) in has))))
          print of[1], modules[i], of[2]
    }
  }')
(($(wc -l <<<"$uses") > 1000)) || say "few uses were found: $(wc -l <<<"$uses")"

circle=$(cut -d' ' -f1,2 <<<"$uses" | sort -u | tsort 2>&1 >/dev/null | grep -v 'contains a loop' | sed 's/^tsort: //')
if [[ -n $circle ]]; then
  say "modules that use each other in a circle, and by which symbols:"
  awk 'NR == FNR { is_in[$1] = 1; next } ($1 in is_in) && ($2 in is_in)' <(echo "$circle") <(sort <<<"$uses")
fi

exit $status
