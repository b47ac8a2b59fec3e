"""Loads of buses and processors, and counts of ECUs, interferers and attackers."""

WINDOW = 100 * 10**9  # 100 ms in picoseconds
STATES = ["error-active", "error-passive", "bus-off"]
TASKS = ["receive", "send", "crypto"]


class BusFigures:
    def __init__(self):
        self.frames = self.busy = self.errors = self.strikes = 0
        self.windows = {}


class EcuFigures:
    def __init__(self):
        self.busy = dict.fromkeys(TASKS, 0)
        self.windows = {}
        self.sent = self.overruns = self.withdrawn = self.boots = 0
        self.worst_state = STATES[0]


class Loads:
    """Adds up what buses and processors did; called with each event of the trace."""

    def __init__(self, vehicle):
        self.vehicle = vehicle
        self.buses = {name: BusFigures() for name in vehicle.buses}
        self.ecus = {}
        self.strikes = {}
        self.actions = {}
        # Three bits of intermission, in picoseconds.
        self.intermission = {bus: 3 * 10**12 / rate for bus, rate in vehicle.bitrate.items()}
        # A frame that a Janus interferer changes is one strike, however many of its bits change.
        kinds = vehicle.interferers.items()
        self.by_frame = {name for name, one in kinds if one["kind"] == "janus"}
        self.began = {}
        self.struck = {}

    def ecu(self, name):
        found = self.ecus.get(name)
        if found is None:
            found = self.ecus[name] = EcuFigures()
        return found

    def __call__(self, at, name, event):
        if name == "sent":
            bus = self.buses[event["bus"]]
            busy = at - event["started"] + self.intermission[event["bus"]]
            bus.frames += 1
            bus.busy += busy
            bus.windows[at // WINDOW] = bus.windows.get(at // WINDOW, 0) + busy
            self.ecu(event["ecu"]).sent += 1
        elif name == "worked":
            if event["unit"] is None:
                self.worked(self.ecu(event["ecu"]), event["task"], event["from"], at)
        elif name == "overrun":
            self.ecu(event["ecu"]).overruns += 1
        elif name == "withdrawn":
            self.ecu(event["ecu"]).withdrawn += 1
        elif name == "boot":
            self.ecu(event["ecu"]).boots = event["boots"]
        elif name == "state":
            own = self.ecu(event["ecu"])
            own.worst_state = max(own.worst_state, event["state"], key=STATES.index)
        elif name == "error":
            self.buses[event["bus"]].errors += 1
        elif name == "started":
            self.began[event["bus"]] = at
        elif name == "interfered":
            self.interfered(at, event["bus"], event["by"])
        elif name == "noted" and event["kind"] in ("intrusion", "suppressed", "modified"):
            self.actions[event["by"]] = self.actions.get(event["by"], 0) + 1

    def interfered(self, at, bus, by):
        self.buses[bus].strikes += 1
        if by in self.by_frame:
            before = self.struck.get(by, -1)
            self.struck[by] = at
            if before >= self.began.get(bus, 0):
                return
        self.strikes[by] = self.strikes.get(by, 0) + 1

    @staticmethod
    def worked(own, task, begin, end):
        own.busy[task] += end - begin
        while begin < end:
            window = begin // WINDOW
            part = min(end, (window + 1) * WINDOW) - begin
            own.windows[window] = own.windows.get(window, 0) + part
            begin += part

    def acted(self, name):
        """How often an attacker, an interferer or a fault acted."""
        if name in self.vehicle.attackers:
            if self.vehicle.attackers[name]["kind"] in INSIDE:
                return self.actions.get(name, 0)
            return self.ecus[name].sent if name in self.ecus else 0
        if name in self.vehicle.interferers:
            return self.strikes.get(name, 0)
        begin = self.vehicle.faults[name].get("from", "0ms")
        from .vehicle import nanoseconds

        return int(nanoseconds(begin) < self.vehicle.duration)


# Attackers that act in an ECU of the vehicle; the others are nodes of their own.
INSIDE = ("suppress", "modify", "compromise", "man-in-the-middle")
