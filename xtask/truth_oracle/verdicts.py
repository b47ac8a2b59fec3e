"""Whether a run met each requirement of its vehicle file: yes, no, or either."""

from .figures import start_up
from .losses import Allowance, judge_stream
from .vehicle import nanoseconds, share


class Expected:
    """What a verdict must be: `met` is None where the trace leaves it open."""

    def __init__(self, met, measured=None, why=""):
        self.met, self.measured, self.why = met, measured, why


def expected(follower, streams, loads):
    """Returns the expected verdicts by (requirement, subject)."""
    vehicle, end = follower.vehicle, follower.end
    require = vehicle.require or {}
    found = {}
    if "startup" in require:
        shown = start_up(streams)
        bound = nanoseconds(require["startup"])
        met = shown is not None and shown // 1000 <= bound
        hidden = any(one.stream.encrypted for one in streams.values())
        hidden = hidden or not any(one.receivers for one in streams.values())
        found["start-up", None] = Expected(None if hidden else met)
    for bus, own in loads.buses.items():
        bound = vehicle.bound("bus_load", bus)
        if bound is not None:
            found["bus-load", bus] = within(own.busy / end, share(bound))
    for ecu, cores in vehicle.cores.items():
        bound = vehicle.bound("cpu_load", ecu)
        if bound is not None:
            busy = sum(loads.ecu(ecu).busy.values())
            found["cpu-load", ecu] = within(busy / end / cores, share(bound))
    for name, figures in streams.items():
        bound = vehicle.bound("latency", name)
        if bound is not None and figures.receivers and not figures.stream.encrypted:
            bound = figures.stream.deadline if bound == "deadline" else nanoseconds(bound)
            allowed = Allowance(vehicle, follower, name)
            met, why = judge_stream(figures, bound, end, allowed)
            found["latency", name] = Expected(met, None, why)
    undeceived = require.get("undeceived", [])
    for ecu in vehicle.ecus if undeceived == "all" else undeceived:
        # Encrypted frames do not show whose messages they are.
        taken = [at for (name, one), at in follower.forged.items()
                 if one == ecu and not vehicle.streams[name].encrypted]
        number = sum(map(len, taken))
        if may_be_deceived_otherwise(vehicle):
            found["undeceived", ecu] = Expected(False if number else None)
        else:
            found["undeceived", ecu] = Expected(number == 0, number)
    found |= group_keys(vehicle, follower)
    found |= authentic(vehicle, follower, streams)
    return found


def group_keys(vehicle, follower):
    """When all ECUs of each group had its first key."""
    required = (vehicle.require or {}).get("group_key_within")
    if required is None:
        return {}
    found = {}
    for name, group in vehicle.groups.items():
        firsts = [follower.first_keys.get((name, one)) for one in vehicle.members(group)]
        found["group-key", name] = Expected(judge(firsts, nanoseconds(required)))
    return found


# Attackers that do nothing to the exchange of keys.
HARMLESS = {"flood", "spoof", "forge"}


def may_be_deceived_otherwise(vehicle):
    """True if an attacker may deceive ECUs by keys, by what is encrypted, or on displays: that is
    not the oracle's."""
    if vehicle.table.get("software"):
        return True
    kinds = {one["kind"] for one in vehicle.attackers.values()}
    if vehicle.modules:
        return bool(kinds or vehicle.interferers)
    is_harmless = kinds <= HARMLESS and not vehicle.interferers
    return bool(vehicle.groups) and not is_harmless


def has_keys(vehicle):
    """True if ECUs exchange keys."""
    return bool(vehicle.groups or vehicle.modules or vehicle.table.get("software"))


def within(shown, bound):
    """A share against its bound; very near to it either is right."""
    met = None if abs(shown - bound) < 1e-9 else shown <= bound
    return Expected(met, shown)


def authentic(vehicle, follower, streams):
    """The longest wait for a first authentic message since power-on, of vehicles without resets
    and key exchanges."""
    require = (vehicle.require or {}).get("authentic_within")
    if require is None or has_keys(vehicle) or any(follower.presence.resets.values()):
        return {}
    waits = {}
    for name, figures in streams.items():
        for receiver in figures.stream.checkers:
            if receiver in figures.receivers:
                waits.setdefault(name, []).append(figures.receivers[receiver].first)
    verifying = any(one.verifiers for one in vehicle.streams.values())
    if not isinstance(require, dict):
        firsts = [one for own in waits.values() for one in own]
        met = judge(firsts, nanoseconds(require))
        return {("first-authentic-message", None): Expected(None if verifying and met else met)}
    found = {}
    for name, firsts in waits.items():
        bound = require.get(name, require.get("default"))
        stream = vehicle.streams[name]
        if stream.checkers & stream.verifiers:
            # The first message that an ECU finds authentic may be one that it checks for others.
            continue
        if bound is not None:
            met = judge(firsts, nanoseconds(bound))
            found["first-authentic-message", name] = Expected(None if verifying and met else met)
    return found


def judge(firsts, bound):
    return bool(firsts) and None not in firsts and max(firsts) // 1000 <= bound
