"""What is kept of instances, transmissions, and the storage of gateways."""

class Instance:
    """One released instance of a stream."""

    __slots__ = ("stream", "boot", "number", "earliest", "latest", "own", "passed", "taken",
                 "refused", "tags", "codes")

    def __init__(self, stream, boot, number, earliest, latest):
        self.stream, self.boot, self.number = stream, boot, number
        # Between these times it was released: one and the same without jitter.
        self.earliest, self.latest = earliest, latest
        # Transmissions by the sender, and by (gateway, from, to) what gateways had of it.
        self.own = []
        self.passed = {}
        # Transmissions of its code, where that has a frame of its own.
        self.tags = []
        # The same in the hands of gateways.
        self.codes = []
        # By receiver: when its software had it.
        self.taken = {}
        # By receiver: the codes with which its check refused it.
        self.refused = {}


class Transmission:
    """One frame from its request to its last receiver."""

    __slots__ = ("ecu", "bus", "frame", "at", "begun", "started", "sent", "withdrawn", "heard",
                 "instance", "changed", "carried", "stream", "part")

    def __init__(self, ecu, bus, frame, at):
        self.ecu, self.bus, self.frame, self.at = ecu, bus, frame, at
        self.begun = self.started = self.sent = self.withdrawn = None
        self.heard = {}
        self.instance = self.stream = self.part = None
        # True if an attacker in the gateway changed it, or if an attacker sends it again.
        self.changed = self.carried = False


class Reception:
    """A frame as one controller received it."""

    __slots__ = ("of", "at", "frame", "delivered", "overrun", "same")

    def __init__(self, of, at, frame):
        self.of, self.at, self.frame = of, at, frame
        self.delivered = None
        self.overrun = False
        self.same = frame is None or frame.same(of.frame)

    @property
    def named(self):
        """The instance whose bytes came, whoever sent them; none if they were changed."""
        return self.of.instance if self.same and not self.of.changed else None

    @property
    def instance(self):
        """The instance that came from its own sender; none if an attacker sent it again."""
        return None if self.of.carried else self.named


class Passing:
    """A frame in the hands of a gateway, for one route."""

    __slots__ = ("reception", "at", "state", "next", "payload", "source", "may_be_dropped",
                 "lost_at")

    def __init__(self, reception, at, state):
        self.reception, self.at, self.state = reception, at, state
        self.next = None
        # True if there was hardly room for it.
        self.may_be_dropped = False
        # When its gateway was reset with it.
        self.lost_at = None
        # The frame whose message it is: of a message in two, that with the code.
        self.source = reception
        self.payload = reception.frame.data


class Storage:
    """The frames that wait in a gateway's software, by bus: a full one loses frames."""

    SIZE = 256

    def __init__(self):
        self.waiting = {}

    def is_half_full(self):
        return sum(map(len, self.waiting.values())) >= self.SIZE // 2

    def put(self, to, passing):
        own = self.waiting.setdefault(to, [])
        if sum(map(len, self.waiting.values())) == self.SIZE:
            # The bus for which most frames wait loses its newest, if it has more than this one.
            longest = max(self.waiting.values(), key=len)
            if len(longest) <= len(own) + 1:
                passing.state = "dropped"
                return
            longest.pop().state = "dropped"
        own.append(passing)

    def remove(self, to, passing):
        if passing in self.waiting.get(to, ()):
            self.waiting[to].remove(passing)


class Boot:
    """One boot of a sender: its clock, and what it released since."""

    def __init__(self, at, clock):
        self.at, self.clock = at, clock
        self.ended = None
        self.base = 0
        # Frames that left before streams that are held back were known to have begun.
        self.early = []
        self.newest = {}
        # By stream: data that were asked for and whose codes were not yet.
        self.untagged = {}
        self.instances = {}

    def release(self, stream, number):
        """When an instance is released, before its jitter."""
        return self.clock.when(self.base + stream.offset + number * stream.period)
