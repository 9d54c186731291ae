"""RandomAccess of the HPC Challenge (MPIRandomAccess), where hpcc is installed. Its table has as many words as the
matrix of Linpack has elements, rounded down to a power of two, so Linpack runs, too, of the size that makes the table
ours."""
import os
import re
import shutil
import subprocess

from figures.plan import Step
from figures.results import DATA, points


def hpcc_step(machine, log_words, quick):
    program = shutil.which("hpcc")
    if program is None:
        return None
    folder = os.path.join(machine.output, "hpcc")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(DATA, "hpccinf.txt"), encoding="utf-8") as file:
        text = file.read().replace("SIZE", str(1 << log_words // 2))
    with open(os.path.join(folder, "hpccinf.txt"), "w", encoding="utf-8") as file:
        file.write(text)
    needs = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    run = "mpirun.openmpi" if "libmpi.so.40" in needs and shutil.which("mpirun.openmpi") else "mpirun"
    script = f"rm -f hpccoutf.txt; {run} -n 2 {program} && cat hpccoutf.txt"
    return Step("hpcc", ["sh", "-c", script], 3 if quick else 20,
                {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}, folder)


def hpcc_gups(results):
    values = [float(found) for text in results.texts("hpcc")
              for found in re.findall(r"^MPIRandomAccess_GUPs=(\S+)", text, re.M)]
    return points({2: values}) if values else []


def hpcc_words(results):
    """What was run of it."""
    for text in results.texts("hpcc"):
        found = [re.search(rf"^MPIRandomAccess_{name}=(\d+)", text, re.M) for name in ("N", "ExeUpdates")]
        if None not in found:
            return (" The HPC Challenge's own program, MPIRandomAccess, ran with 2 processes of Open MPI on one node, "
                    f"{found[0][1]} words and {found[1][1]} updates.")
    return " The HPC Challenge's own program did not run."
