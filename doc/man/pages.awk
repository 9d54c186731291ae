# Manual pages of section 3 from the headers: one for each function, for each type, for each constant that has a comment of
# its own, and one for each header, with what its comment says and a list of its functions.
#
#   awk -v out=MAN3 -v list=FILE -v date='November 22, 2026' -v folder=doc/man -f pages.awk doc/man/subjects HEADER...
#
# A page's DESCRIPTION is the comment before the declaration, then that of its section of the header, which is about all
# functions there. EXAMPLES are programs of folder/examples. The file `subjects` says which belong together: SEE ALSO is
# made from it, and the list, with a line for each name: name, header, subject, what it is about, and its page.
#
# The headers keep to a form: declarations start at the margin, "/**" belongs to what comes next, "/**<" to what is before
# it, and "/* ---- TITLE ---" begins a section. Sections without functions belong to the page of the header.
# For any POSIX awk.

# Mark up a piece of text: roff's characters, and words in back-ticks.
function marked(text,    i) {
  gsub(/\\/, "\\e", text)
  gsub(/\(\)/, "", text) # of a function's name, as pages have it
  while (match(text, /\*\*[^*]+\*\*/))
    text = substr(text, 1, RSTART - 1) "\\fB" substr(text, RSTART + 2, RLENGTH - 4) "\\fP" substr(text, RSTART + RLENGTH)
  while (match(text, /(^|[ (])\*[A-Za-z][^*`]*[a-z.]\*/)) {
    i = RSTART + (substr(text, RSTART, 1) != "*")
    text = substr(text, 1, i - 1) "\\fI" substr(text, i + 1, RSTART + RLENGTH - i - 2) "\\fP" substr(text, RSTART + RLENGTH)
  }
  while (match(text, /`[^`]*`/))
    text = substr(text, 1, RSTART - 1) "\\fB" substr(text, RSTART + 1, RLENGTH - 2) "\\fP" substr(text, RSTART + RLENGTH)
  return text
}

# A line must not begin like a request.
function safe(line) { return line ~ /^[.']/ ? "\\&" line : line }

function print_paragraph(text) { print_marked(marked(text)) }

# Print text that is marked up: every sentence on lines of its own, none longer than 74 characters: 80 bytes.
function print_marked(text,    n, words, i, line) {
  n = split(text, words, " ")
  line = ""
  for (i = 1; i <= n; i++) {
    if (line != "" && length(line) + 1 + length(words[i]) > 74) {
      print safe(line) >file
      line = ""
    }
    line = line (line == "" ? "" : " ") words[i]
    if (words[i] ~ /[^.][.!?][)'"]*$/) {
      print safe(line) >file
      line = ""
    }
  }
  if (line != "")
    print safe(line) >file
}

# Print lines of a comment: paragraphs end at empty lines, before errors and before "- ", and what is indented stays as it
# is, but for lines of such an item.
function print_comment(text,    n, lines, i, paragraph, literal, before, item) {
  n = split(text, lines, "\n")
  paragraph = ""
  literal = before = item = 0
  for (i = 1; i <= n + 1; i++) {
    if (item && i <= n && lines[i] ~ /^  ?[^ ]/) sub(/^ +/, "", lines[i])
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
    if (paragraph != "" && (i > n || lines[i] == "" || (lines[i] ~ /^(DART_ERR_|DART_PENDING:)/ && paragraph ~ /[.:;)]$/) ||
        lines[i] ~ /^- /)) {
      if (!item && before++) print ".Pp" >file
      print_paragraph(paragraph)
      paragraph = ""
    }
    if (item && (i > n || lines[i] == "")) { print ".El" >file; item = 0; before = 1 }
    if (i <= n && sub(/^- /, "", lines[i])) {
      if (!item++) print ".Bl -bullet" >file
      print ".It" >file
    }
    if (i <= n && lines[i] != "") paragraph = paragraph (paragraph == "" ? "" : " ") lines[i]
  }
}

# What a page is about, on one line: the first clause of its comment, or (`whole`) its first sentence.
function summary(text, whole,    line) {
  line = text
  gsub(/\n/, " ", line)
  gsub(/  +/, " ", line)
  sub(/^ /, "", line)
  if (match(line, whole ? "[^. ][.]( |$)" : "[^. ][.:;]( |$)")) line = substr(line, 1, RSTART)
  sub(/[.:;]$/, "", line)
  sub(/, [^,]*[])]$/, "", line)
  if (line ~ /^(A |[A-Z][a-z])/ && line !~ /^DART/) line = tolower(substr(line, 1, 1)) substr(line, 2)
  line = marked(line)
  gsub(/"/, "\\(dq", line)
  return line
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

# The pages in `names`, words with spaces between, into SEE ALSO: in order, each once, and not this page.
function print_references(this, names,    n, i, j, list, swap, seen) {
  n = split(names, list, " ")
  for (i = 1; i <= n; i++)
    for (j = i + 1; j <= n; j++)
      if (tolower(list[j]) < tolower(list[i])) { swap = list[i]; list[i] = list[j]; list[j] = swap }
  print ".Sh SEE ALSO" >file
  for (i = 1; i <= n; i++)
    if (list[i] != this && !(list[i] in seen) && (list[i] in is_page)) {
      seen[list[i]] = 1
      print ".Xr " list[i] " 3 ," >file
    }
  print ".Xr dart 7" >file
}

# The pages that a text names.
function named_in(text,    found, names) {
  names = ""
  while (match(text, /(dart|DART)_[A-Za-z0-9_]+/)) {
    found = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    if (found in constant_of) found = constant_of[found]
    if (found in is_page) names = names " " found
  }
  return names
}

# What is related to a page: its subject, what that names, what its comment names, and its header.
function related(this) {
  return of_subject[subject_of[this]] " " see[subject_of[this]] named_in(comment[this]) " " base_of[this]
}

# Whether a text has the name, or one of the type's constants, as a word.
function uses(text, this,    n, i, names) {
  n = split(this " " constants[this], names, " ")
  for (i = 1; i <= n; i++)
    if (text ~ "(^|[^a-zA-Z0-9_])" names[i] "([^a-zA-Z0-9_]|$)") return 1
  return 0
}

# Read an example: its first comment into `intro`, all else, marked up, into `program`.
function read_example(name,    path, line, state) {
  path = folder "/examples/show_" name ".c"
  program = intro = ""
  state = 0
  while ((getline line <path) > 0) {
    if (state == 0) {
      state = line ~ /\*\/ *$/
      sub(/^\/\* */, "", line)
      sub(/ *\*\/ *$/, "", line)
      sub(/^ \* ?/, "", line)
      intro = intro (intro == "" ? "" : "\n") line
    } else {
      gsub(/\\/, "\\e", line)
      program = program safe(line) "\n"
    }
  }
  close(path)
  if (program == "") { print "no example " path >"/dev/stderr"; exit failed = 1 }
}

# The examples of the subject that use it. Of functions that none uses, the first one, as one of related functions.
function print_examples(this,    n, i, names, any) {
  n = split(examples[subject_of[this]], names, " ")
  any = 0
  for (i = 1; i <= n || (i == n + 1 && n > 0 && !any && is_page[this] == "function"); i++) {
    read_example(names[i > n ? 1 : i])
    if (i <= n && !uses(program, this)) continue
    print (any ? ".Pp" : ".Sh EXAMPLES") >file
    any = 1
    if (i > n) print "Of related functions:\n.Pp" >file
    print_comment(intro)
    printf ".Bd -literal -offset indent\n%s.Ed\n", program >file
  }
}

# The beginning of a page. `others`: further names of it.
function print_start(this, about, others,    n, i, names) {
  file = out "/" this ".3"
  n = split(others, names, " ")
  print ".Dd " date "\n.Dt " toupper(this) " 3\n.Os\n.Sh NAME\n.Nm " this (n > 0 ? " ," : "") >file
  for (i = 1; i <= n; i++) print ".Nm " names[i] (i < n ? " ," : "") >file
  print ".Nd " about >file
  gsub(/\\f[A-Z]/, "", about)
  gsub(/\\\(dq/, "\"", about)
  print this "\t" base_of[this] "\t" subject_of[this] "\t" about "\t" this >list
}

# What a function returns: DART_OK, and the errors that its text names.
function print_errors(text,    found, seen) {
  print ".Sh RETURN VALUES\n.Dv DART_OK ,\nor an error, see\n.Xr dart_ret_t 3 ." >file
  while (match(text, /DART_ERR_[A-Z_]+/)) {
    found = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    if (found in seen) continue
    if (length(seen) == 0) print "This page names" >file
    print ".Dv " found >file
    seen[found] = 1
  }
}

function print_function(this,    i) {
  parse(prototype_of[this])
  print_start(this, summary(comment[this]), "")
  print ".Sh SYNOPSIS\n.In " header[this] "\n.Ft " type "\n.Fo " this >file
  for (i = 1; i <= nargs; i++) print ".Fa \"" args[i] "\"" >file
  print ".Fc\n.Sh DESCRIPTION" >file
  print_comment(comment[this])
  if (section[this] != "") {
    print ".Ss What holds for all functions of this kind" >file
    print_comment(section[this])
  }
  if (type == "dart_ret_t") print_errors(comment[this] " " section[this])
  print_examples(this)
  print_references(this, related(this))
  close(file)
}

# A list of constants with their meanings.
function print_constants(names,    n, i, list) {
  n = split(names, list, " ")
  if (n == 0) return
  print ".Bl -tag -width indent" >file
  for (i = 1; i <= n; i++) {
    print ".It Dv " list[i] >file
    if (list[i] in is_page) { printf "see\n.Xr %s 3 :\n", list[i] >file; print_marked(summary(comment[list[i]], 1)) }
    else if (meaning[list[i]] != "") print_paragraph(meaning[list[i]])
  }
  print ".El" >file
}

function print_type(this,    n, i, lines) {
  print_start(this, summary(comment[this]), aliases(this))
  print ".Sh SYNOPSIS\n.In " header[this] >file
  if (this == "dart_datatype_t") print ".In dash/dart/ext/dart_basic.h" >file
  print ".Bd -literal" >file
  n = split(declaration[this], lines, "\n")
  for (i = 1; i <= n; i++) print safe(lines[i]) >file
  print ".Ed\n.Sh DESCRIPTION" >file
  print_comment(comment[this])
  if (more[this] != "") { print ".Pp" >file; print_comment(more[this]) }
  if (this == "dart_datatype_t") { print ".Pp" >file; print_comment(overview["dart_basic.h"]) }
  if (constants[this] != "") {
    print ".Ss Constants" >file
    print_constants(constants[this])
  }
  print_examples(this)
  print_references(this, related(this))
  close(file)
}

# The constants of a type that have no pages of their own: these are names of the page of the type.
function aliases(this,    n, i, list, text) {
  n = split(constants[this], list, " ")
  text = ""
  for (i = 1; i <= n; i++) if (!(list[i] in is_page)) text = text " " list[i]
  return text
}

function print_constant(this) {
  print_start(this, summary(comment[this], 1), "")
  print ".Sh SYNOPSIS\n.In " header[this] "\n.Pp\n.Dv " this >file
  print ".Sh DESCRIPTION" >file
  print_comment(comment[this])
  print ".Pp" >file
  print_comment(comment[owner[this]])
  print_examples(this)
  print_references(this, related(this) " " owner[this])
  close(file)
}

# The page of a header: its comment, and its functions and types.
function print_header(this,    n, i, names, first) {
  print_start(this, summary(overview[this], 1), "")
  print ".Sh SYNOPSIS" >file
  n = split(paths[this], names, " ")
  for (i = 1; i <= n; i++) print ".In " names[i] >file
  print ".Sh DESCRIPTION" >file
  print_comment(overview[this])
  n = split(pages_of[this], names, " ")
  if (n > 0) print ".Ss Functions and types\n.Bl -tag -width indent" >file
  for (i = 1; i <= n; i++) { print ".It Xr " names[i] " 3" >file; print_marked(summary(comment[names[i]])) }
  if (n > 0) print ".El" >file
  if (constants[this] != "") { print ".Ss Constants" >file; print_constants(constants[this]) }
  n = split(extra[this], names, "\034")
  for (i = 1; i < n; i += 2) { print ".Ss " names[i] >file; print_comment(names[i + 1]) }
  print_references(this, named_in(overview[this]))
  close(file)
}

# Note a page that is made at the end.
function add_page(this, kind) {
  if (!(this in is_page)) order[++npages] = this
  is_page[this] = kind
  header[this] = path
  base_of[this] = base
  if (kind != "header") pages_of[base] = pages_of[base] " " this
}

# Which type, or header, a constant is listed with.
function owner_of(name) {
  if (name ~ /^DART_TYPE_/) return "dart_datatype_t"
  if (name ~ /^DART_OP_/) return "dart_operation_t"
  return type_now == "" ? base : type_now
}

function add_constant(to, name, text) {
  constants[to] = constants[to] (constants[to] == "" ? "" : " ") name
  constant[++nconstants] = name
  constant_of[name] = to
  owner[name] = to
  meaning[name] = text
}

# The text of a comment that stands within a declaration.
function bare(text) {
  sub(/^\/\*\*<? */, "", text)
  sub(/ *\*\/$/, "", text)
  gsub(/\n *\*  ?/, "\n", text)
  gsub(/\n *\*/, "\n", text)
  return text
}

# The constants of an enum: those with a comment before them get a page each.
function read_enum(to, text,    body, name, before, words, end) {
  body = substr(text, index(text, "{") + 1)
  before = name = ""
  while (body !~ /^[ \n]*}/ && body !~ /^[ \n]*$/) {
    sub(/^[ \n,]+/, "", body)
    if (body ~ /^\/\*/) {
      end = index(body, "*/") + 1
      words = bare(substr(body, 1, end))
      if (substr(body, 1, 4) == "/**<") { gsub(/\n */, " ", words); meaning[name] = words }
      else before = words
      body = substr(body, end + 1)
    } else if (match(body, /^[A-Z][A-Z0-9_]+/)) {
      name = substr(body, 1, RLENGTH)
      add_constant(to, name, "")
      if (before != "") { comment[name] = before; add_page(name, "constant"); subject_of[name] = subject_of[to]; before = "" }
      body = substr(body, RLENGTH + 1)
      match(body, /^[^,}\/]*/)
      body = substr(body, RLENGTH + 1)
    } else
      break
  }
}

# A whole declaration of a type.
function add_type(text,    name) {
  gsub(/\n#ifdef __cplusplus\n([^#]|#[^e])*\n#endif/, "", text)
  if (match(text, /\(\*dart_[a-z_]+\)/)) name = substr(text, RSTART + 2, RLENGTH - 3)
  else {
    name = text
    sub(/ *__attribute__.*$/, "", name)
    sub(/;[^;]*$/, "", name)
    match(name, /[a-z0-9_]+$/)
    name = substr(name, RSTART)
  }
  if (text ~ /^enum/) { read_enum(owner_of(substr(text, match(text, /DART_[A-Z]/))), text); more[owner_of(substr(text, match(text, /DART_[A-Z]/)))] = fresh ? last : ""; fresh = 0; return }
  if (base ~ /^dart_inline/ || !fresh) { if (!fresh && base !~ /^dart_inline/) print path ": " name " has no comment" >"/dev/stderr"; return }
  comment[name] = last
  fresh = 0
  type_now = name
  add_page(name, "type")
  declaration[name] = text
  if (text ~ /^typedef enum/) {
    read_enum(name, text)
    declaration[name] = "typedef enum { ... } " name ";"
  }
}

FILENAME ~ /subjects$/ {
  if ($0 ~ /^#/ || NF == 0) next
  if (sub(/^= /, "")) { subject = $0; next }
  if (sub(/^example /, "")) { examples[subject] = $0; next }
  if (sub(/^see /, "")) { see[subject] = see[subject] " " $0; next }
  for (i = 1; i <= NF; i++) {
    subject_of[$i] = subject
    of_subject[subject] = of_subject[subject] " " $i
  }
  next
}

FNR == 1 {
  end_section()
  path = FILENAME
  sub(/^.*\/dash\//, "dash/", path)
  base = path
  sub(/^.*\//, "", base)
  type_now = general = last = ""
  in_comment = in_section = in_prototype = in_type = fresh = 0
}

# A section without functions belongs to the page of the header.
function end_section() {
  if (general != "" && !used) extra[base] = extra[base] title "\034" general "\034"
  general = ""
}

/^\/\* ---- / {
  end_section()
  title = $0
  sub(/^\/\* -+ /, "", title)
  sub(/ *-+ *(\*\/)? *$/, "", title)
  title = toupper(substr(title, 1, 1)) substr(title, 2)
  type_now = ""
  used = 0
  in_section = $0 !~ /\*\/ *$/
  next
}
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
  if (is_end) {
    in_comment = 0
    fresh = 1
    if (sub(/^@file [^\n]*\n/, "", last)) {
      overview[base] = overview[base] (overview[base] == "" ? "" : "\n\n") last
      if (paths[base] == "") add_page(base, "header")
      paths[base] = paths[base] (paths[base] == "" ? "" : " ") path
      fresh = 0
      last = ""
    }
  }
  next
}

/^(typedef |struct [a-z_]+ \{|enum \{)/ && base !~ /^dart_inline/ { in_type = 1; declared = "" }
in_type {
  declared = declared (declared == "" ? "" : "\n") $0
  if ($0 ~ /^[^ ].*;( *\/\*.*)?$/) {
    in_type = 0
    if (declared ~ /^struct/) pending = declared "\n" # the typedef follows
    else { add_type(pending declared); pending = "" }
  }
  next
}
/^#define DART_[A-Z0-9_]+/ {
  match($0, /DART_[A-Z0-9_]+/)
  name = substr($0, RSTART, RLENGTH)
  line = ""
  if (match($0, /\/\*\*<.*\*\//)) line = bare(substr($0, RSTART, RLENGTH))
  else if (fresh) line = last
  gsub(/\n */, " ", line)
  if ((line != "" || name ~ /^DART_UNDEFINED_/) && base !~ /^dart_(inline|profile|util)/ && !(name in owner)) add_constant(owner_of(name), name, line)
  if (line != "") fresh = 0
}

/^[a-z][A-Za-z0-9_ ]*[ *]dart_[a-z0-9_]+\(/ && !/^(typedef|static|extern|return|struct)/ { in_prototype = 1; prototype = "" }
/^DART_INLINE (DART_NOTHROW )?dart_[a-z_]+ dart_[a-z0-9_]+\(.*\)$/ { in_prototype = 1; prototype = "" } # its body follows
in_prototype {
  line = $0
  sub(/^ +/, "", line)
  if (sub(/^DART_INLINE (DART_NOTHROW )?/, "", line)) line = line ";"
  prototype = prototype (prototype == "" ? "" : " ") line
  if (line ~ /;/) {
    in_prototype = fresh = 0
    if (last == "") next # it is part of others
    used = 1
    parse(prototype)
    prototype_of[name] = prototype
    comment[name] = last
    section[name] = general
    add_page(name, "function")
  }
}

END {
  if (failed) exit 1
  end_section()
  for (i = 1; i <= npages; i++) {
    this = order[i]
    if (is_page[this] == "function") print_function(this)
    else if (is_page[this] == "type") print_type(this)
    else if (is_page[this] == "constant") print_constant(this)
    else print_header(this)
  }
  for (i = 1; i <= nconstants; i++) { # `man DART_TYPE_INT` shows the page of the type
    this = constant[i]
    if (this in is_page) continue
    system("ln -sf " constant_of[this] ".3 " out "/" this ".3")
    print this "\t" base_of[constant_of[this]] "\t\t" meaning[this] "\t" constant_of[this] >list
  }
}
