#!/usr/bin/env python3
"""Prints the binary interface of the public headers, one line for each declaration: functions and variables with their
types, structures and types with what they are made of, each constant of an enumeration with its value. Its argument is
the folder of the headers; CC is the compiler whose preprocessor reads them."""
import os
import re
import subprocess
import sys

if sys.argv[1:] in (["--help"], ["-h"]):
    print("interface.py FOLDER\n\n" + __doc__)
    sys.exit()
folder = os.path.realpath(sys.argv[1])
names = sorted(os.path.relpath(os.path.join(where, name), folder)
               for where, _, files in os.walk(folder) for name in files if name.endswith('.h'))
source = 'typedef long hid_t;\n' + ''.join(f'#include <{name}>\n' for name in names)
lines = subprocess.run([os.environ.get('CC', 'cc'), '-std=c11', '-E', '-I', folder, '-x', 'c', '-'], input=source,
                       capture_output=True, text=True, check=True).stdout.splitlines()

text, is_ours = [], False
for line in lines:
    marker = re.match(r'# \d+ "(.*)"', line)
    if marker:
        is_ours = os.path.realpath(marker.group(1)).startswith(folder)
    elif is_ours and not line.startswith('#'):
        text.append(line)
text = ' '.join(text)
text = re.sub(r'__attribute__ *\(\((?:[^()]|\([^()]*\))*\)\)|__asm__ *\([^()]*\)', ' ', text)

# Declarations end at a semicolon outside of braces; bodies of inline functions are no part of the interface.
declarations, depth, begin = [], 0, 0
for at, letter in enumerate(text):
    depth += (letter == '{') - (letter == '}')
    if depth == 0 and letter == '}' and re.match(r'[^{]*\)\s*\{', text[begin:at]):
        begin = at + 1
    elif depth == 0 and letter == ';':
        declarations.append(' '.join(text[begin:at].split()))
        begin = at + 1

out = set()
for one in declarations:
    found = re.search(r'\benum\b(?: \w+)? ?\{(.*)\}', one)
    if not found:
        if not one.startswith(('typedef long hid_t', '_Static_assert')) and one:
            out.add(re.sub(r' ?([(){},*;\[\]]) ?', r'\1', one))
        continue
    if one.startswith('typedef'):
        out.add(one[:found.start(1)] + '...' + one[found.end(1):])
    value = '-1'
    for constant in filter(None, (part.strip() for part in re.split(r',(?![^()]*\))', found.group(1)))):
        name, _, given = constant.partition('=')
        value = given.strip() or (str(int(value, 0) + 1) if re.fullmatch(r'-?\w+', value) and value.lstrip('-')[0].isdigit()
                                  else value + ' + 1')
        out.add(f'enum {name.strip()} = {value}')
print('\n'.join(sorted(out)))
