# Every message of the launchers and of what starts and ends a job has a row on the page of troubleshooting, or a reason
# here why it needs none.
source "$(dirname "$0")/cli.bash"
need python3
folder=$(cd "$(dirname "$0")/../.." && pwd)
out=$(python3 - "$folder" 2>&1 <<'END_PYTHON'
import glob, re, sys

folder = sys.argv[1]
places = ["dart-shmem/dartrun/*.c", "launch/*.[ch]", "dart-shmem/*.c", "dart-mpi/dartrun/*.c", "dart-mpi/start/*.c",
          "dart-mpi/mpi/*.c", "dart-mpi/window/*.c", 
          "dart-base/far/agent.c", "dart-base/far/engine_start.c",
          "dart-base/job/*.c", "dart-base/base/config.c", "dart-base/base/assert.h",
          "dart-base/team/team_locality.c", "dart-base/memory/pool.c", "dart-base/team/team_calls.c"]

# Patterns of messages that need no row, and why.
says_it_all = "a wrong argument of the call that the line names: its header says what it may be"
without = {r"is NULL": says_it_all, r"is not in 0\.\.|is no member|no domain '|cannot split|unknown|is not this unit's pool": says_it_all,
           r"index \.\.\. is not less|\.\.\. values, and there are": says_it_all,
           r"no block starts at|lives until dart_exit|has no locality": says_it_all,
           r"DART is (not|already) initialised": says_it_all,
           r"statistics|DART_STATS": "of counters, which are left out; the line says why",
           r"^DART_LOG_LEVEL=": "the line says what it may be, and nothing else changes",
           r"what unit 0 did is complete": "a unit that ended early and well: nothing is amiss",
           r"^cannot release ": "memory stays in use until the job ends; the line has the kernel's reason",
           r"is not aligned to": "of dart_team_memalign; the line has the figures",
           r"^\.\.\.: \.\.\.$": "MPI's text alone"}

def literals(text, at):
    """The format that begins somewhere behind `at`: literals that follow one another, macros between them as `...`."""
    match = re.compile(r'\s*((?:[A-Z_0-9]+\s*)*"(?:[^"\\]|\\.)*"(?:\s*(?:"(?:[^"\\]|\\.)*"|[A-Z_][A-Z_0-9]*))*)').match(text, at)
    if not match:
        return None
    words = re.findall(r'"((?:[^"\\]|\\.)*)"|([A-Z_][A-Z_0-9]*)', match[1])
    return "".join("..." if macro and not macro.startswith("PRI") else "" if macro else literal for literal, macro in words)

def plain(text):
    text = re.sub(r"%[-+ #0]*[*0-9]*(?:\.[*0-9]*)?(?:hh|h|ll|l|z|j|t)?[a-zA-Z]?", "...", text)
    return re.sub(r"(\.\.\.)+", "...", text.replace("\\n", "").replace('\\"', '"'))

messages = []
for place in places:
    files = glob.glob(f"{folder}/{place}")
    assert files, f"no file like {place}"
    for name in files:
        with open(name, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        for call in re.finditer(r"\b(launch_say|dart__error|dart__warn)\(|\b(?:launch|dart_)_fail\([^,]*,|define LAUNCH_(?:LEFT|MISSED)\b", text):
            form = literals(text, call.end())
            if form and plain(form) != "...": # but words of LAUNCH_LEFT and LAUNCH_MISSED, which stand in launch.h
                messages.append((name[len(folder) + 1:], plain(form)))
assert len(messages) > 80, f"only {len(messages)} messages were found"

rows = []
with open(f"{folder}/doc/troubleshooting.md", encoding="utf-8") as file:
    for line in file:
        if line.startswith("|"):
            rows += re.findall(r"`([^`]+)`", line.split(" | ")[0])

def pieces_are_in(row, message):
    """A row has words of the message, `...` between them."""
    pieces = [piece for piece in row.split("...") if piece.strip()]
    at = 0
    if sum(len(re.sub(r"\W", "", piece)) for piece in pieces) < 8:
        return False
    for piece in pieces:
        at = message.find(piece.strip(), at)
        if at < 0:
            return False
        at += len(piece.strip())
    return True

def fits(row, message):
    form = ".*".join(re.escape(piece) for piece in message.split("..."))
    return pieces_are_in(row, message) or len(re.sub(r"\W|\.\.\.", "", message)) >= 8 and re.fullmatch(form, row)

used, missing = set(), []
for name, message in messages:
    reasons = [pattern for pattern in without if re.search(pattern, message)]
    used.update(reasons)
    if not reasons and not any(fits(row, message) for row in rows):
        missing.append(f"{name}: {message}")
for pattern in without.keys() - used:
    missing.append(f"no message is like '{pattern}' any more")
print("\n".join(missing))
sys.exit(bool(missing))
END_PYTHON
) || fail "without a row in doc/troubleshooting.md: $out"
finish
