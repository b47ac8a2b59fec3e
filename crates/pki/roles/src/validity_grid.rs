//! Times on which the certificates of many vehicles begin and end, so that a validity period tells
//! no vehicle from another.
//!
//! Every receiver reads the validity period of a certificate. Certificates that begin at the second
//! of their issuing name their holder: all pseudonyms that a vehicle fetched together begin
//! together, and no other vehicle's do.
//!
//! Choice: IEEE 1609.2 and ETSI TS 102 941 leave the period to the issuer. Periods here are whole
//! cells of a grid that all vehicles share, counted from the beginning of 2004 (TAI) as
//! [`Period`](crate::pseudonym::Period) counts weeks.

use waywarden_v2x_wire::ieee1609dot2::{Duration, Time32, Time64, ValidityPeriod};

/// The seconds of a week.
pub(crate) const WEEK: u32 = 7 * 24 * 3_600;

/// Units of periods that are shorter than a cell, in seconds: day, hour, minute, second.
const SHORTER: [u64; 4] = [24 * 3_600, 3_600, 60, 1];

const MICROSECONDS: u64 = 1_000_000;

/// The length of the cells that validity periods consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidityGrid {
    /// The length of a cell in seconds; never 0.
    seconds: u64,
}

impl ValidityGrid {
    /// Cells of a week: the default for certificates of stations.
    pub const WEEK: Self = Self {
        seconds: WEEK as u64,
    };

    /// Creates a grid with cells of this length; `None` for one that is not whole seconds, 1 at
    /// least. With cells of a second, periods stay as they are asked for.
    #[must_use]
    pub fn new(cell: Duration) -> Option<Self> {
        let seconds = cell.microseconds() / MICROSECONDS;
        let is_whole = seconds > 0 && cell.microseconds().is_multiple_of(MICROSECONDS);
        is_whole.then_some(Self { seconds })
    }

    /// The same, of a length in seconds; `None` also for one that no [`Duration`] has.
    #[must_use]
    pub fn of_seconds(seconds: u64) -> Option<Self> {
        let cell = longest(1, seconds).and_then(Self::new);
        cell.filter(|grid| grid.seconds == seconds)
    }

    /// Returns the length of a cell in seconds.
    #[must_use]
    pub fn seconds(self) -> u64 {
        self.seconds
    }

    /// Returns the beginning of the cell in which a time lies.
    #[must_use]
    pub fn cell_start(self, time: Time32) -> Time32 {
        begin(time, self.seconds)
    }

    /// Returns the period on the grid for one that is asked for: from the beginning of the cell in
    /// which `start` lies, for as many whole cells as `duration` has and a certificate can say. So
    /// it is never longer than asked for, and ends up to a cell earlier than it would without a
    /// grid.
    ///
    /// A duration of less than a cell is counted in the largest of day, hour, minute and second
    /// that it has: a period of six hours begins and ends on the hour.
    #[must_use]
    pub fn period(self, start: Time32, duration: Duration) -> ValidityPeriod {
        let asked = duration.microseconds() / MICROSECONDS;
        let unit = self.unit(asked);
        let longest = longest(unit, asked).filter(|_| unit > 1);
        match longest {
            None => ValidityPeriod { start, duration },
            // Also where nothing is cut off: 168 hours and 10,080 minutes are one period, and
            // would be two on the air.
            Some(duration) => ValidityPeriod {
                start: begin(start, unit),
                duration,
            },
        }
    }

    /// Returns the time that the period of a request at `now` is for. A request is for now although
    /// its `start` is a little earlier, as clocks differ: in the first minute of a cell the period
    /// would be the one before, and over. A `start` on the grid is what it says.
    #[must_use]
    pub fn requested(self, now: Time32, start: Time32, duration: Duration) -> Time32 {
        match self.period(start, duration).start == start {
            true => start,
            false => start.max(now),
        }
    }

    /// The same as [`period`](Self::period), for a certificate of an issuer that is valid from
    /// `issuer_start` on. Where that is within the first cell, the period begins there: for all its
    /// certificates at the same time.
    #[must_use]
    pub fn period_below(
        self,
        issuer_start: Time64,
        start: Time32,
        duration: Duration,
    ) -> ValidityPeriod {
        let period = self.period(start, duration);
        let issuer_start = issuer_start.0.div_ceil(MICROSECONDS);
        let begins = u64::from(period.start.0);
        let length = period.duration.microseconds() / MICROSECONDS;
        let cell = self.unit(length).min(length);
        match u32::try_from(issuer_start) {
            Ok(own) if (begins + 1..begins + cell).contains(&issuer_start) => ValidityPeriod {
                start: Time32(own),
                duration: whole(begins + length - issuer_start),
            },
            _ => period,
        }
    }

    /// Returns for how long a certificate is asked for that renews one with this period: for as
    /// long as that one would have been valid if its issuer had been valid from the beginning of
    /// the cell on, which is valid from `issuer_start` on.
    #[must_use]
    pub fn renewed(self, issuer_start: Time64, period: ValidityPeriod) -> Duration {
        let cell_start = self.cell_start(period.start);
        let begins_with_issuer = period.start.0 > cell_start.0
            && u64::from(period.start.0) == issuer_start.0.div_ceil(MICROSECONDS);
        let end = u64::from(period.start.0) + period.duration.microseconds() / MICROSECONDS;
        let cell_end = end.next_multiple_of(self.seconds);
        // A period that was cut is written in minutes or hours, and ends less than an hour early.
        match begins_with_issuer && cell_end - end < 3_600 {
            true => whole(cell_end - u64::from(cell_start.0)),
            false => period.duration,
        }
    }

    /// The unit in which a period of so many seconds is counted; 0 for none.
    fn unit(self, seconds: u64) -> u64 {
        if seconds >= self.seconds {
            return self.seconds;
        }
        let shorter = SHORTER.into_iter().find(|unit| *unit <= seconds);
        shorter.unwrap_or(0)
    }
}

impl Default for ValidityGrid {
    fn default() -> Self {
        Self::WEEK
    }
}

/// The beginning of the unit in which a time lies.
fn begin(time: Time32, unit: u64) -> Time32 {
    let begins = u64::from(time.0) / unit * unit;
    Time32(u32::try_from(begins).unwrap_or(time.0))
}

/// A unit of a [`Duration`]: its length in seconds, and the duration of so many of it.
type Unit = (u64, fn(u16) -> Duration);

/// The units of a [`Duration`], in the order in which they are chosen.
const UNITS: [Unit; 5] = [
    (3_600, Duration::Hours),
    (60, Duration::Minutes),
    (1, Duration::Seconds),
    (216_000, Duration::SixtyHours),
    (31_556_952, Duration::Years),
];

/// Returns the longest duration of at most `most` seconds that is whole cells of this length;
/// `None` where `most` is shorter than a cell, or 0.
fn longest(cell: u64, most: u64) -> Option<Duration> {
    let mut found: Option<(u64, Duration)> = None;
    for (unit, of) in UNITS {
        let Some(step) = (cell / gcd(cell, unit)).checked_mul(unit) else {
            continue;
        };
        let Some(length) = most.checked_div(step).map(|count| count * step) else {
            continue;
        };
        let count = u16::try_from(length / unit).ok().filter(|_| length > 0);
        if let Some(count) = count
            && found.is_none_or(|(longest, _)| longest < length)
        {
            found = Some((length, of(count)));
        }
    }
    found.map(|(_, duration)| duration)
}

/// The greatest common divisor, of `other` where `one` is 0 (Euclid).
fn gcd(one: u64, other: u64) -> u64 {
    match one {
        0 => other,
        _ => gcd(other % one, one),
    }
}

/// Writes a length in seconds, cut off where no duration is exact.
fn whole(seconds: u64) -> Duration {
    longest(1, seconds).unwrap_or(Duration::Seconds(0))
}
