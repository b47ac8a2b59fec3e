"""Follows each instance of a stream from its release to its receivers, by sending nodes and bytes.

A frame is an instance's if the stream's sender asked for it, with the number of an instance that
was released and not asked for before, or if a gateway of the stream's way asked for the same bytes
that it was handed before. All other frames are strangers, whatever they say.
"""

from collections import deque

from .clock import Clock, rates
from .presence import Presence
from .trace import Frame, events


class Instance:
    """One released instance of a stream."""

    __slots__ = ("stream", "boot", "number", "earliest", "latest", "own", "passed", "taken",
                 "refused")

    def __init__(self, stream, boot, number, earliest, latest):
        self.stream, self.boot, self.number = stream, boot, number
        # Between these times it was released: one and the same without jitter.
        self.earliest, self.latest = earliest, latest
        # Transmissions by the sender, and by (gateway, from, to) what gateways had of it.
        self.own = []
        self.passed = {}
        # By receiver: when its software had it.
        self.taken = {}
        # By receiver: the codes with which its check refused it.
        self.refused = {}


class Transmission:
    """One frame from its request to its last receiver."""

    __slots__ = ("ecu", "bus", "frame", "at", "begun", "started", "sent", "withdrawn", "heard",
                 "instance", "changed", "stream")

    def __init__(self, ecu, bus, frame, at):
        self.ecu, self.bus, self.frame, self.at = ecu, bus, frame, at
        self.begun = self.started = self.sent = self.withdrawn = None
        self.heard = {}
        self.instance = self.stream = None
        # True if an attacker in the gateway changed it.
        self.changed = False


class Reception:
    """A frame as one controller received it."""

    __slots__ = ("of", "at", "frame", "delivered", "overrun", "verdict", "judged", "same")

    def __init__(self, of, at, frame):
        self.of, self.at, self.frame = of, at, frame
        self.delivered = self.verdict = self.judged = None
        self.overrun = False
        self.same = frame is None or frame.same(of.frame)


class Passing:
    """A frame in the hands of a gateway, for one route."""

    __slots__ = ("reception", "at", "state", "next", "payload")

    def __init__(self, reception, at, state):
        self.reception, self.at, self.state = reception, at, state
        self.next = None
        self.payload = reception.frame.data


class Boot:
    """One boot of a sender: its clock, and what it released since."""

    def __init__(self, at, clock):
        self.at, self.clock = at, clock
        self.ended = None
        self.base = 0
        self.newest = {}
        self.instances = {}

    def release(self, stream, number):
        """When an instance is released, before its jitter."""
        return self.clock.when(self.base + stream.offset + number * stream.period)


class Follower:
    """Reads a trace, and keeps what came of every frame of a stream."""

    def __init__(self, vehicle):
        self.vehicle = vehicle
        self.end = vehicle.duration * 1000
        self.presence = Presence(vehicle)
        self.boots = {}
        self.rates = {
            name: rates(ecu, [one for one in vehicle.fault_list if one.ecu == name], self.end)
            for name, ecu in vehicle.ecus.items()
        }
        self.open = {}
        # Streams by bus and identifier; those of LeiA by the first bits of theirs.
        self.streams = {}
        for stream in vehicle.streams.values():
            for bus in stream.way:
                key = ("leia", stream.id) if stream.scheme == "leia" else stream.key()
                self.streams[bus, key] = stream
        self.queues = {}
        self.changes = {}
        self.checks = {}
        # By (stream, receiver): when it took a message that was not its sender's.
        self.forged = {}
        self.checked = {}
        self.held = {
            ecu
            for group in vehicle.groups.values()
            if group.get("hold_streams")
            for ecu in [group["orchestrator"], *group.get("members", vehicle.ecus)]
        }

    def read(self, lines, others=()):
        """Reads the whole trace; `others` are called with every event, too."""
        own = {
            "boot": self.boot, "reset": self.reset, "requested": self.requested,
            "started": self.started, "sent": self.sent, "received": self.received,
            "delivered": self.delivered, "overrun": self.overrun, "withdrawn": self.withdrawn,
            "error": self.error, "state": self.state, "noted": self.noted,
        }
        for at, name, fields in events(lines):
            handle = own.get(name)
            if handle:
                handle(at, fields)
            for other in others:
                other(at, name, fields)

    def stream_of(self, bus, frame):
        """The stream whose data frames on a bus look like this one."""
        found = self.streams.get((bus, frame.key()))
        if found is None and frame.extended:
            found = self.streams.get((bus, ("leia", frame.id >> 18)))
        return found

    # ECUs

    def boot(self, at, event):
        ecu = event["ecu"]
        self.presence.boot(at, ecu)
        if ecu in self.vehicle.ecus:
            boot = Boot(at, Clock(at, self.rates[ecu]))
            if ecu in self.held:
                boot.base = None
            self.boots.setdefault(ecu, []).append(boot)

    def reset(self, at, event):
        ecu = event["ecu"]
        self.presence.reset(at, ecu)
        if self.boots.get(ecu):
            self.boots[ecu][-1].ended = at
        for (gateway, _, _), queue in self.queues.items():
            if gateway == ecu:
                for passing in queue:
                    passing.state = "reset"
                queue.clear()
        for (checker, _), queue in self.checks.items():
            if checker == ecu:
                queue.clear()
        self.changes.pop(ecu, None)

    def error(self, at, event):
        self.presence.error(at, event["ecu"], event["bus"])

    def state(self, at, event):
        self.presence.state(at, event["ecu"], event["bus"], event["state"])

    # Frames

    def requested(self, at, event):
        ecu, bus, frame = event["ecu"], event["bus"], event["frame"]
        own = self.open[event["serial"]] = Transmission(ecu, bus, frame, at)
        stream = own.stream = self.stream_of(bus, frame)
        if stream is None:
            return
        if ecu == stream.sender and bus == stream.bus:
            self.leaves(own)
        else:
            self.forwards(own)

    def leaves(self, own):
        """Finds the instance that the sender asks for."""
        stream, boots = own.stream, self.boots.get(own.ecu)
        if not boots or boots[-1].base is None:
            return
        boot = boots[-1]
        newest = boot.newest.get(stream.name, -1)
        # A request may be a nanosecond early by the rounding of clocks.
        shown = boot.clock.shows(own.at + 2000) - boot.base - stream.offset
        released = shown // stream.period if shown >= 0 else -1
        if stream.encrypted or stream.data != "counter":
            number = released
        else:
            number = int.from_bytes(own.frame.data[: min(8, stream.length)], "little")
            rest = own.frame.data[min(8, stream.length) : stream.length]
            if len(own.frame.data) < stream.length or any(rest):
                return
        if not newest < number <= released:
            return
        boot.newest[stream.name] = number
        own.instance = self.instance(boot, stream, number)
        own.instance.own.append(own)

    def instance(self, boot, stream, number):
        found = boot.instances.get((stream.name, number))
        if found is None:
            at = boot.release(stream, number)
            latest = at
            if stream.jitter:
                nominal = boot.base + stream.offset + number * stream.period
                latest = boot.clock.when(nominal + stream.jitter)
            place = self.boots[stream.sender].index(boot)
            found = Instance(stream, place, number, at, latest)
            boot.instances[stream.name, number] = found
        return found

    def forwards(self, own):
        """Finds what a gateway was handed that it sends on."""
        change = self.changes.get(own.ecu)
        asked = own.frame
        if change and change[1].same(own.frame):
            own.changed, asked = True, change[0]
            del self.changes[own.ecu]
        queue = self.queues.get((own.ecu, own.bus, own.stream.name), ())
        for place, passing in enumerate(queue):
            if passing.state == "waiting" and passing.payload == asked.data:
                overtake(queue, place)
                passing.state, passing.next = "forwarded", own
                if passing.reception.same and not passing.reception.of.changed:
                    own.instance = passing.reception.of.instance
                return
        own.changed = False

    def started(self, at, event):
        own = self.open.get(event["serial"])
        if own:
            own.begun = at if own.begun is None else own.begun
            own.started = at

    def sent(self, at, event):
        own = self.open.get(event["serial"])
        if own:
            own.sent, own.started = at, event["started"]

    def withdrawn(self, at, event):
        own = self.open.get(event["serial"])
        if own:
            own.withdrawn = at

    def received(self, at, event):
        own = self.open.get(event["serial"])
        if own:
            heard = Reception(own, at, event["frame"])
            own.heard.setdefault(event["ecu"], []).append(heard)

    def overrun(self, at, event):
        own = self.open.get(event["serial"])
        if own:
            heard = Reception(own, at, None)
            heard.overrun = True
            own.heard.setdefault(event["ecu"], []).append(heard)

    def delivered(self, at, event):
        own, ecu, bus = self.open.get(event["serial"]), event["ecu"], event["bus"]
        if own is None:
            return
        waiting = (one for one in own.heard.get(ecu, ()) if not one.overrun)
        heard = next((one for one in waiting if one.delivered is None), None)
        stream = heard and self.stream_of(bus, heard.frame)
        if heard:
            heard.delivered = at
        if stream is None:
            return
        for gateway, to, verify in stream.routes.get(bus, ()):
            if gateway == ecu:
                passing = Passing(heard, at, "checking" if verify else "waiting")
                if own.instance:
                    place = (ecu, bus, to)
                    own.instance.passed.setdefault(place, []).append(passing)
                if verify:
                    passing.payload = heard.frame.data[: stream.length]
                self.queues.setdefault((ecu, to, stream.name), deque()).append(passing)
        if ecu in stream.checkers and (stream.ports.get(ecu) == bus or ecu not in stream.ports):
            self.checks.setdefault((ecu, stream.name), deque()).append(heard)
        elif stream.ports.get(ecu) == bus:
            self.takes(at, ecu, stream, heard)

    def takes(self, at, ecu, stream, heard):
        """A receiver's software has a message."""
        own = heard and heard.of
        if own and own.instance and heard.same and not own.changed:
            own.instance.taken.setdefault(ecu, []).append(at)
        else:
            self.forged.setdefault((stream.name, ecu), []).append(at)

    # Remarks

    def noted(self, at, event):
        ecu, kind, fact = event["ecu"], event["kind"], event["fact"]
        what = fact["what"]
        if kind == "authentication" and what != "resynced":
            self.judged(at, ecu, self.vehicle.streams[fact["stream"]], what)
        elif kind == "suppressed":
            self.suppressed(ecu, fact)
        elif kind == "modified" and what == "modified":
            self.changes[ecu] = (Frame(fact["frame"]), Frame(fact["changed"]))
        elif kind == "intrusion" and fact["handed_in"]:
            self.intruded(at, ecu)
        elif kind == "keys" and what == "agreed" and self.boots.get(ecu):
            boot = self.boots[ecu][-1]
            if boot.base is None:
                boot.base = boot.clock.shows(at)

    def suppressed(self, ecu, fact):
        frame = Frame(fact["frame"])
        for (gateway, _, name), queue in self.queues.items():
            if gateway != ecu or self.vehicle.streams[name].key() != frame.key():
                continue
            for place, passing in enumerate(queue):
                if passing.state == "waiting" and passing.payload == frame.data:
                    overtake(queue, place)
                    passing.state = "suppressed"
                    return

    def intruded(self, at, ecu):
        """An attacker hands made-up frames to the software of an ECU, which were on no bus."""
        for stream in self.vehicle.streams.values():
            if ecu in stream.checkers:
                self.checks.setdefault((ecu, stream.name), deque()).append(None)
            elif ecu in stream.ports:
                self.takes(at, ecu, stream, None)

    def judged(self, at, ecu, stream, what):
        """A check of a receiver, or of a gateway that verifies, came to a result."""
        counts = self.checked.setdefault((ecu, stream.name), {})
        counts[what] = counts.get(what, 0) + 1
        queue = self.checks.get((ecu, stream.name))
        if not queue or what == "tag-without-data":
            return
        heard = queue.pop() if what == "no-room" else queue.popleft()
        if heard is None:
            if what == "authentic" and stream.ports.get(ecu):
                self.takes(at, ecu, stream, None)
            return
        heard.verdict, heard.judged = what, at
        own = heard.of
        for _, to, verify in (hop for hop in stream.routes.get(own.bus, ()) if hop[0] == ecu):
            for passing in self.queues.get((ecu, to, stream.name), ()):
                if verify and passing.reception is heard:
                    passing.state = "waiting" if what == "authentic" else "refused"
        if ecu in stream.ports and what == "authentic":
            self.takes(at, ecu, stream, heard)
        elif ecu in stream.ports and own.instance and heard.same and not own.changed:
            own.instance.refused.setdefault(ecu, []).append(what)


def overtake(queue, place):
    """Takes out what a gateway sends on now, and what it was handed before: that it has dropped."""
    for _ in range(place):
        passing = queue.popleft()
        if passing.state == "waiting":
            passing.state = "dropped"
    queue.popleft()
