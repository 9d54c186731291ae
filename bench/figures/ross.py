"""Ross, Latham, Gropp, Thakur, Toonen: Implementing MPI-IO Atomic Mode Without File System Support, CCGrid 2005: figures 7
and 8, table 1."""
import csv
import io
import statistics

from figures.chart import Curve, about, chart, verdict
from figures.results import Point, at, paper, points
from report.page import element, table

NAME = "ross"
TITLE = "Ross, Latham, Gropp, Thakur, Toonen: mutexes without a file system's locks (2005)"
COLUMNS = "what,mutex,units,nodes,work_us,rounds,turn_ns,overhead,unfairness,acquire_ns,release_ns"
MUTEXES = (("dart", "dart_lock"), ("range", "range lock"), ("hybrid", "hybrid, of the paper"), ("onesided", "one-sided, of the paper"),
           ("mpi-lock", "MPI_Win_lock"), ("pthread", "pthread mutex"), ("fcntl", "fcntl"))


# Of each figure: what the paper did and found, and what was run here.
WORKED = ("processes took a mutex in turns, worked under it and released it, with one process and with two on a processor. At "
          "100 ms of work the hybrid mutex and the one-sided one are level with one process on a processor; with two the hybrid "
          "one does not degrade, and the one-sided one does dramatically. With 64 processes on Fast Ethernet the hybrid one has "
          "about 4.25 % of overhead at 10 ms of work and less than 2 % from 32 ms on; on Myrinet a tenth of that.",
          "1 to 64 units of one node take turns, sleep {:g} ms under each mutex, and release it; the share of the time that is not "
          "sleep is drawn. Mutexes over MPI end at two units a core, because MPI's waits spin.")
IDLE = ("the hybrid mutex without work: 2 ms with 4 processes and 56 ms with 64 on Fast Ethernet, 0.28 and 5.9 ms on Myrinet, so "
        "its time grows somewhat faster than the processes.",
        "the same on one node: the time in which each unit takes and releases each mutex once.")
FREE = ("no figure of the paper, which asks for locks of ranges as future work; DART has them.",
        "two units of one node; while nobody else wants the mutex, one takes and releases it.")

UNITS = (1, 2, 4, 8, 16, 32, 64)  # MPI's waits spin, so its mutexes end at two units a core


def units_of(quick):
    return UNITS[:3] if quick else UNITS


def steps(machine, quick):
    found, works = [], "0,1000" if quick else "0,1000,10000,100000"
    for units in units_of(quick):
        arguments = f"--csv --sleep --work={works} --seconds=1 --rounds={20 if quick else 50}"
        seconds = 1 + units * (1 if quick else 2)
        for only in ("dart", "range", "pthread", "fcntl"):
            found.append(machine.step(f"mutex-{only}-{units}", "mutex-shmem", units, f"{arguments} --only={only}", seconds / 4))
        for only in ("hybrid", "onesided", "mpi-lock"):
            if units <= 2 * machine.cores:
                found.append(machine.step(f"mutex-{only}-{units}", "mutex-mpi", units, f"{arguments} --only={only}", seconds))
    return [step for step in found if step is not None]


def rows_of(text):
    """The lines of one run, which have no header."""
    return list(csv.DictReader(io.StringIO(COLUMNS + "\n" + text)))


def series(results, mutex, work):
    """Per cent of overhead over the units."""
    groups = {}
    for units in UNITS:
        for text in results.texts(f"mutex-{mutex}-{units}"):
            for row in rows_of(text):
                if row["what"] == "contended" and row["mutex"] == mutex and float(row["work_us"]) == work and row["overhead"]:
                    groups.setdefault(units, []).append(max(float(row["overhead"]), 0.001))
    return points(groups)


def free_table(results):
    rows = []
    for mutex, words in MUTEXES:
        for text in list(results.texts(f"mutex-{mutex}-2"))[-1:]:
            turn = {row["what"]: row["turn_ns"] for row in rows_of(text)}
            rows.append((words, turn.get("free-first", "-"), turn.get("free-last", "-")))
    return element("p", element("b", "Without contention, ns of acquire and release, two units of one node")) + \
        about(*FREE) + table(("mutex", "by the unit that has it", "by the other"), rows)


def free_turn(results, mutex):
    """ns of a turn by the unit that has it, without contention; None: it was not measured."""
    turns = [float(row["turn_ns"]) for text in results.texts(f"mutex-{mutex}-2") for row in rows_of(text)
             if row["what"] == "free-first"]
    return statistics.median(turns) if turns else None


def work_figure(results, work):
    curves = [Curve(words, series(results, mutex, work)) for mutex, words in MUTEXES]
    hybrid, onesided, dart = (series(results, mutex, work) for mutex in ("hybrid", "onesided", "dart"))
    most = max((point.x for point in onesided), default=0)
    found = all(at(one, most) is not None for one in (hybrid, onesided, dart)) and most > 2
    return (chart(f"Figures 7 and 8: overhead with {work / 1000:g} ms of work in a turn, one node", "units", "per cent", curves) +
            about(WORKED[0], WORKED[1].format(work / 1000)) +
            verdict(found, found and at(hybrid, most) < 0.9 * at(onesided, most) and at(dart, most) <= at(hybrid, most) * 1.1,
                    found and f"with {most:g} units the one-sided mutex has {at(onesided, most):.3g} % of overhead, the hybrid one "
                    f"{at(hybrid, most):.3g} %, and dart_lock {at(dart, most):.3g} %. In the paper the hybrid mutex does not degrade "
                    "where processes outnumber processors, and the one-sided one does."))


def idle_series(results, mutex):
    """Milliseconds that a turn of all units takes without work."""
    groups = {}
    for units in UNITS:
        for text in results.texts(f"mutex-{mutex}-{units}"):
            for row in rows_of(text):
                if row["what"] == "contended" and row["mutex"] == mutex and float(row["work_us"]) == 0:
                    groups.setdefault(units, []).append(float(row["turn_ns"]) * units * 1e-6)
    return points(groups)


def idle_figure(results):
    curves = [Curve(words, idle_series(results, mutex)) for mutex, words in MUTEXES]
    for row in paper("romio-overhead.csv"):
        series = [Point(float(key), [float(row[key])]) for key in ("1", "4", "8", "16", "32", "64")]
        curves.append(Curve(f"paper: hybrid, {row['network'].replace('_', ' ')}", series, "hybrid, of the paper"))
    dart = idle_series(results, "dart")
    few, many, most = at(dart, 4), dart[-1].median if dart else None, dart[-1].x if dart else 0
    found = few is not None and most > 4
    return (chart("Table 1: all units take one turn each, without work, one node", "units", "ms", curves) +
            about(*IDLE) +
            verdict(found, found and many / few < 2 * most / 4,
                    found and f"the time of a turn of all units grows as their number: from 4 to {most:g} units dart_lock takes "
                    f"{many / few:.3g} times as long (in the paper the hybrid mutex 28 and 21 times from 4 to 64)."))


def section(results):
    parts = [about("mutexes for MPI-IO's atomic mode on file systems without locks: by one-sided communication alone, whose waits "
                   "poll, and with a message to the next process that waits (hybrid).",
                   "the two mutexes of the paper by plain MPI, beside DART's lock and range lock, MPI's exclusive lock, a pthread "
                   "mutex and fcntl. Overhead is the share of the time that is not work."),
             free_table(results)]
    parts += [work_figure(results, work) for work in (1000, 10000, 100000)]
    return "".join(parts) + idle_figure(results)
