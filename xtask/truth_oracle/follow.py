"""Follows each instance of a stream from its release to its receivers, by sending nodes and bytes.

A frame is an instance's if the stream's sender asked for it, with the number of an instance that
was released and not asked for before, or if a gateway of the stream's way asked for the same bytes
that it was handed before. All other frames are strangers, whatever they say.
"""

from collections import deque

from .checks import Checks
from .clock import Clock, rates
from .parts import Boot, Instance, Passing, Reception, Storage, Transmission
from .presence import Presence
from .rooms import Rooms
from .trace import Frame, events

# Attackers that send frames again which they heard.
CARRIERS = ("replay", "relay", "forge")


class Follower:
    """Reads a trace, and keeps what came of every frame of a stream."""

    def __init__(self, vehicle):
        self.vehicle = vehicle
        self.end = vehicle.duration * 1000
        self.presence = Presence(vehicle)
        self.rooms = Rooms(vehicle)
        self.boots = {}
        self.rates = {
            name: rates(ecu, [one for one in vehicle.fault_list if one.ecu == name], self.end)
            for name, ecu in vehicle.ecus.items()
        }
        self.open = {}
        # Streams by bus and identifier, with what their frames carry.
        self.streams = {}
        for stream in vehicle.streams.values():
            for bus in stream.way:
                for key, part in stream.keys(bus):
                    self.streams[bus, key] = (stream, part)
        self.queues = {}
        self.storages = {}
        # By gateway: the last frames that it asked for and was not handed.
        self.strange = {}
        # By gateway: frames that several attackers change, as they came.
        self.chains = {}
        self.checks = Checks(self)
        # By (stream, receiver): when it took a message that was not its sender's.
        self.forged = {}
        # By (stream, receiver): the newest instance that it took.
        self.newest = {}
        # By attacker that sends frames again: those that it was handed.
        kinds = vehicle.attackers.items()
        self.carriers = {name: {} for name, one in kinds if one["kind"] in CARRIERS}
        # By attacker, identifier and bytes: the frame that it sent again last.
        self.spent = {}
        # By (group, ECU): when it first had the group's key.
        self.first_keys = {}
        self.held = {
            ecu
            for group in vehicle.groups.values()
            if group.get("hold_streams")
            for ecu in vehicle.members(group)
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

    def find(self, bus, frame):
        """The stream that a frame on a bus is of, and what it carries; none if of no stream."""
        found = self.streams.get((bus, frame.key()))
        # LeiA's frames are classic; those of key exchanges may begin with the same bits.
        if found is None and frame.extended and not frame.fd:
            found = self.streams.get((bus, ("leia", frame.id >> 18, frame.id >> 16 & 3)))
        return found or (None, None)

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
        self.rooms.reset(at, ecu)
        if self.boots.get(ecu):
            self.boots[ecu][-1].ended = at
        for (gateway, *_), queue in self.queues.items():
            if gateway == ecu:
                for passing in queue:
                    if passing.state in ("waiting", "checking"):
                        passing.lost_at = at
                        passing.state = "reset"
                queue.clear()
        self.storages.pop(ecu, None)
        self.checks.reset(ecu)

    def error(self, at, event):
        self.presence.error(at, event["ecu"], event["bus"])

    def state(self, at, event):
        self.presence.state(at, event["ecu"], event["bus"], event["state"])
        self.rooms.state(at, event["ecu"], event["bus"], event["state"] == "bus-off")

    # Frames

    def requested(self, at, event):
        ecu, bus, frame = event["ecu"], event["bus"], event["frame"]
        own = self.open[event["serial"]] = Transmission(ecu, bus, frame, at)
        own.stream, own.part = stream, part = self.find(bus, frame)
        self.rooms.change(at, ecu, bus, 1)
        if ecu in self.carriers:
            # Also on buses that the stream does not reach: another attacker may be there.
            self.carries(own)
        elif stream is None:
            return
        elif ecu != stream.sender or bus != stream.bus:
            self.forwards(own)
        elif self.boots.get(ecu):
            self.sends(own)

    def carries(self, own):
        """Finds the message of its own sender that an attacker sends again unchanged: of several
        with the same bytes, the oldest that it did not send again yet."""
        kept = self.carriers[own.ecu].get((own.frame.key(), own.frame.data))
        if kept:
            own.instance, own.carried = kept[0].named, True
            self.spent[own.ecu, own.frame.key(), own.frame.data] = kept[0]
            if len(kept) > 1:
                kept.popleft()

    def carries_from(self, ecu, bus):
        """True if an attacker sends again what it hears on a bus."""
        return ecu in self.carriers and self.vehicle.attackers[ecu].get("source") in (None, bus)

    def sends(self, own):
        """A sender asks for a frame of its stream."""
        boot = self.boots[own.ecu][-1]
        if boot.base is None:
            boot.early.append(own)
        elif own.part == "data":
            self.leaves(own, boot)
        elif own.part == "tag":
            self.tags(own, boot)

    @staticmethod
    def tags(own, boot):
        """Finds the message whose code the sender asks for: they leave in order."""
        untagged = boot.untagged.get(own.stream.name)
        if untagged:
            own.instance = untagged.popleft().instance
            if own.instance:
                own.instance.tags.append(own)

    def leaves(self, own, boot):
        """Finds the instance that the sender asks for."""
        stream = own.stream
        if stream.is_paired:
            boot.untagged.setdefault(stream.name, deque()).append(own)
        newest = boot.newest.get(stream.name, -1)
        # A request may be a nanosecond early by the rounding of clocks.
        shown = boot.clock.shows(own.at + 2000) - boot.base - stream.offset
        number = shown // stream.period if shown >= 0 else -1
        if not stream.encrypted and stream.data == "counter":
            wide = min(8, stream.length)
            data = own.frame.data
            # The newest instance whose number ends in these bytes.
            number -= (number - int.from_bytes(data[:wide], "little")) % (1 << 8 * wide)
            if len(data) < stream.length or any(data[wide : stream.length]):
                return
        if number <= newest:
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
        passing = self.take_out(own.ecu, own.bus, own.stream, own.part, own.frame.data)
        if passing is None:
            self.strange.setdefault(own.ecu, deque(maxlen=16)).append(own)
        else:
            self.goes_on(passing, own)

    @staticmethod
    def goes_on(passing, own):
        passing.state, passing.next = "forwarded", own
        own.instance, own.carried = passing.source.named, passing.source.of.carried

    def passing(self, gateway, to, stream, part):
        """What a gateway holds of a stream for one of its buses."""
        return self.queues.get((gateway, to, stream.name, part), ())

    def take_out(self, gateway, to, stream, part, data):
        """Takes the oldest frame with these bytes from a gateway's hands, if there is one.

        A gateway sends frames of one identifier on in order, so it dropped those before.
        """
        queue = self.passing(gateway, to, stream, part)
        for place, passing in enumerate(queue):
            if passing.state in ("waiting", "checking") and passing.payload == data:
                for _ in range(place):
                    before = queue.popleft()
                    # What a check has not passed, when it passes a later one, it does not pass.
                    later = {"waiting": "dropped", "checking": "refused"}
                    before.state = later.get(before.state, before.state)
                self.storages.get(gateway, Storage()).remove(to, passing)
                return queue.popleft()
        return None

    def started(self, at, event):
        own = self.open.get(event["serial"])
        if own:
            own.begun = at if own.begun is None else own.begun
            own.started = at

    def sent(self, at, event):
        own = self.open.get(event["serial"])
        if own:
            own.sent, own.started = at, event["started"]
            self.rooms.change(at, own.ecu, own.bus, -1)

    def withdrawn(self, at, event):
        own = self.open.get(event["serial"])
        if own:
            own.withdrawn = at
            self.rooms.change(at, own.ecu, own.bus, -1)

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
        if heard is None:
            return
        heard.delivered = at
        if self.carries_from(ecu, bus) and heard.named:
            key = (heard.frame.key(), heard.frame.data)
            kept = self.carriers[ecu].setdefault(key, deque())
            # One that it sent again makes room for the next of the same bytes.
            if len(kept) == 1 and self.spent.get((ecu, *key)) is kept[0]:
                kept.clear()
            kept.append(heard)
        stream, part = self.find(bus, heard.frame)
        if stream is None:
            return
        for gateway, to, verify in stream.routes.get(bus, ()):
            if gateway == ecu and (part == "data" or not verify):
                passing = Passing(heard, at, "checking" if verify else "waiting")
                if own.instance and not own.carried and part == "data":
                    own.instance.passed.setdefault((ecu, bus, to), []).append(passing)
                elif own.instance and not own.carried:
                    own.instance.codes.append(passing)
                queue = self.queues.setdefault((ecu, to, stream.name, part), deque())
                queue.append(passing)
                if verify:
                    passing.payload = heard.frame.data[: stream.length]
                else:
                    storage = self.storages.setdefault(ecu, Storage())
                    # Questions and answers of an attacked vehicle take room there, too.
                    passing.may_be_dropped = self.vehicle.attackers and storage.is_half_full()
                    storage.put(to, passing)
        if part != "epoch":
            self.checks.heard(at, ecu, bus, stream, heard, part == "tag")
        if stream.ports.get(ecu) == bus and part == "data" and ecu not in stream.checkers:
            self.takes(at, ecu, stream, heard)

    def takes(self, at, ecu, stream, heard, role="receives"):
        """An ECU has a message of a stream; `heard` is none if it was on no bus.

        What an attacker sends again counts as the message while neither it nor a newer one came;
        what comes a second time was not sent a second time.
        """
        named = heard.named if heard else None
        if named is not None and named.stream is stream:
            taker = ecu if role == "receives" else (ecu, role)
            newest = self.newest.get((stream.name, taker), (-1, -1))
            taken = named.taken.setdefault(taker, [])
            is_again = bool(taken)
            is_stale = heard.of.carried and newest > (named.boot, named.number)
            if not is_again and not is_stale:
                taken.append(at)
                self.newest[stream.name, taker] = max(newest, (named.boot, named.number))
                return
            if not heard.of.carried:
                taken.append(at)
            if not taken:
                del named.taken[taker]
        self.forged.setdefault((stream.name, ecu), []).append(at)

    # Remarks

    def noted(self, at, event):
        ecu, kind, fact = event["ecu"], event["kind"], event["fact"]
        what = fact["what"]
        if kind == "authentication":
            role = "verifies" if fact.get("verifies") else "receives"
            self.checks.judged(at, ecu, self.vehicle.streams[fact["stream"]], what, role)
        elif kind == "suppressed":
            self.tampered(ecu, Frame(fact["frame"]), None)
        elif kind == "modified" and what == "modified":
            self.tampered(ecu, Frame(fact["frame"]), Frame(fact["changed"]))
        elif kind == "intrusion" and fact["handed_in"]:
            self.intruded(at, ecu)
        elif kind == "keys" and what == "agreed":
            self.first_keys.setdefault((event["by"], ecu), at)
            boot = self.boots[ecu][-1]
            if boot.base is None:
                boot.base = boot.clock.shows(at)
                # What leaves with the key is asked for just before the node says that it has it.
                for own in boot.early:
                    if own.at == at:
                        self.sends(own)

    def tampered(self, ecu, frame, changed):
        """An attacker in a gateway dropped a frame, or changed it: then it has just left, unless
        another attacker changed it further."""
        chain = self.chains.setdefault(ecu, {})
        frame = chain.pop((frame.key(), frame.data), frame)
        for gateway, to, name, part in list(self.queues):
            stream = self.vehicle.streams[name]
            if gateway != ecu or self.find(to, frame) != (stream, part):
                continue
            left = [one for one in self.strange.get(ecu, ())
                    if changed and one.bus == to and one.frame.same(changed)]
            if changed and not left:
                continue
            passing = self.take_out(gateway, to, stream, part, frame.data)
            if passing is None:
                continue
            if changed is None:
                passing.state = "suppressed"
            else:
                left[0].changed = True
                self.strange[ecu].remove(left[0])
                self.goes_on(passing, left[0])
            return
        if changed:
            chain[changed.key(), changed.data] = frame

    def intruded(self, at, ecu):
        """An attacker hands made-up frames to the software of an ECU, which were on no bus."""
        for stream in self.vehicle.streams.values():
            bus = stream.ports.get(ecu)
            if bus and ecu in stream.checkers:
                self.checks.heard(at, ecu, bus, stream, None, stream.is_paired)
            elif bus:
                self.takes(at, ecu, stream, None)
