"""Träff, Ritzdorf, Hempel: The Implementation of MPI-2 One-Sided Communication for the NEC SX-5, SC 2000: tables 1 to 4,
figures 1 and 2."""
import math
import os
import re

from figures.chart import Curve, about, chart, size_name, verdict
from figures.results import Point, at, paper, points
from report.page import element, table, text_of

NAME = "traeff"
TITLE = "Träff, Ritzdorf, Hempel: one-sided communication on the NEC SX-5 (2000)"
WAYS = (("put.fence", "put, fence"), ("get.fence", "get, fence"), ("put.pscw", "put, post and start"),
        ("get.pscw", "get, post and start"), ("put.lock", "put, lock"), ("get.lock", "get, lock"), ("messages", "messages"))
COLUMNS = {"put.fence": "put_fence", "get.fence": "get_fence", "put.pscw": "put_dedicated", "get.pscw": "get_dedicated",
           "put.lock": "put_lock", "get.lock": "get_lock", "messages": "sendrecv"}
# A target keeps 16 descriptions.
TYPES = (("types-1", "--puts=1", "1 put"), ("types-16", "--puts=16", "16 puts"),
         ("types-cached", "--types=16", "1 put, 16 types in turn"), ("types-sent", "--types=17", "1 put, 17 types in turn"))
SIZES = (1024, 4096, 16384, 65536, 262144)  # of table 4
LAYOUTS = (("vector", "vector of 256 blocks"), ("struct", "struct of 128 blocks"))
MEMORIES = (("", "allocated", "global"), (" --registered", "registered", "local"))

# Of each figure: what the paper did and found, and what was run here.
SYNC = ("epochs without data on 2 to 8 processors, each with one neighbour or with all, here in a window of global memory; the "
        "fastest of 25 counts. A fence takes as long with one neighbour as with all, and grows with the logarithm of the "
        "processors; post and start (there: dedicated) and locks grow with the neighbours and hardly with the processors.",
        "the same epochs by DART alone, {}; the medians count.")
PLACES = {"shmem": "on one node by dart-shmem", "nodes": "on simulated nodes of dart-shmem, one unit on each",
          "mpi": "on one node by dart-mpi, with no more units than cores"}
EXCHANGE = {("right", "global"): "each of 8 processes exchanges data with one neighbour in seven ways; the window is in global memory. "
                                 "A fence takes 13 times as long as messages for 1 KiB, and 1.3 times for 4 MiB, where post and "
                                 "start take 1.1 times: one-sided communication never catches up.",
            ("right", "local"): "the same with the window in a process's own memory, where gets take longer than puts. Only a put "
                                "of 4 MiB under a lock takes less time than messages.",
            ("all", "global"): "each of 8 processes exchanges data with all 8; the window is in global memory. With fences it takes "
                               "1.8 times as long as messages for 1 KiB, and 0.7 for 256 KiB: above 64 KiB one-sided communication "
                               "is faster.",
            ("all", "local"): "the same with the window in a process's own memory. With fences it takes 3.4 times as long as messages "
                              "for 1 KiB and 1.2 times for 4 MiB: one-sided communication never catches up."}
EXCHANGED = {"right": "two units of a node exchange data in the seven ways by dart-mpi, and by messages of plain MPI.",
             "all": "units of a node exchange data with all in the seven ways by dart-shmem, and by its messages."}
SCATTERED = ("8 processes put scattered data to a neighbour's local window. Its processor needs the description of the type, "
             "which is short for a vector and long for a struct. If the description is cached, a put of 1 KiB takes 0.77 of the "
             "time for a vector and 0.60 for a struct, and one of 256 KiB 0.9 for both.",
             "two units on two simulated nodes put to each other by post and start. DART describes a type to a target once, which "
             "keeps 16; of 17 types in turn each is described with each put.")


def sync_steps(machine, quick):
    steps = []
    for units in (2, 4) if quick else (2, 4, 6, 8):
        for pattern in ("right", "all"):
            arguments = f"--overhead --pattern={pattern} --format=csv " + ("--quick" if quick else "--time=5 --repeat=5")
            steps.append(machine.step(f"sync-{pattern}-shmem-{units}", "epochs-shmem", units, arguments, 1 if quick else 2))
            steps.append(machine.step(f"sync-{pattern}-nodes-{units}", "epochs-shmem", units, arguments, 3, nodes=units))
            if units <= machine.cores:
                steps.append(machine.step(f"sync-{pattern}-mpi-{units}", "epochs-mpi", units, arguments, 3))
    return steps


def exchange_steps(machine, quick):
    steps = []
    for flag, memory, _ in MEMORIES:
        arguments = f"--operation=both --format=csv{flag} --least=1024 "
        arguments += "--most=16384 --time=2 --repeat=3" if quick else "--most=4194304 --time=5 --repeat=3"
        seconds = 4 if quick else 25
        steps.append(machine.step(f"exchange-right-{memory}", "epochs-mpi", 2, "--pattern=right " + arguments, seconds))
        steps.append(machine.step(f"exchange-all-{memory}", "epochs-shmem", 4 if quick else 8, "--pattern=all " + arguments,
                                  seconds))
    return steps


def steps(machine, quick):
    arguments = "--time=2 --repeat=3" if quick else "--time=5 --repeat=5"
    found = sync_steps(machine, quick) + exchange_steps(machine, quick)
    for name, flags, _ in TYPES:
        found.append(machine.step(name, "epoch-types-mpi", 2, f"{flags} {arguments}", 4, nodes=2))
    for name, flags, _ in TYPES[2:]:
        for nbytes in SIZES[2:3] if quick else SIZES[1:]:
            found.append(machine.step(f"{name}-{nbytes}", "epoch-types-mpi", 2, f"{flags} --bytes={nbytes} {arguments}", 3, nodes=2))
    return [step for step in found if step is not None]


# ---- the section -----------------------------------------------------------------------------------


def sync_series(results, pattern, where, way, column="dart_ns"):
    groups = {}
    for units in (2, 4, 6, 8):
        for row in results.rows(f"sync-{pattern}-{where}-{units}"):
            if row["case"] == f"{pattern}.{way}" and row[column]:
                groups.setdefault(units, []).append(float(row[column]) * 1e-3)
    return points(groups)


def of_table_1(column):
    return [Point(float(row["processors"]), [float(row[column])]) for row in paper("nec-sync.csv") if row["window"] == "global"]


def of_nec(rows, column):
    return [Point(float(row["bytes"]), [float(row[column])]) for row in rows if row[column]]


def nec_growth(column, most):
    """How many times as long it takes with `most` processors as with 2."""
    series = of_table_1(column)
    return at(series, most) / at(series, 2)


def crowd(where, most):
    cores = len(os.sched_getaffinity(0))
    return f" Here {most:g} units share {cores} cores." if where != "mpi" and most > cores else ""


def sync_figure(results, where, label):
    curves = []
    for way, words, column in (("put.fence", "fence", "fence"), ("put.pscw", "post and start", "dedicated"), ("put.lock", "lock", "lock")):
        for pattern, neighbours in (("right", 1), ("all", "p")):
            curves.append(Curve(f"{words}, {neighbours} neighbour(s)", sync_series(results, pattern, where, way)))
            curves.append(Curve(f"NEC: {words}, {neighbours}", of_table_1(f"{column}_{neighbours}"), curves[-1].name))
    one, many = (sync_series(results, pattern, where, "put.fence") for pattern in ("right", "all"))
    locks = sync_series(results, "all", where, "put.lock"), sync_series(results, "right", where, "put.lock")
    most = min((series[-1].x for series in (one, many, *locks) if series), default=0)
    found = most > 2 and all(at(series, most) for series in (one, many, *locks))
    ratio = at(many, most) / at(one, most) if found else 0
    growth = at(locks[0], most) / at(locks[1], most) if found else 0
    fence, dedicated = one, sync_series(results, pattern="right", where=where, way="put.pscw")
    few = found and all(at(series, 2) and at(series, most) for series in (fence, dedicated, locks[1]))
    grown = [at(series, most) / at(series, 2) for series in (fence, dedicated, locks[1])] if few else []
    return (chart(f"Table 1: opening and closing epochs without data, {label}", "units", "µs", curves, log_x=False) +
            about(SYNC[0], SYNC[1].format(PLACES[where])) +
            verdict(found, found and 0.67 < ratio < 1.5 and growth > most / 4,
                    found and f"with {most:g} units a fence takes {ratio:.2f} of its time with all neighbours instead of one "
                    f"(independent of them), and locks of all neighbours {growth:.1f} times that of one (linear).") +
            verdict(bool(few), few and 0.67 < min(grown) and grown[0] < 1.25 * math.log2(most) and max(grown[1:]) < 1.5,
                    few and f"from 2 to {most:g} units a fence takes {grown[0]:.2g} times as long (with the logarithm, on the NEC "
                    f"{nec_growth('fence_1', most):.2g}), post and start with one neighbour {grown[1]:.2g} and a lock of one "
                    f"{grown[2]:.2g} times (independent of the units, on the NEC {nec_growth('dedicated_1', most):.2g} and "
                    f"{nec_growth('lock_1', most):.2g}).{crowd(where, most)}"))


def exchange_figure(results, pattern, memory, window, neighbours):
    suffix = ".registered" if memory == "registered" else ""  # of the names of cases
    curves = [Curve(words, results.series(f"exchange-{pattern}-{memory}", "dart_ns", case=f"{pattern}.{way}{suffix}"))
              for way, words in WAYS]
    by_mpi = results.series(f"exchange-{pattern}-{memory}", "mpi_ns", case=f"{pattern}.messages{suffix}")
    curves.append(Curve("messages of plain MPI", by_mpi))
    rows = [row for row in paper("nec-exchange.csv") if row["neighbours"] == str(neighbours) and row["window"] == window]
    for way, words in WAYS:
        curves.append(Curve(f"NEC: {words}", of_nec(rows, COLUMNS[way]), words))
    put = results.series(f"exchange-{pattern}-{memory}", "dart_ns", case=f"{pattern}.put.fence{suffix}")
    sent = by_mpi or results.series(f"exchange-{pattern}-{memory}", "dart_ns", case=f"{pattern}.messages{suffix}")
    last = min(put[-1].x, sent[-1].x) if put and sent else 0
    here = at(put, last) / at(sent, last) if last else 0
    there = next((float(row["put_fence"]) / float(row["sendrecv"]) for row in rows if float(row["bytes"]) == last), 0)
    number = {"right": "Table 2, figure 1", "all": "Table 3, figure 2"}[pattern]
    of_whom = "one neighbour" if pattern == "right" else "all neighbours"
    return (chart(f"{number}: exchange with {of_whom}, {memory} memory", "bytes", "µs", curves, bytes_on_x=True) +
            about(EXCHANGE[pattern, window], f"in {memory} memory, {EXCHANGED[pattern]}") +
            verdict(bool(last and there), (here > 1) == (there > 1),
                    f"a fence with puts of {size_name(last)} takes {here:.2f} of the time of messages, on the NEC {there:.2f}."))


def sync_by_mpi(results):
    """Table 1 by plain MPI, in the runs of dart-mpi."""
    curves = []
    for way, words in (("put.fence", "fence"), ("put.pscw", "post and start"), ("put.lock", "lock")):
        for pattern, neighbours in (("right", 1), ("all", "p")):
            curves.append(Curve(f"{words}, {neighbours} neighbour(s)", sync_series(results, pattern, "mpi", way, "mpi_ns")))
    one, many = curves[0].points, curves[1].points
    last = min(one[-1].x, many[-1].x) if one and many else 0
    ratio = at(many, last) / at(one, last) if last else 0
    return (chart("Table 1: opening and closing epochs without data, one node, plain MPI", "units", "µs", curves, log_x=False) +
            about(SYNC[0], "the same epochs by plain MPI, in the same runs as those of dart-mpi.") +
            verdict(bool(ratio), ratio < 1.5, f"with {last:g} units a fence takes {ratio:.2f} of its time with all neighbours instead "
                    "of one (independent of them)."))


def exchange_by_mpi(results, memory, suffix):
    curves = [Curve(words, results.series(f"exchange-right-{memory}", "mpi_ns", case=f"right.{way}{suffix}")) for way, words in WAYS]
    put, sent = curves[0].points, curves[-1].points
    last = min(put[-1].x, sent[-1].x) if put and sent else 0
    here = at(put, last) / at(sent, last) if last else 0
    return (chart(f"Table 2, figure 1: exchange with one neighbour, {memory} memory, plain MPI", "bytes", "µs", curves, bytes_on_x=True) +
            about(EXCHANGE["right", "global" if memory == "allocated" else "local"],
                  "the seven ways by plain MPI, in the same runs as those of dart-mpi.") +
            verdict(bool(here), here > 1, f"a fence with puts of {size_name(last)} takes {here:.2f} of the time of messages (on the NEC "
                    "more than 1 at all sizes)."))


def types_rows(results, name):
    """µs of DART and of plain MPI in each round, by way and layout."""
    seen = {}
    for text in results.texts(name):
        for way, what, dart, mpi in re.findall(r"^(fence|pscw|lock) +(.*?) {2,}(\S+) +(\S+)$", text, re.MULTILINE):
            seen.setdefault((way, what), []).append((float(dart), float(mpi) if mpi != "-" else 0))
    return seen


def types_series(results, name, layout, column):
    groups = {}
    for nbytes in SIZES:
        times = types_rows(results, name if nbytes == SIZES[0] else f"{name}-{nbytes}").get(("pscw", layout), ())
        groups[nbytes] = [one[column] for one in times if one[column]]
    return points({nbytes: times for nbytes, times in groups.items() if times})


def types_verdict(results):
    """What it costs that the description is sent each time, of the small one and of the large one."""
    here, there = [], []
    for kind, layout in LAYOUTS:
        sent, cached = (types_series(results, name, layout, 0) for name in ("types-sent", "types-cached"))
        if at(sent, SIZES[0]) and at(cached, SIZES[0]):
            most = max(point.x for point in cached if at(sent, point.x))
            here.append((at(sent, SIZES[0]) / at(cached, SIZES[0]), at(sent, most) / at(cached, most), most))
        nec = [of_nec(paper("nec-types.csv"), f"put_{what}_{kind}") for what in ("uncached", "cached")]
        there.append((at(nec[0], SIZES[0]) / at(nec[1], SIZES[0]), at(nec[0], SIZES[-1]) / at(nec[1], SIZES[-1])))
    found = len(here) == len(LAYOUTS)
    return verdict(found, found and here[1][0] > max(here[0][0], 1.1),
                   found and f"where the description is sent each time, 1 KiB of a struct take {here[1][0]:.2f} of the time with "
                   f"it cached (on the NEC {there[1][0]:.2f}), and of a vector, whose description is short, {here[0][0]:.2f} "
                   f"({there[0][0]:.2f}); {size_name(here[1][2])} of a struct {here[1][1]:.2f} (256 KiB on the NEC {there[1][1]:.2f}).")


def types_table(results):
    lines = [(puts, way, what, *(f"{sorted(time[side] for time in times)[len(times) // 2]:.2f}" for side in (0, 1)))
             for name, _, puts in TYPES for (way, what), times in types_rows(results, name).items()]
    if not lines:
        return element("p", text_of("Table 4: nothing was measured here."))
    curves = []
    for kind, layout in LAYOUTS:
        for words, name, column in (("DART", "types-cached", 0), ("plain MPI", "types-cached", 1), ("DART, sent each time", "types-sent", 0)):
            curves.append(Curve(f"{words}: {kind}", types_series(results, name, layout, column)))
        for words, column, like in (("cached", f"put_cached_{kind}", f"DART: {kind}"),
                                    ("sent each time", f"put_uncached_{kind}", f"DART, sent each time: {kind}"),
                                    ("by messages", f"sendrecv_{kind}", "")):
            curves.append(Curve(f"NEC: {kind}, {words}", of_nec(paper("nec-types.csv"), column), like))
    return (chart("Table 4: scattered data by post and start, two simulated nodes", "bytes", "µs", curves, bytes_on_x=True) +
            about(*SCATTERED) + types_verdict(results) +
            element("p", text_of("Here, 1 KiB, µs:")) +
            table(("puts", "synchronisation", "data", "DART", "plain MPI"), lines))


def section(results):
    parts = [about("one-sided communication of MPI-2 on a vector machine with shared memory, where a window is in memory that all "
                   "processes reach (global) or in that of its process (local).",
                   "the same epochs and exchanges. Allocated memory stands for the NEC's global windows, registered memory for "
                   "local ones."),
             sync_figure(results, "shmem", "one node"), sync_figure(results, "nodes", "each unit on a simulated node"),
             sync_figure(results, "mpi", "one node, dart-mpi"), sync_by_mpi(results)]
    for pattern, neighbours in (("right", 1), ("all", 8)):
        parts += [exchange_figure(results, pattern, memory, window, neighbours) for _, memory, window in MEMORIES]
        if pattern == "right":
            parts += [exchange_by_mpi(results, memory, ".registered" if memory == "registered" else "") for _, memory, _ in MEMORIES]
    return "".join(parts) + types_table(results)
