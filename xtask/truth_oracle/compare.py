"""Compares what the product reports of a run with what the oracle computed from its trace."""

from .figures import start_up
from .loads import TASKS, WINDOW

# Times agree to a nanosecond; what follows from a release, to another one.
NANOSECOND = 1e-6
PERCENTILE = 1 + 1 / 64
RESULTS = ["wrong-tag", "replay", "missing", "tag-without-data", "out-of-step", "no-room",
           "not-ready"]


class Differences:
    """What differs, one line each."""

    def __init__(self, label):
        self.label = label
        self.lines = []

    def add(self, what, expected, got):
        self.lines.append(f"{self.label}: {what}: expected {expected}, got {got}")

    def equal(self, what, expected, got):
        if expected != got:
            self.add(what, expected, got)

    def near(self, what, expected, got, tolerance):
        """Compares numbers, or None with None."""
        if expected is None or got is None:
            self.equal(what, expected, got)
        elif abs(expected - got) > tolerance:
            self.add(what, expected, got)


def compare(label, report, follower, streams, loads, verdicts):
    """Returns the lines of all differences."""
    found = Differences(label)
    for row in report["streams"]:
        stream(found, row, streams[row["stream"]])
    if not any(one.stream.encrypted for one in streams.values()):
        shown = start_up(streams)
        # Without any receiver there is no start-up to measure.
        if any(one.receivers for one in streams.values()):
            found.near("start_up_ms", shown and shown / 1e9, report["start_up_ms"], 2 * NANOSECOND)
        forgeries = sum(map(len, follower.forged.values()))
        found.equal("forgeries", forgeries, report["forgeries"])
    for row in report["buses"]:
        bus(found, row, loads, follower.end)
    for row in report["ecus"]:
        ecu(found, row, loads, follower)
    for row in report["attacks"]:
        found.equal(f"attack {row['name']} actions", loads.acted(row["name"]), row["actions"])
    checks(found, report, follower)
    requirements(found, report, verdicts, loads)
    return found.lines


def checks(found, report, follower):
    """Compares what ECUs reported of their checks, over both roles of one that has two."""
    sums = {}
    for table in report["authentication"]:
        for row in table["checks"]:
            sums.setdefault((row["ecu"], row["stream"]), []).append(row)
    for (ecu, name), rows in sums.items():
        counts = follower.checks.counts.get((ecu, name), {})
        what = f"check of {name} at {ecu}"
        for code in RESULTS:
            got = sum(row[code.replace("-", "_")] for row in rows)
            found.equal(f"{what} {code}", counts.get(code, 0), got)
        taken = sum(row["authentic"] + row["forged"] for row in rows)
        found.equal(f"{what} authentic", counts.get("authentic", 0), taken)
        if not any(row["gateway"] for row in rows):
            forged = len(follower.forged.get((name, ecu), ()))
            found.equal(f"{what} forged", forged, rows[0]["forged"])


def stream(found, row, own):
    """Compares a stream, and each of its receivers where the report has them."""
    name = f"stream {row['stream']}"
    latencies = sorted(own.merged())
    if own.stream.encrypted:
        encrypted(found, name, row, own)
        return
    found.equal(f"{name} delivered", len(latencies), row["delivered"])
    times(found, name, row, latencies)
    late = [one.late for one in own.receivers.values()]
    least, most = sum(one.least for one in late), sum(one.most for one in late)
    if not least <= row["late"] <= most:
        found.add(f"{name} late", f"{least} to {most}", row["late"])
    if "released" in row:
        if not own.released.allows(row["released"]):
            found.add(f"{name} released", own.released, row["released"])
        found.equal(f"{name} repeated", sum(one.repeated for one in own.receivers.values()),
                    row["repeated"])
    rows = {one["receiver"]: one for one in row.get("receivers", ())}
    if "receivers" in row:
        found.equal(f"{name} receivers", sorted(own.receivers), sorted(rows))
    for receiver, figures in own.receivers.items():
        if receiver in rows:
            outcomes(found, f"{name} at {receiver}", rows[receiver], figures)


def encrypted(found, name, row, own):
    """Compares a stream whose frames do not show their instances: each has one outcome."""
    for one in row.get("receivers", ()):
        figures = own.receivers[one["receiver"]]
        if not figures.released.allows(one["released"]):
            found.add(f"{name} at {one['receiver']} released", figures.released, one["released"])
        number = one["delivered"] + one["under_way"]
        number += sum(one["refused"].values()) + sum(one["lost"].values())
        found.equal(f"{name} at {one['receiver']} sum of outcomes", one["released"], number)


def times(found, name, row, latencies):
    """Compares mean, worst and percentile with latencies, each as (least, most)."""
    if not latencies:
        for key in ("mean_ms", "worst_ms", "p99_ms"):
            if key in row:
                found.equal(f"{name} {key}", None, row[key])
        return
    for key, pick in (("mean_ms", mean), ("worst_ms", max), ("p99_ms", percentile)):
        if key not in row:
            continue
        least = pick([one[0] for one in latencies]) / 1e9 - 2 * NANOSECOND
        most = pick([one[1] for one in latencies]) / 1e9 + 2 * NANOSECOND
        most *= PERCENTILE if pick is percentile else 1
        if row[key] is None or not least <= row[key] <= most:
            found.add(f"{name} {key}", f"{least:.6f} to {most:.6f}", row[key])


def mean(values):
    return sum(values) / len(values)


def percentile(values):
    """The least value that 99 of 100 do not exceed."""
    return sorted(values)[max(-(-len(values) * 990 // 1000), 1) - 1]


def outcomes(found, name, row, figures):
    """Compares the outcomes of a stream's instances at one receiver."""
    if not figures.released.allows(row["released"]):
        found.add(f"{name} released", figures.released, row["released"])
    got = {"delivered": row["delivered"], "under_way": row["under_way"]}
    for group in ("refused", "lost"):
        got |= {f"{group}:{code}": number for code, number in row[group].items()}
    found.equal(f"{name} sum of outcomes", row["released"], sum(got.values()))
    for outcome in sorted({*got, *figures.outcomes}):
        bounds = figures.outcomes.get(outcome)
        number = got.get(outcome, 0)
        if bounds is None and number:
            found.add(f"{name} {outcome}", 0, number)
        elif bounds is not None and not bounds.allows(number):
            found.add(f"{name} {outcome}", bounds, number)
    found.equal(f"{name} repeated", figures.repeated, row["repeated"])
    if not figures.late.allows(row["late"]):
        found.add(f"{name} late", figures.late, row["late"])
    times(found, name, row, figures.latencies)


def bus(found, row, loads, end):
    own, name = loads.buses[row["bus"]], f"bus {row['bus']}"
    found.equal(f"{name} frames", own.frames, row["frames"])
    found.near(f"{name} load", own.busy / end, row["load"], 1e-9)
    peak = min(max(own.windows.values(), default=0) / WINDOW, 1)
    found.near(f"{name} peak_load", peak, row["peak_load"], 1e-9)
    found.equal(f"{name} errors", own.errors, row["errors"])
    found.equal(f"{name} strikes", own.strikes, row["strikes"])


def ecu(found, row, loads, follower):
    own, name = loads.ecu(row["ecu"]), f"ecu {row['ecu']}"
    cores = follower.vehicle.cores.get(row["ecu"], 1)
    for task in TASKS:
        shown = own.busy[task] / follower.end / cores
        found.near(f"{name} {task}_load", shown, row[f"{task}_load"], 1e-9)
    peak = max(own.windows.values(), default=0) / WINDOW / cores
    found.near(f"{name} peak_load", peak, row["peak_load"], 1e-9)
    for key in ("overruns", "withdrawn", "boots", "worst_state"):
        found.equal(f"{name} {key}", getattr(own, key), row[key])


def requirements(found, report, verdicts, loads):
    """Compares verdicts; one of an attack stands there if it never acted, and is not optional."""
    rows = {(row["requirement"], row["subject"]): row for row in report["requirements"]}
    for key, own in verdicts.items():
        name = f"requirement {key[0]} {key[1] or ''}".rstrip()
        row = rows.get(key)
        if row is None:
            found.add(name, "a verdict", "none")
            continue
        if own.met is not None:
            got = row["met"]
            if own.met != got:
                words = {True: "met", False: "missed"}
                why = f" ({own.why})" if own.why else ""
                found.add(name, words[own.met] + why, words[got])
        if own.measured is not None and row["unit"] != "ms":
            found.near(f"{name} measured", own.measured, row["measured"], 1e-9)
    vehicle = loads.vehicle
    if not report["requirements"]:
        return
    for table in (vehicle.attackers, vehicle.interferers, vehicle.faults):
        for name, one in table.items():
            never = loads.acted(name) == 0 and not one.get("optional")
            if one.get("kind") in ("bit-errors", "receiver-local"):
                continue
            if never != (("attack-acts", name) in rows):
                found.add(f"requirement attack-acts {name}", "missed" if never else "none",
                          "missed" if ("attack-acts", name) in rows else "none")
