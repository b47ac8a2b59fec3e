"""Random key exchanges: a group that agrees on a key, or a security module that grants keys."""


class Keys:
    """The part of a random vehicle that gives ECUs keys."""

    def make_keys(self):
        """Chooses a bus whose ECUs get keys; called before anything is protected."""
        dice = self.dice
        self.group = self.module = None
        if self.is_storm or not self.maybe(0.25):
            return
        bus = dice.choice(list(self.buses))
        if self.has_fd and self.maybe(0.6):
            return self.make_module(bus)
        ecus = [name for name, ecu in self.ecus.items() if bus in ecu["ports"]]
        local = [one for one in self.streams
                 if one["bus"] == bus and not one["hops"] and one["own"]["receivers"]]
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

    def make_module(self, bus):
        """A security module that grants the keys of encrypted streams, one of them its own."""
        dice = self.dice
        ecus = [name for name, ecu in self.ecus.items() if bus in ecu["ports"]]
        first, rest = ecus[0], ecus[1:]
        self.stream(rest[0], bus, rest[1:2] or [first])
        fits = [one for one in self.streams
                if one["bus"] == bus and not one["ways"] and one["own"]["receivers"]
                and one["own"].get("format") != "classic" and not one["own"].get("extended")
                and one["sender"] in rest and set(one["own"]["receivers"]) <= set(rest)]
        self.tidy()
        if not fits:
            return
        self.end = max(self.end, 300)
        for one in fits:
            one["scheme"] = "lasan"
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

    def key_attackers(self, kinds):
        """Adds attackers on the exchange of keys to those that there may be."""
        if self.module:
            own = {"bus": self.module["buses"][0]}
            kinds["register"] = {**own, "period": "20ms"}
            kinds["masquerade"] = {**own, "ecu": self.dice.choice(self.module["members"])}
        for table in (self.group, self.module):
            if table:
                kinds["replay"] = {"bus": table["buses"][0], "delay": "30ms",
                                   "key_frames": {"keys": table["name"]}}

    def keys_requirements(self):
        if self.module and self.maybe(0.7):
            yield f'authorised_within = "{self.dice.choice([20, 60, 250])}ms"'
        if self.group and self.maybe(0.7):
            yield f'group_key_within = "{self.dice.choice([20, 60, 250])}ms"'
