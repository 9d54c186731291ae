"""Thakur, Gropp, Toonen: Optimizing the Synchronization Operations in MPI One-Sided Communication, IJHPCA 19(2), 2005:
figures 2 and 6, tables 1 and 2, which are ratios to point-to-point messages in an exchange with four neighbours."""
from figures import messages
from figures.chart import Bound, Curve, about, chart, over, verdict
from figures.results import Point, at, paper, size_name

NAME = "thakur"
TITLE = "Thakur, Gropp, Toonen: synchronisation of MPI's one-sided communication (2005)"
WAYS = (("fence", "fence"), ("pscw", "post, start, complete, wait"), ("lock", "lock"))
SHAPES = (("halo-node", "one node", 1, {}), ("halo-nodes", "two simulated nodes", 2, {}),
          ("halo-tcp", "two nodes over TCP", 2, {"UCX_TLS": "tcp,self"}))
MACHINES = {"sun": "a Sun SMP", "linux": "a Linux cluster with Fast Ethernet"}
# Of each way: the calls whose messages stand beside; what the paper did, and what was done here.
CALLS = {"fence": ("put, fence",), "pscw": ("post start put complete wait",), "lock": ("lock put unlock",)}
DONE = {"fence": ("a fence of MPICH2 is a reduce-scatter, which tells each process how many operations it has to "
                  "expect, and not a barrier; operations wait for the fence that ends them.",
                  "the puts to all neighbours, then a fence."),
        "pscw": ("in MPICH2 a start does not block; operations wait for complete, and the last one to a process tells "
                 "it so.",
                 "each unit posts to its neighbours, starts, puts to them, completes, and waits for their puts."),
        "lock": ("in MPICH2 the request for a lock waits for the unlock, and travels with the operation where there is "
                 "only one.",
                 "for each neighbour an exclusive lock, a put and an unlock; then a barrier.")}
LAST_LINE = "mpi,2,2,halo.put.notify,{most},.*"  # of a run with two nodes


def steps(machine, quick):
    most = 65536 if quick else 262144  # sizes of the tables
    arguments = f"--pattern=halo --format=csv --most={most} "
    arguments += "--time=2 --repeat=3" if quick else "--time=5 --repeat=5"
    found = [machine.step(name, "epochs-mpi", 2, arguments, 5 if quick else 20, nodes=nodes,
                          last_line=LAST_LINE.format(most=most), **environment)
             for name, _, nodes, environment in SHAPES]
    found.append(messages.step(machine))
    return [step for step in found if step is not None]


def ratios(results, name, way, column):
    """Of the time of messages by plain MPI in the same round."""
    groups, messages = {}, {}
    for number, text in enumerate(results.by_round(name)):
        for row in text:
            if row["case"] == "halo.messages":
                messages[number, row["bytes"]] = float(row["mpi_ns"])
        for row in text:
            if row["case"] == f"halo.put.{way}" and row[column] and (number, row["bytes"]) in messages:
                groups.setdefault(float(row["bytes"]), []).append(float(row[column]) / messages[number, row["bytes"]])
    return [Point(x, groups[x]) for x in sorted(groups)]


def of_paper(way, machine, implementation):
    return [Point(float(row["bytes"]), [float(row[way])]) for row in paper("mpich2-halo.csv")
            if row["machine"] == machine and row["implementation"] == implementation and row[way]]


def told_by_paper(way, machine):
    """The ratios of the tables at the smallest and at the largest block."""
    series = [(name, of_paper(way, machine, name)) for name in ("Sun MPI" if machine == "sun" else "LAM", "MPICH2")]
    said = [f"{ends[0].median:g} and {ends[-1].median:g} times as long as messages by "
            f"{name}" for name, ends in series if ends]
    if not said:
        return f"There are no figures of {MACHINES[machine]}."
    return f"On {MACHINES[machine]} blocks of 16 bytes and of 256 KiB take {', '.join(said)}."


def shape_figure(results, name, where):
    parts, machine = [], "sun" if name == "halo-node" else "linux"
    for way, words in WAYS:
        dart, native = ratios(results, name, way, "dart_ns"), ratios(results, name, way, "mpi_ns")
        curves = [Curve("DART", dart), Curve("plain MPI", native)]
        if name == "halo-node":
            curves += [Curve("Sun MPI on a Sun SMP", of_paper(way, "sun", "Sun MPI"), ""),
                       Curve("MPICH2 on a Sun SMP", of_paper(way, "sun", "MPICH2"), "plain MPI")]
        else:
            curves += [Curve("LAM on Fast Ethernet", of_paper(way, "linux", "LAM"), ""),
                       Curve("MPICH2 on Fast Ethernet", of_paper(way, "linux", "MPICH2"), "plain MPI")]
        parts.append(chart(f"Figures 2 and 6, tables 1 and 2: exchange with four neighbours by {words}, "
                           f"{where}", "bytes",
                           "times of messages", curves, bytes_on_x=True))
        parts.append(about(f"{DONE[way][0]} {told_by_paper(way, machine)}", f"on {where}, {DONE[way][1]}",
                           results.ran(name)))
        last = dart[-1].x if dart else 0
        here = [at(dart, x) for x in (16, last)]
        there = [at(of_paper(way, machine, "MPICH2"), x) for x in (16, last)]
        parts.append(verdict("one-sided communication costs most where blocks are small, and nears messages with size",
                             [Bound(f"DART by {words} in times of messages, of 16 bytes:", here[0], 0.1, 40, there[0]),
                              Bound(f"of {size_name(last)}:", here[1], 0.3, 3, there[1]),
                              Bound("the second by the first:", over(here[1], here[0]), 0.02, 0.95,
                                    over(there[1], there[0]))],
                             " The paper's are those of MPICH2." if there[0] else ""))
        if name != "halo-node":
            parts.append(messages.counted(results, *CALLS[way]))
    return "".join(parts)


def section(results):
    parts = [about("MPICH2 with less synchronisation: a fence is a reduce-scatter and no barrier, operations are "
                   "deferred, and a lock travels with them. Its ghost exchange takes up to 3.5 times as long as "
                   "messages where others took up to 19 times. On an IBM SP short blocks took almost a hundred times "
                   "as long as messages.",
                   "two units, each with four neighbours (two of them itself); ratios to MPI_Isend, MPI_Irecv and "
                   "MPI_Waitall of the same round, below 1 is faster than messages.")]
    parts += [shape_figure(results, name, where) for name, where, _, _ in SHAPES]
    return "".join(parts)
