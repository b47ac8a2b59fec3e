"""Random vehicles by seed: buses, ECUs, streams and routes. The same seed makes the same files."""

import random

from .generate_keys import Keys
from .generate_security import Security
from .generate_disturbances import Disturbances

RATES = ["125k", "250k", "500k", "500k", "1M"]
PERIODS = [4, 5, 8, 10, 20, 25, 40]
ALGORITHMS = ["can-standard", "can-extended", "can-fd"]
BOARD = """title = "a slow driver"
[characteristics]
architecture = "x"
cores = {cores}
clock = "100 MHz"
measured = {{ on = "none", how = "chosen by seed" }}
[fallback]
duration = "{other} us"
assumed = "chosen by seed"
"""
FIGURE = """[[figure]]
operation = "{operation}"
algorithm = "{algorithm}"
duration = "{micros} us"
measured = {{ on = "none", how = "chosen by seed" }}
"""


def value(one):
    """A value in TOML."""
    if isinstance(one, bool):
        return str(one).lower()
    if isinstance(one, dict):
        return "{ " + ", ".join(f"{key} = {value(own)}" for key, own in one.items()) + " }"
    if isinstance(one, list):
        return "[" + ", ".join(value(own) for own in one) + "]"
    return f'"{one}"' if isinstance(one, str) else str(one)


class Car(Keys, Security, Disturbances):
    """A random vehicle under way."""

    def __init__(self, seed):
        self.seed = seed
        self.dice = random.Random(f"truth {seed}")
        self.text = ""
        self.files = {}
        self.buses = {}
        self.ecus = {}
        self.streams = []
        # Routes by (gateway, from, to): names of streams, and whether it verifies.
        self.routes = {}
        self.number = 0x20

    def maybe(self, chance):
        return self.dice.random() < chance

    def table(self, section, **keys):
        """Adds one table of an array of tables; keys without a value are left out."""
        self.text += f"\n[[{section}]]\n"
        for key, one in keys.items():
            if one is not None:
                self.text += f"{key.rstrip('_')} = {value(one)}\n"

    def make(self):
        dice = self.dice
        # A storm fills the storage of a gateway, of 256 frames.
        self.is_storm = self.maybe(0.03)
        self.end = 250 if self.is_storm else dice.choice([150, 200, 200, 300, 400])
        self.make_topology()
        self.make_streams()
        self.make_routes()
        self.make_keys()
        self.secure()
        self.text = (
            f'[vehicle]\nname = "seed-{self.seed}"\nseed = {self.seed}\n'
            f'duration = "{self.end}ms"\n'
        )
        for name, bus in self.buses.items():
            self.table("bus", name=name, **bus)
        for ecu in self.ecus.values():
            self.table("ecu", **ecu)
        for (gateway, begin, to, verify), names in self.routes.items():
            self.table("route", gateway=gateway, from_=begin, to=to, streams=names,
                       verify=verify or None)
        self.write_keys()
        self.write_security()
        self.disturbances()
        self.require()
        self.files["vehicle.toml"] = self.text
        return self.files

    def make_topology(self):
        dice = self.dice
        count = 2 if self.is_storm else dice.choice([1, 1, 2, 2, 3, 4])
        self.has_fd = not self.is_storm and self.maybe(0.4)
        for at in range(count):
            rate = ["1M", "125k"][at] if self.is_storm else dice.choice(RATES)
            bus = {"bitrate": rate}
            if self.has_fd:
                bus["bitrate"] = dice.choice(["250k", "500k"])
                bus["data_bitrate"] = dice.choice(["1M", "2M"])
            self.buses[f"bus{at}"] = bus
        buses = list(self.buses)
        # Gateways in a chain, or one on all buses.
        if count > 1 and (count == 2 or self.maybe(0.6)):
            pairs = list(zip(buses, buses[1:]))
        elif count > 1:
            pairs = [tuple(buses)]
        else:
            pairs = []
        self.gateways = {f"gw{at}": list(ports) for at, ports in enumerate(pairs)}
        for name, ports in self.gateways.items():
            self.ecus[name] = self.ecu(name, ports)
        for bus in buses:
            for at in range(dice.randint(2, 3)):
                name = f"{bus}-{'abc'[at]}"
                self.ecus[name] = self.ecu(name, [bus])

    def ecu(self, name, ports):
        dice = self.dice
        queue = {"order": dice.choice(["fifo", "priority"]),
                 "length": dice.choice([1, 1, 2, 3, 4, 8, 16, 32, 32])}
        own = {"name": name, "ports": ports, "queue": queue}
        if self.maybe(0.35):
            own["board"] = "./" + self.board()
            own["receive_queue"] = dice.choice([1, 1, 2, 4, 64])
            if self.maybe(0.3):
                own["cores"] = 1
        if self.maybe(0.3):
            own["start"] = f"{dice.choice([1, 5, 20, 33])}ms"
        if self.maybe(0.4):
            own["clock_ppm"] = dice.choice([-30000, -500, -40, 75, 1000, 30000])
        if self.maybe(0.2):
            own["accept"] = "all"
        if self.is_storm:
            own["queue"] = {"length": 100 if name == "bus0-a" else dice.choice([1, 32])}
            own.pop("board", None)
            own.pop("receive_queue", None)
            own.pop("cores", None)
        return own

    def board(self):
        """Adds a board whose driver calls take long enough to lose frames."""
        dice = self.dice
        name = f"board{len(self.files)}.toml"
        text = BOARD.format(cores=dice.choice([1, 1, 2, 3]), other=dice.choice([3, 20, 60]))
        receive = dice.choice([5, 60, 200, 450, 900])
        for algorithm in ALGORITHMS:
            for operation, micros in (("frame-receive", receive), ("frame-send", receive // 4 + 1)):
                text += FIGURE.format(operation=operation, algorithm=algorithm, micros=micros)
        self.files[name] = text
        return name

    def reach(self, bus):
        """The buses that can be reached from one, each with the hops to there."""
        found, waiting = {bus: []}, [bus]
        while waiting:
            here = waiting.pop(0)
            for gateway, ports in self.gateways.items():
                for to in ports if here in ports else []:
                    if to not in found:
                        found[to] = found[here] + [(gateway, here, to)]
                        waiting.append(to)
        return found

    def make_streams(self):
        dice = self.dice
        count = 44 if self.is_storm else dice.choice([1, 2, 3, 4, 6, 9])
        for _ in range(count):
            sender = "bus0-a" if self.is_storm else dice.choice(list(self.ecus))
            bus = self.ecus[sender]["ports"][0]
            if len(self.ecus[sender]["ports"]) > 1:
                bus = dice.choice(self.ecus[sender]["ports"])
            self.stream(sender, bus)

    def stream(self, sender, bus, only=None):
        """Adds a stream; `only` are its receivers, if they are given."""
        dice = self.dice
        reach = self.reach(bus)
        near = [one for one, ecu in self.ecus.items() if bus in ecu["ports"] and one != sender]
        far = [one for one, ecu in self.ecus.items()
               if len(ecu["ports"]) == 1 and bus not in ecu["ports"] and one != sender
               and not any(hop[0] == sender for hop in reach[ecu["ports"][0]])]
        receivers = dice.sample(near, min(len(near), dice.choice([0, 1, 1, 2])))
        if far and (self.is_storm or self.maybe(0.6)):
            receivers += dice.sample(far, min(len(far), dice.choice([1, 1, 2])))
        if only:
            receivers = only
            near = [one for one in only if bus in self.ecus[one]["ports"]]
            far = [one for one in only if one not in near]
        self.number += 2 * dice.randint(1, 6)
        extended = not self.is_storm and self.maybe(0.15)
        period = 5 if self.is_storm else dice.choice(PERIODS)
        own = {
            "name": f"S{self.number:X}",
            "id": self.number + (0x18FE0000 if extended else 0),
            "extended": extended or None,
            "bus": bus if len(self.ecus[sender]["ports"]) > 1 else None,
            "length": dice.choice([4, 4, 6, 8]),
            "period": f"{period}ms",
            "offset": f"{dice.randint(0, 12)}ms" if self.maybe(0.7) else None,
            "jitter": f"{dice.randint(1, period * 800)}us" if self.maybe(0.2) else None,
            "deadline": dice.choice([None, None, "1ms", "3ms", f"{2 * period}ms"]),
            "receivers": sorted(receivers),
        }
        if self.has_fd:
            if self.maybe(0.5):
                own["format"] = "classic"
            elif self.maybe(0.5):
                own["length"] = dice.choice([8, 12, 16, 24])
        if only:
            own.pop("format", None)
            own["extended"], own["id"] = None, self.number
        self.ecus[sender].setdefault("sends", []).append(own)
        ways = {one: reach[self.ecus[one]["ports"][0]] for one in receivers if one in far}
        self.streams.append({"own": own, "sender": sender, "bus": bus, "ways": ways,
                             "near": [one for one in receivers if one in near]})

    def make_routes(self):
        for stream in self.streams:
            self.route(stream)
        self.tidy()

    def route(self, stream):
        stream["hops"] = sorted({hop for way in stream["ways"].values() for hop in way})
        for hop in stream["hops"]:
            self.routes.setdefault((*hop, False), []).append(stream["own"]["name"])

    def tidy(self):
        """Leaves out what streams do not have."""
        for stream in self.streams:
            stream.setdefault("hops", [])
        for ecu in self.ecus.values():
            for one in ecu.get("sends", []):
                for key in [key for key, own in one.items() if own is None]:
                    del one[key]

    def require(self):
        """Adds requirements of each kind."""
        dice = self.dice
        if self.maybe(0.1):
            return
        self.text += "\n[require]\n"
        has_receivers = any(one["own"]["receivers"] for one in self.streams)
        if has_receivers and self.maybe(0.7):
            self.text += f'startup = "{dice.choice([30, 60, 100, 1000])}ms"\n'
        if self.maybe(0.8):
            self.text += 'undeceived = "all"\n'
        for line in (*self.security_requirements(), *self.keys_requirements()):
            self.text += line + "\n"
        if self.maybe(0.4):
            causes = dice.choice([["startup"], ["faults"], ["startup", "faults"]])
            self.text += f"loss_allowed = {value(causes)}\n"
        if self.maybe(0.6):
            self.text += f'[require.bus_load]\ndefault = "{dice.choice([10, 30, 60, 90])}%"\n'
        if self.maybe(0.6):
            self.text += f'[require.cpu_load]\ndefault = "{dice.choice([1, 10, 40])}%"\n'
        if self.maybe(0.3):
            self.text += f'[require.loss]\ndefault = {dice.choice([0, 1, 4, value("10%")])}\n'
        if self.streams and self.maybe(0.9):
            bound = dice.choice(["deadline", "deadline", "2ms", "10ms", "50ms"])
            self.text += f'[require.latency]\ndefault = "{bound}"\n'


def generate(seed):
    """Returns the files of the vehicle of a seed, by name; the vehicle file is `vehicle.toml`."""
    return Car(seed).make()
