"""Random authentication: SecOC in the frame or beside it, vatiCAN, LeiA, gateways that verify."""


class Security:
    """The part of a random vehicle that protects its messages."""

    def secure(self):
        """Chooses which streams are protected, and how."""
        dice = self.dice
        self.authentications = []
        if self.is_storm or not (self.group or self.maybe(0.6)):
            return
        free = [one for one in self.streams if one["own"]["receivers"] and "scheme" not in one]
        dice.shuffle(free)
        if self.group:
            own = [one for one in self.group_streams if one in free]
            free = [one for one in free if one not in own]
            self.protect(own[:3], {"group": "group",
                                   "before_first_key": dice.choice([None, "retained"])})
        for _ in range(2):
            count = dice.randint(1, 3)
            self.protect(free[:count], {})
            free = free[count:]

    def protect(self, chosen, keys):
        scheme = self.dice.choice(["secoc", "secoc", "secoc", "vatican", "leia"])
        fits = self.fits_secoc if scheme == "secoc" else self.fits_paired
        chosen = [one for one in chosen if fits(one)]
        if chosen:
            self.authentication(scheme, chosen, keys)

    @staticmethod
    def fits_paired(stream):
        """vatiCAN and LeiA take classic streams with 11-bit identifiers."""
        own = stream["own"]
        return not own.get("extended") and own.get("format", "classic") == "classic"

    @staticmethod
    def fits_secoc(stream):
        return not stream["own"].get("extended")

    def authentication(self, scheme, chosen, keys):
        dice = self.dice
        at = len(self.authentications)
        table = {"name": f"auth{at}", "scheme": scheme,
                 "protect": [one["own"]["name"] for one in chosen], **keys}
        has_pdus = False
        if scheme == "secoc":
            table["profile"] = dice.choice(["autosar-1", "autosar-1", "production"])
            has_pdus = table["profile"] == "autosar-1" and self.maybe(0.4)
            if table["profile"] == "production":
                self.master(table, chosen, at)
                if "master" not in table:
                    table["profile"] = "autosar-1"
        else:
            if self.has_fd:
                chosen = [one for one in chosen if one["own"].get("format") == "classic"]
                table["protect"] = [one["own"]["name"] for one in chosen]
            table["mac"] = dice.choice([None, "siphash", "hmac-sha-256"])
        if not chosen:
            return
        if has_pdus:
            table["cryptographic_pdus"] = [
                {"stream": one["own"]["name"], "id": one["own"]["id"] + 1} for one in chosen
            ]
        for one in chosen:
            own = one["own"]
            one["scheme"] = scheme
            classic = not self.has_fd or own.get("format") == "classic"
            if scheme == "secoc" and not has_pdus:
                own["length"] = 4 if classic else dice.choice([4, 8])
            if scheme != "secoc" and own["length"] > 8:
                own["length"] = 8
        if not has_pdus:
            self.verify(chosen)
        self.authentications.append({key: one for key, one in table.items() if one is not None})

    def master(self, table, chosen, at):
        """Freshness that is synchronised needs a master on every bus that carries the streams."""
        buses = {one["bus"] for one in chosen} | {hop[2] for one in chosen for hop in one["hops"]}
        able = [name for name, ecu in self.ecus.items() if buses <= set(ecu["ports"])]
        if able:
            table["master"] = self.dice.choice(able)
            table["announce"] = self.dice.choice(["10ms", "20ms", "50ms"])
            table["announce_id"] = 0x00F + at

    def verify(self, chosen):
        """Has the last gateway of a way verify, for some streams."""
        for one in chosen:
            if len(one["hops"]) != 1 or not self.maybe(0.4):
                continue
            hop, name = one["hops"][0], one["own"]["name"]
            self.routes[(*hop, False)].remove(name)
            if not self.routes[(*hop, False)]:
                del self.routes[(*hop, False)]
            self.routes.setdefault((*hop, True), []).append(name)

    def write_security(self):
        for table in self.authentications:
            self.table("authentication", **table)

    def security_requirements(self):
        if self.authentications and self.maybe(0.7):
            yield f'authentic_within = {{ default = "{self.dice.choice([40, 100, 300])}ms" }}'
