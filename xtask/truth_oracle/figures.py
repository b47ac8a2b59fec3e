"""The figures of streams: per receiver how many instances had which outcome, and how late."""

from .outcomes import DELIVERED, Outcomes


class Bounds:
    """A number that is known within bounds."""

    def __init__(self):
        self.least = self.most = 0

    def add(self, certain):
        self.least += bool(certain)
        self.most += 1

    def allows(self, number):
        return self.least <= number <= self.most

    def __str__(self):
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"


class ReceiverFigures:
    """What became of a stream's instances for one receiver."""

    def __init__(self):
        self.released = Bounds()
        self.outcomes = {}
        self.latencies = []
        self.late = Bounds()
        self.repeated = 0
        self.first = None
        # Instances by (latest release, set of outcomes, latency), for verdicts.
        self.instances = []

    def count(self, outcomes, certain):
        for outcome in outcomes:
            bounds = self.outcomes.setdefault(outcome, Bounds())
            bounds.add(certain and len(outcomes) == 1)


class StreamFigures:
    """A stream at all its receivers."""

    def __init__(self, stream):
        self.stream = stream
        self.receivers = {one: ReceiverFigures() for one in stream.receivers}
        self.released = Bounds()
        self.requested = 0

    def merged(self):
        """The latencies of first deliveries at all receivers, as (least, most) picoseconds."""
        return [one for own in self.receivers.values() for one in own.latencies]

    @property
    def complete(self):
        """When it had reached each receiver once; none if it never did."""
        firsts = [own.first for own in self.receivers.values()]
        return None if None in firsts else max(firsts, default=None)


def stream_figures(follower):
    """Computes the figures of every stream."""
    outcomes_of_messages = Outcomes(follower)
    found = {}
    for stream in follower.vehicle.streams.values():
        figures = found[stream.name] = StreamFigures(stream)
        for instance, certain in outcomes_of_messages.released(stream):
            figures.released.add(certain)
            figures.requested += bool(instance.own)
            for receiver, own in figures.receivers.items():
                own.released.add(certain)
                outcomes = outcomes_of_messages.of(instance, receiver)
                own.count(outcomes, certain)
                took = instance.taken.get(receiver)
                latency = None
                if took:
                    latest = min(instance.latest, instance.own[0].at)
                    latency = (took[0] - max(latest, instance.earliest),
                               took[0] - instance.earliest)
                    own.latencies.append(latency)
                    own.repeated += len(took) - 1
                    if own.first is None or took[0] < own.first:
                        own.first = took[0]
                    deadline = stream.deadline * 1000
                    if latency[1] // 1000 * 1000 > deadline:
                        own.late.add(latency[0] // 1000 * 1000 > deadline)
                own.instances.append((instance, outcomes, latency, certain))
    return found


def start_up(streams):
    """When every stream with receivers had reached each of them once; none if one never did."""
    completes = [one.complete for one in streams.values() if one.stream.receivers]
    return None if None in completes else max(completes, default=None)
