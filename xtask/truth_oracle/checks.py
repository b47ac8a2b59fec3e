"""The checks of receivers and verifying gateways: which result was that of which frame.

A node reports its results in order, and nothing of the message. Where code and data share a frame,
the results are those of the frames, in order. Where they do not, they are those of the frames with
codes; a code belongs to the data of the message that its sender made it for.
"""

from collections import deque

# Results that a frame has when it comes; others wait for its check, or for its code.
AT_ONCE = ("no-room", "not-ready")
# How many data a receiver keeps for their codes, and how long by its clock, in nanoseconds.
KEPT = 4
WAIT = 20 * 10**6
# What an ECU checks messages for: itself, or others behind it.
ROLES = ("receives", "verifies")
# How many frames that it found authentic a gateway stores.
STORED = 16
# What is due by a clock may be a microsecond off by its rounding.
ROUNDING = 1000


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
        # True once it knows where the stream stands, where it has to ask for that.
        self.in_step = stream.scheme != "vatican"

    def take_old(self, clock, at):
        """Takes out the data whose code did not come in time, or that newer data displaced; none if
        they are not known any more.

        Data may leave without a result, too, so they are known by their age.
        """
        ages = [(clock.shows(at) - clock.shows(one[1]), one) for one in self.data]
        due = [one for age, one in ages if abs(age - WAIT) <= ROUNDING]
        waiting = [one for age, one in ages if age < WAIT - ROUNDING]
        if due:
            self.data.remove(due[0])
            return due[0]
        if len(waiting) > KEPT and waiting[-1][1] == at:
            self.data.remove(waiting[0])
            return waiting[0]
        return None

    def newest(self, at):
        """Returns the queue whose newest frame came at this moment; none if what came was an answer
        to a question."""
        for queue in (self.data, self.frames):
            if queue and queue[-1][1] == at:
                return queue
        return None


class Checks:
    """Assigns results to frames, and keeps what came of each message."""

    def __init__(self, follower):
        self.follower = follower
        self.vehicle = follower.vehicle
        self.open = {}
        # Messages whose codes an ECU had not checked when it was reset, as (ECU, instance).
        self.cut = set()
        # By (ECU, stream): how often each result was reported.
        self.counts = {}

    def of(self, ecu, stream, role):
        found = self.open.get((ecu, stream.name, role))
        if found is None:
            found = self.open[ecu, stream.name, role] = Check(stream)
        return found

    def heard(self, at, ecu, bus, stream, heard, is_tag):
        """A frame came to the roles that check; none if an attacker's code handed it in.

        A gateway that verifies what it also receives has two roles, each with results of its own.
        """
        receives = ecu in stream.checkers and stream.ports[ecu] == bus
        verifies = ecu in stream.verifiers and bus in stream.routes
        for role, has_it in zip(ROLES, (receives, verifies)):
            if has_it:
                own = self.of(ecu, stream, role)
                queue = own.data if own.separate and not is_tag else own.frames
                queue.append((heard, at))

    def reset(self, ecu):
        for checker, name, role in [one for one in self.open if one[0] == ecu]:
            waiting = self.open[checker, name, role].frames
            self.cut |= {(ecu, id(one.instance)) for one, _ in waiting if one and one.instance}
            self.open[checker, name, role] = Check(self.vehicle.streams[name])

    def is_open(self, ecu, instance):
        """True if an ECU has a code of a message whose result it has not reported yet."""
        roles = (self.open.get((ecu, instance.stream.name, one)) for one in ROLES)
        return any(heard is not None and heard.instance is instance
                   for own in roles if own for heard, _ in own.frames)

    def judged(self, at, ecu, stream, what, role):
        """A result was reported."""
        if what == "resynced":
            self.of(ecu, stream, role).in_step = True
            return
        counts = self.counts.setdefault((ecu, stream.name), {})
        counts[what] = counts.get(what, 0) + 1
        own = self.of(ecu, stream, role)
        # What it could not check it also reports as out of step.
        if what == "out-of-step" and own.unready == at:
            return
        if what in AT_ONCE:
            own.unready = at if what == "not-ready" else None
            queue = own.newest(at)
            if queue:
                self.settle(at, (ecu, role), stream, queue.pop(), what)
            return
        if own.separate and what == "missing":
            old = own.take_old(self.follower.boots[ecu][-1].clock, at)
            if old:
                self.settle(at, (ecu, role), stream, old, what)
            return
        if not own.frames:
            return
        found = own.frames.popleft()
        data = self.data_of(own, found, what) if own.separate else None
        self.settle(at, (ecu, role), stream, found, what, data)

    def passes(self, gateway, stream, passing, is_authentic):
        """Notes what a gateway that verifies does with what it checked: it stores so many frames.

        Frames of its own may be among them, so a nearly full storage is as good as a full one.
        """
        if not is_authentic:
            passing.state = "refused"
            return
        role = stream.authentication
        stored = sum(
            one.state == "waiting"
            for (ecu, _, name, part), queue in self.follower.queues.items()
            if ecu == gateway and part == "data" and self.verifies(gateway, name, role)
            for one in queue
        )
        passing.state = "dropped" if stored >= STORED else "waiting"
        passing.may_be_dropped = stored >= STORED // 2

    def verifies(self, gateway, name, role):
        stream = self.vehicle.streams[name]
        return stream.authentication == role and gateway in stream.verifiers

    @staticmethod
    def data_of(own, found, what):
        """Finds the data that a code with a result belongs to, the sender's own first.

        Authentic data end the waiting of all that are older. As long as its stream is out of step,
        any code takes away the oldest.
        """
        tag = found[0]
        if what == "out-of-step" and not own.in_step and own.data:
            own.data.popleft()
        named = tag.named if tag else None
        if named is None:
            return None
        of_frames = [one for one in own.data if one[0] is not None]
        for is_it in (lambda one: one.instance is named, lambda one: one.named is named):
            for data in of_frames:
                if is_it(data[0]):
                    while what == "authentic" and own.data.popleft() is not data:
                        pass
                    return data[0]
        return None

    def settle(self, at, checker, stream, found, what, data=None):
        """Notes the result of a message. Of one in two frames it is that of the code."""
        follower = self.follower
        (ecu, role), (heard, _) = checker, found
        if what == "authentic":
            follower.takes(at, ecu, stream, heard, role)
        if heard is None:
            return
        subject, sent = data or heard, heard.instance
        if role == "verifies":
            for _, to, verify in (hop for hop in stream.routes[heard.of.bus] if hop[0] == ecu):
                for passing in follower.passing(ecu, to, stream, "data") if verify else ():
                    is_it = passing.reception is subject
                    # Of data that came twice, one may have to go.
                    if what not in ("authentic", "missing") and sent is not None:
                        is_it = is_it or passing.reception.instance is sent
                    if is_it and passing.state == "checking":
                        self.passes(ecu, stream, passing, what == "authentic")
                        passing.source = heard
            return
        # What becomes of a message follows from its own sender's code: one that an attacker sends
        # again may take the data away, and then the sender's never finds them.
        if what != "authentic" and sent is not None:
            sent.refused.setdefault(ecu, []).append(what)
