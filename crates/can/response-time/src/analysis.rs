//! The analysis itself: busy periods, and the slowest instance in them.
//!
//! With a message m: hp(m) are the messages that win arbitration against it, B its blocking by one
//! frame that had begun, E(t) what errors take in t. Without a shortest response there is a
//! [`NoBound`] with its cause. Loops are bounded by [`STEPS_MAX`] and [`INSTANCES_MAX`].

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::message::{AnalysedBus, AnalysedMessage, NoBound, PortQueue, ReleasePhase};
use crate::timetable::{Rival, Timetable};

/// Maximum number of steps towards a fixed point.
const STEPS_MAX: usize = 10_000;
/// Maximum number of rounds over FIFO waits; a wait that then still grows counts as unbounded.
const ROUNDS_MAX: usize = 100;
/// A longer wait in a FIFO counts as unbounded: 10 s, in picoseconds.
const WAIT_MAX: u64 = 10_000_000_000_000;
/// Maximum number of instances of a message that are examined in one busy period.
const INSTANCES_MAX: u64 = 1_000;
/// One, in the fixed-point numbers that loads are added in; each is rounded upward.
pub(crate) const WHOLE: u128 = 1 << 60;

pub(crate) type Bound = Result<u64, NoBound>;

/// Returns the worst-case response time of each message in picoseconds, in their order: from its
/// nominal release, or from `uncounted` after that, to the end of the intermission.
#[must_use]
pub fn response_times(bus: &AnalysedBus) -> Vec<Bound> {
    let all = &bus.messages;
    // How long a frame may wait before it competes: in a FIFO, until it is the oldest.
    let mut buffering: Vec<Bound> = vec![Ok(0); all.len()];
    for round in 0.. {
        let view = View {
            bus,
            buffering: &buffering,
        };
        let responses: Vec<Bound> = (0..all.len()).map(|at| view.response(at)).collect();
        let waits = |at: usize, before: Bound| {
            let message = &all[at];
            if message.queue == PortQueue::Priority || before.is_err() {
                return before;
            }
            let counted = message.jitter.saturating_sub(message.uncounted);
            match responses[at] {
                Ok(one) if round < ROUNDS_MAX && one <= WAIT_MAX => {
                    before.max(Ok(one.saturating_sub(counted.saturating_add(message.frame))))
                }
                _ => Err(NoBound::UnboundedQueue),
            }
        };
        let later = buffering.iter().enumerate();
        let later: Vec<Bound> = later.map(|(at, &before)| waits(at, before)).collect();
        if later == buffering {
            return responses;
        }
        buffering = later;
    }
    Vec::new()
}

/// Approaches the smallest fixed point of a growing function from below.
///
/// # Errors
/// [`NoBound::NotConverged`] on overflow, or after too many steps.
pub fn iterate(first: u64, next: impl Fn(u64) -> Option<u64>) -> Bound {
    let mut now = first;
    for _ in 0..STEPS_MAX {
        match next(now) {
            Some(same) if same <= now => return Ok(now),
            Some(later) => now = later,
            None => break,
        }
    }
    Err(NoBound::NotConverged)
}

/// A bus, and how long frames wait in FIFO queues before they compete.
struct View<'a> {
    bus: &'a AnalysedBus,
    buffering: &'a [Bound],
}

/// The frames that delay a message on the bus.
struct Level {
    /// Messages of its queue, itself among them.
    own: Vec<Rival>,
    /// Messages of other queues that win arbitration.
    rivals: Vec<Rival>,
    /// The same of senders whose offsets are known, by clock.
    timetables: Vec<Timetable>,
    /// The longest frame that may have begun before.
    blocking: u64,
    /// The longest frame that an error has repeated.
    longest: u64,
}

impl Level {
    /// Adds to `start` what senders with known offsets put in front in a window.
    fn demand(&self, start: u64, window: u64) -> Option<u64> {
        let mut timetables = self.timetables.iter();
        timetables.try_fold(start, |sum, one| sum.checked_add(one.demand(window)?))
    }
}

impl View<'_> {
    fn response(&self, at: usize) -> Bound {
        let message = &self.bus.messages[at];
        let level = self.level(at)?;
        if self.load(&level) >= WHOLE {
            return Err(NoBound::Overload);
        }
        let busy = self.busy_period(&level)?;
        let counted = message.jitter.saturating_sub(message.uncounted);
        let longest = match message.queue {
            PortQueue::Priority => self.slowest_instance(message, &level, busy)?,
            PortQueue::Fifo(_) => self.slowest_in_fifo(message, &level, busy)?,
            PortQueue::Unordered(_) => busy,
        };
        longest.checked_add(counted).ok_or(NoBound::NotConverged)
    }

    /// Gathers what a message meets: all of its FIFO counts as its least urgent message.
    fn level(&self, at: usize) -> Result<Level, NoBound> {
        let all = &self.bus.messages;
        let is_shared = |other: usize, port: usize| self.bus.shared.contains(&(other, port));
        let is_own = |other: usize| match all[at].queue {
            PortQueue::Priority => other == at,
            queue @ (PortQueue::Fifo(port) | PortQueue::Unordered(port)) => {
                all[other].queue == queue || is_shared(other, port)
            }
        };
        let own = (0..all.len()).filter(|&other| is_own(other));
        let last = own.map(|one| all[one].priority.last).max().unwrap_or(0);
        let mut level = Level {
            own: Vec::new(),
            rivals: Vec::new(),
            timetables: Vec::new(),
            blocking: 0,
            longest: 0,
        };
        let mut known: Vec<(ReleasePhase, Rival)> = Vec::new();
        for (other, message) in all.iter().enumerate() {
            if is_own(other) {
                level.own.push(rival(message, 0)?);
            } else {
                // Keys that overlap may be either way round.
                if message.priority.last > last {
                    level.blocking = level.blocking.max(message.frame + message.suspension);
                }
                if message.priority.first > last {
                    continue;
                }
                let rival = rival(message, self.buffering[other]?)?;
                match message.phase {
                    Some(phase) => known.push((phase, rival)),
                    None => level.rivals.push(rival),
                }
            }
            level.longest = level.longest.max(message.frame);
        }
        (level.timetables, level.rivals) = timetables(known, level.rivals);
        Ok(level)
    }

    fn load(&self, level: &Level) -> u128 {
        let known = level.timetables.iter().flat_map(Timetable::rivals);
        let all = level.own.iter().chain(&level.rivals).chain(known);
        let load: u128 = all.map(|one| share(one.frame, one.period)).sum();
        let errors = self.bus.errors.map(|errors| {
            let one = errors.overhead.saturating_add(level.longest);
            share(one, errors.interval.max(1))
        });
        load + errors.unwrap_or(0)
    }

    /// E(t): burst + ceil(t / interval) - 1 errors, each with the longest frame again.
    fn errors(&self, level: &Level, t: u64) -> Option<u64> {
        let Some(errors) = self.bus.errors else {
            return Some(0);
        };
        let number = t.div_ceil(errors.interval.max(1)).max(1) - 1 + errors.burst;
        number.checked_mul(errors.overhead.checked_add(level.longest)?)
    }

    /// t = B + E(t) + sum over hp(m) and its own queue of ceil((t + J) / T) C.
    fn busy_period(&self, level: &Level) -> Bound {
        let first = level.own.iter().map(|one| one.frame).sum::<u64>();
        iterate(level.blocking + first, |t| {
            let start = level.blocking.checked_add(self.errors(level, t)?)?;
            let all = level.own.iter().chain(&level.rivals);
            let start = sum(start, all, |one| one.number(t))?;
            level.demand(start, t)
        })
    }

    /// w = `start` + E(w + C) + sum over hp(m) of ceil((w + J + bit) / T) C.
    fn wait(&self, level: &Level, start: u64, frame: u64) -> Bound {
        iterate(start, |w| {
            let start = start.checked_add(self.errors(level, w.checked_add(frame)?)?)?;
            let window = w.checked_add(self.bus.bit)?;
            let start = sum(start, level.rivals.iter(), |one| one.number(window))?;
            level.demand(start, window)
        })
    }

    /// The longest of w(q) + C - qT over the instances q of a busy period; what is not counted
    /// comes off the time since instance 0.
    fn slowest_instance(&self, message: &AnalysedMessage, level: &Level, busy: u64) -> Bound {
        let period = message.period.ok_or(NoBound::UnlimitedRate)?;
        let number = busy.saturating_add(message.jitter).div_ceil(period);
        if number > INSTANCES_MAX {
            return Err(NoBound::NotConverged);
        }
        let mut slowest = 0;
        for instance in 0..number {
            let before = level.blocking + instance * release(message);
            let end = self.wait(level, before, message.frame)? + message.frame;
            let released = (instance * period).saturating_sub(message.uncounted);
            slowest = slowest.max(end.saturating_sub(released));
        }
        Ok(slowest)
    }

    /// The longest of w(a) + C - a over the arrivals a in a busy period: all frames of the FIFO
    /// that came up to a go first.
    fn slowest_in_fifo(&self, message: &AnalysedMessage, level: &Level, busy: u64) -> Bound {
        let mut arrivals = vec![0];
        for one in &level.own {
            let last = busy.saturating_add(one.jitter) / one.period;
            if last > INSTANCES_MAX {
                return Err(NoBound::NotConverged);
            }
            let all = (0..=last).map(|instance| (instance * one.period).saturating_sub(one.jitter));
            arrivals.extend(all.filter(|&arrival| arrival < busy));
        }
        arrivals.sort_unstable();
        arrivals.dedup();
        let mut slowest = 0;
        for arrival in arrivals {
            let before = sum(level.blocking, level.own.iter(), |one| {
                Some((arrival + one.jitter) / one.period + 1)
            });
            let before = before.ok_or(NoBound::NotConverged)?;
            let before = before.saturating_sub(message.frame);
            let end = self.wait(level, before, message.frame)? + message.frame;
            slowest = slowest.max(end.saturating_sub(arrival));
        }
        Ok(slowest)
    }
}

fn rival(message: &AnalysedMessage, waits: u64) -> Result<Rival, NoBound> {
    let period = message.period.filter(|&period| period > 0);
    Ok(Rival {
        period: period.ok_or(NoBound::UnlimitedRate)?,
        jitter: message.jitter.saturating_add(waits),
        frame: release(message),
    })
}

/// Returns what the frames of one release take, with the suspensions after them.
const fn release(message: &AnalysedMessage) -> u64 {
    let one = message.frame.saturating_add(message.suspension);
    one.saturating_mul(message.burst)
}

/// Gathers rivals by clock; those alone on their clock count by themselves.
fn timetables(
    known: Vec<(ReleasePhase, Rival)>,
    mut rivals: Vec<Rival>,
) -> (Vec<Timetable>, Vec<Rival>) {
    let mut clocks: BTreeMap<usize, Vec<(ReleasePhase, Rival)>> = BTreeMap::new();
    for one in known {
        clocks.entry(one.0.clock).or_default().push(one);
    }
    let mut timetables = Vec::new();
    for (_, own) in clocks {
        match Timetable::new(own) {
            Ok(timetable) => timetables.push(timetable),
            Err(own) => rivals.extend(own),
        }
    }
    (timetables, rivals)
}

/// Adds number times frame of each to `start`.
fn sum<'a>(
    start: u64,
    mut all: impl Iterator<Item = &'a Rival>,
    number: impl Fn(&Rival) -> Option<u64>,
) -> Option<u64> {
    all.try_fold(start, |sum, one| {
        sum.checked_add(number(one)?.checked_mul(one.frame)?)
    })
}

/// Returns cost / period in parts of [`WHOLE`], rounded upward.
pub(crate) fn share(cost: u64, period: u64) -> u128 {
    // A cost of 2^64 keeps the product below 2^124.
    (u128::from(cost) * WHOLE).div_ceil(u128::from(period.max(1)))
}
