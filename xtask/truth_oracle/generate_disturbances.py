"""Random attackers, interferers and faults."""

TRICKS = ["messages", "data-before-tag", "bare-tag", "epoch-jump", "complaint", "reorder",
          "counter-jump", "other-counter"]
# Attackers that few vehicles allow.
RARE = ["forge", "register", "masquerade"]


class Disturbances:
    """The part of a random vehicle that harms it."""

    def disturbances(self):
        self.failing = set()
        if self.is_storm:
            return
        for add, chance, most in ((self.attacker, 0.35, 3), (self.interferer, 0.25, 2),
                                  (self.fault, 0.4, 2)):
            for at in range(most):
                if self.maybe(chance):
                    add(at)

    def window(self):
        """When it acts; now and then from power-on or to the end."""
        begin = self.dice.randrange(0, self.end - 60, 7)
        until = begin + self.dice.randint(15, 90)
        return {
            "from_": f"{begin}ms" if begin and self.maybe(0.8) else None,
            "until": f"{until}ms" if until < self.end and self.maybe(0.7) else None,
        }

    def some_stream(self):
        return self.dice.choice(self.streams) if self.streams else None

    def attacker(self, at):
        dice, bus = self.dice, self.dice.choice(list(self.buses))
        stream = self.some_stream()
        name = stream["own"]["name"]
        crossing = [one for one in self.streams if one["hops"]]
        kinds = {
            "flood": {"bus": bus, "rate": dice.choice(["full", "500/s", "3000/s"]),
                      "id": dice.choice([0, stream["own"]["id"]]) if self.maybe(0.2) else None},
            "spoof": {"stream": name, "period": dice.choice([None, "3ms", "7ms"]),
                      "data": dice.choice([None, "zero", "counter"])},
            "replay": {"stream": name, "delay": f"{dice.randint(2, 40)}ms",
                       "reorder": dice.choice([None, None, 3])},
            "forge": {"stream": name, "trick": dice.choice(TRICKS), "burst": dice.choice([1, 2])},
            "compromise": {"ecus": [dice.choice(list(self.ecus))],
                           "period": dice.choice(["10ms", "15ms"])},
        }
        if not stream.get("scheme"):
            del kinds["forge"]
        if kinds["flood"]["id"] and stream["own"].get("extended"):
            kinds["flood"]["extended"] = True
        if len(self.buses) > 1:
            others = [one for one in self.buses if one != bus]
            kinds["relay"] = {"source": dice.choice(others), "bus": bus}
        if crossing:
            chosen = dice.choice(crossing)
            own = {"gateway": dice.choice(chosen["hops"])[0], "streams": [chosen["own"]["name"]],
                   "probability": dice.choice([None, "50%"])}
            kinds["suppress"] = own
            change = dice.choice(["xor", "set"])
            # Two that do the same would undo each other.
            bytes_ = ["FF5A", "3C69", "81E7"][at]
            kinds["modify"] = {**own, change: bytes_, "at": dice.choice([0, 2])}
        self.key_attackers(kinds)
        names = list(kinds)
        kind = dice.choice(names + [one for one in names if one in RARE] * 2)
        if "man-in-the-middle" in kinds and self.maybe(0.5):
            kind = "man-in-the-middle"
        self.table("attacker", kind=kind, name=f"attacker{at}", **kinds[kind], **self.window())
        receivers = stream["own"]["receivers"]
        if kind in ("replay", "relay") and receivers and self.maybe(0.4):
            # A receiver misses what comes again later.
            begin = dice.randrange(30, self.end - 40)
            self.table("fault", kind="bus-open", name=f"missed{at}", ecu=dice.choice(receivers),
                       from_=f"{begin}ms", until=f"{begin + dice.randint(3, 25)}ms")

    def interferer(self, at):
        dice, bus = self.dice, self.dice.choice(list(self.buses))
        ecu = dice.choice([one for one, own in self.ecus.items() if bus in own["ports"]])
        stream = self.some_stream()
        kinds = {
            "bit-errors": {"bus": bus, "rate": dice.choice([1e-5, 1e-4, 1e-3])},
            "receiver-local": {"bus": bus, "ecu": ecu, "rate": dice.choice([1e-4, 1e-3])},
            "babbling": {"bus": bus, "period": dice.choice(["2ms", "5ms"]),
                         "bits": dice.choice([6, 20, 200])},
            "double-receive": {"bus": bus, "probability": dice.choice([0.05, 0.5])},
        }
        if stream:
            name = stream["own"]["name"]
            kinds["bus-off"] = {"stream": name}
            kinds["error-passive-overwrite"] = {"stream": name}
            if stream["near"] and not stream.get("scheme"):
                length = stream["own"]["length"]
                kinds["janus"] = {"stream": name, "data": " ".join(["A5"] * length),
                                  "receivers": stream["near"][:1]}
        kind = dice.choice(list(kinds))
        self.table("interferer", kind=kind, name=f"interferer{at}", **kinds[kind], **self.window())

    def fault(self, at):
        dice = self.dice
        # Those that send or forward matter most.
        busy = [one["sender"] for one in self.streams] + list(self.gateways)
        ecu = dice.choice(busy if self.maybe(0.6) else list(self.ecus))
        kind = dice.choice(["reset", "reset", "replaced", "clock-drift", "bus-open", "bus-open"])
        own = self.window()
        keys = {}
        # The workshop replaces ECUs under a security module.
        is_enrolled = self.module and ecu in (self.module["security_module"],
                                              *self.module["members"])
        if kind in ("reset", "replaced") and ecu in self.failing:
            kind = "bus-open"
        if kind == "replaced" and is_enrolled:
            kind = "reset"
        if kind in ("reset", "replaced"):
            # A reset begins when the ECU runs, and no two overlap.
            self.failing.add(ecu)
            start = int(self.ecus[ecu].get("start", "0ms")[:-2])
            if kind == "reset" or own["from_"] is not None:
                begin = start + dice.randrange(1, self.end - start - 5)
                own["from_"] = f"{begin}ms"
                own["until"] = dice.choice([None, f"{begin + dice.randint(1, 90)}ms"])
            else:
                own["until"] = None
        elif kind == "clock-drift":
            keys["ppm"] = dice.choice([-20000, 300, 5000])
        elif self.maybe(0.5):
            keys["bus"] = dice.choice(self.ecus[ecu]["ports"])
        self.table("fault", kind=kind, name=f"fault{at}", ecu=ecu, **keys, **own)
