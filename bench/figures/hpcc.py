"""RandomAccess of the HPC Challenge, where hpcc is installed. Its table has as many words as the matrix of Linpack has
elements, rounded down to a power of two, so Linpack runs, too."""
import os
import re
import shutil
import subprocess

from figures.plan import Step
from figures.results import points

INPUT = """HPLinpack benchmark input file
DART
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
{size}         Ns
1            # of NBs
128          NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
"""


def hpcc_step(machine, quick):
    program = shutil.which("hpcc")
    if program is None:
        return None
    folder = os.path.join(machine.output, "hpcc")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "hpccinf.txt"), "w", encoding="utf-8") as file:
        file.write(INPUT.format(size=256 if quick else 2900))
    needs = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    run = "mpirun.openmpi" if "libmpi.so.40" in needs and shutil.which("mpirun.openmpi") else "mpirun"
    script = f"rm -f hpccoutf.txt; {run} -n 2 {program} && cat hpccoutf.txt"
    return Step("hpcc", ["sh", "-c", script], 5 if quick else 60,
                {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}, folder)


def hpcc_gups(results):
    values = [float(found) for text in results.texts("hpcc") for found in re.findall(r"^MPIRandomAccess_GUPs=(\S+)", text, re.M)]
    return points({2: values}) if values else []
