#!/bin/sh
# The public headers compile without a warning for everyone who may include them.
#
#   check_headers.sh INCLUDE_DIR SOURCE_DIR
#
# INCLUDE_DIR holds dash/dart/if/*.h and dash/dart/ext/*.h, SOURCE_DIR check_interface.c
# and check_interface.cc. Each of gcc and clang that is found (or named by CC_GCC, CXX_GCC, CC_CLANG,
# CXX_CLANG) compiles, in C99, C++11 and the newest GNU dialects, and with DART_TEST_ALL in every language
# standard between them, since no layout may depend on feature-test macros:
#   - the interface check, with the part that HDF5 adds;
#   - all headers in one file, each twice, with the warnings of conversions.
# In its oldest standard each compiler compiles the interface check without HDF5, too; one compiler of each
# language compiles each header alone.
# The compilers of the two families run beside each other.
# One line per combination; exit code 1 if one fails, 2 if nothing could be checked.

[ "${1-}" != --help ] || { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit; }
if [ $# -ne 2 ]; then
  echo "usage: $0 INCLUDE_DIR SOURCE_DIR" >&2
  exit 2
fi
include=$1
source=$2
for file in "$include/dash/dart/if/dart.h" "$source/check_interface.c" "$source/check_interface.cc"
do
  if [ ! -r "$file" ]; then
    echo "$0: cannot read '$file'" >&2
    exit 2
  fi
done

tmp=$(mktemp -d "${TMPDIR:-/tmp}/check_headers.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM

# dart_io.h takes hid_t from hdf5.h; this much of it is enough to compile against
mkdir "$tmp/hdf5" "$tmp/alone" || exit 2
printf '#include <stdint.h>\ntypedef int64_t hid_t;\n' > "$tmp/hdf5/hdf5.h"

# Of the headers alone: what they define may be in programs that ask for these warnings.
conversions='-Wconversion -Wsign-conversion'

# Each header alone as alone/NAME, and all of them as all.c and all.cc.
echo '#include <hdf5.h>' > "$tmp/all.c"
for header in "$include"/dash/dart/if/*.h "$include"/dash/dart/ext/*.h; do
  name=${header#"$include"/}
  file=$tmp/alone/$(basename "$(dirname "$header")").$(basename "$header" .h)
  {
    [ "$name" != dash/dart/if/dart_io.h ] || echo '#include <hdf5.h>'
    printf '#include <%s>\n' "$name" "$name"
    echo 'extern int nothing_else_here;'
  } > "$file.c"
  cp "$file.c" "$file.cc"
  printf '#include <%s>\n' "$name" "$name" >> "$tmp/all.c"
done
echo 'extern int nothing_else_here;' >> "$tmp/all.c"
cp "$tmp/all.c" "$tmp/all.cc"

# try WHAT COMPILER STANDARD OPTION|FILE...
try() {
  what=$1 compiler=$2 standard=$3
  shift 3
  if said=$("$compiler" -std="$standard" -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
                        -I"$include" "$@" 2>&1); then
    result=ok
  else
    result=FAILED
  fi
  printf '%-6s  %-12s %-8s %s\n' "$result" "$compiler" "$standard" "$what"
  if [ "$result" = FAILED ]; then
    printf '%s\n' "$said" | sed 's/^/        /'
  fi
}

# The one of each language that compiles each header alone.
alone=" ${CC_GCC:-gcc} ${CXX_GCC:-g++} "
command -v "${CC_GCC:-gcc}" > /dev/null 2>&1 || alone="$alone${CC_CLANG:-clang} "
command -v "${CXX_GCC:-g++}" > /dev/null 2>&1 || alone="$alone${CXX_CLANG:-clang++} "

# check COMPILER SUFFIX STANDARD...: all of the above with one compiler, the oldest standard first
check() {
  compiler=$1 suffix=$2 oldest=$3
  shift 2
  if ! command -v "$compiler" > /dev/null 2>&1; then
    echo "skipped $compiler: not installed"
    return
  fi
  # shellcheck disable=SC2086
  for standard in "$@"; do
    try "check_interface.$suffix with HDF5" "$compiler" "$standard" -DCHECK_DART_HOST_MAX=64 \
        -DCHECK_DART_HDF5 -I"$tmp/hdf5" "$source/check_interface.$suffix"
    try "all headers" "$compiler" "$standard" -I"$tmp/hdf5" $conversions "$tmp/all.$suffix"
    [ "$standard" = "$oldest" ] || continue
    try "check_interface.$suffix" "$compiler" "$standard" -DCHECK_DART_HOST_MAX=64 \
        "$source/check_interface.$suffix"
    case $alone in *" $compiler "*) ;; *) continue ;; esac
    try "each header alone" "$compiler" "$standard" -I"$tmp/hdf5" $conversions "$tmp"/alone/*."$suffix"
  done
}

between_c='' between_cc=''
if [ -n "${DART_TEST_ALL-}" ]; then
  between_c='c11 c17' between_cc='c++14 c++17 c++20'
fi

# family NAME C_COMPILER CXX_COMPILER: both languages; what is said goes to the file NAME
family() {
  {
    # shellcheck disable=SC2086
    check "$2" c  c99 $between_c gnu17
    # shellcheck disable=SC2086
    check "$3" cc c++11 $between_cc gnu++20
  } > "$tmp/$1" 2>&1
}

family gcc   "${CC_GCC:-gcc}"     "${CXX_GCC:-g++}" &
family clang "${CC_CLANG:-clang}" "${CXX_CLANG:-clang++}" &
wait
cat "$tmp/gcc" "$tmp/clang"

failed=$(cat "$tmp/gcc" "$tmp/clang" | grep -c '^FAILED ')
checked=$(cat "$tmp/gcc" "$tmp/clang" | grep -c '^ok ')
checked=$((checked + failed))
if [ "$checked" -eq 0 ]; then
  echo "$0: neither gcc nor clang is installed; nothing was checked" >&2
  exit 2
fi
echo "$checked combinations, $failed failed"
[ "$failed" -eq 0 ]
