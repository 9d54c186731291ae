"""Zhou, Idrees, Gracia: Leveraging MPI-3 shared-memory extensions for efficient PGAS runtime systems, Euro-Par 2015:
figures 2 to 6."""
import os

from figures import messages
from figures.chart import BAR, Bound, Curve, about, chart, over, verdict
from figures.hpcc import hpcc_gups, hpcc_step, hpcc_words
from figures.results import Point, at

NAME = "zhou"
TITLE = "Zhou, Idrees, Gracia: DART-MPI with shared-memory windows (2015)"
SIZES = "1,2,4,8,64,256,1K,4K,16K,64K,256K,1M,2M"
# One-way latency and bandwidth of MPI on a Cray XC40, by OSU's benchmarks as H. Pritchard published them in 2016
# (gist.github.com/hppritcha/6a3acd0c192fcfd082bd543fc98e6fe6): 1.2 µs, 9.6 GB/s.
ARIES = "latency=1200ns,bandwidth=9600M"

# Of each figure: what the paper did and found, and what was done here.
NEAR = {"put": ("one process put blocks of 1 byte to 2 MiB to another one of its node and waited for each. The time "
                "was flat below 1 KiB. For small blocks native MPI took more than 10 times as long; DART was 20 % "
                "faster than UPC and 40 % faster than OpenSHMEM. Dashed are these three, as multiples of dart-shmem's "
                "time here up to 1 KiB.",
                "unit 0 puts to the other unit of a node, each on a core of its own, by dart-shmem and by dart-mpi. "
                "Beside it are a put and a flush of plain MPI in the same processes, Open MPI's OpenSHMEM where it is "
                "installed, and memcpy between the two processes, which is the floor. UPC was not run."),
        "get": ("the same with gets: flat below 1 KiB, and native MPI more than 10 times slower for small blocks.",
                "the same two units and the same sides; each get is complete before the next one.")}
DISTANCE = ("process 0 put {} to each other one of 256 processes on 11 nodes, which are at distances 1 to 255. The "
            "time was constant inside the node and constant beyond, with a step between distances 16 and 32. Between "
            "nodes DART was on top of native MPI, and slightly slower than UPC and OpenSHMEM.",
            "unit 0 puts {} to each other unit: of one node; of two simulated nodes, over MPI; of two nodes over TCP; "
            "and of three nodes of the simulated network, with the latency and bandwidth of a Cray Aries "
            f"(DART_NET={ARIES}). Where plain MPI runs beside DART there is a core for each unit.")
UPDATES = ("2 to 1024 units updated random words of a table that lies over all of them, by the rules of the HPC "
           "Challenge. Over all its experiments DART was level with libraries for shared memory inside a node, and "
           "with MPI-3 between nodes.",
           "the same by DART's atomics, and by a get and a put, which may lose an update, called and by resolved "
           "pointers; by arrays of C that units share, without a runtime; by plain MPI in the same two "
           "ways, and by messages with many updates each (buckets). Every run verifies its table, whose size is in the "
           "commands.")
STENCIL = {64: ("Gauss-Seidel to convergence on 64 x 64 floats of 4 bytes, whose rows lie over 4, 8 and 16 units of "
                "one node; the outer rows go to the neighbours by blocking puts. With 16 units DART was about 35 % "
                "faster than native MPI; where 16 units were run, the dashed point is DART's time here divided by "
                "0.65.",
                "the same on units of one node, with puts and a barrier, and with notifications instead of the "
                "barrier. Plain MPI has at most two units a core, because its waits spin."),
           1024: ("the same on a grid of 1K x 1K, by 64 to 512 units on several nodes. No factor of it is known here, "
                  "only that DART was faster on the small grid.",
                  "the same grid on one node.")}


def near_steps(machine, quick):
    arguments = "--format=csv --cases=put_blocking,get_blocking "
    arguments += "--sizes=1,8,1K,64K,1M --time=2 --repetitions=3" if quick else f"--sizes={SIZES} --time=5"
    seconds = 2 if quick else 6
    return [machine.step("near-shmem", "micro-shmem", 2, arguments, seconds),
            machine.step("near-mpi", "micro-mpi", 2, arguments, 2 * seconds), machine.openshmem(5)]


def distance_steps(machine, quick):
    arguments = "--repeat=3 --time=1" if quick else ""
    units = max(2, machine.cores // 2 * 2)  # MPI's waits spin
    return [machine.step("distance-node", "distance-shmem", 4 if quick else 8, arguments, 2),
            machine.step("distance-node-mpi", "distance-mpi", units, arguments, 1),
            machine.step("distance-nodes", "distance-mpi", units, arguments, 1, nodes=2),
            machine.step("distance-tcp", "distance-mpi", 2, arguments, 5, nodes=2, last_line="mpi,2,2,1,get,1048576,.*",
                         UCX_TLS="tcp,self"),
            machine.step("distance-aries", "distance-shmem", 7 if quick else 12, arguments, 4, nodes=3, DART_NET=ARIES)]


def updates_name(variant, backend, units, nodes):
    return f"updates-{variant}-{backend}-{units}x{nodes}"


def updates_steps(machine, quick):
    table, steps = (16, []) if quick else (22, [])
    for units in (1, 2, 4) if quick else (1, 2, 4, 8, 16):
        for variant in ("atomic", "gxp", "gxp-resolved", "shared-atomic"):
            arguments = f"--table={table} --variant={variant} --updates-per-word={1 if quick else 4}"
            steps.append(machine.step(updates_name(variant, "shmem", units, 1), "randomaccess-shmem", units, arguments,
                                      1))
    for units, nodes in ((2, 1), (2, 2)) if quick else ((1, 1), (2, 1), (2, 2), (4, 2)):
        for variant in ("atomic", "mpi-accumulate", "mpi-gxp", "mpi-bucket"):
            slow = variant in ("mpi-accumulate", "mpi-gxp") or units > machine.cores
            updates = 1 << (14 if quick or slow else 22)
            arguments = f"--table={table} --variant={variant} --updates={updates}"
            steps.append(machine.step(updates_name(variant, "mpi", units, nodes), "randomaccess-mpi", units, arguments,
                                      2,
                                      nodes=nodes))
    return steps + [hpcc_step(machine, table, quick)]


def stencil_name(memory, backend, units, size):
    return f"stencil-{memory}-{backend}-{units}-{size}"


def stencil_steps(machine, quick):
    steps = []
    for size, all_units in ((64, (1, 2, 4, 8, 16)), (1024, (1, 2, 4))):
        if quick:
            all_units = all_units[:3] if size == 64 else (2,)
        for units in all_units:
            for memory in ("dart", "notify"):
                steps.append(machine.step(stencil_name(memory, "shmem", units, size), "stencil-shmem", units,
                                          f"--size={size} --memory={memory} --verify=residual", 1 if size == 64 else 5))
            if units <= machine.cores or size == 64 and not quick and units <= 2 * machine.cores:
                steps.append(machine.step(stencil_name("mpi", "mpi", units, size), "stencil-mpi", units,
                                          f"--size={size} --memory=mpi --verify=residual", 6))
    return steps


def steps(machine, quick):
    found = near_steps(machine, quick) + distance_steps(machine, quick) + updates_steps(machine, quick)
    found.append(messages.step(machine))
    return [step for step in found + stencil_steps(machine, quick) if step is not None]


# ---- the section -----------------------------------------------------------------------------------


def times(series, factor):
    """The points up to 1 KiB, so many times as high."""
    return [Point(point.x, [point.median * factor]) for point in series if point.x <= 1024]


def near_figure(results, operation):
    case = f"{operation}_blocking"
    dart, by_mpi = results.series("near-shmem", "dart_ns", case=case), results.series("near-mpi", "mpi_ns", case=case)
    openshmem = results.series("openshmem", f"{operation}_ns")
    curves = [Curve("dart-shmem", dart), Curve("dart-mpi", results.series("near-mpi", "dart_ns", case=case)),
              Curve("plain MPI", by_mpi), Curve("OpenSHMEM (Open MPI)", openshmem),
              Curve("memcpy between processes", results.series("near-shmem", "floor_ns", case=case)),
              Curve("paper: native MPI, at least", times(dart, 10), "plain MPI")]
    if operation == "put":
        curves += [Curve("paper: OpenSHMEM", times(dart, 1 / 0.6), "OpenSHMEM (Open MPI)"),
                   Curve("paper: UPC", times(dart, 1 / 0.8), "")]
    least, large = at(dart, 1), at(dart, 1024)
    floor = results.series("near-shmem", "floor_ns", case=case)
    copied = over(at(floor, 1024), at(floor, 1))
    told = verdict("the time is flat below 1 KiB",
                   [Bound("1 KiB in times of 1 byte:", over(large, least), 0.67, 1.5, 1)],
                   f" By memcpy it is {copied:.3g}." if copied else "")
    told += verdict("native MPI takes more than 10 times as long for small blocks",
                    [Bound("plain MPI's time of 8 bytes, in times of DART's:", over(at(by_mpi, 8), at(dart, 8)), 10,
                           1e4, 10)])
    if operation == "put":
        told += verdict("a put is 40 % faster than OpenSHMEM's",
                        [Bound("DART's share of Open MPI's time of 8 bytes:", over(at(dart, 8), at(openshmem, 8)), 0.45,
                               0.75, 0.6)])
    return (chart(f"Figure 2: blocking {operation} inside a node", "bytes", "µs", curves, bytes_on_x=True) +
            about(*NEAR[operation], results.ran("near-shmem", "near-mpi", "openshmem")) + told)


def distance_figure(results, number, nbytes, size):
    def series(name, column):
        return results.series(name, column, by="target", bytes=str(nbytes), operation="put")

    pairs = {words: (series(name, "dart_ns"), series(name, "mpi_ns")) for name, words in
             (("distance-node-mpi", "one node"), ("distance-nodes", "2 nodes"), ("distance-tcp", "TCP"))}
    aries = series("distance-aries", "dart_ns")
    curves = [Curve("one node, dart-shmem", series("distance-node", "dart_ns")),
              Curve("3 nodes, simulated Aries", aries)]
    for words, (dart, native) in pairs.items():
        curves += [Curve(f"{words}, dart-mpi", dart), Curve(f"{words}, plain MPI", native)]
    inside, outside = ([point.median for point in aries if (point.x % 3 == 0) == near] for near in (True, False))
    found = bool(inside and outside)
    told = verdict("the time is constant inside the node and constant beyond, with a step between",
                   found and [Bound("the slowest of the node by the fastest:", max(inside) / min(inside), 1, 2, 1),
                              Bound("the slowest beyond by the fastest:", max(outside) / min(outside), 1, 2, 1),
                              Bound("the fastest beyond by the slowest inside:", min(outside) / max(inside), 1.05,
                                    1e4)],
                   " Unit U is on node U modulo 3, so the step comes at every third unit, not at one distance.")
    ratios = [point.median / at(native, point.x) for dart, native in (pairs["2 nodes"], pairs["TCP"]) for point in dart
              if point.x % 2 == 1 and at(native, point.x)]
    told += verdict("between nodes DART is on top of native MPI",
                    ratios and [Bound("DART's time by plain MPI's, least:", min(ratios), 0.67, 1.25, 1),
                                Bound("most:", max(ratios), 0.67, 1.25, 1)])
    return (chart(f"Figure {number}: blocking put of {size} from unit 0 to the unit at a distance", "target", "µs",
                  curves, log_x=False) +
            about(*(text.format(size) for text in DISTANCE), results.ran("distance-.*")) + told +
            messages.counted(results, "put_blocking"))


def updates_figure(results):
    def series(variant, backend, nodes):
        return results.over({units: updates_name(variant, backend, units, nodes) for units in (1, 2, 4, 8, 16)})

    one, atomic, native = series("atomic", "shmem", 1), series("atomic", "mpi", 2), series("mpi-accumulate", "mpi", 2)
    resolved, shared = series("gxp-resolved", "shmem", 1), series("shared-atomic", "shmem", 1)
    challenge = hpcc_gups(results)
    curves = [Curve("one node, atomic", one), Curve("one node, get and put", series("gxp", "shmem", 1)),
              Curve("one node, get and put by resolved pointers", resolved),
              Curve("one node, arrays of C that units share, atomic", shared),
              Curve("one node, dart-mpi, atomic", series("atomic", "mpi", 1)),
              Curve("one node, MPI_Accumulate", series("mpi-accumulate", "mpi", 1)),
              Curve("one node, MPI_Get and MPI_Put", series("mpi-gxp", "mpi", 1)),
              Curve("one node, messages in buckets", series("mpi-bucket", "mpi", 1)),
              Curve("2 nodes, dart-mpi, atomic", atomic), Curve("2 nodes, MPI_Accumulate", native),
              Curve("2 nodes, MPI_Get and MPI_Put", series("mpi-gxp", "mpi", 2)),
              Curve("2 nodes, messages in buckets", series("mpi-bucket", "mpi", 2)),
              Curve("HPC Challenge, one node", challenge)]
    told = verdict("between nodes DART is level with MPI-3", [
        Bound("DART's updates between two nodes by MPI_Accumulate's:", over(at(atomic, 2), at(native, 2)), 0.8, 1.25,
              1)])
    told += verdict("inside a node DART is level with libraries for shared memory", [
        Bound("DART's atomic updates by two units of one node, by those of arrays of C that they share:",
              over(at(one, 2), at(shared, 2)), 0.8, 1.25, 1)])
    if challenge:
        by_arrays = over(at(shared, 2), at(challenge, 2))
        spread = f" Its runs did {challenge[0].least:.3g} to {challenge[0].most:.3g} GUP/s."
        told += verdict("of the HPC Challenge's updates by two processes of one node DART does 8 times as many on one "
                        "node, and 4 times as many on two",
                        [Bound(words, over(at(mine, 2), at(challenge, 2)), least, 1e4)
                         for words, mine, least in (("one node, atomic:", one, 8),
                                                    ("two nodes, atomic:", atomic, 4))], spread, BAR)
        told += verdict("by gets and puts, which may lose updates as the rules of the HPC Challenge allow, DART does 8 "
                        "times as many on one node",
                        [Bound("by resolved pointers:", over(at(resolved, 2), at(challenge, 2)), 8, 1e4)],
                        f" Arrays of C that units share, atomic: {by_arrays:.3g}." if by_arrays else "", BAR)
    return (chart("Figure 5: RandomAccess", "units", "GUP/s", curves) +
            about(UPDATES[0], UPDATES[1] + hpcc_words(results), results.ran("updates-.*", "hpcc")) + told +
            messages.counted(results, "accumulate, flush", "get_blocking", "put_blocking"))


def stencil_figure(results, size):
    def series(memory, backend):
        return results.over({units: stencil_name(memory, backend, units, size) for units in (1, 2, 4, 8, 16)})

    dart, native = series("dart", "shmem"), series("mpi", "mpi")
    curves = [Curve("DART, puts and a barrier", dart), Curve("DART, notifications", series("notify", "shmem")),
              Curve("plain MPI, puts and a barrier", native)]
    if size == 64 and at(dart, 16):
        curves.append(Curve("paper: native MPI", [Point(16, [at(dart, 16) / 0.65])], "plain MPI, puts and a barrier"))
    cores = len(os.sched_getaffinity(0))
    # MPI's waits spin, so where units share cores its times say nothing about how data travel
    most = max((point.x for point in native if point.x <= cores), default=0)
    last = max((point.x for point in dart), default=0)
    grown = over(at(dart, last), at(dart, most))
    more = ""
    if grown and last > most:
        more = f" With {last:g} units on {cores} cores DART takes {grown:.2g} times as long."
    return (chart(f"Figure 6: five-point stencil, {size} x {size}, one node, to convergence", "units", "s", curves) +
            about(*STENCIL[size], results.ran(f"stencil-.*-{size}")) +
            verdict("DART is about 35 % faster than native MPI" if size == 64 else "DART is faster than native MPI",
                    [Bound(f"DART's share of its time with {most:g} units:", over(at(dart, most), at(native, most)),
                           *((0.5, 0.8, 0.65) if size == 64 else (0.05, 1)))],
                    more))


def section(results):
    parts = [about("DART over MPI-3, with windows that share memory inside a node, beside native MPI, UPC and "
                   "OpenSHMEM; a Cray XC40 with 24 cores a node.",
                   "the same operations on this machine's cores, on simulated nodes, over TCP, and on a simulated "
                   "network."),
             near_figure(results, "put"), near_figure(results, "get"), distance_figure(results, 3, 8, "8 bytes"),
             distance_figure(results, 4, 1 << 20, "1 MiB"), updates_figure(results), stencil_figure(results, 64),
             stencil_figure(results, 1024)]
    return "".join(parts)
