"""Memory over time, and the cores of the units."""
from report.page import COLOURS, duration, element, number, svg, table, text_of, title
from report.run import nodes_of


def memory(reports):
    width, height, left, top = 760, 220, 66, 12
    names = reports[0]["memory"]["names"]
    lines = [(one["unit"], [(sample[0], sum(sample[1:])) for sample in one["memory"]["samples"]]) for one in reports]
    lines = [(unit, points) for unit, points in lines if points]
    if not lines:
        return ""
    end = max(points[-1][0] for _, points in lines) or 1
    most = max(value for _, points in lines for _, value in points) or 1
    parts = [element("rect", "", x=left, y=top, width=width, height=height, fill="none", stroke="#bbb")]
    for i in range(5):
        y = top + height - height * i / 4
        parts.append(element("line", "", x1=left, x2=left + width, y1=y, y2=y, stroke="#eee"))
        parts.append(element("text", number(most * i / 4) + "B", x=left - 6, y=y + 4, text_anchor="end"))
        parts.append(element("text", duration(end * i / 4), x=left + width * i / 4, y=top + height + 15,
                             text_anchor="middle"))
    for unit, points in lines:
        path = "".join(f"{'L' if i else 'M'}{left + time / end * width:.1f} {top + height - value / most * height:.1f}"
                       for i, (time, value) in enumerate(points))
        parts.append(element("path", title(f"unit {unit}: {number(points[-1][1])}B at the end"), d=path, fill="none",
                             stroke=COLOURS[unit % len(COLOURS)], stroke_width=1.5, class_="memory", data_unit=unit))
    rows = [(name, number(max(max((sample[i + 1] for sample in one["memory"]["samples"]), default=0)
                              for one in reports)) + "B") for i, name in enumerate(names)]
    return (element("h2", "DART's memory over time") +
            element("p", "A line for each unit, from samples taken in collective calls: " + text_of(", ".join(names)) + ".") +
            svg(left + width + 30, top + height + 24, "".join(parts), "memory over time") +
            table(("what", "most of a unit"), rows))


def topology(reports):
    by_unit = {one["unit"]: one for one in reports}
    parts, y, width = [], 4, 830
    for number_of, units in enumerate(nodes_of(reports)):
        columns = 10
        height = 30 + -(-len(units) // columns) * 40
        host = by_unit[units[0]]["host"]
        parts.append(element("rect", "", x=2, y=y, width=width, height=height, rx=5, fill="#faf7f0", stroke="#d9822b",
                             class_="node"))
        parts.append(element("text", text_of(f"node {number_of}, {host}"), x=12, y=y + 18))
        for i, unit in enumerate(units):
            one = by_unit[unit]
            at = 12 + i % columns * 81, y + 26 + i // columns * 40
            parts.append(element("rect", title(f"unit {unit}, process {one['pid']}, core {one['core']} of {one['cores']} "
                                               f"that it may use, NUMA domain {one['numa']}"),
                                 x=at[0], y=at[1], width=76, height=34, rx=4, fill="#fff", stroke="#777", class_="unit"))
            parts.append(element("text", f"unit {unit}", x=at[0] + 7, y=at[1] + 14))
            parts.append(element("text", f"core {one['core']}" if one["cores"] == 1 else f"{one['cores']} cores",
                                 x=at[0] + 7, y=at[1] + 28, style="fill:#777"))
        y += height + 10
    return element("h2", "Where units ran") + svg(width + 4, y, "".join(parts), "topology of the job")
