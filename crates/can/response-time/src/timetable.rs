//! Messages of one sender with known offsets: how many of their frames can come in one window.
//!
//! The offsets tie the messages of one clock together and say nothing of any other clock. The
//! demand of a window is the largest over all places of the window in the timetable, so that it
//! holds wherever a busy period begins. It is never above the sum of the messages one by one.

#[cfg(test)]
mod tests;

use crate::message::ReleasePhase;

/// Maximum number of places of a window that are examined; a sender whose timetable has more counts
/// message by message.
const PLACES_MAX: u64 = 1_000;
/// Releases are whole nanoseconds of a clock, as late as one more: both ends of a window, in
/// picoseconds.
const ROUNDING: u64 = 4_000;
/// Sums of a few shorter spans have room in 64 bits: 13 days.
const SPAN_MAX: i64 = i64::MAX / 8;
const MILLION: u128 = 1_000_000;

/// A message that goes first: period, jitter until it competes, and the frames of one release with
/// the suspensions after them.
pub(crate) struct Rival {
    pub(crate) period: u64,
    pub(crate) jitter: u64,
    pub(crate) frame: u64,
}

impl Rival {
    /// ceil((t + J) / T).
    pub(crate) fn number(&self, t: u64) -> Option<u64> {
        Some(t.checked_add(self.jitter)?.div_ceil(self.period))
    }
}

/// The messages of one clock.
pub(crate) struct Timetable {
    rivals: Vec<Rival>,
    entries: Vec<Entry>,
    ppm: i32,
    /// The starts of windows in which the demand can be largest, and how many frames of each entry
    /// cannot be in such a window any more.
    places: Vec<(i64, Vec<i64>)>,
}

/// A message in its timetable, in picoseconds of its clock.
struct Entry {
    /// Below the period.
    offset: i64,
    period: i64,
    jitter: i64,
    frame: u64,
}

impl Timetable {
    /// Makes the timetable of messages of one clock; gives the rivals back if they are fewer than
    /// two, or if the timetable repeats too late.
    pub(crate) fn new(known: Vec<(ReleasePhase, Rival)>) -> Result<Self, Vec<Rival>> {
        let cycle = known.iter().try_fold(1, |cycle: u64, (phase, _)| {
            let shared = gcd(cycle, phase.period);
            let times = phase
                .period
                .checked_div(shared)
                .filter(|&times| times > 0)?;
            cycle
                .checked_mul(times)
                .filter(|&cycle| cycle < SPAN_MAX as u64)
        });
        let number = cycle.and_then(|cycle| {
            let mut numbers = known.iter().map(|(phase, _)| cycle / phase.period);
            numbers.try_fold(0, u64::checked_add)
        });
        let is_short = number.is_some_and(|number| number <= PLACES_MAX);
        let (Some(cycle), true, 2..) = (cycle, is_short, known.len()) else {
            return Err(known.into_iter().map(|(_, rival)| rival).collect());
        };
        let entries: Option<Vec<Entry>> = known.iter().map(entry).collect();
        let (Some(entries), Ok(cycle)) = (entries, i64::try_from(cycle)) else {
            return Err(known.into_iter().map(|(_, rival)| rival).collect());
        };
        let mut places = Vec::new();
        for entry in &entries {
            let last = entry.offset + entry.jitter;
            let all = (0..cycle / entry.period).map(|at| last + at * entry.period);
            places.extend(all.map(|place| place.rem_euclid(cycle)));
        }
        places.sort_unstable();
        places.dedup();
        let gone = |place: i64| {
            let all = entries.iter();
            all.map(|one| one.before(place - one.jitter)).collect()
        };
        Ok(Timetable {
            ppm: known[0].0.ppm,
            places: places
                .into_iter()
                .map(|place| (place, gone(place)))
                .collect(),
            rivals: known.into_iter().map(|(_, rival)| rival).collect(),
            entries,
        })
    }

    pub(crate) fn rivals(&self) -> impl Iterator<Item = &Rival> {
        self.rivals.iter()
    }

    /// Returns the frames that can come in a window of true time. A frame released at r counts in
    /// the window from p on if p - J <= r < p + window: that changes with p at no p but those where
    /// a latest arrival falls out of the window, and there it is largest.
    pub(crate) fn demand(&self, window: u64) -> Option<u64> {
        let mut all = self.rivals.iter();
        let separate = all.try_fold(0, |sum: u64, one| {
            sum.checked_add(one.number(window)?.checked_mul(one.frame)?)
        })?;
        let window = on_clock(window, self.ppm).and_then(|window| i64::try_from(window).ok());
        let Some(window) = window.filter(|&window| window < SPAN_MAX) else {
            return Some(separate);
        };
        let at = |(place, gone): &(i64, Vec<i64>)| {
            let mut all = self.entries.iter().zip(gone);
            all.try_fold(0, |sum: u64, (one, gone)| {
                let number = one.before(place + window) - gone;
                sum.checked_add(u64::try_from(number).ok()?.checked_mul(one.frame)?)
            })
        };
        let mut together = self.places.iter().map(at);
        let together = together.try_fold(0, |most: u64, one| Some(most.max(one?)))?;
        Some(together.min(separate))
    }
}

impl Entry {
    /// Returns the releases before a time, counted from the one at the offset on.
    const fn before(&self, time: i64) -> i64 {
        // ceil((time - offset) / period)
        -((self.offset - time).div_euclid(self.period))
    }
}

/// None for times that are too long to be added.
fn entry((phase, rival): &(ReleasePhase, Rival)) -> Option<Entry> {
    let span = |span: u64| i64::try_from(span).ok().filter(|&span| span < SPAN_MAX);
    Some(Entry {
        offset: span(phase.offset % phase.period)?,
        period: span(phase.period)?,
        jitter: span(on_clock(rival.jitter, phase.ppm)?)?,
        frame: rival.frame,
    })
}

/// Returns how long a span of true time is on a clock, at most.
fn on_clock(span: u64, ppm: i32) -> Option<u64> {
    let rate = (1_000_000 + i64::from(ppm)).max(0) as u128;
    let scaled = (u128::from(span) * rate).div_ceil(MILLION);
    u64::try_from(scaled).ok()?.checked_add(ROUNDING)
}

const fn gcd(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}
