"""What is run, in which order, and how an interrupted run goes on.

A step is one command. Rounds go over all steps in turn, so that whatever else the machine does meets them alike. What a
command prints is kept in raw/NAME.ROUND.out once it has ended well, with the command itself in raw/NAME.ROUND.command, and
such a step is not run again with this command."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time


class Step:
    """`last_line`: a pattern of what a complete output ends with, if the program may hang after that; `crashes`: or end with
    any exit code."""

    def __init__(self, name, command, seconds, environment=None, folder=None, last_line=None, crashes=False):
        self.name, self.command, self.seconds = name, command, seconds
        self.environment, self.folder, self.last_line, self.crashes = environment or {}, folder, last_line, crashes

    def is_whole(self, text):
        return self.last_line is not None and re.search(rf"^{self.last_line}\Z", text.rstrip(), re.MULTILINE) is not None

    def path(self, output, number, kind):
        return os.path.join(output, "raw", f"{self.name}.{number}.{kind}")

    def text(self):
        return " ".join([f"{name}={value}" for name, value in sorted(self.environment.items())] + self.command) + "\n"

    def is_done(self, output, number):
        """Whether this command has ended well in this round: a quick run has steps of the same names."""
        try:
            with open(self.path(output, number, "command"), encoding="utf-8") as file:
                return file.read() == self.text() and os.path.exists(self.path(output, number, "out"))
        except OSError:
            return False


class Machine:
    """Where programs are, and what is installed."""

    def __init__(self, build, sources, output):
        self.build, self.sources, self.output = os.path.abspath(build), sources, os.path.abspath(output)
        self.cores = len(os.sched_getaffinity(0))

    def program(self, name):
        return os.path.join(self.build, "bench", name)

    def has(self, name):
        return os.access(self.program(name), os.X_OK)

    def step(self, name, program, units, arguments, seconds, nodes=1, last_line=None, **environment):
        """A benchmark program called NAME-BACKEND, by that backend's dartrun; None if it was not built."""
        if not self.has(program):
            return None
        backend = program.rsplit("-", 1)[1]
        command = [os.path.join(self.build, f"dart-{backend}", "dartrun"), "-n", str(units)]
        if nodes > 1:
            command += ["--nodes", str(nodes)]
        return Step(name, command + [self.program(program)] + arguments.split(), seconds, environment, last_line=last_line)

    def openshmem(self, seconds):
        """The latency of OpenSHMEM's put and get, where its compiler is."""
        compiler, run = shutil.which("oshcc"), shutil.which("oshrun")
        if compiler is None or run is None:
            return None
        os.makedirs(self.output, exist_ok=True)
        program = os.path.join(self.output, "openshmem")
        made = subprocess.run([compiler, "-O2", "-o", program, os.path.join(self.sources, "openshmem.c")],
                              capture_output=True, check=False)
        if made.returncode != 0:
            return None
        # Open MPI 4.1.4 crashes in shmem_finalize
        return Step("openshmem", [run, "--oversubscribe", "-n", "2", program], seconds,
                    {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}, last_line="end", crashes=True)


INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupt(number, frame):
    raise KeyboardInterrupt


def heed_interruptions():
    """SIGTERM, and SIGHUP without nohup, interrupt as ^C does: each step is a session of its own and would run on."""
    for number in INTERRUPTIONS[1:]:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, interrupt)


def stop(process):
    """End it with all that it has started: gently, so that a launcher can end the units, then at once. A second
    interruption waits until this is done."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=3)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def wait_for(step, process, path, limit):
    """Until it has ended, or, if it may hang when all is done, a while after its last line. False: it was stopped."""
    deadline = time.monotonic() + limit
    while process.poll() is None and time.monotonic() < deadline:
        try:
            process.wait(timeout=0.5 if step.last_line else limit)
        except subprocess.TimeoutExpired:
            with open(path, encoding="utf-8") as file:
                if step.is_whole(file.read()):  # MPICH over TCP may hang in MPI_Finalize
                    deadline = min(deadline, time.monotonic() + 2)
    if process.poll() is not None:
        return True
    stop(process)
    return False


def run_step(step, output, number):
    """Whether it ended well."""
    environment = {**os.environ, "DART_LOG_LEVEL": "ERROR", **step.environment}
    limit, part = 60 + 10 * step.seconds, step.path(output, number, "part")
    for kind in ("out", "failed", "command"):
        if os.path.exists(step.path(output, number, kind)):
            os.remove(step.path(output, number, kind))
    with open(part, "w", encoding="utf-8") as said, tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        process = subprocess.Popen(step.command, stdout=said, stderr=errors, env=environment, cwd=step.folder,
                                   stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            in_time = wait_for(step, process, part, limit)
        except KeyboardInterrupt:
            stop(process)
            raise
        with open(part, encoding="utf-8") as file:
            is_whole = step.is_whole(file.read())
        errors.seek(0)
        if is_whole if step.crashes or not in_time else process.returncode == 0:
            error = ""
        else:
            error = f"exit code {process.returncode}: {errors.read()[-500:]}" if in_time else f"stopped after {limit:.0f} s"
    if error:
        with open(part, "w", encoding="utf-8") as file:
            file.write(error)
    with open(step.path(output, number, "command"), "w", encoding="utf-8") as file:  # first: an .out always has one
        file.write(step.text())
    os.replace(part, step.path(output, number, "failed" if error else "out"))
    return not error


def time_left(seconds):
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def carry_out(steps, output, rounds):
    missing = [(number, step) for number in range(1, rounds + 1) for step in steps
               if not step.is_done(output, number)]
    started, expected_so_far = time.monotonic(), 0.0
    for done, (number, step) in enumerate(missing):
        elapsed = time.monotonic() - started
        pace = elapsed / expected_so_far if expected_so_far > 5 else 1.0
        left = pace * sum(other.seconds for _, other in missing[done:])
        print(f"{done + 1} of {len(missing)}: {step.name}, round {number} of {rounds}; {time_left(left)} left", flush=True)
        if not run_step(step, output, number):
            with open(step.path(output, number, "failed"), encoding="utf-8") as file:
                print(f"bench/papers: {step.name} failed: {file.read().strip()}", file=sys.stderr)
        expected_so_far += step.seconds
