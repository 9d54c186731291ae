# The parts of the manual as HTML that mandoc does not make, see html.sh. With `page` set the input is the names, then
# mandoc's text of that page: a whole page to the output, with links to what it names. Without it the names alone: the
# index and the list of names for the search field, to the folder `out`.

function escaped(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  return text
}

function start_page(name, file) {
  printf "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n" \
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n" \
         "<title>%s</title>\n<link rel=\"stylesheet\" href=\"style.css\"/>\n</head>\n<body>\n" \
         "<header><a href=\"index.html\">%s</a>\n" \
         "<input id=\"search\" type=\"search\" placeholder=\"Search\" aria-label=\"Search\" autocomplete=\"off\"/>\n" \
         "<ul id=\"found\"></ul></header>\n<main>\n", name, title, title >file
}

function end_page(file) {
  print "</main>\n<script src=\"names.js\"></script>\n<script src=\"search.js\"></script>\n</body>\n</html>" >file
}

# Text without tags: names that have a page become links to it, but not to the page itself.
function linked(text,    done, word) {
  done = ""
  while (match(text, /(dart|DART)_[A-Za-z0-9_]+(\.h)?/)) {
    word = substr(text, RSTART, RLENGTH)
    done = done substr(text, 1, RSTART - 1)
    text = substr(text, RSTART + RLENGTH)
    if ((word in page_of) && page_of[word] != page) word = "<a href=\"" page_of[word] ".html\">" word "</a>"
    done = done word
  }
  return done text
}

# A line of mandoc's: what is between its tags, if that is no link already.
function with_links(line,    done, tag) {
  done = ""
  while (line != "") {
    if (line ~ /^</ || in_tag) {
      if (!match(line, />/)) { in_tag = 1; return done line }
      tag = substr(line, 1, RSTART)
      line = substr(line, RSTART + 1)
      in_tag = 0
      if (tag ~ /^<a /) in_link = 1
      if (tag == "</a>") in_link = 0
      done = done tag
    } else {
      if (!match(line, /</)) RSTART = length(line) + 1
      tag = substr(line, 1, RSTART - 1)
      line = substr(line, RSTART)
      done = done (in_link ? tag : linked(tag))
    }
  }
  return done
}

FILENAME != "-" {
  split($0, field, "\t")
  n++
  name[n] = field[1]
  header[n] = field[2]
  subject[n] = field[3]
  about[n] = escaped(field[4])
  file[n] = field[5]
  page_of[field[1]] = field[5]
  is_file[field[5] ".html"] = 1
  next
}

page != "" && !started++ { start_page(page, "/dev/stdout") }
/<table class="(head|foot)">/ { in_table = 1 }
!in_table {
  line = $0
  if (match(line, /<a class="In">[^<]*<\/a>/)) # no link
    line = substr(line, 1, RSTART - 1) substr(line, RSTART + 14, RLENGTH - 18) substr(line, RSTART + RLENGTH)
  if (match(line, /<a class="Xr" href="[^"]*"/)) { # to a page that there is not
    target = substr(line, RSTART + 20, RLENGTH - 21)
    if (!(target in is_file)) line = substr(line, 1, RSTART - 1) "<a class=\"Xr\"" substr(line, RSTART + RLENGTH)
  }
  print with_links(line)
}
/<\/table>/ { in_table = 0 }

# A list of the pages for which a field has this value.
function print_list(values, value,    i, any) {
  any = 0
  for (i = 1; i <= n; i++)
    if (values[i] == value && name[i] !~ /\.h$/ && (file[i] == name[i] ".3" || file[i] == name[i] "." value)) {
      if (!any++) print "<dl>" >index_file
      print "<dt><a href=\"" file[i] ".html\">" name[i] "</a></dt><dd>" about[i] "</dd>" >index_file
    }
  if (any) print "</dl>" >index_file
}

function heading(level, id, text) {
  printf "<h%d id=\"%s\">%s</h%d>\n", level, id, text, level >index_file
}

END {
  if (page != "") {
    end_page("/dev/stdout")
    exit
  }
  index_file = out "/index.html"
  start_page(title, index_file)
  heading(1, "top", title)
  print "<p>By <a href=\"#subjects\">subject</a>, by <a href=\"#headers\">header</a>, <a href=\"#programs\">programs</a>." \
        " <a href=\"dart.7.html\">dart(7)</a> is where to begin.</p>" >index_file
  heading(2, "subjects", "By subject")
  print "<ul class=\"contents\">" >index_file
  for (i = 1; i <= n; i++)
    if (subject[i] !~ /^[0-9]?$/ && !(subject[i] in number)) {
      number[subject[i]] = ++nsubjects
      title_of[nsubjects] = subject[i]
    }
  while ((getline line <subjects) > 0) # in the order of that file
    if (line ~ /^= / && substr(line, 3) in number) ordered[++nordered] = substr(line, 3)
  for (i = 1; i <= nordered; i++) printf "<li><a href=\"#subject%d\">%s</a></li>\n", i, ordered[i] >index_file
  print "</ul>" >index_file
  for (i = 1; i <= nordered; i++) {
    heading(3, "subject" i, ordered[i])
    print_list(subject, ordered[i])
  }
  heading(2, "headers", "By header")
  for (i = 1; i <= n; i++)
    if (name[i] ~ /\.h$/) {
      heading(3, name[i], "<a href=\"" file[i] ".html\">" name[i] "</a>")
      print "<p>" about[i] "</p>" >index_file
      print_list(header, name[i])
    }
  heading(2, "programs", "Programs, and the overview")
  print_list(subject, 1)
  print_list(subject, 7)
  end_page(index_file)

  names_file = out "/names.js"
  print "const dartNames = [" >names_file
  for (i = 1; i <= n; i++) {
    gsub(/["\\]/, "\\\\&", about[i])
    printf "[\"%s\", \"%s.html\", \"%s\"],\n", name[i], file[i], about[i] >names_file
  }
  print "];" >names_file
}
