"""The page of bench/run: every figure with its bar, of the cases and of the other tables of the run."""
import csv
import math
import os
import re

from report.page import element, fail, page, svg, table, text_of, title


def read_cases(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    if not rows or not {"table", "case", "bytes", "of", "figure"} <= set(rows[0]):
        fail(f"{path} is no cases.csv of bench/run")
    return rows


def read_beside(path, *names):
    """Rows of another table of the run; none if that part was not run."""
    other = os.path.join(os.path.dirname(path), *names)
    if not os.path.exists(other):
        return []
    with open(other, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_programs(path):
    """RandomAccess and the stencil as cases: one for each program and size, in a table for each measure."""
    cases = []
    for row in read_beside(path, "apps.csv"):
        is_stencil = row["benchmark"].startswith("stencil")
        size = f"{row['size']} x {row['size']}" if is_stencil else f"2^{row['size']} words"
        cases.append({"table": "programs", "bytes": "0", "of": "seconds" if is_stencil else "GUP/s",
                      "case": f"{row['benchmark']}-{row['backend']} {row['units']}x{row['nodes']}, {size}",
                      "figure": row["figure"]})
    return cases


def read_goals(path):
    """Lines of goals.txt: the goal, its figure, at most or at least, the bound, and met, MISSED or -."""
    try:
        with open(os.path.join(os.path.dirname(path), "goals.txt"), encoding="utf-8") as file:
            found = [re.fullmatch(r"(.*?) +(\S+)   (at (?:most|least) \S+) +(\S+)", line.rstrip("\n")) for line in file]
    except OSError:
        return []
    return [match.groups() for match in found if match and match[2] != "-"]


def of_what(case):
    return {"mpi": "of MPI's time", "floor": "of the floor", "ns": "ns"}.get(case["of"], case["of"])


def figure_row(case, y, place):
    value, parts = float(case["figure"]), []
    is_missed = case.get("result") == "MISSED"
    colour = "#b8473d" if is_missed else "#3b6fb6"
    if case.get("least") and case.get("most"):
        parts.append(element("line", "", x1=place(float(case["least"])), x2=place(float(case["most"])), y1=y, y2=y,
                             stroke=colour, stroke_width=1.5))
    if case.get("bar"):
        at = place(float(case["bar"]))
        parts.append(element("line", title(f"bar: {case['bar']}"), x1=at, x2=at, y1=y - 7, y2=y + 7, stroke="#222",
                             stroke_width=2, class_="bar", data_bar=case["bar"]))
    told = f"{case['case']}, {case['bytes']} bytes: {case['figure']} {of_what(case)}"
    told += f", bar {case['bar']}: {case['result']}" if case.get("bar") else ", no bar"
    parts.append(element("circle", title(told), cx=place(value), cy=y, r=4, fill=colour, class_="figure",
                         data_case=case["case"], data_bytes=case["bytes"], data_figure=case["figure"]))
    label = f"{case['case']} {case['bytes']}" if case["bytes"] not in ("", "0") else case["case"]
    parts.append(element("text", text_of(label), x=236, y=y + 4, text_anchor="end"))
    parts.append(element("text", text_of(f"{case['figure']}{' MISSED' if is_missed else ''}"), x=790, y=y + 4))
    return "".join(parts)


def chart(cases):
    """Figures of one table about one subject, in rows on a logarithmic axis."""
    values = [float(case[key]) for case in cases for key in ("figure", "least", "most", "bar") if case.get(key)]
    values = [value for value in values if value > 0] or [1]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)

    def place(value):
        return round(250 + (math.log10(max(value, 10 ** low)) - low) / (high - low) * 520, 1)

    height, parts = 22 + 18 * len(cases), []
    for power in range(low, high + 1):
        parts.append(element("line", "", x1=place(10 ** power), x2=place(10 ** power), y1=16, y2=height, stroke="#e5e5e5"))
        parts.append(element("text", f"{10 ** power:g}", x=place(10 ** power), y=11, text_anchor="middle"))
    for row, case in enumerate(cases):
        parts.append(figure_row(case, 28 + 18 * row, place))
    return svg(900, height + 8, "".join(parts), f"{cases[0]['table']}, {of_what(cases[0])}")


def bench_page(path):
    cases = [case for case in read_cases(path) + read_beside(path, "mutexes", "cases.csv") + read_programs(path)
             if case["figure"]]
    with_bar = [case for case in cases if case.get("bar")]
    missed = [case for case in with_bar if case["result"] == "MISSED"]
    parts = [element("p", f"{len(cases)} figures, {len(with_bar)} with a bar, {len(missed)} missed. A dot is "
                          "the median, its line the least and the most of the rounds, a black mark the bar: met on its "
                          "left. doc/internals/benchmarks.md says what the cases are.")]
    if missed:
        parts.append(table(("missed", "case", "bytes", "figure", "bar", ""),
                           [(case["table"], case["case"], case["bytes"], case["figure"], case["bar"], of_what(case))
                            for case in missed]))
    for name in dict.fromkeys(case["table"] for case in cases):
        parts.append(element("h2", text_of(name)))
        of_table = [case for case in cases if case["table"] == name]
        for what in dict.fromkeys(case["of"] for case in of_table):
            some = [case for case in of_table if case["of"] == what]
            parts.append(element("p", text_of(of_what(some[0]))) + chart(some))
    goals = read_goals(path)
    if goals:
        parts.append(element("h2", "What is asked for") +
                     table(("ratio, or figure", "", "bar", ""), goals))
    return page("DART benchmarks", parts)
