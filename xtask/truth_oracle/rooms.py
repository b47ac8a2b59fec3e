"""Room in transmit queues: whether a sender's software could have handed an instance on."""

from bisect import bisect_right
# Events this near to each other are of one moment, in picoseconds.
MARGIN = 2000


class Rooms:
    """When the transmit queue of each ECU on each bus was full."""

    def __init__(self, vehicle):
        self.length = {}
        for name, ecu in vehicle.ecus.items():
            self.length[name] = ecu.get("queue", {}).get("length", 32)
        self.waiting = {}
        self.off = set()
        # By (ECU, bus): times, and whether the queue was full from then on.
        self.times = {}
        self.full = {}

    def change(self, at, ecu, bus, step):
        """A frame was asked for (1), or was sent or taken back (-1)."""
        length = self.length.get(ecu)
        if length is None:
            return
        key = (ecu, bus)
        count = self.waiting[key] = max(self.waiting.get(key, 0) + step, 0)
        self.times.setdefault(key, []).append(at)
        self.full.setdefault(key, []).append(count >= length or key in self.off)

    def state(self, at, ecu, bus, is_off):
        """A controller that is bus-off has no room, either."""
        (self.off.add if is_off else self.off.discard)((ecu, bus))
        self.change(at, ecu, bus, 0)

    def reset(self, at, ecu):
        for key in self.waiting:
            if key[0] == ecu:
                self.off.discard(key)
                self.change(at, *key, -self.waiting[key])

    def stretch(self, ecu, bus, begin, end):
        """Whether the queue was full, at each moment at which that changed from `begin` to `end`."""
        times = self.times.get((ecu, bus), [])
        first, last = bisect_right(times, begin), bisect_right(times, end)
        full = self.full.get((ecu, bus), [])
        # Before the first frame there was room.
        return full[first - 1 : last] if first else [False, *full[:last]]

    def was_full(self, ecu, bus, begin, end):
        """True if there was no room from `begin` to `end`."""
        full = self.stretch(ecu, bus, begin - MARGIN, end + MARGIN)
        return all(full)

    def was_ever_full(self, ecu, bus, begin, end):
        """True if there was no room at a moment from `begin` to `end`."""
        return any(self.stretch(ecu, bus, begin - MARGIN, end + MARGIN))
