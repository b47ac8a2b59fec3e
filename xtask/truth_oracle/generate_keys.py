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
        pairs = [one for one, ports in self.gateways.items() if bus in ports and len(ports) == 2]
        if pairs and self.maybe(0.5):
            return self.make_far_module(bus, dice.choice(pairs))
        first, rest = ecus[0], ecus[1:]
        self.stream(rest[0], bus, rest[1:2] or [first])
        fits = [one for one in self.streams
                if one["bus"] == bus and not one["ways"] and one["own"]["receivers"]
                and one["own"].get("format") != "classic" and not one["own"].get("extended")
                and one["sender"] in rest and set(one["own"]["receivers"]) <= set(rest)]
        self.tidy()
        if not fits:
            return
        self.protect_by_module(first, rest, [bus], fits)
        self.module["profile"] = dice.choice(["hardened", "compact"])

    def make_far_module(self, bus, gateway):
        """One whose ECUs are on two buses: whoever has the gateway is between them."""
        dice = self.dice
        other = next(one for one in self.gateways[gateway] if one != bus)
        near, far = (
            [name for name, ecu in self.ecus.items() if ecu["ports"] == [one]]
            for one in (bus, other)
        )
        self.stream(far[0], other, near[1:2])
        self.route(self.streams[-1])
        self.tidy()
        self.protect_by_module(near[0], near[1:] + far, [bus, other], self.streams[-1:])
        self.module["gateway"] = gateway
        self.module["profile"] = dice.choice(["hardened", "compact", "as-published"])
        if self.module["profile"] == "as-published":
            self.module["credentials"] = "certificates"

    def protect_by_module(self, module, members, buses, streams):
        self.end = max(self.end, 300)
        for one in streams:
            one["scheme"] = "lasan"
        self.module = {
            "name": "module",
            "scheme": "lasan",
            "security_module": module,
            "members": members,
            "buses": buses,
            "suite": self.dice.choice(["p256", "fourq"]),
            "protect": [one["own"]["name"] for one in streams],
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
            if "gateway" in self.module:
                kinds["man-in-the-middle"] = {"gateway": self.module["gateway"],
                                              "ecu": self.module["members"][-1]}
        for table in (self.group, self.module):
            if table:
                kinds["replay"] = {"bus": table["buses"][0], "delay": "30ms",
                                   "key_frames": {"keys": table["name"]}}

    def keys_requirements(self):
        if self.module and self.maybe(0.7):
            yield f'authorized_within = "{self.dice.choice([20, 60, 250])}ms"'
        if self.group and self.maybe(0.7):
            yield f'group_key_within = "{self.dice.choice([20, 60, 250])}ms"'
