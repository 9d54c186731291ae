#!/usr/bin/env python3
"""A stand-in for Slurm on the hosts red and blue of two CPUs each, for machines that have no Slurm.

Under the name of srun, salloc or sbatch it takes the options of doc/clusters.md, and refuses others. Tasks are started by
`on HOST COMMAND`. By --mpi=pmi2 they speak with it as with Slurm, in the lines of PMI-1; without that each is by itself.
--mpi=pmix is left to the launcher of Open MPI. The exit code is that of the tasks, the highest of them.
"""
import os
import selectors
import shlex
import socket
import subprocess
import sys

HOSTS, CPUS = ["red", "blue"], 2
OPTIONS = {"-N": "nodes", "-n": "ntasks", "-c": "cpus-per-task"}
KNOWN = {"nodes", "ntasks", "ntasks-per-node", "cpus-per-task", "cpu-bind", "mpi", "input", "output", "wait"}
NAME = os.path.basename(sys.argv[0])


def die(text):
    sys.exit(f"{NAME}: error: {text}")


def options(words):
    """The options before the first word that is none, and what follows."""
    found = {}
    while words and words[0].startswith("-"):
        word, words = words[0], words[1:]
        name, _, value = word.partition("=")
        name = OPTIONS.get(name, name.lstrip("-"))
        if name not in KNOWN:
            die(f"unrecognized option '{word}'")
        if not value and name != "wait":
            if not words:
                die(f"option '{word}' requires an argument")
            value, words = words[0], words[1:]
        found[name] = value
    return found, words


def shape(found):
    """How many tasks each host gets: Slurm's blocks. What is not asked for is that of the allocation around."""
    inside = "SLURM_JOB_ID" in os.environ
    nodes = int(found.get("nodes", os.environ["SLURM_NNODES"] if inside else 1))
    each = int(found.get("ntasks-per-node", 0))
    tasks = int(found.get("ntasks", each * nodes or (os.environ["SLURM_NTASKS"] if inside else nodes)))
    if nodes > len(HOSTS) or tasks > CPUS * nodes or tasks < nodes:
        die("Unable to allocate resources: Requested node configuration is not available")
    return {host: tasks // nodes + (i < tasks % nodes) for i, host in enumerate(HOSTS[:nodes])}


def allocation(counts):
    """The variables that Slurm sets for a job."""
    each = ",".join(str(n) for n in counts.values())
    if len(set(counts.values())) == 1:
        each = f"{counts[HOSTS[0]]}(x{len(counts)})"
    return {"SLURM_JOB_ID": "1", "SLURM_JOBID": "1", "SLURM_NNODES": str(len(counts)),
            "SLURM_JOB_NUM_NODES": str(len(counts)), "SLURM_NTASKS": str(sum(counts.values())),
            "SLURM_NODELIST": ",".join(counts), "SLURM_JOB_NODELIST": ",".join(counts),
            "SLURM_TASKS_PER_NODE": each, "SLURM_JOB_CPUS_PER_NODE": f"{CPUS}(x{len(counts)})"}


class Pmi:
    """PMI-1: a table of names and values for all tasks, and a barrier."""

    def __init__(self, size, counts):
        self.size, self.entered = size, []
        blocks = ",".join(f"({node},1,{n})" for node, n in enumerate(counts.values()))
        self.table = {"PMI_process_mapping": f"(vector,{blocks})"}

    def answer(self, link, line):
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        cmd, fixed = words.get("cmd"), {
            "init": "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
            "get_maxes": "cmd=maxes kvsname_max=256 keylen_max=256 vallen_max=1024 rc=0",
            "get_universe_size": f"cmd=universe_size size={self.size} rc=0",
            "get_appnum": "cmd=appnum appnum=0 rc=0",
            "get_my_kvsname": "cmd=my_kvsname kvsname=1.0 rc=0",
            "finalize": "cmd=finalize_ack rc=0"}
        if cmd in fixed:
            self.send(link, fixed[cmd])
        elif cmd == "put":
            self.table[words["key"]] = line.split("value=", 1)[1]
            self.send(link, "cmd=put_result rc=0 msg=success")
        elif cmd == "get":
            value = self.table.get(words["key"])
            self.send(link, "cmd=get_result rc=-1 msg=key_not_found" if value is None else
                      f"cmd=get_result rc=0 msg=success value={value}")
        elif cmd == "barrier_in":
            self.entered.append(link)
            if len(self.entered) == self.size:
                for one in self.entered:
                    self.send(one, "cmd=barrier_out rc=0")
                self.entered = []
        else:  # abort, and what no page needs
            return False
        return True

    @staticmethod
    def send(link, line):
        link.sendall(line.encode() + b"\n")


def start(host, variables, command, cpus, link):
    environment = {**os.environ, **variables}
    fds = [link.fileno()] if link else []
    return subprocess.Popen(["on", host, "exec " + shlex.join(command)], env=environment, pass_fds=fds, stdin=subprocess.DEVNULL,
                            preexec_fn=lambda: os.sched_setaffinity(0, cpus))


def srun(words):
    found, command = options(words)
    mpi = found.get("mpi", os.environ.get("SLURM_MPI_TYPE", "none"))
    if mpi == "list":
        sys.exit(print("MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix", file=sys.stderr))
    if mpi not in ("none", "pmi2", "pmix"):
        die(f"Couldn't find the specified plugin name for mpi/{mpi}")
    counts = shape(found)
    if mpi == "pmix":
        hosts = ",".join(f"{host}:{n}" for host, n in counts.items())
        os.execvp("mpiexec.openmpi", ["mpiexec.openmpi", "-host", hosts, *command])

    pmi, selector, tasks, rank = Pmi(sum(counts.values()), counts), selectors.DefaultSelector(), [], 0
    ours = sorted(os.sched_getaffinity(0))
    for node, (host, n) in enumerate(counts.items()):
        for local in range(n):
            variables = {**allocation(counts), "SLURM_PROCID": str(rank), "SLURM_NODEID": str(node),
                         "SLURM_LOCALID": str(local), "SLURMD_NODENAME": host}
            cpus, there = ours[:int(found.get("cpus-per-task", len(ours)))], None
            if "cpu-bind" in found:
                cpus = [ours[local % len(ours)]]
            if mpi == "pmi2":
                here, there = socket.socketpair()
                variables.update(PMI_FD=str(there.fileno()), PMI_RANK=str(rank), PMI_SIZE=str(pmi.size), PMI_JOBID="1.0")
                selector.register(here, selectors.EVENT_READ, [b""])
            tasks.append(start(host, variables, command, cpus, there))
            if there:
                there.close()
            rank += 1

    while selector.get_map():
        for key, _ in selector.select():
            data = key.fileobj.recv(4096)
            *lines, key.data[0] = (key.data[0] + data).split(b"\n")
            if not data:
                selector.unregister(key.fileobj)
            elif not all(pmi.answer(key.fileobj, line.decode()) for line in lines):
                for task in tasks:
                    task.kill()
    return max(task.wait() for task in tasks)


def salloc(words):
    found, command = options(words)
    counts = shape(found)
    print("salloc: Granted job allocation 1", file=sys.stderr)
    return subprocess.call(command, env={**os.environ, **allocation(counts)})


def sbatch(words):
    found, (script, *_) = options(words)
    with open(script, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#SBATCH "):
                found = {**options(shlex.split(line)[1:])[0], **found}
    counts = shape(found)
    print("Submitted batch job 1")
    with open(found.get("output", "slurm-1.out"), "w", encoding="utf-8") as out:
        return subprocess.call(["on", HOSTS[0], f"exec bash {shlex.quote(script)}"], stdout=out, stderr=out,
                               env={**os.environ, **allocation(counts)})


sys.exit({"srun": srun, "salloc": salloc, "sbatch": sbatch}[NAME](sys.argv[1:]))
