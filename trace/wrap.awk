# wrap.awk: makes the functions of the layer from the table `calls` and the public headers.
#
#   awk -v what=names|functions -v output=FILE -f wrap.awk calls HEADER...
#
# names: a header with a number and a name for every recorded call. functions: their definitions, which count and
# time the call, and call its second name (dart_profile.h). A function of a header without a line in `calls` is
# recorded, too.

# ---- the table -----------------------------------------------------------------------------------

FNR == NR {
  if ($0 ~ /^#/ || NF == 0) next
  patterns[++npatterns] = "^" $1 "$"
  words = $0; sub(/^[^ ]+ +/, "", words); sub(/ +$/, "", words)
  seen[npatterns] = words
  next
}

# ---- prototypes ----------------------------------------------------------------------------------

# Lines without comments and directives are joined to statements.
/^#/ { directive = /\\$/; next }
directive { directive = /\\$/; next }
{
  line = $0
  while (1) {
    if (comment) {
      if (!(end = index(line, "*/"))) { line = ""; break }
      line = substr(line, end + 2); comment = 0
    }
    if (!(start = index(line, "/*"))) break
    text = text " " substr(line, 1, start - 1); line = substr(line, start + 2); comment = 1
  }
  text = text " " line
  while (match(text, /[;{}]/)) {
    one = substr(text, 1, RSTART - 1)
    text = substr(text, RSTART + 1)
    statement(one)
  }
}

function statement(s,    name, type, from, depth, i, c) {
  gsub(/[ \t]+/, " ", s); sub(/^ /, "", s)
  sub(/^DART_INTERFACE_(ON|OFF) /, "", s)
  if (s ~ /^(typedef|static|extern|return|constexpr|DART_)/ || !match(s, /dart_[a-z0-9_]+\(/)) return
  name = substr(s, RSTART, RLENGTH - 1)
  type = substr(s, 1, RSTART - 1)
  if (name ~ /^dart__/ || type == "" || type ~ /[=(,]/) return
  from = RSTART + RLENGTH
  depth = 0
  for (i = from; i <= length(s) && depth >= 0; i++) {
    c = substr(s, i, 1)
    depth += (c == "(") - (c == ")")
  }
  if (!(name in known)) wrap(name, type, substr(s, from, i - 1 - from))
  known[name]
}

# The names of parameters, as arguments of the second name.
function arguments(parameters,    n, list, i, one, result) {
  if (parameters == "void") return ""
  n = split(parameters, list, ",")
  for (i = 1; i <= n; i++) {
    one = list[i]; sub(/\[[^]]*\]$/, "", one)
    match(one, /[A-Za-z_0-9]+$/)
    result = result (i > 1 ? ", " : "") substr(one, RSTART, RLENGTH)
  }
  return result
}

# ---- the output ----------------------------------------------------------------------------------

function observation(expression) {
  if (!sub(/^[a-z_]+\(/, "&\\&dart__frame, ", expression)) return ""
  sub(/\(&dart__frame, \)/, "(\\&dart__frame)", expression) # there are no arguments
  sub(/ +$/, "", expression)
  return "dart__trace_" expression ";\n"
}

function wrap(name, type, parameters,    i, words, cut, before, after) {
  words = "time"
  for (i = 1; i <= npatterns; i++) if (name ~ patterns[i]) { words = seen[i]; break }
  if (words == "-") return
  names[++ncalls] = name
  if (words == "own" || type ~ /^void $/) return
  if ((cut = index(words, "|"))) {
    before = "  " observation(substr(words, 1, cut - 1))
    words = substr(words, cut + 1); sub(/^ +/, "", words)
  }
  after = words == "time" ? "" : observation(words)
  if (after != "") after = "if (dart__trace_returned(&dart__frame) && dart__ret == DART_OK)\n    " after
  else after = "dart__trace_returned(&dart__frame);\n"
  functions = functions type name "(" parameters ")\n{\n" \
    "  dart__trace_frame_t dart__frame = dart__trace_enter(DART__TRACE_" name ");\n  " type "dart__ret;\n\n" before \
    "  dart__ret = p" name "(" arguments(parameters) ");\n  " after \
    "  dart__trace_leave(&dart__frame);\n  return dart__ret;\n}\n\n"
}

END {
  print "/* Made by wrap.awk. */" >output
  if (what == "names") {
    print "#ifndef DART__TRACE_NAMES_H\n#define DART__TRACE_NAMES_H\n\nenum {" >output
    for (i = 1; i <= ncalls; i++) print "  DART__TRACE_" names[i] "," >output
    print "  DART__TRACE_NCALLS\n};\n\n#define DART__TRACE_NAMES \\" >output
    for (i = 1; i <= ncalls; i++) print "  \"" names[i] "\"," (i < ncalls ? " \\" : "") >output
    print "\n#endif" >output
  } else {
    print "#include \"observe.h\"\n" >output
    printf "%s", functions >output
  }
  exit ncalls < 50 # no prototypes were found
}
