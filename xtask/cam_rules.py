#!/usr/bin/env python3
"""Checks the times of CAM in a run of the traffic lab against EN 302 637-2, clause 6.1.3.

    cam_rules.py TRACE.csv.gz OUT/generated.csv.gz [--faults]

TRACE is floating car data as CSV, with speeds and headings; the log is that of `waywarden traffic
run TRACE --awareness cam --messages csv --out OUT` without congestion control. Only the trace says
how vehicles move; of the log, times and names count. A vehicle looks each 10 ms whether a message
is due, at a phase that its first message shows. At each look the rules ask for a message, forbid
one, or leave both open: within the margins of what a message can say (0.1 degree, 1 cm/s, and the
rounding of a place), either is right.

With --faults the check must fail for each of several changed logs and changed rules.
"""

import csv
import gzip
import io
import math
import sys
from bisect import bisect_right
from dataclasses import dataclass, replace

LOOK_NS = 10_000_000
# Stations that begin at once spread their first messages over a tenth of a second.
FIRST_WITHIN_NS = 110_000_000
MOVE_ON_NS = 1_000_000_000
MARGIN_M = 0.02
MARGIN_M_S = 0.0101
MARGIN_DEGREES = 0.101


@dataclass(frozen=True)
class Rules:
    """Parameters of the generation rules."""

    least_ns: int = 100_000_000
    most_ns: int = 1_000_000_000
    in_a_row: int = 3
    metres: float = 4.0
    degrees: float = 4.0
    metres_a_second: float = 0.5


@dataclass(frozen=True)
class Motion:
    """A vehicle at a time."""

    x: float
    y: float
    speed: float
    heading: float


class Failed(Exception):
    """A message that is missing or one too many."""


def rows(path):
    with gzip.open(path, "rb") as packed:
        text = io.TextIOWrapper(packed, encoding="utf-8", newline="")
        first = text.readline()
        delimiter = ";" if ";" in first else ","
        yield from csv.DictReader(text, first.strip().split(delimiter), delimiter=delimiter)


def nanoseconds(text):
    whole, _, part = text.partition(".")
    return int(whole) * 1_000_000_000 + int(part.ljust(9, "0")[:9])


def read_trace(path):
    """Returns the times of all steps, and for each vehicle its steps."""
    times, vehicles = [], {}
    for row in rows(path):
        time = nanoseconds(row["timestep_time"])
        if not times or times[-1] != time:
            times.append(time)
        if not row["vehicle_id"]:
            continue  # SUMO writes a row for a step without vehicles, too.
        x, y = float(row["vehicle_x"]), float(row["vehicle_y"])
        speed, heading = float(row["vehicle_speed"]), float(row["vehicle_angle"])
        steps = vehicles.setdefault(row["vehicle_id"], {})
        steps[time] = Motion(x, y, speed, heading)
    return times, vehicles


def read_log(path):
    """Returns the times of each vehicle's messages, in order."""
    made = {}
    for row in rows(path):
        made.setdefault(row["vehicle"], []).append(nanoseconds(row["time_s"]))
    return made


def moved_on(step, step_ns, now_ns):
    """Returns where a vehicle is that goes on with the speed and the heading of its step."""
    passed = min(now_ns - step_ns, MOVE_ON_NS) / 1e9
    angle = math.radians(step.heading)
    way = step.speed * passed
    return replace(step, x=step.x + way * math.sin(angle), y=step.y + way * math.cos(angle))


def turned(one, other):
    between = abs(one.heading - other.heading) % 360.0
    return min(between, 360.0 - between)


def changes(now, last, rules):
    """Returns what surely changed since the last message, and what may have."""
    differences = (
        ("move", math.hypot(now.x - last.x, now.y - last.y), rules.metres, MARGIN_M),
        ("turn", turned(now, last), rules.degrees, MARGIN_DEGREES),
        ("speed", abs(now.speed - last.speed), rules.metres_a_second, MARGIN_M_S),
    )
    surely = {name for name, value, limit, margin in differences if value > limit + margin}
    perhaps = {name for name, value, limit, margin in differences if value > limit - margin}
    return surely, perhaps


def next_states(states, elapsed, surely, perhaps, rules):
    """Returns the states after a message: pairs of T_GenCam and messages in a row by time."""
    after = set()
    for period, by_time in states:
        if perhaps:
            after.add((min(max(elapsed, rules.least_ns), rules.most_ns), 0))
        if not surely and elapsed >= period:
            count = by_time + 1
            after.add((rules.most_ns if count >= rules.in_a_row else period, count))
    return after


def check_vehicle(name, steps, times, messages, rules, counts):
    """Looks each 10 ms, as the vehicle does."""
    end = times[-1] + (times[-1] - times[-2])
    messages = list(messages)
    phase = messages[0] % LOOK_NS if messages else 0
    if not messages:
        raise Failed(f"{name}: no message at all")
    strays = [time for time in messages if time % LOOK_NS != phase]
    if strays:
        raise Failed(f"{name}: {strays[0]} ns is no look of this vehicle")
    left = iter(messages)
    due = next(left, None)
    last, last_ns, states = None, None, set()
    begin = min(steps)
    now = begin // LOOK_NS * LOOK_NS + phase
    if now < begin:
        now += LOOK_NS
    while now < end:
        at = times[bisect_right(times, now) - 1]
        step = steps.get(at)
        is_made = due == now
        if step is None:
            if is_made:
                raise Failed(f"{name}: a message at {now} ns, off the road")
            now += LOOK_NS
            continue
        motion = moved_on(step, at, now)
        if last is None:
            if not is_made and now > begin + FIRST_WITHIN_NS:
                raise Failed(f"{name}: no message at its begin, until {now} ns")
            states = {(rules.most_ns, 0)}
        else:
            elapsed = now - last_ns
            surely, perhaps = changes(motion, last, rules)
            if elapsed < rules.least_ns:
                surely, perhaps, by_time = set(), set(), set()
            else:
                by_time = {state for state in states if elapsed >= state[0]}
            if is_made:
                states = next_states(states, elapsed, surely, perhaps, rules)
                if not states or elapsed < rules.least_ns:
                    raise Failed(f"{name}: one message too many, at {now} ns")
                counts["+".join(sorted(surely)) or ("open" if perhaps else "time")] += 1
            elif surely:
                raise Failed(f"{name}: a message is missing at {now} ns: {sorted(surely)}")
            else:
                states -= by_time
                if not states:
                    raise Failed(f"{name}: a message is missing at {now} ns: time")
        if is_made:
            last, last_ns, due = motion, now, next(left, None)
        now += LOOK_NS
    if due is not None:
        raise Failed(f"{name}: a message at {due} ns, which is no look or after the end")


class Counts(dict):
    """Messages by what asked for them."""

    def __missing__(self, _):
        return 0


def check(trace, log, rules=Rules()):
    times, vehicles = trace
    counts = Counts()
    for name, steps in vehicles.items():
        check_vehicle(name, steps, times, log.get(name, []), rules, counts)
    for name in log:
        if name not in vehicles:
            raise Failed(f"{name}: not in the trace")
    return counts


def faults(log):
    """Returns changed logs and changed rules, each with its name."""
    busy = max(log, key=lambda name: len(log[name]))
    messages = log[busy]
    middle = len(messages) // 2

    def with_messages(changed):
        return {**log, busy: changed}

    yield "a message left out", with_messages(messages[:middle] + messages[middle + 1 :]), Rules()
    for more_ms, name in ((10, "a message repeated after 10 ms"), (-50, "one made 50 ms early")):
        other = messages[middle] + more_ms * 1_000_000
        kept = messages if more_ms > 0 else messages[:middle] + messages[middle + 1 :]
        yield name, with_messages(sorted([*kept, other])), Rules()
    # Of a slow vehicle 10 ms are within the margins.
    late = messages[:middle] + [messages[middle] + 5 * LOOK_NS] + messages[middle + 1 :]
    yield "one made 50 ms late", with_messages(late), Rules()
    yield "a silent vehicle", with_messages([]), Rules()
    for name, rules in (
        ("moves of 3.8 m", Rules(metres=3.8)),
        ("moves of 4.2 m", Rules(metres=4.2)),
        ("turns of 3.7 degrees", Rules(degrees=3.7)),
        ("turns of 5.0 degrees", Rules(degrees=5.0)),
        ("speeds of 0.45 m/s", Rules(metres_a_second=0.45)),
        ("speeds of 0.55 m/s", Rules(metres_a_second=0.55)),
        ("a least time of 90 ms", Rules(least_ns=90_000_000)),
        ("a least time of 110 ms", Rules(least_ns=110_000_000)),
        ("a greatest time of 0.9 s", Rules(most_ns=900_000_000)),
        ("a greatest time of 1.1 s", Rules(most_ns=1_100_000_000)),
        ("two in a row by time", Rules(in_a_row=2)),
        ("four in a row by time", Rules(in_a_row=4)),
    ):
        yield name, log, rules


def main(arguments):
    wants_faults = "--faults" in arguments
    paths = [one for one in arguments if one != "--faults"]
    if len(paths) != 2:
        sys.exit(__doc__)
    trace, log = read_trace(paths[0]), read_log(paths[1])
    try:
        counts = check(trace, log)
    except Failed as failed:
        sys.exit(f"cam_rules: {failed}")
    total = sum(len(messages) for messages in log.values())
    causes = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    print(f"cam_rules: {total} messages of {len(log)} vehicles: {causes}")
    unseen = []
    for name, changed, rules in faults(log) if wants_faults else ():
        try:
            check(trace, changed, rules)
            unseen.append(name)
        except Failed as failed:
            print(f"cam_rules: {name}: {failed}")
    if unseen:
        sys.exit(f"cam_rules: not seen: {', '.join(unseen)}")


if __name__ == "__main__":
    main(sys.argv[1:])
