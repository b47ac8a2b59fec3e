"""When an ECU was there: running, connected to a bus, and not bus-off."""

from bisect import bisect_right

END = 1 << 62


class Spans:
    """Stretches of time that begin and end in order."""

    def __init__(self):
        self.begins = []
        self.ends = []

    def begin(self, at):
        if not self.begins or self.ends[-1] != END:
            self.begins.append(at)
            self.ends.append(END)

    def end(self, at):
        if self.ends and self.ends[-1] == END:
            self.ends[-1] = at

    def covers(self, begin, end):
        """True if one stretch reaches from `begin` to `end`."""
        at = bisect_right(self.begins, begin) - 1
        return at >= 0 and end < self.ends[at]

    def touches(self, begin, end):
        """True if a stretch has a moment between `begin` and `end`, both included."""
        at = bisect_right(self.begins, end) - 1
        return at >= 0 and self.ends[at] > begin


class Presence:
    """Where every ECU of the vehicle was during a run."""

    def __init__(self, vehicle):
        self.up = {}
        self.off = {}
        self.errors = {}
        self.boots = {}
        self.resets = {}
        self.open = []
        for fault in vehicle.fault_list:
            if fault.kind == "bus-open":
                buses = [fault.bus] if fault.bus else vehicle.ecus[fault.ecu]["ports"]
                self.open += [(fault.ecu, bus, fault.begin, fault.until) for bus in buses]

    def boot(self, at, ecu):
        self.up.setdefault(ecu, Spans()).begin(at)
        self.boots.setdefault(ecu, []).append(at)
        # A controller that was bus-off begins again with its ECU.
        for (one, _), spans in self.off.items():
            if one == ecu:
                spans.end(at)

    def reset(self, at, ecu):
        self.up.setdefault(ecu, Spans()).end(at)
        self.resets.setdefault(ecu, []).append(at)

    def state(self, at, ecu, bus, state):
        spans = self.off.setdefault((ecu, bus), Spans())
        if state == "bus-off":
            spans.begin(at)
        else:
            spans.end(at)

    def error(self, at, ecu, bus):
        self.errors.setdefault((ecu, bus), []).append(at)

    def is_there(self, ecu, bus, begin, end):
        """True if an ECU could receive on a bus all the time from `begin` to `end`."""
        up = self.up.get(ecu)
        if up is None or not up.covers(begin, end):
            return False
        off = self.off.get((ecu, bus))
        if off is not None and off.touches(begin, end):
            return False
        return not any(
            (one, where) == (ecu, bus) and start <= end and until > begin
            for one, where, start, until in self.open
        )

    def had_error(self, ecu, bus, begin, end):
        """True if an ECU's controller detected an error between these times."""
        own = self.errors.get((ecu, bus), [])
        at = bisect_right(own, end) - 1
        return at >= 0 and own[at] >= begin

    def reset_after(self, ecu, at):
        """The first reset of an ECU at this time or later; none if it went on to the end."""
        own = self.resets.get(ecu, [])
        place = bisect_right(own, at - 1)
        return own[place] if place < len(own) else None
