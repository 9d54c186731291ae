#!/bin/sh
# The public headers compile without a warning for everyone who may include them.
#
#   check_headers.sh INCLUDE_DIR SOURCE_DIR
#
# INCLUDE_DIR holds dash/dart/if/*.h and dash/dart/ext/*.h, SOURCE_DIR check_interface.c
# and check_interface.cc. Each of gcc and clang that is found (or named by CC_GCC, CXX_GCC, CC_CLANG, CXX_CLANG) compiles, in every
# language standard from C99 and C++11 on:
#   - both interface checks, without and with the part that HDF5 adds;
#   - each header alone, twice in one file, under strict standards and under GNU dialects, since no
#     layout may depend on feature-test macros;
#   - all headers in one file.
# One line per combination; exit code 1 if one fails, 2 if nothing could be checked.

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
mkdir "$tmp/hdf5" || exit 2
printf '#include <stdint.h>\ntypedef int64_t hid_t;\n' > "$tmp/hdf5/hdf5.h"

# Of the headers alone: what they define may be in programs that ask for these warnings.
conversions='-Wconversion -Wsign-conversion'
checked=0
failed=0

# try WHAT COMPILER STANDARD FILE OPTION...
try() {
  what=$1 compiler=$2 standard=$3 file=$4
  shift 4
  checked=$((checked + 1))
  if "$compiler" -std="$standard" -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
                 -I"$include" "$@" "$file" > "$tmp/log" 2>&1; then
    result=ok
  else
    result=FAILED
    failed=$((failed + 1))
  fi
  printf '%-6s  %-12s %-8s %s\n' "$result" "$compiler" "$standard" "$what"
  if [ "$result" = FAILED ]; then
    sed 's/^/        /' "$tmp/log"
  fi
}

# check COMPILER SUFFIX STANDARD...: all of the above with one compiler
check() {
  compiler=$1 suffix=$2
  shift 2
  if ! command -v "$compiler" > /dev/null 2>&1; then
    echo "skipped $compiler: not installed"
    return
  fi
  for standard in "$@"; do
    try "check_interface.$suffix" "$compiler" "$standard" "$source/check_interface.$suffix" \
        -DCHECK_DART_HOST_MAX=64
    try "check_interface.$suffix with HDF5" "$compiler" "$standard" \
        "$source/check_interface.$suffix" -DCHECK_DART_HOST_MAX=64 -DCHECK_DART_HDF5 -I"$tmp/hdf5"
    for header in "$include"/dash/dart/if/*.h "$include/dash/dart/ext/dart_inline.h"; do
      name=$(basename "$header") folder=$(basename "$(dirname "$header")")
      {
        [ "$name" != dart_io.h ] || echo '#include <hdf5.h>'
        echo "#include <dash/dart/$folder/$name>"
        echo "#include <dash/dart/$folder/$name>"
        echo 'extern int nothing_else_here;'
      } > "$tmp/alone.$suffix"
      try "$name" "$compiler" "$standard" "$tmp/alone.$suffix" -I"$tmp/hdf5" $conversions
    done
    {
      echo '#include <hdf5.h>'
      for header in "$include"/dash/dart/if/*.h "$include"/dash/dart/ext/*.h; do
        echo "#include <dash/dart/${header#"$include"/dash/dart/}>"
      done
      echo 'extern int nothing_else_here;'
    } > "$tmp/all.$suffix"
    try "all headers" "$compiler" "$standard" "$tmp/all.$suffix" -I"$tmp/hdf5" $conversions
  done
}

check "${CC_GCC:-gcc}"        c  c99 c11 c17 gnu17
check "${CC_CLANG:-clang}"    c  c99 c11 c17 gnu17
check "${CXX_GCC:-g++}"       cc c++11 c++14 c++17 c++20 gnu++20
check "${CXX_CLANG:-clang++}" cc c++11 c++14 c++17 c++20 gnu++20

if [ "$checked" -eq 0 ]; then
  echo "$0: neither gcc nor clang is installed; nothing was checked" >&2
  exit 2
fi
echo "$checked combinations, $failed failed"
[ "$failed" -eq 0 ]
