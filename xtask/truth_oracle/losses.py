"""The requirement of a latency: each instance that is due comes in time, save for allowed losses."""

from .outcomes import DELIVERED
from .presence import END

# Outcomes that a fault or an absence may have caused which the vehicle file declares.
DECLARED = {"lost:absent", "lost:reset"}


class Allowance:
    """The losses of a stream that a vehicle file allows."""

    def __init__(self, vehicle, follower, name):
        self.amount = vehicle.bound("loss", name) or 0
        causes = (vehicle.require or {}).get("loss_allowed", ())
        self.at_startup, self.by_faults = "startup" in causes, "faults" in causes
        self.presence = follower.presence
        self.sender = vehicle.streams[name].sender

    def spare(self, due):
        """How many of so many due instances need not arrive."""
        if isinstance(self.amount, int):
            return self.amount
        share = self.amount
        if isinstance(share, str):
            share = float(share.strip().rstrip("%")) / 100
        return int(due * share + 1e-9)

    def boots(self, receiver):
        """The boots of the sender and of a receiver."""
        boots = self.presence.boots
        return sorted({*boots.get(self.sender, ()), *boots.get(receiver, ())})

    def excuses(self, outcomes):
        """Whether a declared fault kept an instance away, as (certainly, possibly)."""
        if not self.by_faults or not outcomes & DECLARED:
            return False, False
        return outcomes <= DECLARED and not self.presence.off, True


def judge_stream(figures, bound, end, allowed):
    """Returns whether a stream meets its bound: yes, no, or None for either; and why."""
    counts = [receiver(one, own, bound, end, allowed) for one, own in figures.receivers.items()]
    late = sum(one["late"][0] for one in counts)
    least, most = sum(one["left"][0] for one in counts), sum(one["left"][1] for one in counts)
    due = sum(one["due"] for one in counts)
    came = any(own.latencies for own in figures.receivers.values())
    if late or least or (due and not came):
        return False, f"{late} late, {least} of {due} did not arrive"
    if most or any(one["late"][1] for one in counts):
        return None, ""
    return True, ""


def receiver(name, own, bound, end, allowed):
    """Counts at one receiver what is due, late, and lost beyond what is allowed."""
    boots = allowed.boots(name) + [END]
    late, due, left, at_start = [0, 0], [0, 0], [0, 0], [0, 0]
    starting = True
    for instance, outcomes, latency, sure in own.instances:
        while boots[0] <= instance.earliest:
            boots.pop(0)
            starting = True
        # With jitter it may have been released before a boot or after it.
        is_excused = allowed.at_startup and boots[0] <= instance.latest
        surely_due = sure and instance.latest + bound * 1000 <= end
        maybe_due = instance.earliest + bound * 1000 <= end + 1000
        due[0] += surely_due
        due[1] += maybe_due
        if latency is not None:
            late[0] += latency[0] // 1000 > bound
            late[1] += latency[1] // 1000 > bound
            if allowed.at_startup and starting:
                # What did not come before the first that did is excused.
                left[0] -= at_start[0]
                left[1] -= at_start[1]
            starting, at_start = False, [0, 0]
            continue
        certainly, possibly = allowed.excuses(outcomes)
        missing = [int(surely_due and DELIVERED not in outcomes
                       and not possibly and not is_excused),
                   int(maybe_due and not certainly)]
        left = [left[0] + missing[0], left[1] + missing[1]]
        if starting:
            at_start = [at_start[0] + missing[0], at_start[1] + missing[1]]
    left = [max(left[0] - allowed.spare(due[1]), 0), max(left[1] - allowed.spare(due[0]), 0)]
    return {"late": late, "due": due[0], "left": left}
