"""Reads the reports that a run has left, one of each unit."""
import glob
import json
import os

from report.page import duration, element, fail, text_of


def read_reports(folder):
    reports = {}
    for path in glob.glob(os.path.join(folder, "unit-*.json")):
        try:
            with open(path, encoding="utf-8") as file:
                one = json.load(file)
            if one["format"] != "dart-report" or one["version"] != 1:
                raise ValueError("not a report of this version")
            reports[one["unit"]] = one
        except (OSError, ValueError, KeyError, TypeError) as error:
            fail(f"{path}: {error}")
    if not reports:
        fail(f"no reports in {folder}: was the program run with DART_REPORT={folder}, and is it linked with "
             "DART's shared library, or with -l:libdart-trace.a?")
    return [reports[unit] for unit in sorted(reports)]


def nodes_of(reports):
    """Units by node, both in order; units without a report are left out."""
    nodes = {}
    for one in reports:
        nodes.setdefault(one["node"], []).append(one["unit"])
    return [nodes[node] for node in sorted(nodes)]


def about(reports):
    first, units = reports[0], reports[0]["units"]
    nodes = nodes_of(reports)
    result = element("p", text_of(f"{first['program']}: {units} unit{'s' * (units > 1)} on {len(nodes)} "
                                  f"node{'s' * (len(nodes) > 1)}, {duration(max(one['ns'] for one in reports))}, "
                                  f"DART {first['dart']}."))
    missing = sorted(set(range(units)) - {one["unit"] for one in reports})
    if missing:
        result += element("p", text_of("No report of unit " + ", ".join(map(str, missing)) + "."), class_="warning")
    for how in sorted({one["ended"] for one in reports} - {"dart_exit"}):
        those = ", ".join(str(one["unit"]) for one in reports if one["ended"] == how)
        what = {"running": "was killed, or is running: its report is of its last collective call a second before or less",
                "exit": "has ended without dart_exit", "dart_abort": "has called dart_abort"}.get(how, how)
        result += element("p", text_of(f"Unit {those} {what}."), class_="warning")
    return result
