"""Traffic between units: matrices of units by units, and sums by kind."""
import math

from report.page import element, number, svg, table, text_of, title
from report.run import nodes_of

KINDS = ("put", "get", "atomic", "notify", "send")
MOST_CELLS = 96  # of a side of a matrix; more units are grouped


def depth_of(value, most):
    """From 0 to 1, with the logarithm of `value`."""
    return 0.12 + 0.88 * (math.log(1 + value) / math.log(1 + most)) if value else 0


def shade(depth):
    return "#" + "".join(f"{round(255 + (deep - 255) * depth):02x}" for deep in (12, 52, 112))


def matrix(reports, which, name):
    """A square for each pair of units, or of groups of equal size, in rows by origin; units of a node are adjacent."""
    units = reports[0]["units"]
    order = [unit for node in nodes_of(reports) for unit in node]
    order += sorted(set(range(units)) - set(order))
    group = -(-units // MOST_CELLS)
    place = {unit: i // group for i, unit in enumerate(order)}
    side = -(-units // group)
    cell = max(4, min(44, 400 // side))
    sums = {}
    for one in reports:
        for to in one["traffic"]:
            key = place[one["unit"]], place[to["unit"]]
            sums[key] = sums.get(key, 0) + sum(to.get(kind, (0, 0))[which] for kind in KINDS)
    most = max(sums.values(), default=0)
    left, top, parts = 46, 34, []
    for (origin, target), value in sorted(sums.items()):
        parts.append(square(left + target * cell, top + origin * cell, cell, value, depth_of(value, most),
                            (span(order, origin, group), span(order, target, group)), name))
    parts += near_blocks(reports, cell / group, left, top)
    every = max(1, 16 // cell)
    for i in range(0, side, every):
        parts.append(element("text", order[i * group], x=left - 6, y=top + (i + .5) * cell + 4, text_anchor="end"))
        parts.append(element("text", order[i * group], x=left + (i + .5) * cell, y=top - 5, text_anchor="middle"))
    parts.append(element("rect", "", x=left, y=top, width=side * cell, height=side * cell, fill="none", stroke="#999"))
    parts.append(element("text", text_of(f"{name}: from (rows) to (columns)"), x=left, y=14))
    return svg(max(300, left + side * cell + 8), top + side * cell + 8, "".join(parts), f"{name} between units")


def span(order, i, group):
    """The units of a row or column."""
    return ", ".join(str(unit) for unit in order[i * group:(i + 1) * group])


def square(x, y, cell, value, depth, ends, name):
    result = element("rect", title(f"unit {ends[0]} to {ends[1]}: {value} {name}"), x=x, y=y, width=cell, height=cell,
                     fill=shade(depth), class_="cell", data_what=name, data_from=ends[0], data_to=ends[1], data_value=value)
    if cell >= 34:
        result += element("text", number(value), x=x + .5 * cell, y=y + .5 * cell + 4, text_anchor="middle",
                          style="fill:" + ("#fff" if depth > 0.45 else "#333"))
    return result


def near_blocks(reports, step, left, top):
    """Outlines around the units of each node; a unit has `step` pixels."""
    parts, start = [], 0
    for node in nodes_of(reports):
        parts.append(element("rect", title("near: " + ", ".join(map(str, node))), x=left + start * step,
                             y=top + start * step, width=len(node) * step, height=len(node) * step, fill="none",
                             stroke="#d9822b", stroke_width=2.5, class_="near"))
        start += len(node)
    return parts


def traffic(reports):
    sums = {kind: [0, 0] for kind in KINDS}
    node = {one["unit"]: one["node"] for one in reports}
    near = [0, 0]
    for one in reports:
        for to in one["traffic"]:
            for kind in KINDS:
                for i, value in enumerate(to.get(kind, (0, 0))):
                    sums[kind][i] += value
                    near[i] += value * (node.get(to["unit"]) == one["node"])
    total = [sum(pair[i] for pair in sums.values()) for i in (0, 1)]
    rows = [(kind, count, nbytes) for kind, (count, nbytes) in sums.items() if count]
    rows += [("all", *total), ("of these near", *near)]
    return (element("h2", "Who talks to whom") +
            element("p", "Operations of the program; what collectives move is not in it. Orange: units of a node. "
                         "The depth of the colour is logarithmic.") +
            element("div", matrix(reports, 1, "bytes") + matrix(reports, 0, "operations"), class_="side") +
            table(("kind", "operations", "bytes"), rows))
