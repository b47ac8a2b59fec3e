//! Open cases: who is accused by whom, of which messages, and the rule that decides.

use core::fmt;
use std::collections::{BTreeMap, BTreeSet};

use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::policy::{Policy, PolicyError};

/// Maximum number of vehicles that are accused at a time.
pub const CASES_MAX: usize = 65_536;

/// Maximum number of vehicles that a reporter accuses at a time.
pub const ACCUSATIONS_MAX: usize = 32;

/// Maximum number of messages that count for one reporter in a case. As many as a rule may demand
/// in all come of [`REPORTERS_MAX`](crate::REPORTERS_MAX) reporters, or of fewer.
const OF_REPORTER_MAX: usize = crate::policy::MESSAGES_MAX as usize;

/// Maximum number of reporters of a case: that of a rule, since more change nothing.
const REPORTERS_OF_CASE_MAX: usize = crate::policy::REPORTERS_MAX as usize;

/// Tolerance for the clock of an accused, in microseconds.
const CLOCK_AHEAD_US: u64 = 300_000_000;

/// One message of one accused, reported by one vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accusation<V> {
    /// The vehicle that signed the message.
    pub accused: V,
    /// The vehicle that reports it.
    pub reporter: V,
    /// Time of the message.
    pub made: Time64,
    /// Hash of what the accused signed.
    pub message: [u8; 32],
}

/// Effect of an accusation that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted<V> {
    /// The rule does not hold yet: the numbers of reporters and messages of the best window.
    Open {
        /// Number of reporters in the window.
        reporters: usize,
        /// Number of messages in the window.
        messages: usize,
    },
    /// The rule holds: the accused is to be revoked.
    Decided(Decision<V>),
}

/// A vehicle to be revoked, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision<V> {
    /// The vehicle.
    pub accused: V,
    /// Vehicles that reported it, in the window.
    pub reporters: Vec<V>,
    /// Number of messages in the window.
    pub messages: usize,
    /// Time of the first message in the window.
    pub first: Time64,
    /// Time of the last message in the window.
    pub last: Time64,
}

/// Reason why an accusation counts nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotCounted {
    /// A vehicle reports itself.
    Itself,
    /// The reporter is revoked or decided to be.
    RevokedReporter,
    /// The accused is revoked or decided to be: there is nothing left to decide.
    RevokedAccused,
    /// The same vehicle reported the same message before.
    Duplicate,
    /// The message is older than messages are kept.
    TooOld,
    /// The message is of a time to come.
    InFuture,
    /// The reporter accuses [`ACCUSATIONS_MAX`] other vehicles already.
    TooManyAccusations,
    /// [`CASES_MAX`] vehicles are accused.
    NoRoom,
}

/// Messages that one reporter reported in a case: time and hash.
type Reported = Vec<(Time64, [u8; 32])>;

/// All open cases.
#[derive(Clone, Debug)]
pub struct Cases<V> {
    policy: Policy,
    open: BTreeMap<V, BTreeMap<V, Reported>>,
    /// Number of cases in which a vehicle is a reporter.
    accusations: BTreeMap<V, usize>,
    revoked: BTreeSet<V>,
}

impl<V: Copy + Ord> Cases<V> {
    /// Has no case.
    ///
    /// # Errors
    /// [`PolicyError`].
    pub fn new(policy: Policy) -> Result<Self, PolicyError> {
        policy.check()?;
        Ok(Self {
            policy,
            open: BTreeMap::new(),
            accusations: BTreeMap::new(),
            revoked: BTreeSet::new(),
        })
    }

    /// Notes a vehicle that is revoked: its reports count nothing, nor do reports about it.
    pub fn note_revoked(&mut self, vehicle: V) {
        self.close(vehicle);
        // Its reports of others.
        let accused: Vec<V> = self.open.keys().copied().collect();
        if self.accusations.contains_key(&vehicle) {
            for one in accused {
                self.remove(one, vehicle);
            }
        }
        self.revoked.insert(vehicle);
    }

    /// Returns true if a vehicle is revoked, or was decided to be.
    #[must_use]
    pub fn is_revoked(&self, vehicle: V) -> bool {
        self.revoked.contains(&vehicle)
    }

    /// Returns the number of vehicles that are accused.
    #[must_use]
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Returns true if no vehicle is accused.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns the number of messages that are kept.
    #[must_use]
    pub fn messages(&self) -> usize {
        let cases = self.open.values();
        cases.flat_map(BTreeMap::values).map(Vec::len).sum()
    }

    /// Checks what does not need the evidence, which costs signatures.
    ///
    /// # Errors
    /// [`NotCounted::RevokedReporter`].
    pub fn check_reporter(&self, reporter: V) -> Result<(), NotCounted> {
        match self.is_revoked(reporter) {
            true => Err(NotCounted::RevokedReporter),
            false => Ok(()),
        }
    }

    /// Counts an accusation whose evidence was verified.
    ///
    /// # Errors
    /// [`NotCounted`]; nothing is changed then.
    pub fn record(
        &mut self,
        accusation: &Accusation<V>,
        now: Time64,
    ) -> Result<Counted<V>, NotCounted> {
        self.check(accusation, now)?;
        let Accusation {
            accused, reporter, ..
        } = *accusation;
        self.make_room(accused, reporter, now)?;
        let case = self.open.entry(accused).or_default();
        let is_new = !case.contains_key(&reporter);
        let reported = case.entry(reporter).or_default();
        if reported.len() == OF_REPORTER_MAX {
            // The oldest makes room.
            reported.remove(0);
        }
        let at = reported.partition_point(|(made, _)| *made <= accusation.made);
        reported.insert(at, (accusation.made, accusation.message));
        if is_new {
            *self.accusations.entry(reporter).or_default() += 1;
        }
        let counted = self.judge(accused);
        if let Counted::Decided(_) = counted {
            self.note_revoked(accused);
        }
        Ok(counted)
    }

    fn check(&self, accusation: &Accusation<V>, now: Time64) -> Result<(), NotCounted> {
        let Accusation {
            accused,
            reporter,
            made,
            message,
        } = accusation;
        if accused == reporter {
            return Err(NotCounted::Itself);
        }
        self.check_reporter(*reporter)?;
        if self.is_revoked(*accused) {
            return Err(NotCounted::RevokedAccused);
        }
        if made.0 > now.0.saturating_add(CLOCK_AHEAD_US) {
            return Err(NotCounted::InFuture);
        }
        if *made < self.oldest(now) {
            return Err(NotCounted::TooOld);
        }
        let reported = self.open.get(accused).and_then(|case| case.get(reporter));
        match reported.is_some_and(|all| all.iter().any(|(_, other)| other == message)) {
            true => Err(NotCounted::Duplicate),
            false => Ok(()),
        }
    }

    fn oldest(&self, now: Time64) -> Time64 {
        Time64(now.0.saturating_sub(self.policy.retention_us))
    }

    /// Makes room for one more reporter of a case, and for one more case.
    fn make_room(&mut self, accused: V, reporter: V, now: Time64) -> Result<(), NotCounted> {
        let case = self.open.get(&accused);
        if case.is_some_and(|case| case.contains_key(&reporter)) {
            return Ok(());
        }
        let is_full = |cases: &Self| {
            let own = cases.accusations.get(&reporter).copied().unwrap_or(0);
            let any = cases.open.len() >= CASES_MAX && !cases.open.contains_key(&accused);
            (own >= ACCUSATIONS_MAX, any)
        };
        if is_full(self) != (false, false) {
            self.forget_before(self.oldest(now));
        }
        match is_full(self) {
            (true, _) => return Err(NotCounted::TooManyAccusations),
            (_, true) => return Err(NotCounted::NoRoom),
            _ => {}
        }
        let Some(case) = self.open.get(&accused) else {
            return Ok(());
        };
        if case.len() >= REPORTERS_OF_CASE_MAX {
            // The one whose last message is the oldest.
            let last = |(_, reported): &(&V, &Reported)| reported.last().map(|(made, _)| *made);
            let stalest = case.iter().min_by_key(last).map(|(one, _)| *one);
            if let Some(stalest) = stalest {
                self.remove(accused, stalest);
            }
        }
        Ok(())
    }

    /// Forgets messages that were made before a time.
    pub fn forget_before(&mut self, time: Time64) {
        for case in self.open.values_mut() {
            for reported in case.values_mut() {
                reported.retain(|(made, _)| *made >= time);
            }
        }
        let mut ended = Vec::new();
        for (accused, case) in &self.open {
            let empty = case.iter().filter(|(_, reported)| reported.is_empty());
            ended.extend(empty.map(|(reporter, _)| (*accused, *reporter)));
        }
        for (accused, reporter) in ended {
            self.remove(accused, reporter);
        }
    }

    /// Removes what a reporter said in a case, and the case if nothing is left.
    fn remove(&mut self, accused: V, reporter: V) {
        let Some(case) = self.open.get_mut(&accused) else {
            return;
        };
        let was_there = case.remove(&reporter).is_some();
        let count = self.accusations.get_mut(&reporter);
        if let Some(count) = count.filter(|_| was_there) {
            *count -= 1;
            if *count == 0 {
                self.accusations.remove(&reporter);
            }
        }
        if case.is_empty() {
            self.open.remove(&accused);
        }
    }

    /// Closes a case.
    fn close(&mut self, accused: V) {
        let reporters = self.open.get(&accused).into_iter().flat_map(BTreeMap::keys);
        for reporter in reporters.copied().collect::<Vec<V>>() {
            self.remove(accused, reporter);
        }
    }

    /// Applies the rule to a case: to each window that begins with one of its messages.
    fn judge(&self, accused: V) -> Counted<V> {
        let mut best = Counted::Open {
            reporters: 0,
            messages: 0,
        };
        let Some(case) = self.open.get(&accused) else {
            return best;
        };
        let mut all: Vec<(Time64, [u8; 32], V)> = case
            .iter()
            .flat_map(|(reporter, all)| all.iter().map(|(made, hash)| (*made, *hash, *reporter)))
            .collect();
        all.sort_unstable();
        let mut best_count = (0, 0);
        for begin in 0..all.len() {
            let first = all[begin].0;
            let end = first.0.saturating_add(self.policy.window_us);
            let within = all[begin..].iter().take_while(|(made, ..)| made.0 < end);
            let (mut reporters, mut messages) = (BTreeSet::new(), BTreeSet::new());
            let mut last = first;
            for (made, message, reporter) in within {
                reporters.insert(*reporter);
                messages.insert(message);
                last = *made;
            }
            let count = (reporters.len(), messages.len());
            let enough = count.0 >= usize::from(self.policy.reporters)
                && count.1 >= usize::from(self.policy.messages);
            if enough {
                return Counted::Decided(Decision {
                    accused,
                    reporters: reporters.into_iter().collect(),
                    messages: count.1,
                    first,
                    last,
                });
            }
            if count > best_count {
                best_count = count;
                best = Counted::Open {
                    reporters: count.0,
                    messages: count.1,
                };
            }
        }
        best
    }
}

impl fmt::Display for NotCounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Itself => f.write_str("the reporter accuses itself"),
            Self::RevokedReporter => f.write_str("the reporter is revoked"),
            Self::RevokedAccused => f.write_str("the accused is revoked already"),
            Self::Duplicate => f.write_str("the same vehicle reported the same message before"),
            Self::TooOld => f.write_str("the reported message is too old"),
            Self::InFuture => f.write_str("the reported message is of a time to come"),
            Self::TooManyAccusations => write!(
                f,
                "the reporter accuses {ACCUSATIONS_MAX} other vehicles already"
            ),
            Self::NoRoom => write!(f, "{CASES_MAX} vehicles are accused, and no case is old"),
        }
    }
}

impl core::error::Error for NotCounted {}
