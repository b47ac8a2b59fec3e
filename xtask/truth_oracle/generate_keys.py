"""Random key exchanges: a group that agrees on a key, or a security module that grants keys."""


class Keys:
    """The part of a random vehicle that gives ECUs keys."""

    def make_keys(self):
        """Chooses a bus whose ECUs get keys; called before anything is protected."""
        dice = self.dice
        self.group = self.module = None
        if self.is_storm or not self.maybe(0.2):
            return
        bus = dice.choice(list(self.buses))
        ecus = [name for name, ecu in self.ecus.items() if bus in ecu["ports"]]
        local = [one for one in self.streams
                 if one["bus"] == bus and not one["hops"] and one["own"]["receivers"]]
        if self.has_fd and self.maybe(0.4):
            self.make_module(bus, ecus, local)
        else:
            self.make_group(bus, ecus, local)

    def make_group(self, bus, ecus, local):
        dice = self.dice
        self.end = max(self.end, 300)
        self.group = {
            "name": "group",
            "orchestrator": ecus[0],
            "buses": [bus],
            "scheme": dice.choice(["tree-with-orchestrator", "tree-without-orchestrator",
                                   "symmetric-distribution"]),
            "suite": dice.choice(["fourq", "p256"]),
            "start": dice.choice([None, "40ms"]),
            "gives_way": dice.choice([None, True]),
            "hold_streams": dice.choice([None, None, True]),
            "renewal": dice.choice([None, None, "80ms"]),
        }
        self.group_streams = local

    def make_module(self, bus, ecus, local):
        dice = self.dice
        first, rest = ecus[0], ecus[1:]
        fits = [one for one in local
                if one["own"].get("format") != "classic" and not one["own"].get("extended")
                and one["sender"] in rest and set(one["own"]["receivers"]) <= set(rest)]
        for one in fits:
            one["scheme"] = "lasan"
        if not fits:
            return
        self.module = {
            "name": "module",
            "scheme": "lasan",
            "security_module": first,
            "members": rest,
            "buses": [bus],
            "suite": dice.choice(["p256", "fourq"]),
            "profile": dice.choice(["hardened", "compact"]),
            "protect": [one["own"]["name"] for one in fits],
        }

    def write_keys(self):
        for table in (self.group, self.module):
            if table:
                self.table("keys", **table)

    def keys_requirements(self):
        if self.group and self.maybe(0.7):
            yield f'group_key_within = "{self.dice.choice([20, 60, 250])}ms"'
