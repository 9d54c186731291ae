"""doc/performance.md: which runs its figures are of, and the page with the figures of such runs in their places.

A table of the page keeps its rows, columns and the form of its cells; the numbers in a cell are replaced. What was not
measured keeps its figure, and is named."""
import re
import subprocess
import time

from figures import ross, thakur, zhou
from figures.results import at
from figures.zhou import stencil_name, updates_name

NAME = "performance"
COLLECTIVES = "barrier,bcast,allreduce,allgather,alltoall,team,alloc"
FAR = ("far_put_blocking,far_get_blocking,far_put_batch,far_accumulate,far_halo,far_fetch_and_op.sum_long,"
       "far_compare_and_swap")


def steps(machine, quick):
    """Those of three papers that the page has figures of, and two of its own."""
    sizes = "8,4K --quick" if quick else "8,512,4K,64K,1M"
    found = [machine.step("page-node", "micro-mpi", 2, f"--format=csv --cases={COLLECTIVES} --sizes={sizes}", 15),
             machine.step("page-nodes", "micro-mpi", 2, f"--format=csv --cases={FAR},{COLLECTIVES} --sizes={sizes}", 30, nodes=2)]
    wanted = r"near-.*|distance-tcp|updates-.*-(2x[12]|16x1|4x2)|stencil-.*-(2|4|16)-64|stencil-.*-2-1024|halo-.*|mutex-.*-(2|4|16)"
    found += [step for paper in (zhou, thakur, ross) for step in paper.steps(machine, quick)]
    return [step for step in found if step is not None and re.fullmatch(wanted + "|page-.*", step.name)]


# ---- tables: of a row's and a column's name, the numbers of the cell ---------------------------------

def nbytes(text):
    """The number of bytes that a name begins with."""
    number, unit = re.match(r"(\d+)(?: (KiB|MiB))?", text).groups()
    return int(number) * {"KiB": 1 << 10, "MiB": 1 << 20}.get(unit, 1)


def units_in(text):
    return int(re.search(r"(\d+) units", text)[1])


def both(results, step, case, size):
    """DART's and MPI's µs."""
    return [at(results.series(step, column, case=case), size) for column in ("dart_ns", "mpi_ns")]


def put_on_a_node(results, row, column):
    step, name, case = {"put": ("near-shmem", "dart_ns", "put_blocking"), "get": ("near-shmem", "dart_ns", "get_blocking"),
                        "memcpy": ("near-shmem", "floor_ns", "put_blocking"),
                        "plain MPI put": ("near-mpi", "mpi_ns", "put_blocking")}[column]
    return [at(results.series(step, name, case=case), nbytes(row))]


BETWEEN = {"blocking put, DART / MPI": ["far_put_blocking"], "blocking get": ["far_get_blocking"],
           "one of 64 puts, then a flush": ["far_put_batch"], "accumulate and flush": ["far_accumulate"],
           "exchange with 4 neighbours, notified": ["far_halo"],
           "fetch_and_op; compare_and_swap": ["far_fetch_and_op.sum_long", "far_compare_and_swap"]}


def put_between_nodes(results, row, column):
    return [value for case in BETWEEN[row] for value in both(results, "page-nodes", case, nbytes(column))]


HALOS = {"one node": "halo-node", "two simulated nodes": "halo-nodes", "two nodes over TCP": "halo-tcp"}
WAYS = {"fence": "fence", "post and start": "pscw", "lock": "lock", "flush, barrier": "flush", "notification": "notify"}


def synchronisation(results, row, column):
    place, size = row.split(": ")
    if column == "messages, µs":
        return [at(results.series(HALOS[place], "mpi_ns", case="halo.messages"), nbytes(size))]
    return [at(thakur.ratios(results, HALOS[place], WAYS[column], name), nbytes(size)) for name in ("dart_ns", "mpi_ns")]


VARIANTS = {"DART, atomic": "atomic", "DART, get and put": "gxp", "MPI_Accumulate": "mpi-accumulate",
            "MPI, get and put": "mpi-gxp", "MPI, sorted messages": "mpi-bucket"}


def updates(results, row, column):
    variant, nodes, units = VARIANTS[column], 2 if "two" in row else 1, units_in(row)
    backend = "mpi" if nodes == 2 or variant.startswith("mpi") else "shmem"
    return [at(results.over({0: updates_name(variant, backend, units, nodes)}), 0)]


def stencil(results, row, column):
    units, size = units_in(row), int(row.split()[0])
    name = ("mpi", "mpi") if column == "plain MPI" else ("notify" if "cores" in row else "dart", "shmem")
    return [at(results.over({0: stencil_name(*name, units, size)}), 0)]


MUTEXES = {"dart_lock_t": "dart", "range lock": "range", "pthread mutex between processes": "pthread", "fcntl": "fcntl",
           "hybrid mutex over MPI": "hybrid", "one-sided mutex over MPI": "onesided", "MPI_Win_lock": "mpi-lock"}


def locks(results, row, column):
    if column == "free":
        return [ross.free_turn(results, MUTEXES[row])]
    return [at(ross.series(results, MUTEXES[row], 1000), units_in(column))]


def collectives(results, row, column):
    place, case = row.split(": ")
    return both(results, "page-node" if place == "one node" else "page-nodes", case, 0 if case == "barrier" else nbytes(column))


TABLES = {"put-on-a-node": put_on_a_node, "put-between-nodes": put_between_nodes, "synchronisation": synchronisation,
          "updates": updates, "stencil": stencil, "locks": locks, "collectives": collectives}


# ---- sentences: a pattern, in which # is a number, and the numbers ------------------------------------

def over_tcp(results):
    def put(size):
        return [at(results.series("distance-tcp", column, by="target", bytes=str(size), operation="put"), 1)
                for column in ("dart_ns", "mpi_ns")]

    return put(8) + [value and value * 1e-3 for value in put(1 << 20)]


def teams(results):
    return [value for step, case in (("page-node", "team"), ("page-nodes", "team"), ("page-node", "alloc"))
            for value in both(results, step, case, 0)]


SENTENCES = (("a put over TCP takes # µs by DART and # by MPI for 8 bytes, # and # ms for 1 MiB", over_tcp),
             ("made and destroyed in # µs on one node (MPI's communicator #) and in # over two (#); 4 KiB are allocated and "
              "freed in # µs (a window of MPI #)", teams))
NUMBER = r"\d+(?:\.\d+)?"


# ---- the page -----------------------------------------------------------------------------------------

def figure(value):
    """Three digits of what begins with 1 to 3, or is 100 and more, else two; one below a thousandth."""
    digits = 1 if value < 0.001 else 3 if value >= 100 or f"{value:e}"[0] in "123" else 2
    whole = round(float(f"{value:.{digits - 1}e}"), 12)
    decimals = max(0, digits - 1 - int(f"{whole:e}".split("e")[1])) if whole > 0 else 0
    return f"{whole:.{decimals}f}"


class Page:
    def __init__(self, text):
        self.text, self.missing, self.slower = text, [], []

    def replace(self, where, text, values):
        """The text with these numbers in place of its own."""
        here = re.findall(NUMBER, text)
        if len(here) != len(values) or None in values:
            self.missing.append(f"{where}: {text.strip()}")
            return text
        numbers = iter(values)
        return re.sub(NUMBER, lambda _: figure(next(numbers)), text)

    def fill_table(self, lines, results, plot):
        """Lines of a table, of which the first two are its head."""
        columns = [cell.strip().replace("`", "") for cell in lines[0].split("|")[1:-1]]
        group, filled = "", lines[:2]
        for line in lines[2:]:
            cells = line.split("|")[1:-1]
            named = re.fullmatch(r"\*(.*?):?\*\s*(.*)", cells[0].strip())
            name = cells[0].strip().replace("`", "")
            if named:
                group, name = named[1] + ": ", named[2]
            for i in range(1, len(cells)):
                if name and cells[i].strip():
                    wanted = TABLES[plot](results, group + name, columns[i])
                    if plot == "synchronisation" and len(re.findall(NUMBER, cells[i])) == 1:
                        wanted = wanted[:1]  # MPI has no such way
                    cells[i] = self.replace(f"{plot}, {group}{name}, {columns[i]}", cells[i], wanted)
                    self.compare(f"{plot}, {group}{name}, {columns[i]}", cells[i])
            filled.append("|" + "|".join(cells) + "|")
        return filled

    def compare(self, where, cell):
        """Note where DART takes over a tenth more than MPI."""
        for dart, mpi in re.findall(f"({NUMBER}) / ({NUMBER})", cell) + re.findall(rf"({NUMBER}) \(({NUMBER})\)", cell):
            if float(dart) > 1.1 * float(mpi):
                self.slower.append(f"{where}: {dart} for {mpi}")

    def fill_tables(self, results):
        done, table = [], []
        for line in self.text.split("\n"):
            image = re.fullmatch(r"!\[.+\]\(plots/(.+)\.svg\)", line)
            if line.startswith("|"):
                table.append(len(done))
            if image and table:
                first, last = table[0], table[-1] + 1
                done[first:last] = self.fill_table(done[first:last], results, image[1])
                table = []
            done.append(line)
        self.text = "\n".join(done)

    def fill_sentences(self, results):
        for pattern, values in SENTENCES:
            words = re.escape(pattern).replace(r"\#", NUMBER).replace(r"\ ", r"\s+")
            found = re.search(words, self.text)
            if not found:
                self.missing.append(f"no sentence like: {pattern}")
                continue
            numbers = iter(values(results))
            parts = re.split("(#)", pattern)
            here, filled, place = found[0], "", 0
            for part in parts:  # of the sentence only what stands for a # changes: it has other numbers
                if part == "#":
                    old = re.match(NUMBER, here[place:])[0]
                    value = next(numbers)
                    if value is None:
                        self.missing.append(f"a number of: {pattern}")
                    filled, place = filled + (old if value is None else figure(value)), place + len(old)
                else:
                    filled, place = filled + here[place:place + len(part)], place + len(part)
            self.text = self.text.replace(here, filled)

    def date(self, commit, rounds):
        """What says where the figures come from, up to the end of its paragraph."""
        day = time.strftime("%d %B %Y").lstrip("0")
        words = {1: "one round", 2: "two rounds", 3: "three rounds"}.get(rounds, f"{rounds} rounds")
        sentence = f"The figures come from one run of\n`bench/papers` for this page, of commit {commit} on {day}, medians of {words}."
        self.text, n = re.subn(r"The figures come from one run of\s.*?(?=\n\n)", sentence, self.text, count=1, flags=re.DOTALL)
        if n == 0:
            self.missing.append("no sentence that begins with: The figures come from one run of")


def commit_of(folder):
    said = subprocess.run(["git", "-C", folder, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=False)
    return said.stdout.strip() or "unknown"


def fill(path, results, folder):
    """Put the figures into the page at this path. Returns what was not filled, and where DART is slower than MPI."""
    with open(path, encoding="utf-8") as file:
        page = Page(file.read())
    page.fill_tables(results)
    page.fill_sentences(results)
    page.date(commit_of(folder), results.rounds())
    with open(path, "w", encoding="utf-8") as file:
        file.write(page.text)
    return page.missing, page.slower
