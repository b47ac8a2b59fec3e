"""The clock of an ECU's software, and when it releases the instances of a stream.

A clock shows zero at its boot and gains or loses by `clock_ppm`, and besides by each clock fault
while that lasts. True times are picoseconds.
"""

MILLION = 10**6


class Clock:
    """The clock of one boot: stretches of true time, each with its rate."""

    def __init__(self, boot, changes):
        """`changes` are (true time, ppm) in order; those before the boot hold from the boot on."""
        rate = 0
        later = []
        for at, ppm in changes:
            if at <= boot:
                rate = ppm
            else:
                later.append((at, ppm))
        # Each stretch: since when, what the clock showed then in nanoseconds, its rate.
        self.stretches = [(boot, 0, rate)]
        for at, ppm in later:
            self.stretches.append((at, self.shows(at), ppm))

    def shows(self, at):
        """What the clock shows at a true time, in whole nanoseconds."""
        since, shown, rate = self.stretches[-1]
        for stretch in self.stretches:
            if stretch[0] <= at:
                since, shown, rate = stretch
        return shown + (at - since) * (MILLION + rate) // (MILLION * 1000)

    def when(self, nanos):
        """The true time at which the clock shows so many nanoseconds."""
        place = 0
        for at, (_, shown, _) in enumerate(self.stretches):
            if shown <= nanos:
                place = at
        since, shown, rate = self.stretches[place]
        own = nanos - shown
        return since - (-(own * 1000 * MILLION) // (MILLION + rate))


def rates(ecu, faults, end):
    """The changes of an ECU's rate, as (true time, ppm): the fault that began last holds."""
    usual = ecu.get("clock_ppm", 0)
    drifts = [one for one in faults if one.kind == "clock-drift"]
    moments = sorted({moment for one in drifts for moment in (one.begin, one.until)})
    changes = [(-1, usual)]
    for moment in moments:
        active = [one for one in drifts if one.begin <= moment < one.until]
        extra = max(active, key=lambda one: one.begin).ppm if active else 0
        changes.append((moment, usual + extra))
    return [one for one in changes if one[0] <= end]
