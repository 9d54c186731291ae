"""Messages of DART, exact: of one call of each unit, each on a node of its own, on the simulated network."""
from report.page import element, table, text_of

CALLS = ("*fence*", "*post*", "lock*", "range*", "put*flush*", "put_blocking", "get_blocking", "accumulate*", "barrier",
         "put_notify*", "sendrecv*")


def step(machine):
    return machine.step("messages", "messages-shmem", 4, f"--format=csv --calls={','.join(CALLS)}", 11, nodes=4,
                        DART_PROGRESS="none", DART_NET="latency=2ms")


def counted(results, *calls):
    """A table of these calls; "": it was not counted."""
    rows = {}
    for row in results.rows("messages"):
        if row["case"] in calls:
            rows[row["case"], row["shape"]] = (row["case"], row["shape"], row["units"], row["messages"], row["chain"])
    if not rows:
        return ""
    wanted = sorted(rows.values(), key=lambda row: (calls.index(row[0]), int(row[1])))
    return (element("p", text_of("Messages of DART between nodes for one step, exact, and the longest chain of them "
                                 "that somebody waits for; dart-shmem counts them, with each unit on a node of "
                                 "its own:")) +
            results.ran("messages", sized=False) +
            table(("call", "operations", "units", "messages", "chain"), wanted))
