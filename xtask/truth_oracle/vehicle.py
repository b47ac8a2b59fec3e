"""A vehicle file, as far as the oracle needs it. Times are nanoseconds unless a name says `ps`."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
UNITS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "min": 60 * 10**9,
    "s": 10**9,
    "h": 3600 * 10**9,
}


def nanoseconds(text):
    """A duration such as `1.5ms` in nanoseconds."""
    found = re.fullmatch(r"\s*(\d+)(?:\.(\d+))?\s*([a-zµμ]+)\s*", text)
    whole, part, unit = found[1], found[2] or "", found[3].replace("µ", "u").replace("μ", "u")
    return int(whole + part) * UNITS[unit] // 10 ** len(part)


def bits_per_second(text):
    """A bit rate such as `83.333k`."""
    found = re.match(r"\s*([\d.]+)\s*([kM]?)", text)
    whole, _, part = found[1].partition(".")
    factor = {"": 1, "k": 10**3, "M": 10**6}[found[2]]
    return int(whole + part) * factor // 10 ** len(part)


def share(value):
    """A share such as `60%` or 0.6."""
    if isinstance(value, str):
        return float(value.strip().rstrip("%")) / 100
    return float(value)


class Stream:
    """A periodic message: its timing, its way, and who checks it."""

    def __init__(self, table, sender, buses):
        self.name = table["name"]
        self.id = table["id"]
        self.extended = table.get("extended", False)
        self.sender = sender
        self.bus = table.get("bus", buses[0])
        self.receivers = list(table.get("receivers", []))
        self.data = table.get("data", "counter")
        self.length = table.get("length")
        if self.length is None:
            self.length = len(self.data.replace(" ", "")) // 2
        self.period = nanoseconds(table["period"])
        self.offset = nanoseconds(table.get("offset", "0ms"))
        self.jitter = nanoseconds(table.get("jitter", "0ms"))
        self.deadline = nanoseconds(table["deadline"]) if "deadline" in table else self.period
        # The `[[authentication]]` that protects it, and how its frames look on the wire.
        self.authentication = None
        self.scheme = None
        self.pdu = None
        # Under a security module: encrypted, so that a frame does not show its instance.
        self.encrypted = False
        # By bus: the routes that take it from there, as (gateway, to, verify).
        self.routes = {}
        # By bus: the chain of (gateway, bus) from the sender's bus to there.
        self.way = {}
        # By receiver: the bus on which it listens.
        self.ports = {}
        # Receivers that check its code, and gateways that do so for others.
        self.checkers = set()
        self.verifiers = set()

    @property
    def is_paired(self):
        """True if codes travel in frames of their own."""
        return self.scheme in ("vatican", "leia") or self.pdu is not None

    def key(self):
        """The identifier of its frames without codes."""
        return (self.id, self.extended)

    def keys(self, bus):
        """The identifiers of its frames on a bus, each with what they carry."""
        is_plain = any(hop[3] for hop in self.way[bus])
        if is_plain or self.scheme in (None, "lasan") or (self.scheme == "secoc" and not self.pdu):
            return [(self.key(), "data")]
        if self.scheme == "leia":
            # Behind the stream's bits come two of what the frame is: 0 for data, 1 for a code; of
            # an epoch 2 and 3.
            return [(("leia", self.id, 0), "data"), (("leia", self.id | 1, 1), "tag"),
                    (("leia", self.id, 2), "epoch"), (("leia", self.id | 1, 3), "epoch")]
        if self.scheme == "vatican":
            return [(self.key(), "data"), ((self.id | 1, False), "tag")]
        pdu = (self.pdu["id"], self.pdu.get("extended", False))
        return [(self.key(), "data"), (pdu, "tag")]


class Fault:
    """A fault of an ECU, with its window in picoseconds."""

    def __init__(self, table, end):
        self.kind = table["kind"]
        self.ecu = table["ecu"]
        self.bus = table.get("bus")
        self.begin = nanoseconds(table.get("from", "0ms")) * 1000
        self.until = nanoseconds(table["until"]) * 1000 if "until" in table else end
        self.ppm = table.get("ppm", 0)


class Vehicle:
    """A vehicle file with its defaults filled in."""

    def __init__(self, path, duration=None):
        self.path = Path(path)
        self.table = tomllib.loads(self.path.read_text())
        head = self.table["vehicle"]
        self.duration = nanoseconds(duration or head.get("duration", "10s"))
        self.buses = {one["name"]: one for one in self.table.get("bus", [])}
        self.bitrate = {name: bits_per_second(one["bitrate"]) for name, one in self.buses.items()}
        self.ecus = {one["name"]: one for one in self.table.get("ecu", [])}
        self.streams = {}
        for ecu in self.ecus.values():
            for one in ecu.get("sends", []):
                self.add(one, ecu["name"])
        for one in self.table.get("stream", []):
            self.add(one, one["sender"])
        # What a program sends is no counter.
        for program in self.table.get("software", []):
            for key in ("left", "right", "rpm", "indicators"):
                if program["program"] == "central-unit" and key in program:
                    self.streams[program[key]].data = "program"
        self.require = self.table.get("require")
        self.attackers = named(self.table.get("attacker", []), "attacker")
        self.interferers = named(self.table.get("interferer", []), "interferer")
        self.faults = named(self.table.get("fault", []), "fault")
        forever = 1 << 62
        self.fault_list = [Fault(one, forever) for one in self.faults.values()]
        self.groups = {}
        self.modules = {}
        for at, one in enumerate(self.table.get("keys", [])):
            own = self.modules if one.get("scheme") == "lasan" else self.groups
            own[one.get("name", f"keys-{at + 1}")] = one
        self.find_ways()
        self.find_checks()
        self.cores = {name: self.count_cores(one) for name, one in self.ecus.items()}

    def add(self, table, sender):
        stream = Stream(table, sender, self.ecus[sender]["ports"])
        self.streams[stream.name] = stream

    def find_ways(self):
        """Follows each stream over the routes that carry it."""
        for stream in self.streams.values():
            stream.way = {stream.bus: []}
            for route in self.table.get("route", []):
                names = route["streams"]
                named_here = names == "all" and route["from"] == stream.bus
                if named_here or (names != "all" and stream.name in names):
                    hop = (route["gateway"], route["to"], route.get("verify", False))
                    stream.routes.setdefault(route["from"], []).append(hop)
            waiting = [stream.bus]
            while waiting:
                here = waiting.pop(0)
                for gateway, to, verify in stream.routes.get(here, []):
                    if to not in stream.way:
                        stream.way[to] = stream.way[here] + [(gateway, here, to, verify)]
                        waiting.append(to)
            for receiver in stream.receivers:
                ports = self.ecus[receiver]["ports"]
                heard = [bus for bus in stream.way if bus in ports]
                stream.ports[receiver] = heard[0] if heard else None

    def find_checks(self):
        """Finds which ECUs check which streams."""
        for at, table in enumerate(self.table.get("authentication", [])):
            name = table.get("name", f"authentication-{at + 1}")
            pdus = {one["stream"]: one for one in table.get("cryptographic_pdus", [])}
            for own in table["protect"]:
                stream = self.streams[own]
                stream.authentication, stream.scheme = name, table["scheme"]
                stream.pdu = pdus.get(own)
                unchecked = set(table.get("unchecked", []))
                for receiver in stream.receivers:
                    way = stream.way.get(stream.ports[receiver]) or []
                    if receiver not in unchecked and not any(hop[3] for hop in way):
                        stream.checkers.add(receiver)
                for hops in stream.way.values():
                    for gateway, _, _, verify in hops:
                        if verify:
                            stream.verifiers.add(gateway)
        for table in self.modules.values():
            for own in table.get("protect", []):
                self.streams[own].scheme = "lasan"
                self.streams[own].encrypted = True

    def count_cores(self, ecu):
        """How many cores an ECU has: those of its board, unless it uses fewer."""
        if "cores" in ecu:
            return ecu["cores"]
        board = ecu.get("board", "ideal")
        path = ROOT / "crates" / "boards" / "data" / f"{board}.toml"
        if "/" in board or board.endswith(".toml"):
            path = self.path.parent / board
        if board == "ideal":
            return 1
        return tomllib.loads(path.read_text())["characteristics"].get("cores", 1)

    def members(self, group):
        """The ECUs of a group, its orchestrator first."""
        first = group["orchestrator"]
        buses = set(group.get("buses", self.ecus[first]["ports"]))
        others = [name for name, one in self.ecus.items() if buses & set(one["ports"])]
        return [first, *(one for one in group.get("members", others) if one != first)]

    def bound(self, table, name):
        """The entry of a table of bounds by name, or its default."""
        own = (self.require or {}).get(table)
        if not isinstance(own, dict):
            return None
        return own.get(name, own.get("default"))


def named(tables, word):
    """Tables by name, counted where they have none."""
    return {one.get("name", f"{word}-{at + 1}"): one for at, one in enumerate(tables)}
