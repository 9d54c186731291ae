"""What the runs printed, as series: for each x the median of the rounds, the least and the most."""
import csv
import io
import os
import re
import statistics

from report.page import element, table, text_of

DATA = os.path.join(os.path.dirname(os.path.realpath(__file__)), "data")


class Point:
    def __init__(self, x, values):
        self.x, self.median, self.least, self.most = x, statistics.median(values), min(values), max(values)


def points(groups):
    """Points of a dictionary from x to the values of the rounds."""
    return [Point(x, groups[x]) for x in sorted(groups)]


def at(series, x):
    """The median at x; None: there is none."""
    return next((point.median for point in series if point.x == x), None)


def paper(name):
    """Rows of a table of a paper."""
    with open(os.path.join(DATA, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def listed(values):
    """1, 2 and 4"""
    return " and ".join(filter(None, (", ".join(map(str, values[:-1])), str(values[-1])))) if values else ""


def size_name(value):
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= size and value % size == 0:
            return f"{value / size:g} {unit}"
    return f"{value:g}"


def range_of(sizes):
    """1 byte to 2 MiB"""
    names = [size_name(size) + ("" if size >= 1024 else " byte" if size == 1 else " bytes")
             for size in sorted({min(sizes), max(sizes)})]
    return " to ".join(names)


class Results:
    def __init__(self, output):
        self.output = output
        self.files = sorted(os.listdir(os.path.join(output, "raw")))

    def rounds(self):
        return len({file.rsplit(".", 2)[1] for file in self.files if file.endswith(".out")})

    def steps_like(self, pattern):
        """What the group of the pattern is in names of steps that ended well."""
        found = (re.fullmatch(pattern + r"\.\d+\.out", file) for file in self.files)
        return sorted({name[1] for name in found if name})

    def ran(self, *patterns, sized=True):
        """In words, what was run of the steps with such names: units, sizes (not where the column `bytes` is something
        else), rounds and commands."""
        found, rounds, commands = set(), set(), {}  # a command: its sizes
        for file in self.files:
            name = re.fullmatch(rf"(?P<step>{'|'.join(patterns)})\.(?P<round>\d+)\.out", file)
            if name:
                rounds.add(name["round"])
                with open(os.path.join(self.output, "raw", file[:-3] + "command"), encoding="utf-8") as opened:
                    command = re.sub(r"\S*/", "", opened.read().strip())
                units = re.search(r" -n (\d+) ", command)
                found.add(int(units[1]) if units else 0)
                commands[command] = {int(row["bytes"]) for row in self.rows(name["step"])
                                     if (row.get("bytes") or "").isdigit()} - {0}
        if not found:
            return element("p", text_of("None of it was run."))
        told = f"{listed(sorted(found - {0}))} {'unit' if found == {1} else 'units'}"
        ranges = {range_of(sizes) for sizes in commands.values() if sizes and sized}
        if len(ranges) == 1:
            told += f", {min(ranges)}"
        told += ", one round." if len(rounds) == 1 else f", {len(rounds)} rounds."
        lines = "".join(element("li", text_of(command + (f": {range_of(commands[command])}" if len(ranges) > 1 and
                                                         commands[command] else ""))) for command in sorted(commands))
        return element("details", element("summary", element("i", "Run: ") + text_of(told)) + element("ul", lines))

    def texts(self, name):
        """What the step printed, in each round that ended well."""
        for file in self.files:
            if re.fullmatch(re.escape(name) + r"\.\d+\.out", file):
                with open(os.path.join(self.output, "raw", file), encoding="utf-8") as opened:
                    yield opened.read()

    def rows(self, name):
        """Rows of CSV of all rounds."""
        for rows in self.by_round(name):
            yield from rows

    def by_round(self, name):
        """Rows of CSV of each round."""
        return [list(csv.DictReader(io.StringIO(text))) for text in self.texts(name)]

    def series(self, name, column, by="bytes", scale=1e-3, **wanted):
        """Points over the column `by`, of rows whose columns are as wanted."""
        groups = {}
        for row in self.rows(name):
            if row.get(column) and all(row.get(key) == value for key, value in wanted.items()):
                groups.setdefault(float(row[by]), []).append(float(row[column]) * scale)
        return points(groups)

    def figure(self, name):
        """The number in the line RESULT of a benchmark, of each round."""
        for text in self.texts(name):
            found = re.search(r'^RESULT .*figure="(?:\d+ iterations, )?([0-9.e+-]+) .*" verified=yes$', text,
                              re.MULTILINE)
            if found:
                yield float(found[1])

    def over(self, names):
        """Points of such numbers, of a dictionary from x to names of steps."""
        groups = {x: list(self.figure(name)) for x, name in names.items()}
        return points({x: values for x, values in groups.items() if values})

    def failures(self):
        rows = []
        for file in self.files:
            if file.endswith(".failed") and file.replace(".failed", ".out") not in self.files:
                with open(os.path.join(self.output, "raw", file), encoding="utf-8") as opened:
                    rows.append((file[:-len(".failed")], opened.read().strip()[:200]))
        if not rows:
            return ""
        return element("p", text_of("These runs failed, or took too long:")) + table(("run", "what it said"), rows)
