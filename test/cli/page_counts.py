#!/usr/bin/env python3
"""Compares the tables of a page (doc/internals/messages.md) with the counts that a test holds (counts.csv): prints each row of
the page that differs. Of all cases, as messages-shmem --format=csv has printed them for several jobs, it prints those above the least without a
line under "Above the least" that begins with their name, or with its beginning."""
import csv
import re
import sys

page, table, *files = sys.argv[1:]
counts = {}
for name, shape, units, messages, size, chain in csv.reader(open(table)):
    counts.setdefault((name, int(units)), {})[int(shape)] = (messages, size, chain)
known = {name for name, _ in counts}
cases = [case for file in files for case in csv.DictReader(open(file))]
leasts = {(case['case'], case['shape'], case['units']): (case['least_messages'], case['least_chain']) for case in cases}
BESIDE = "Beside the papers' implementations"


def names_of(cell):
    """The calls of a row: a name, or several, of which later ones may be ends of the first: "fence LAZY, NOPUT"."""
    parts = cell.split(', ')
    most = next((n for n in range(len(parts), 0, -1) if ', '.join(parts[:n]) in known), 1)
    first, others = ', '.join(parts[:most]), parts[most:]
    shorter = first.rsplit(' ', 1)[0]
    return [first] + [next((full for full in (one, f'{shorter} {one}', f'{first} {one}') if full in known), one)
                      for one in others]


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip('|').split('|')]


reasons, rows, above, section, units_of = '', 0, '', '', []
for line in open(page):
    if line.startswith('## '):
        section = line.strip('# \n')
    if section == 'Above the least':
        reasons += line
    if not line.startswith('| ') or section not in ('', 'With more units', BESIDE):
        continue
    cells = cells_of(line)
    if cells[0] == 'calls':
        units_of = [int(cell) for cell in cells[1:] if cell.isdigit()]
        continue
    above = cells[0] or above
    if section == BESIDE:
        name, shape = above, 0
        if name not in known and re.search(r', \d+$', name):
            name, shape = name.rsplit(', ', 1)
        found = counts.get((name, 4), {})
        messages, _, chain = found.get(int(shape)) or next(iter(found.values()), ('', '', ''))
        if cells[4] != f'{messages} ({chain})':
            print(f'"{above}" beside the papers: the page has {cells[4]}, the test {messages} ({chain})')
        continue
    for name in names_of(above):
        rows += 1
        if section == '':
            shape, messages, size, chain = cells[1:5]
            shape, units = re.fullmatch(r'(\d+)(?:, (\d+) units)?', shape).groups()
            (messages, *least), (chain, *least_chain) = messages.split('/'), chain.split('/')
            found = counts.get((name, int(units or 4)), {}).get(int(shape))
            if found is None or found != (messages, size if found[1] != '*' else '*', chain):
                print(f'"{name}",{shape}: the page has {messages},{size},{chain}, the test {found}')
            bound = leasts.get((name, shape, units or '4'))
            if bound is not None and bound != (*least, *least_chain):
                print(f'"{name}",{shape}: the page has the least {least}, {least_chain}, the program {bound}')
            continue
        for units, cell in zip(units_of, cells[1:]):
            found = counts.get((name, units))
            if found is None and units == 32:  # the test counts powers of two but this one
                continue
            if found is None or cell not in {f'{messages} ({chain})' for messages, _, chain in found.values()}:
                print(f'"{name}", {units} units: the page has {cell}, the test {found}')

explained = {name for cell in re.findall(r'\*\*([^*]+)\*\*', ' '.join(reasons.split())) for name in cell.split('; ')}
for case in cases:
    # of those that the test holds, its counts: a chain may be longer once
    counted = counts.get((case['case'], int(case['units'])), {}).get(int(case['shape']))
    messages, _, chain = counted or (case['messages'], 0, case['chain'])
    is_above = int(messages) > int(case['least_messages']) or int(chain) > int(case['least_chain'])
    if is_above and not any(case['case'].startswith(one) for one in explained):
        print(f'"{case["case"]}" of {case["shape"]}, {case["units"]} units, is above the least, and the page does not say why')
if rows < 50:
    print(f'only {rows} rows were found in {page}')
