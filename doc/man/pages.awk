# Manual pages of section 3, one for each public function, from the headers: the comment before a prototype is its
# page's DESCRIPTION, and the comment of its section of the header is what holds for all functions there.
#
#   awk -v out=FOLDER -v date='November 22, 2026' -f pages.awk HEADER...
#
# The headers keep to a form: prototypes start at the margin, and "/**" belongs to what comes next.
# For any POSIX awk.

# Mark up a piece of text: roff's characters, and words in back-ticks.
function marked(text) {
  gsub(/\\/, "\\e", text)
  gsub(/\(\)/, "", text) # of a function's name, as pages have it
  while (match(text, /`[^`]*`/))
    text = substr(text, 1, RSTART - 1) "\\fB" substr(text, RSTART + 1, RLENGTH - 2) "\\fP" substr(text, RSTART + RLENGTH)
  return text
}

# A line must not begin like a request.
function safe(line) { return line ~ /^[.']/ ? "\\&" line : line }

# Print a paragraph: every sentence on lines of its own, none longer than 78 characters.
function print_paragraph(text,    n, words, i, line) {
  n = split(marked(text), words, " ")
  line = ""
  for (i = 1; i <= n; i++) {
    if (line != "" && length(line) + 1 + length(words[i]) > 78) {
      print safe(line) >file
      line = ""
    }
    line = line (line == "" ? "" : " ") words[i]
    if (words[i] ~ /[.!?][)'"]*$/) {
      print safe(line) >file
      line = ""
    }
  }
  if (line != "")
    print safe(line) >file
}

# Print lines of a comment: paragraphs end at empty lines and before errors, and what is indented stays as it is.
function print_comment(text,    n, lines, i, paragraph, literal, before) {
  n = split(text, lines, "\n")
  paragraph = ""
  literal = before = 0
  for (i = 1; i <= n + 1; i++) {
    if (i <= n && lines[i] ~ /^  / && (literal || paragraph == "" || lines[i] ~ /^    /)) {
      if (paragraph != "") { if (before++) print ".Pp" >file; print_paragraph(paragraph); paragraph = "" }
      if (!literal) print ".Bd -literal -offset indent" >file
      literal = before = 1
      sub(/ +$/, "", lines[i])
      gsub(/\\/, "\\e", lines[i])
      print safe(substr(lines[i], 3)) >file
      continue
    }
    if (literal) { print ".Ed" >file; literal = 0 }
    if (paragraph != "" && (i > n || lines[i] == "" || lines[i] ~ /^DART_ERR_/)) {
      if (before++) print ".Pp" >file
      print_paragraph(paragraph)
      paragraph = ""
    }
    if (i <= n && lines[i] != "") paragraph = paragraph (paragraph == "" ? "" : " ") lines[i]
  }
}

# What a page is about, on one line: the first clause of its comment.
function summary(text,    line) {
  line = text
  gsub(/\n/, " ", line)
  gsub(/  +/, " ", line)
  sub(/^ /, "", line)
  if (match(line, /[^. ][.:;]( |$)/)) line = substr(line, 1, RSTART)
  sub(/[.:;]$/, "", line)
  sub(/, [^,]*[])]$/, "", line)
  if (line ~ /^[A-Z][a-z]/) line = tolower(substr(line, 1, 1)) substr(line, 2)
  return marked(line)
}

# "type name(args)" of a prototype, into `type`, `name` and args[1..nargs].
function parse(prototype,    open, head, rest, depth, i, c, arg) {
  gsub(/ +/, " ", prototype)
  sub(/ *__attribute__.*$/, "", prototype)
  sub(/ *DART_NOTHROW.*$/, "", prototype)
  sub(/;$/, "", prototype)
  open = index(prototype, "(")
  head = substr(prototype, 1, open - 1)
  rest = substr(prototype, open + 1)
  sub(/\) *$/, "", rest)
  match(head, /[A-Za-z_0-9]+$/)
  name = substr(head, RSTART)
  type = substr(head, 1, RSTART - 1)
  sub(/ +$/, "", type)
  nargs = depth = 0
  arg = ""
  for (i = 1; i <= length(rest) + 1; i++) {
    c = substr(rest, i, 1)
    depth += (c == "(") - (c == ")")
    if ((c == "," && depth == 0) || i > length(rest)) {
      sub(/^ +/, "", arg)
      args[++nargs] = arg
      arg = ""
    } else
      arg = arg c
  }
}

# The functions that a page names, in order.
function print_references(    text, n, i, j, found, names, swap) {
  text = comment[name] "\n" section[name]
  n = 0
  while (match(text, /dart_[a-z0-9_]+/)) {
    found = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    if ((found in prototype_of) && found != name && !((name, found) in is_named)) {
      is_named[name, found] = 1
      names[++n] = found
    }
  }
  for (i = 1; i <= n; i++)
    for (j = i + 1; j <= n; j++)
      if (names[j] < names[i]) { swap = names[i]; names[i] = names[j]; names[j] = swap }
  print ".Sh SEE ALSO" >file
  for (i = 1; i <= n; i++) print ".Xr " names[i] " 3 ," >file
  print ".Xr dart 7" >file
}

function print_page(    i) {
  parse(prototype_of[name])
  file = out "/" name ".3"
  print ".Dd " date "\n.Dt " toupper(name) " 3\n.Os" >file
  print ".Sh NAME\n.Nm " name "\n.Nd " summary(comment[name]) >file
  print ".Sh SYNOPSIS\n.In " header[name] "\n.Ft " type "\n.Fo " name >file
  for (i = 1; i <= nargs; i++) print ".Fa \"" args[i] "\"" >file
  print ".Fc\n.Sh DESCRIPTION" >file
  print_comment(comment[name])
  if (section[name] != "") {
    print ".Ss What holds for all functions of this kind" >file
    print_comment(section[name])
  }
  if (type == "dart_ret_t")
    print ".Sh RETURN VALUES\n.Dv DART_OK ,\nor an error that is described above." >file
  print_references()
  close(file)
}

FNR == 1 {
  path = FILENAME
  sub(/^.*\/dash\//, "dash/", path)
  general = last = ""
  in_comment = in_section = in_prototype = 0
}

/^\/\* ---- / { in_section = 1; general = ""; if ($0 ~ /\*\/ *$/) in_section = 0; next }
in_section {
  line = $0
  is_end = line ~ /\*\/ *$/
  sub(/ *\*\/ *$/, "", line)
  sub(/^ \*/, "", line)
  sub(/^ /, "", line)
  general = general (general == "" ? "" : "\n") line
  if (is_end) in_section = 0
  next
}

/^\/\*\*/ { in_comment = 1; last = ""; sub(/^\/\*\*/, " *") }
in_comment {
  line = $0
  is_end = line ~ /\*\/ *$/
  sub(/ *\*\/ *$/, "", line)
  sub(/^ \*/, "", line)
  sub(/^  ?/, "", line)
  last = last (last == "" ? "" : "\n") line
  if (is_end) in_comment = 0
  next
}

/^[a-z][A-Za-z0-9_ ]*[ *]dart_[a-z0-9_]+\(/ && !/^(typedef|static|extern|return|struct)/ { in_prototype = 1; prototype = "" }
/^DART_INLINE (DART_NOTHROW )?dart_[a-z_]+ dart_[a-z0-9_]+\(.*\)$/ { in_prototype = 1; prototype = "" } # its body follows
in_prototype {
  line = $0
  sub(/^ +/, "", line)
  if (sub(/^DART_INLINE (DART_NOTHROW )?/, "", line)) line = line ";"
  prototype = prototype (prototype == "" ? "" : " ") line
  if (line ~ /;/) {
    in_prototype = 0
    parse(prototype)
    prototype_of[name] = prototype
    comment[name] = last
    section[name] = general
    header[name] = path
  }
}

END {
  for (name in prototype_of) print_page()
}
