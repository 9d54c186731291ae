"""The machine, in words."""
import os
import platform
import subprocess

from report.page import element, table, text_of


def said(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        return done.stdout.strip().splitlines()[0] if done.stdout.strip() else "-"
    except (OSError, subprocess.TimeoutExpired):
        return "-"


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "-")
    except OSError:
        return "-"


def describe(output):
    rounds = {name.rsplit(".", 2)[1] for name in os.listdir(os.path.join(output, "raw")) if name.endswith(".out")}
    rows = [("processor", processor()), ("cores", len(os.sched_getaffinity(0))), ("system", platform.platform()),
            ("compiler", said("cc", "--version")), ("MPI", said("mpichversion")), ("rounds", len(rounds)),
            ("load at the end", "%.1f %.1f %.1f" % os.getloadavg())]
    text = ("Figures and tables of four papers, measured here by DART and by plain MPI. Solid curves are medians of "
            "the rounds, with a line from the least to the most; dashed ones are the papers' numbers. Their machines "
            "are gone: compare shapes and ratios, not times. Below each picture stand what was run of it, with the "
            "commands, and whether what the paper says is seen here: its sentence, the figures that tell, and the "
            "bounds in which it holds.")
    return element("p", text_of(text)) + table(("this machine", ""), rows)
