"""Ross, Latham, Gropp, Thakur, Toonen: Implementing MPI-IO Atomic Mode Without File System Support, CCGrid 2005: figures 7
and 8, table 1."""
import csv
import io
import os
import statistics

from figures import messages
from figures.chart import BAR, Bound, Curve, about, chart, over, verdict
from figures.results import Point, at, paper, points
from report.page import element, table, text_of

NAME = "ross"
TITLE = "Ross, Latham, Gropp, Thakur, Toonen: mutexes without a file system's locks (2005)"
COLUMNS = "what,mutex,units,nodes,work_us,rounds,turn_ns,overhead,unfairness,acquire_ns,release_ns"
MUTEXES = (("dart", "dart_lock"), ("range", "range lock"), ("hybrid", "hybrid, of the paper"),
           ("onesided", "one-sided, of the paper"), ("mpi-lock", "MPI_Win_lock"), ("pthread", "pthread mutex"),
           ("fcntl", "fcntl"))
CALLS = ("lock acquire release", "lock handed over", "lock contended", "range acquire release")
NETWORKS = {"fast_ethernet": "Fast Ethernet", "myrinet": "Myrinet"}
LIKE = {"fast_ethernet": "hybrid, of the paper", "myrinet": ""}  # whose colour it has
# Per cent with 64 processes, by the work in µs.
SAID = {10000: {"fast_ethernet": 4.25, "myrinet": 0.425}, 32000: {"fast_ethernet": 2, "myrinet": 0.2}}

# Of each figure: what the paper did and found, and what was done here.
WORKED = ("processes took a mutex in turns, worked under it and released it, with one process and with two on a "
          "processor. At 100 ms of work the hybrid mutex and the one-sided one are level with one process on a "
          "processor; with two the hybrid one does not degrade, and the one-sided one does dramatically. With 64 "
          "processes on Fast Ethernet the hybrid one has about 4.25 % of overhead at 10 ms of work and less than 2 % "
          "from 32 ms on; on Myrinet a tenth of that. It is estimated as 100 O / (O + n Tw) per cent, of the time O of "
          "table 1, n processes and the work Tw; dashed are that estimate, and the points of the text.",
          "units of one node take turns, sleep {:g} ms under each mutex, and release it; the share of the time that is "
          "not sleep is drawn. With many units a core mutexes over MPI are left out, because MPI's waits spin.")
DISAGREE = ("The paper's estimate and its text do not agree: with 56.4 ms of table 1, 64 processes and 10 ms the "
            "estimate is 8.1 %, and the text says about 4.25 %; with 32 ms it is 2.7 %, and the text says less than 2 "
            "%. With 2 n for n it is 4.2 % and 1.4 %, as if each process took two turns; with O / n for O it is 0.14 "
            "%.")
IDLE = ("the hybrid mutex without work: 2 ms with 4 processes and 56 ms with 64 on Fast Ethernet, 0.28 and 5.9 ms on "
        "Myrinet, so its time grows somewhat faster than the processes.",
        "the same on one node: the time in which each unit takes and releases each mutex once.")
FREE = ("no figure of the paper, which asks for locks of ranges as future work; DART has them.",
        "two units of one node; while nobody else wants the mutex, one takes and releases it.")

UNITS = (1, 2, 4, 8, 16, 32, 64)
WORKS = (1000, 10000, 32000, 100000)  # µs


def units_of(quick):
    return UNITS[:3] if quick else UNITS


def steps(machine, quick):
    found, works = [messages.step(machine)], "0,1000,10000" if quick else ",".join(map(str, (0, *WORKS)))
    for units in units_of(quick):
        for only in ("dart", "range", "pthread", "fcntl"):
            found.append(machine.step(f"mutex-{only}-{units}", "mutex-shmem", units,
                                      f"--csv --sleep --work={works} --seconds=1 --rounds={20 if quick else 50} "
                                      f"--only={only}",
                                      0.5 if quick else 3))
        rounds, seconds = (10 if quick or units > machine.cores else 50), (1 if quick else 5)
        for only in ("hybrid", "onesided", "mpi-lock"):
            if units <= (2 if quick else 4) * machine.cores:
                found.append(machine.step(f"mutex-{only}-{units}", "mutex-mpi", units,
                                          f"--csv --sleep --work={works} --seconds=1 --rounds={rounds} --only={only}",
                                          seconds * max(1, units // machine.cores)))
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
                if (row["what"] == "contended" and row["mutex"] == mutex and float(row["work_us"]) == work and
                        row["overhead"]):
                    groups.setdefault(units, []).append(max(float(row["overhead"]), 0.001))
    return points(groups)


def free_table(results):
    rows = []
    for mutex, words in MUTEXES:
        turns = {what: free_turns(results, mutex, what) for what in ("free-first", "free-last")}
        if any(turns.values()):
            rows.append((words, *(f"{statistics.median(ns):.1f} ({min(ns):.1f} to {max(ns):.1f})" if ns else "-"
                                  for ns in turns.values())))
    return element("p", element("b", "Without contention, ns of acquire and release, two units of one node")) + \
        about(*FREE, results.ran("mutex-.*-2")) + table(("mutex", "by the unit that has it", "by the other"), rows)


def free_turns(results, mutex, what):
    """ns of a turn without contention, in each round."""
    return [float(row["turn_ns"]) for text in results.texts(f"mutex-{mutex}-2") for row in rows_of(text)
            if row["what"] == what]


def free_turn(results, mutex):
    """ns of a turn by the unit that has it, the median; None: it was not measured."""
    turns = free_turns(results, mutex, "free-first")
    return statistics.median(turns) if turns else None


def idle_series(results, mutex):
    """Milliseconds that a turn of all units takes without work."""
    groups = {}
    for units in UNITS:
        for text in results.texts(f"mutex-{mutex}-{units}"):
            for row in rows_of(text):
                if row["what"] == "contended" and row["mutex"] == mutex and float(row["work_us"]) == 0:
                    groups.setdefault(units, []).append(float(row["turn_ns"]) * units * 1e-6)
    return points(groups)


def of_table_1(network):
    row = next(row for row in paper("romio-overhead.csv") if row["network"] == network)
    return [Point(float(key), [float(value)]) for key, value in row.items() if key != "network"]


def estimate(idle, work):
    """The paper's, in per cent: of the time of a turn of all units without work, ms, and the work, µs."""
    return [Point(point.x, [100 * point.median / (point.median + point.x * work * 1e-3)]) for point in idle]


def crowds():
    """Units that have a core each, and twice as many: for a chart."""
    one = max(units for units in UNITS[:-1] if units <= len(os.sched_getaffinity(0)))
    return (one, "one a core"), (2 * one, "two a core")


def work_verdicts(results, work):
    (one, _), (two, _) = crowds()
    hybrid, onesided, dart = (series(results, mutex, work) for mutex in ("hybrid", "onesided", "dart"))
    told = ""
    if work == WORKS[-1]:
        told += verdict("the hybrid mutex and the one-sided one are level with one process a processor",
                        [Bound("the one-sided one's overhead in times of the hybrid "
                               "one's:", over(at(onesided, one), at(hybrid, one)),
                               0.5, 2, 1)])
    told += verdict("with two processes a processor the hybrid mutex does not degrade, and the one-sided one does "
                    "dramatically",
                    [Bound(f"{words} with {two} units in times of {one}:", over(at(of, two), at(of, one)), *bounds)
                     for words, of, bounds in
                     (("the hybrid one", hybrid, (0.5, 2, 1)), ("the one-sided one", onesided, (3, 1e5)))],
                    " MPICH's receive spins, so here the hybrid mutex's waits take cores from others, too.")
    told += verdict("dart_lock has no more overhead than the hybrid mutex",
                    [Bound(f"dart_lock's overhead in times of the hybrid mutex's, with {units} units:",
                           over(at(dart, units), at(hybrid, units)), 1e-5, 1.1) for units in (one, two)], words=BAR)
    if work in SAID:
        told += verdict("with 64 processes the overhead is that of the text or less",
                        [Bound("dart_lock's per cent:", at(dart, 64), 1e-3, SAID[work]["fast_ethernet"] * 1.1,
                               SAID[work]["fast_ethernet"])])
    bounds = []
    for words, mutex, units in (("hybrid", "hybrid", one), ("one-sided", "onesided", one), ("hybrid", "hybrid", two),
                                ("dart_lock", "dart", one), ("dart_lock", "dart", two)):
        guessed = estimate(idle_series(results, mutex), work)
        bounds.append(Bound(f"{words}, {units} units:",
                            over(at(series(results, mutex, work), units), at(guessed, units)), 0.5, 2, 1))
    return told + verdict("the overhead is what the time without work makes of it, by the paper's estimate: measured "
                          "in times of the estimate from table 1 here", bounds,
                          " What the estimate leaves out is the time to wake the next one, which has gone to sleep "
                          "during the work.")


def work_figure(results, work):
    curves = [Curve(words, series(results, mutex, work)) for mutex, words in MUTEXES]
    for network, words in NETWORKS.items():
        curves.append(Curve(f"paper's estimate: {words}", estimate(of_table_1(network), work), LIKE[network]))
        if work in SAID:
            curves.append(Curve(f"paper's text: {words}", [Point(64, [SAID[work][network]])],
                                f"paper's estimate: {words}"))
    return (chart(f"Figures 7 and 8: overhead with {work / 1000:g} ms of work in a turn, one "
                  "node", "units", "per cent", curves,
                  lines=crowds()) +
            about(WORKED[0], WORKED[1].format(work / 1000), results.ran(r"mutex-.*-\d+")) +
            (element("p", text_of(DISAGREE)) if work in SAID else "") + work_verdicts(results, work))


def idle_figure(results):
    curves = [Curve(words, idle_series(results, mutex)) for mutex, words in MUTEXES]
    curves += [Curve(f"paper: hybrid, {words}", of_table_1(network), LIKE[network])
               for network, words in NETWORKS.items()]
    dart, there = idle_series(results, "dart"), of_table_1("fast_ethernet")
    most = max((point.x for point in dart), default=0)

    def grown(of):
        return at(of, most) / at(of, 4) / (most / 4) if most > 4 and at(of, most) and at(of, 4) else None

    return (chart("Table 1: all units take one turn each, without work, one "
                  "node", "units", "ms", curves, lines=crowds()) +
            about(*IDLE, results.ran(r"mutex-.*-\d+")) +
            verdict("the time of a turn of all units grows about as their number",
                    [Bound(f"dart_lock with {most:g} units in times of 4, a unit:", grown(dart), 0.5, 2.5,
                           grown(there))]) +
            messages.counted(results, *CALLS))


def section(results):
    parts = [about("mutexes for MPI-IO's atomic mode on file systems without locks: by one-sided communication alone, "
                   "whose waits poll, and with a message to the next process that waits (hybrid).",
                   "the two mutexes of the paper by plain MPI, beside DART's lock and range lock, MPI's exclusive "
                   "lock, a pthread mutex and fcntl. Overhead is the share of the time that is not work."),
             free_table(results)]
    measured = {float(row["work_us"]) for text in results.texts("mutex-dart-2") for row in rows_of(text)
                if row["work_us"]}
    parts += [work_figure(results, work) for work in WORKS if work in measured or not measured]
    return "".join(parts) + idle_figure(results)
