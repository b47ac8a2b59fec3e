"""The checks of receivers and verifying gateways: which result was that of which frame.

A node reports its results in order, and nothing of the message. Where code and data share a frame,
the results are those of the frames, in order. Where they do not, they are those of the frames with
codes; a code belongs to the data of the message that its sender made it for.
"""

from collections import deque

# Results that a frame has when it comes; others wait for its check, or for its code.
AT_ONCE = ("no-room", "not-ready")
# How many data a receiver keeps for their codes, and how long at least: 20 ms of its clock.
KEPT = 4
WAIT = 19 * 10**9


class Check:
    """What waits for its result at one ECU, of one stream."""

    def __init__(self, stream):
        self.separate = stream.is_paired
        # Frames that get a result each, in order; none for one that was never on a bus.
        self.frames = deque()
        # Data that wait for their codes.
        self.data = deque()
        # When it last could not check a frame.
        self.unready = None

    def has_old(self, at):
        """True if the oldest data have waited as long as a receiver does, or for too many others;
        data of which a code came that did not fit can be missing later, too."""
        if len(self.data) > KEPT:
            return True
        return bool(self.data) and self.data[0][0] and at - self.data[0][0].delivered > WAIT

    def newest(self, at):
        """Returns the queue whose newest frame came at this moment."""
        for queue in (self.data, self.frames):
            if queue and (queue[-1][0] is None or queue[-1][0].delivered == at):
                return queue
        return self.frames


class Checks:
    """Assigns results to frames, and keeps what came of each message."""

    def __init__(self, follower):
        self.follower = follower
        self.open = {}
        # By (ECU, stream): how often each result was reported.
        self.counts = {}

    def of(self, ecu, stream):
        found = self.open.get((ecu, stream.name))
        if found is None:
            found = self.open[ecu, stream.name] = Check(stream)
        return found

    def heard(self, ecu, bus, stream, heard, is_tag):
        """A frame came to the roles that check; none if an attacker's code handed it in.

        A gateway that verifies what it also receives has two roles, each with results of its own.
        """
        receives = ecu in stream.checkers and stream.ports[ecu] == bus
        verifies = ecu in stream.verifiers and bus in stream.routes
        own = self.of(ecu, stream)
        queue = own.data if own.separate and not is_tag else own.frames
        for role, has_it in (("receives", receives), ("verifies", verifies)):
            if has_it:
                queue.append((heard, role))

    def reset(self, ecu):
        for (checker, _), own in self.open.items():
            if checker == ecu:
                own.frames.clear()
                own.data.clear()

    def judged(self, at, ecu, stream, what):
        """A result was reported."""
        counts = self.counts.setdefault((ecu, stream.name), {})
        counts[what] = counts.get(what, 0) + 1
        own = self.of(ecu, stream)
        # What it could not check it also reports as out of step.
        if what == "out-of-step" and own.unready == at:
            return
        if what in AT_ONCE:
            own.unready = at if what == "not-ready" else None
            queue = own.newest(at)
            if queue:
                self.settle(at, ecu, stream, queue.pop(), what)
            return
        if own.separate and what == "missing":
            if own.has_old(at):
                self.settle(at, ecu, stream, own.data.popleft(), what)
            return
        if not own.frames:
            return
        found = own.frames.popleft()
        data = self.data_of(own, found) if own.separate else None
        self.settle(at, ecu, stream, found, what, data)

    @staticmethod
    def data_of(own, found):
        """Takes out the data that a code with a result belongs to, the sender's own first."""
        tag, role = found
        named = tag.named if tag else None
        if named is None:
            return None
        of_role = [one for one in own.data if one[0] is not None and one[1] == role]
        for is_it in (lambda one: one.instance is named, lambda one: one.named is named):
            for data in of_role:
                if is_it(data[0]):
                    own.data.remove(data)
                    return data[0]
        return None

    def settle(self, at, ecu, stream, found, what, data=None):
        """Notes the result of a message. Of one in two frames it is that of the code."""
        follower = self.follower
        heard, role = found
        if what == "authentic":
            follower.takes(at, ecu, stream, heard, role)
        if heard is None:
            return
        subject = data or heard
        if role == "verifies":
            for _, to, verify in (hop for hop in stream.routes[heard.of.bus] if hop[0] == ecu):
                for passing in follower.passing(ecu, to, stream, "data") if verify else ():
                    if passing.reception is subject and passing.state == "checking":
                        passing.state = "waiting" if what == "authentic" else "refused"
                        passing.source = heard
            return
        heard.verdict = subject.verdict = what
        if what != "authentic" and subject.instance is not None:
            subject.instance.refused.setdefault(ecu, []).append(what)
