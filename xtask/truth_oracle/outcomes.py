"""The outcome of each released instance for each receiver, as a set of what it may have been.

Mostly that set has one member. It has several where the trace does not show which of several causes
came first: then any of them is right.
"""

# How long a receiver waits for a code, with time for its check, in picoseconds.
PATIENCE = 25 * 10**9
DELIVERED = "delivered"
# Where what a gateway had was lost, by what became of it there.
PLACES = {"suppressed": "suppressed", "refused": "gateway-refused", "reset": "reset",
          "dropped": "gateway-dropped"}
UNDER_WAY = "under_way"


def lost(*places):
    """A set of places where an instance was lost."""
    return frozenset(f"lost:{place}" for place in places)


class Outcomes:
    """Decides what became of instances."""

    def __init__(self, follower):
        self.follower = follower
        self.vehicle = follower.vehicle
        self.presence = follower.presence
        self.end = follower.end

    def released(self, stream):
        """Yields the instances of a stream that were released, and those at the very end that may
        have been, as (instance, certain)."""
        for boot in self.follower.boots.get(stream.sender, ()):
            if boot.base is None:
                continue
            limit = min(self.end, boot.ended if boot.ended is not None else self.end)
            number = 0
            while True:
                instance = self.follower.instance(boot, stream, number)
                # What is due at the very moment of a reset or of the end may be either.
                if instance.earliest > limit + 1000:
                    break
                yield instance, bool(instance.own) or instance.latest < limit - 1000
                number += 1

    def of(self, instance, receiver):
        """The set of possible outcomes of an instance for a receiver."""
        if receiver in instance.taken:
            return frozenset([DELIVERED])
        port = instance.stream.ports[receiver]
        if port is None:
            return lost("absent")
        if not instance.own:
            return self.unsent(instance)
        hops = instance.stream.way[port]
        found = self.onward(instance, instance.own, hops, receiver)
        # Its code may still be in a queue when its data are lost.
        if any(own.sent is None or own.sent + PATIENCE >= self.end for own in instance.tags):
            found |= {UNDER_WAY} if DELIVERED not in found else set()
        # Its code may wait for its check at the end, whatever is known of it until then.
        if self.follower.checks.is_open(receiver, instance):
            found |= {UNDER_WAY, "refused:missing"}
        # Without its code it is lost, too, where that was.
        if UNDER_WAY in found and any(one.state == "dropped" for one in instance.codes):
            found |= lost("gateway-dropped")
        refused = instance.refused.get(receiver)
        if not refused:
            return found
        codes = frozenset(f"refused:{code}" for code in refused)
        # A code without data, or of data that were lost: either is right.
        return codes | found if "tag-without-data" in refused else codes

    def unsent(self, instance):
        """The outcome of an instance that its sender never asked the bus to take."""
        stream = instance.stream
        boot = self.follower.boots[stream.sender][instance.boot]
        following = self.follower.instance(boot, stream, instance.number + 1)
        limit = min(self.end, boot.ended if boot.ended is not None else self.end)
        may_replace = following.earliest <= limit + 1000
        must_replace = bool(following.own) or following.latest < limit - 1000
        places = set()
        if may_replace:
            places.add("lost:sender-queue")
        # The role that protects a stream keeps several of its messages, in order.
        may_wait = stream.scheme and boot.newest.get(stream.name, -1) < instance.number
        if may_wait:
            # It may have refused this one already, for want of room.
            places.add("lost:sender-queue")
        if not must_replace or may_wait:
            places.add("lost:reset" if boot.ended is not None else UNDER_WAY)
        if not stream.scheme:
            return frozenset(places)
        until = min(following.latest, limit) - 1000
        rooms = self.follower.rooms
        if rooms.was_full(stream.sender, stream.bus, instance.earliest, until):
            return frozenset(places)
        # There was room, so the role that protects the stream had it or could not take it.
        before = instance.earliest - stream.period * 1000
        had_room = not rooms.was_ever_full(stream.sender, stream.bus, before, until)
        if must_replace and had_room and not self.is_held_up(boot, instance):
            return lost("unprotected")
        return frozenset(places) | lost("unprotected")

    def is_held_up(self, boot, instance):
        """True if the role that protects a stream may still have had an older message of it, or one
        that an attacker's code made up."""
        stream = instance.stream
        for attacker in self.vehicle.attackers.values():
            if attacker["kind"] == "compromise" and stream.sender in attacker["ecus"]:
                return True
        # What the role takes it sends before all that follows, so one that it still has at the end
        # shows in that nothing followed.
        if boot.newest.get(stream.name, -1) < instance.number:
            return True
        for number in range(instance.number - 1, -1, -1):
            before = boot.instances.get((stream.name, number))
            if before and before.own:
                frames = before.own + before.tags
                has_all = bool(before.tags) or not stream.is_paired
                return not has_all or any(own.at >= instance.earliest for own in frames)
        return False

    def onward(self, instance, transmissions, hops, receiver):
        """The outcome of what was sent on one bus, of which the next node is given by `hops`."""
        node = hops[0][0] if hops else receiver
        found = set()
        for own in transmissions:
            if own.changed:
                found |= lost("modified")
                continue
            heard = own.heard.get(node, [])
            for one in heard:
                found |= self.heard(instance, one, hops, receiver)
            if not heard or own.sent is None:
                found |= self.unheard(own, node, bool(heard))
        return frozenset(found)

    def unheard(self, own, node, was_heard):
        """The outcome of a transmission that a node did not receive, or not yet unchanged."""
        if own.withdrawn is not None:
            sender = own.ecu
            reset = self.presence.reset_after(sender, own.at)
            if reset == own.withdrawn:
                return lost("reset")
            off = self.presence.off.get((sender, own.bus))
            if off is not None and off.touches(own.withdrawn, own.withdrawn):
                return lost("bus-off")
            return lost("withdrawn")
        if own.sent is None:
            if self.presence.reset_after(own.ecu, own.at) is not None:
                return lost("reset")
            return frozenset() if was_heard and own.started is None else frozenset([UNDER_WAY])
        begin, until = own.started, own.sent
        bit = 10**12 // self.vehicle.bitrate[own.bus]
        failed = self.presence.had_error(node, own.bus, own.begun, until + 20 * bit)
        if self.presence.is_there(node, own.bus, begin, until):
            return lost("error") if failed else lost("error", "absent")
        return lost("absent", "error") if failed else lost("absent")

    def heard(self, instance, one, hops, receiver):
        """The outcome of a frame that came to the controller of the next node."""
        node = hops[0][0] if hops else receiver
        if one.overrun:
            return lost("overrun")
        if not one.same:
            # A gateway sends on what was overwritten, and an attacker there may change it, too.
            is_changed = bool(hops) and self.changes(node, instance.stream)
            return lost("overwritten", "modified") if is_changed else lost("overwritten")
        if one.delivered is None:
            if self.presence.reset_after(node, one.at) is not None:
                return lost("reset")
            return frozenset([UNDER_WAY])
        if not hops:
            if node not in instance.stream.checkers:
                return frozenset([DELIVERED])
            return self.unjudged(instance, one, node)
        gateway, here, to, _ = hops[0]
        passing = instance.passed.get((gateway, here, to), ())
        passing = next((other for other in passing if other.reception is one), None)
        if passing is None:
            return lost("gateway-dropped")
        return self.passed(instance, passing, hops, receiver)

    def changes(self, gateway, stream):
        """True if an attacker in a gateway changes frames of a stream."""
        return any(
            one["kind"] == "modify" and one["gateway"] == gateway
            and stream.name in one.get("streams", ())
            for one in self.vehicle.attackers.values()
        )

    def unjudged(self, instance, one, node):
        """The outcome of a message at a receiver that checks and reported no result of it."""
        reset = self.presence.reset_after(node, one.delivered)
        was_cut = (node, id(instance)) in self.follower.checks.cut
        if reset is not None and was_cut:
            # Newer data may have shown before that its code was late.
            return lost("reset") | {"refused:missing"}
        if reset is not None and reset <= one.delivered + PATIENCE:
            return lost("reset")
        if instance.stream.is_paired:
            came = [
                one for tag in instance.tags for one in tag.heard.get(node, ()) if one.delivered
            ]
            codes = ["missing"]
            if came or instance.stream.way[instance.stream.ports[node]]:
                codes += ["out-of-step", "no-room", "not-ready", "wrong-tag", "replay"]
            found = frozenset(f"refused:{code}" for code in codes)
            # What is over is noticed with the next release.
            until = one.delivered + PATIENCE + instance.stream.period * 1000
            if until >= self.end or self.follower.checks.is_open(node, instance):
                found |= {UNDER_WAY}
            return found
        return lost("reset") if reset is not None else frozenset([UNDER_WAY])

    def passed(self, instance, passing, hops, receiver):
        """The outcome of a frame in the hands of a gateway."""
        state = passing.state
        if state == "forwarded":
            return self.onward(instance, [passing.next], hops[1:], receiver)
        is_open = self.follower.checks.is_open(hops[0][0], instance)
        if state in PLACES:
            # A storage that was nearly full before the gateway was reset may have been full.
            found = lost(PLACES[state])
            is_old = state == "reset" and passing.at + PATIENCE < passing.lost_at
            if is_old and instance.stream.is_paired:
                # It may have thrown away before what its code did not come for.
                found |= lost("gateway-refused")
            if passing.may_be_dropped:
                found |= lost("gateway-dropped") | {UNDER_WAY}
            return found
        is_young = is_open or passing.at + PATIENCE >= self.end
        if state == "checking" and instance.stream.is_paired and not is_young:
            return lost("gateway-refused")
        found = frozenset([UNDER_WAY])
        return found | lost("gateway-dropped") if passing.may_be_dropped else found
