"""Träff, Ritzdorf, Hempel: The Implementation of MPI-2 One-Sided Communication for the NEC SX-5, SC 2000: tables 1 to 4,
figures 1 and 2."""
import math
import os
import re

from figures import messages
from figures.chart import Bound, Curve, about, chart, over, verdict
from figures.results import Point, at, paper, points, size_name
from report.page import element, table, text_of

NAME = "traeff"
TITLE = "Träff, Ritzdorf, Hempel: one-sided communication on the NEC SX-5 (2000)"
WAYS = (("put.fence", "put, fence"), ("get.fence", "get, fence"), ("put.pscw", "put, post and start"),
        ("get.pscw", "get, post and start"), ("put.lock", "put, lock"), ("get.lock", "get, lock"),
        ("messages", "messages"))
COLUMNS = {"put.fence": "put_fence", "get.fence": "get_fence", "put.pscw": "put_dedicated", "get.pscw": "get_dedicated",
           "put.lock": "put_lock", "get.lock": "get_lock", "messages": "sendrecv"}
# A target keeps 16 descriptions.
TYPES = (("types-1", "--puts=1", "1 put"), ("types-16", "--puts=16", "16 puts"),
         ("types-cached", "--types=16", "1 put, 16 types in turn"),
         ("types-sent", "--types=17", "1 put, 17 types in turn"))
SIZES = (1024, 4096, 16384, 65536, 262144)  # of table 4
LAYOUTS = (("vector", "vector of 256 blocks"), ("struct", "struct of 128 blocks"))
MEMORIES = (("", "allocated", "global"), (" --registered", "registered", "local"))

# Of each figure: what the paper did and found, and what was done here.
SYNC = ("epochs without data on 2 to 8 processors, each with one neighbour or with all, in a window of {} memory; the "
        "fastest of 25 counts. A fence takes as long with one neighbour as with all, and grows with the logarithm of "
        "the processors; post and start (there: dedicated) and locks grow with the neighbours and hardly with the "
        "processors.",
        "the same epochs {}, in {} memory; the medians count.")
PLACES = {"shmem": "by dart-shmem on one node", "nodes": "by dart-shmem on simulated nodes, one unit on each",
          "mpi": "by dart-mpi on one node, with no more units than cores"}
SYNCHRONISED = (("put.fence", "fence", "fence"), ("put.pscw", "post and start", "dedicated"),
                ("put.lock", "lock", "lock"))
EXCHANGE = {("right", "global"): "each of 8 processes exchanges data with one neighbour in seven ways; the window is "
                                 "in global memory. A fence takes 13 times as long as messages for 1 KiB, and 1.3 "
                                 "times for 4 MiB, where post and start take 1.1 times: one-sided communication never "
                                 "catches up.",
            ("right", "local"): "the same with the window in a process's own memory, where gets take longer than puts. "
                                "Only a put of 4 MiB under a lock takes less time than messages.",
            ("all", "global"): "each of 8 processes exchanges data with all 8; the window is in global memory. With "
                               "fences it takes 1.8 times as long as messages for 1 KiB, and 0.7 for 256 KiB: above 64 "
                               "KiB one-sided communication is faster.",
            ("all", "local"): "the same with the window in a process's own memory. With fences it takes 3.4 times as "
                              "long as messages for 1 KiB and 1.2 times for 4 MiB: one-sided communication never "
                              "catches up."}
EXCHANGED = {"right": "units of a node exchange data with one neighbour in the seven ways: {}.",
             "all": "units of a node exchange data with all, themselves among them, in the seven ways: {}."}
SCATTERED = ("8 processes put scattered data to a neighbour's local window. Its processor needs the description of the "
             "type, which is short for a vector and long for a struct. If the description is cached, a put of 1 KiB "
             "takes 0.77 of the time for a vector and 0.60 for a struct, and one of 256 KiB 0.9 for both.",
             "two units on two simulated nodes put to each other's registered memory, drawn with post and start. DART "
             "describes a type to a target once, which keeps 16; of 17 types in turn each is described with each put.")


def sync_steps(machine, quick):
    steps = []
    for flag, memory, _ in MEMORIES:
        for units in (2, 4) if quick else (2, 4, 6, 8):
            for pattern in ("right", "all"):
                arguments = f"--overhead{flag} --pattern={pattern} --format=csv "
                arguments += "--quick" if quick else "--time=5 --repeat=5"
                name = f"sync-{pattern}-{{}}-{memory}-{units}"
                steps.append(machine.step(name.format("shmem"), "epochs-shmem", units, arguments, 0.5 if quick else 1))
                steps.append(machine.step(name.format("nodes"), "epochs-shmem", units, arguments, 0.5 if quick else 1,
                                          nodes=units))
                if units <= machine.cores:
                    steps.append(machine.step(name.format("mpi"), "epochs-mpi", units, arguments, 0.5 if quick else 1))
    return steps


def mpi_units(machine):
    """Of the exchange with all over MPI: in which no units share a core."""
    return sorted({2, min(machine.cores, 8)} - {1})


def exchange_steps(machine, quick):
    steps = []
    for flag, memory, _ in MEMORIES:
        arguments = f"--operation=both --format=csv{flag} --least=1024 "
        # of 256 KiB the paper's exchange with all is faster than messages, of 64 KiB it is not yet
        arguments += "--most=262144 --time=2 --repeat=3" if quick else "--most=4194304 --time=5 --repeat=3"
        seconds = 2 if quick else 15
        steps.append(machine.step(f"exchange-right-mpi-2-{memory}", "epochs-mpi", 2, "--pattern=right " + arguments,
                                  seconds))
        units = 4 if quick else 8
        steps.append(machine.step(f"exchange-all-shmem-{units}-{memory}", "epochs-shmem", units,
                                  "--pattern=all " + arguments, seconds))
        for units in mpi_units(machine):
            steps.append(machine.step(f"exchange-all-mpi-{units}-{memory}", "epochs-mpi", units,
                                      "--pattern=all " + arguments, seconds))
        if not quick:  # units that share cores: MPI's waits spin
            few = f"--pattern=all --operation=both --format=csv{flag} --least=1024 --most=4096 --time=1 --repeat=3"
            steps.append(machine.step(f"exchange-all-shared-{memory}", "epochs-mpi", 2 * machine.cores, few, 10))
    return steps


def steps(machine, quick):
    arguments = "--registered " + ("--time=2 --repeat=3" if quick else "--time=5 --repeat=5")
    found = sync_steps(machine, quick) + exchange_steps(machine, quick)
    for name, flags, _ in TYPES:
        found.append(machine.step(name, "epoch-types-mpi", 2, f"{flags} {arguments}", 4, nodes=2))
    for name, flags, _ in TYPES[2:]:
        for nbytes in SIZES[2:3] if quick else SIZES[1:]:
            found.append(machine.step(f"{name}-{nbytes}", "epoch-types-mpi", 2, f"{flags} --bytes={nbytes} {arguments}",
                                      3, nodes=2))
    found.append(messages.step(machine))
    return [step for step in found if step is not None]


# ---- the section -----------------------------------------------------------------------------------


def sync_series(results, pattern, where, memory, way, column="dart_ns"):
    groups = {}
    case = f"{pattern}.{way}" + (".registered" if memory == "registered" else "")
    for units in (2, 4, 6, 8):
        for row in results.rows(f"sync-{pattern}-{where}-{memory}-{units}"):
            if row["case"] == case and row[column]:
                groups.setdefault(units, []).append(float(row[column]) * 1e-3)
    return points(groups)


def of_table_1(window, column):
    return [Point(float(row["processors"]), [float(row[column])]) for row in paper("nec-sync.csv")
            if row["window"] == window]


def of_nec(rows, column):
    return [Point(float(row["bytes"]), [float(row[column])]) for row in rows if row[column]]


def crowd(where, most):
    cores = len(os.sched_getaffinity(0))
    return f" Here {most:g} units share {cores} cores." if where != "mpi" and most > cores else ""


def sync_verdicts(series, where, window):
    """`series`: of a way and 1 or p neighbours."""
    most = min((points[-1].x if points else 0 for points in series.values()), default=0)

    def grown(values, column, neighbours):
        """With the most units in times of 2 units, here and on the NEC."""
        if most <= 2:
            return None, None
        nec = of_table_1(window, f"{column}_1")
        return over(at(values[column, neighbours], most), at(values[column, neighbours], 2)), at(nec, most) / at(nec, 2)

    def beside(column):
        """With all neighbours in times of one, here and on the NEC."""
        if not most:
            return None, None
        nec = [at(of_table_1(window, f"{column}_{neighbours}"), most) for neighbours in (1, "p")]
        return over(at(series[column, "p"], most), at(series[column, 1], most)), over(nec[1], nec[0])

    def bound(words, figures, least, most_of_it):
        return Bound(words, figures[0], least, most_of_it, figures[1])

    with_all = f"with all of {most:g} neighbours in times of one:"
    from_2 = f"with {most:g} units in times of 2:"
    crowded = crowd(where, most)
    return (verdict("a fence takes as long with all neighbours as with one",
                    [bound(with_all, beside("fence"), 0.67, 1.5)], crowded) +
            verdict("post and start and locks grow linearly with the neighbours",
                    # of two neighbours the NEC's own figure does not tell a line from a constant
                    most > 2 and [bound(f"post and start {with_all}", beside("dedicated"), 0.4 * most, 1.5 * most),
                                  bound(f"lock {with_all}", beside("lock"), 0.6 * most, 1.5 * most)], crowded) +
            verdict("a fence grows with the logarithm of the units",
                    # with 4 units a logarithm and a line can be twice as high as with 2
                    most > 4 and [bound(from_2, grown(series, "fence", 1), 1.05, 1.1 * math.log2(most))], crowded) +
            verdict("post and start with one neighbour and a lock of one are independent of the units",
                    [bound(f"post and start {from_2}", grown(series, "dedicated", 1), 0.67, 1.5),
                     bound(f"lock {from_2}", grown(series, "lock", 1), 0.67, 1.5)], crowded))


def sync_figure(results, where, memory, window, by_mpi=False):
    """By DART, with the NEC's numbers beside; `by_mpi`: by plain MPI in the runs of dart-mpi, without."""
    curves, series = [], {}
    for way, words, column in SYNCHRONISED:
        for pattern, neighbours in (("right", 1), ("all", "p")):
            series[column, neighbours] = sync_series(results, pattern, where, memory, way,
                                                     "mpi_ns" if by_mpi else "dart_ns")
            curves.append(Curve(f"{words}, {neighbours} neighbour(s)", series[column, neighbours]))
            if not by_mpi:
                curves.append(Curve(f"NEC: {words}, {neighbours}", of_table_1(window, f"{column}_{neighbours}"),
                                    curves[-1].name))
    place = "by plain MPI in the same processes as dart-mpi, on one node" if by_mpi else PLACES[where]
    calls = ("fence", "post start put complete wait", "lock put unlock") if where == "nodes" else ()
    return (chart(f"Table 1: opening and closing epochs without data {place}, {memory} "
                  "memory", "units", "µs", curves, log_x=False) +
            about(SYNC[0].format(window), SYNC[1].format(place, memory),
                  results.ran(rf"sync-(right|all)-{where}-{memory}-\d+")) +
            sync_verdicts(series, where, window) + messages.counted(results, *calls))


def exchange_figure(results, step, pattern, memory, window, neighbours, by_mpi=False):
    """The seven ways by DART, with the NEC's numbers beside; `by_mpi`: by plain MPI in the runs of dart-mpi."""
    suffix = ".registered" if memory == "registered" else ""  # of the names of cases
    name, column = f"exchange-{pattern}-{step}-{memory}", "mpi_ns" if by_mpi else "dart_ns"
    curves = [Curve(words, results.series(name, column, case=f"{pattern}.{way}{suffix}")) for way, words in WAYS]
    put, sent = curves[0].points, curves[-1].points
    rows = [row for row in paper("nec-exchange.csv")
            if row["neighbours"] == str(neighbours) and row["window"] == window]
    nec = {way: of_nec(rows, COLUMNS[way]) for way, _ in WAYS}
    if not by_mpi:
        by = results.series(name, "mpi_ns", case=f"{pattern}.messages{suffix}")
        sent = by or sent  # where there is no MPI, by DART's messages
        curves.append(Curve("messages of plain MPI", by))
        curves += [Curve(f"NEC: {words}", nec[way], words) for way, words in WAYS]
    first, last = ((pick(put[i].x, sent[i].x) if put and sent else 0) for i, pick in ((0, max), (-1, min)))
    here, there = ({point.x: over(point.median, at(by, point.x)) for point in of if at(by, point.x)}
                   for of, by in ((put, sent), (nec["put.fence"], nec["messages"])))
    least = [min((ratios[x] for x in ratios if first <= x <= last), default=None) for ratios in (here, there)]
    backend, units = step.split("-")
    place = f"{'plain MPI' if by_mpi else 'dart-' + backend}, {units} units"
    slower = over(at(nec["put.fence"], 1 << 22), at(nec["messages"], 1 << 22)) > 1
    number = {"right": "Table 2, figure 1", "all": "Table 3, figure 2"}[pattern]
    of_whom = "one neighbour" if pattern == "right" else "all neighbours"
    return (chart(f"{number}: exchange with {of_whom}, {memory} memory, "
                  f"{place}", "bytes", "µs", curves, bytes_on_x=True) +
            about(EXCHANGE[pattern, window], f"in {memory} memory, {EXCHANGED[pattern].format(place)}",
                  results.ran(name)) +
            verdict("one-sided communication never catches up with messages, and is nearest where blocks are "
                    "large" if slower else
                    "one-sided communication is faster than messages where blocks are large",
                    # "never" is of all sizes
                    ([Bound("a fence with puts in times of messages, the least of all sizes:", least[0], 1, 20,
                            least[1])] if slower else
                     [Bound(f"a fence with puts in times of messages, {size_name(last)}:", here.get(last), 0.01, 1,
                            there.get(last))]) +
                    [Bound(f"that of {size_name(first)} as a multiple of that of {size_name(last)}:",
                           over(here.get(first), here.get(last)), 1.05, 50, over(there.get(first), there.get(last)))]))


def exchange_shared(results, memory):
    """µs of the exchange with all of units that share cores, DART beside plain MPI."""
    name, rows = f"exchange-all-shared-{memory}", []
    suffix = ".registered" if memory == "registered" else ""
    for way, words in WAYS:
        for nbytes in (1024, 4096):
            one = [at(results.series(name, column, case=f"all.{way}{suffix}"), nbytes)
                   for column in ("dart_ns", "mpi_ns")]
            if None not in one:
                rows.append((words, size_name(nbytes), *(f"{value:.4g}" for value in one)))
    if not rows:
        return ""
    return (element("p", text_of(f"Exchange with all neighbours, {memory} memory, two units a core, µs. MPI's waits "
                                 "spin, so its times are those of the scheduler.")) + results.ran(name) +
            table(("way", "bytes", "dart-mpi", "plain MPI"), rows))


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
    here, there, most = {}, {}, 0
    for kind, layout in LAYOUTS:
        sent, cached = (types_series(results, name, layout, 0) for name in ("types-sent", "types-cached"))
        nec = [of_nec(paper("nec-types.csv"), f"put_{what}_{kind}") for what in ("uncached", "cached")]
        most = max((point.x for point in cached if at(sent, point.x)), default=0)
        here[kind] = [over(at(sent, x), at(cached, x)) for x in (SIZES[0], most)]
        there[kind] = [over(at(nec[0], x), at(nec[1], x)) for x in (SIZES[0], most)]
    small, large = here["vector"][0], here["struct"][0]
    fallen = [over(one["struct"][1], one["struct"][0]) for one in (here, there)]
    return verdict("to send the description each time costs where it is long, less where it is short, and less of "
                   "large data",
                   [Bound("in times of it cached, 1 KiB of a struct (long):", large, 1.1, 10, there["struct"][0]),
                    Bound("of a vector (short):", small, 0.8, 1.5, there["vector"][0]),
                    Bound("the first by the second:", over(large, small), 1.05, 10,
                          there["struct"][0] / there["vector"][0]),
                    Bound(f"{size_name(most)} of a struct by 1 KiB of it:", fallen[0], 0.1, 1.05, fallen[1])])


def types_table(results):
    lines = [(puts, way, what, *(f"{sorted(time[side] for time in times)[len(times) // 2]:.2f}" for side in (0, 1)))
             for name, _, puts in TYPES for (way, what), times in types_rows(results, name).items()]
    if not lines:
        return element("p", text_of("Table 4: nothing was measured here."))
    curves = []
    for kind, layout in LAYOUTS:
        for words, name, column in (("DART", "types-cached", 0), ("plain MPI", "types-cached", 1),
                                    ("DART, sent each time", "types-sent", 0)):
            curves.append(Curve(f"{words}: {kind}", types_series(results, name, layout, column)))
        for words, column, like in (("cached", f"put_cached_{kind}", f"DART: {kind}"),
                                    ("sent each time", f"put_uncached_{kind}", f"DART, sent each time: {kind}"),
                                    ("by messages", f"sendrecv_{kind}", "")):
            curves.append(Curve(f"NEC: {kind}, {words}", of_nec(paper("nec-types.csv"), column), like))
    return (chart("Table 4: scattered data by post and start, two simulated "
                  "nodes", "bytes", "µs", curves, bytes_on_x=True) +
            about(*SCATTERED, results.ran("types-.*")) + types_verdict(results) +
            element("p", text_of("Here, 1 KiB, µs:")) +
            table(("puts", "synchronisation", "data", "DART", "plain MPI"), lines))


def section(results):
    parts = [about("one-sided communication of MPI-2 on a vector machine with shared memory, where a window is in "
                   "memory that all processes reach (global) or in that of its process (local).",
                   "the same epochs and exchanges. Allocated memory stands for the NEC's global windows, registered "
                   "memory for local ones.")]
    for _, memory, window in MEMORIES:
        parts += [sync_figure(results, where, memory, window) for where in PLACES]
        parts.append(sync_figure(results, "mpi", memory, window, by_mpi=True))
    for pattern, neighbours in (("right", 1), ("all", 8)):
        for _, memory, window in MEMORIES:
            for step in results.steps_like(rf"exchange-{pattern}-(.*-\d+)-{memory}") or ["mpi-2"]:
                parts.append(exchange_figure(results, step, pattern, memory, window, neighbours))
                if step.startswith("mpi"):
                    parts.append(exchange_figure(results, step, pattern, memory, window, neighbours, by_mpi=True))
    parts += [exchange_shared(results, memory) for _, memory, _ in MEMORIES]
    return "".join(parts) + types_table(results)
