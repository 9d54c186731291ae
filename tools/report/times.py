"""How the time is spent: by call and unit, and how evenly."""
from report.page import COLOURS, duration, element, number, svg, table, text_of, title

MOST_CALLS = 9  # with their own colours
OTHERS, OUTSIDE = "#8d8d8d", "#e9e6df"


def times_of(reports):
    """The time of each call in ns, by unit; the call with the largest sum first."""
    times = {}
    for one in reports:
        for call in one["calls"]:
            times.setdefault(call["name"], {})[one["unit"]] = call["ns"]
    return sorted(times.items(), key=lambda item: -sum(item[1].values()))


def bars(reports, times):
    width, left, line = 760, 66, max(6, min(24, 700 // len(reports)))
    longest = max(max(one["ns"], sum(by_unit.get(one["unit"], 0) for _, by_unit in times)) for one in reports) or 1
    shown, parts = times[:MOST_CALLS], []
    for row, one in enumerate(reports):
        pieces = [(name, by_unit.get(one["unit"], 0), COLOURS[i]) for i, (name, by_unit) in enumerate(shown)]
        pieces.append(("other calls", sum(by_unit.get(one["unit"], 0) for _, by_unit in times[MOST_CALLS:]), OTHERS))
        inside, x, y = sum(ns for _, ns, _ in pieces), left, 8 + row * line
        pieces.append(("outside of DART", max(0, one["ns"] - inside), OUTSIDE))
        for name, ns, colour in pieces:
            if ns:
                parts.append(element("rect", title(f"unit {one['unit']}: {name} {duration(ns)}"), x=f"{x:.2f}", y=y,
                                     width=f"{ns / longest * width:.2f}", height=line - 2, fill=colour, class_="time",
                                     data_unit=one["unit"], data_call=name, data_ns=ns))
            x += ns / longest * width
        if line >= 12 or row % 4 == 0:
            parts.append(element("text", f"unit {one['unit']}", x=left - 6, y=y + line / 2 + 3, text_anchor="end"))
    y = 26 + len(reports) * line
    names = [(name, COLOURS[i]) for i, (name, _) in enumerate(shown)]
    names += [("other calls", OTHERS)] * (len(times) > MOST_CALLS) + [("outside of DART", OUTSIDE)]
    for i, (name, colour) in enumerate(names):
        x = left + i % 4 * 200
        parts.append(element("rect", "", x=x, y=y + i // 4 * 18 - 9, width=11, height=11, fill=colour))
        parts.append(element("text", text_of(name), x=x + 16, y=y + i // 4 * 18))
    return svg(left + width + 8, y + (len(names) + 3) // 4 * 18, "".join(parts), "time by call and unit")


def calls(reports):
    times, rows = times_of(reports), []
    units = reports[0]["units"]
    for name, by_unit in times:
        ones = [call for one in reports for call in one["calls"] if call["name"] == name]
        total, worst = sum(by_unit.values()), max(by_unit, key=lambda unit: by_unit[unit])
        mean = total / units
        rows.append((name, sum(call["count"] for call in ones), duration(total),
                     duration(total / max(1, sum(call["count"] for call in ones))),
                     duration(max(call["most_ns"] for call in ones)), number(sum(call["bytes"] for call in ones)),
                     f"{by_unit[worst] / mean:.2f} (unit {worst})" if mean > 0 else "-"))
    return (element("h2", "Where the time goes") +
            element("p", "From dart_init to dart_exit, both included; of a unit with several threads their sum.") +
            bars(reports, times) +
            element("h2", "Calls, and their imbalance") +
            element("p", "Imbalance: the time of the unit that spends most in a call, over the mean of all units. A unit "
                         "that spends little in barriers is the one that the others wait for.") +
            table(("call", "calls", "time", "mean", "longest", "bytes", "imbalance"), rows))
