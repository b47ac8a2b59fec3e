//! Change of a station's pseudonym \[TS 102 941 §6.1.4\]: it stops sending, gives up its
//! certificate and all other identifiers, and starts again after a silent period.
//!
//! ```text
//! Active --(by time, distance or order)--> the caller changes everything --> Silent --> Active
//!    ^ an active event puts it off, by `lock_max_us` at most
//! ```

use waywarden_v2x_signing::Seed;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::motion::Motion;

/// Rules for the change of pseudonyms. Times are in microseconds.
///
/// `Choice:` ETSI and SAE leave the numbers to deployments; these are of the size that both discuss
/// \[TR 103 415\], \[J2945/1\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangeRules {
    /// Time until a change; `None` if time is no reason.
    pub period_us: Option<u64>,
    /// Distance until a change, in metres; `None` if the distance is no reason.
    pub distance_m: Option<f64>,
    /// Both are made longer by up to this share, drawn each time: who knows the rules then
    /// does not know the moment.
    pub spread: f64,
    /// The station is silent for so long, and up to twice as long, drawn each time.
    pub silence_us: u64,
    /// Longest time by which an announced event delays a change.
    pub lock_max_us: u64,
}

impl Default for ChangeRules {
    fn default() -> Self {
        Self {
            period_us: Some(300_000_000),
            distance_m: None,
            spread: 0.2,
            silence_us: 3_000_000,
            lock_max_us: 255_000_000,
        }
    }
}

impl ChangeRules {
    /// A station that changes only when it is ordered to.
    pub const ON_DEMAND: Self = Self {
        period_us: None,
        distance_m: None,
        spread: 0.0,
        silence_us: 3_000_000,
        lock_max_us: 255_000_000,
    };
}

/// The state of a station's pseudonym.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PseudonymPhase {
    /// The station sends.
    Active,
    /// It has to change everything that names it before it sends again.
    Due,
    /// It has changed, and sends nothing until then.
    Silent(Time64),
}

/// The schedule of a station's pseudonym changes.
#[derive(Clone, Copy, Debug)]
pub struct PseudonymChange {
    rules: ChangeRules,
    phase: PseudonymPhase,
    since: Time64,
    last: Option<Motion>,
    travelled_m: f64,
    /// Factor by which the rules are exceeded this time, from 1.
    factor: f64,
    is_asked: bool,
    /// True if no event may delay the change.
    is_required: bool,
    /// Time since which a change is delayed.
    locked: Option<Time64>,
}

impl PseudonymChange {
    /// Begins with a pseudonym that is fresh.
    #[must_use]
    pub fn new(rules: ChangeRules, now: Time64, seed: &Seed) -> Self {
        let mut change = Self {
            rules,
            phase: PseudonymPhase::Active,
            since: now,
            last: None,
            travelled_m: 0.0,
            factor: 1.0,
            is_asked: false,
            is_required: false,
            locked: None,
        };
        change.draw(seed);
        change
    }

    /// Counts the age of the pseudonym from `now` on if it is counted from later.
    pub(crate) fn begin_by(&mut self, now: Time64) {
        self.since = self.since.min(now);
    }

    fn draw(&mut self, seed: &Seed) -> f64 {
        let drawn = seed.derive::<16>("pseudonym change", 0);
        let (one, other) = drawn.split_at(8);
        let share = |bytes: &[u8]| {
            let word = bytes
                .first_chunk()
                .map_or(0, |one| u64::from_be_bytes(*one));
            (word >> 11) as f64 / (1_u64 << 53) as f64
        };
        self.factor = 1.0 + self.rules.spread.clamp(0.0, 10.0) * share(one);
        share(other)
    }

    /// Asks for a change as soon as it may be.
    pub fn ask(&mut self) {
        self.is_asked = true;
    }

    /// Asks for a change at once: the pseudonym must not be used any more.
    pub fn require(&mut self) {
        self.is_required = true;
    }

    /// Updates the position of the station. `is_locked` is true while it announces an event, which
    /// another station could not continue.
    pub fn update(&mut self, motion: &Motion, now: Time64, is_locked: bool) -> PseudonymPhase {
        match self.phase {
            PseudonymPhase::Silent(until) if now >= until => self.phase = PseudonymPhase::Active,
            PseudonymPhase::Active => {
                if let Some(last) = &self.last {
                    self.travelled_m += motion.distance_m(last);
                }
                self.last = Some(*motion);
                if self.is_due(now) && !self.is_put_off(now, is_locked) {
                    self.phase = PseudonymPhase::Due;
                }
            }
            PseudonymPhase::Silent(_) | PseudonymPhase::Due => {}
        }
        self.phase
    }

    fn is_due(&self, now: Time64) -> bool {
        let age = now.0.saturating_sub(self.since.0) as f64;
        let is_old = |period: u64| age >= period as f64 * self.factor;
        let is_far = |distance: f64| self.travelled_m >= distance * self.factor;
        self.is_asked
            || self.is_required
            || self.rules.period_us.is_some_and(is_old)
            || self.rules.distance_m.is_some_and(is_far)
    }

    fn is_put_off(&mut self, now: Time64, is_locked: bool) -> bool {
        if self.is_required || !is_locked {
            self.locked = None;
            return false;
        }
        let since = *self.locked.get_or_insert(now);
        now.0.saturating_sub(since.0) < self.rules.lock_max_us
    }

    /// The caller has changed everything that names the station. Returns when it sends again.
    pub fn changed(&mut self, now: Time64, seed: &Seed) -> Time64 {
        let share = self.draw(seed);
        let silence = self.rules.silence_us as f64 * (1.0 + share);
        let until = Time64(now.0.saturating_add(silence as u64));
        self.phase = PseudonymPhase::Silent(until);
        self.since = until;
        self.last = None;
        self.travelled_m = 0.0;
        self.is_asked = false;
        self.is_required = false;
        self.locked = None;
        until
    }

    /// Returns the state of the pseudonym.
    #[must_use]
    pub fn phase(&self) -> PseudonymPhase {
        self.phase
    }
}
