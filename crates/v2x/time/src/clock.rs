//! Trust in the time and position of a receiver: a state machine without input and output.
//!
//! It compares each fix with the one before it. Between fixes time advances with the monotonic
//! clock. What it cannot find: a spoofer that drags time or position away slower than the bounds,
//! and one that was there before the first fix, unless the system's clock is to agree.

mod events;
mod system_difference;

use std::time::Duration;

use waywarden_v2x_security::time::LeapSeconds;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use self::events::Events;
use super::dead_reckoning::DeadReckoning;
use super::fix::Place;
use super::leap_check::LeapSecondCheck;
use super::monotone::LatestTrusted;
use super::now::{microseconds, signed};
use super::{ClockEvent, ClockReading, FixLoss, FixMode, ReceiverFix, TimeReading, UntrustedTime};

/// Rules for trust in time and position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockSettings {
    /// Maximum age of the newest fix: 2 s; 0.2 s to 60 s make sense.
    pub max_age: Duration,
    /// Longest time after a fix for which a position is extrapolated: 1.5 s, for a fix a second
    /// that comes late. Beyond it the position is not known; 0.1 s to 10 s make sense.
    pub max_extrapolation: Duration,
    /// Maximum speed of a position, in m/s: 100, faster than any road vehicle. The errors that the
    /// receiver estimates are added.
    pub max_speed: f64,
    /// Maximum difference between the time of a fix and the one extrapolated with the monotonic
    /// clock: 200 ms. It has room for the unknown delay from the receiver to here.
    pub max_time_step: Duration,
    /// Number of consistent fixes in a row that restore trust after a jump: 10, at least 1.
    pub recovery: u32,
    /// Maximum difference between the time and the system's clock: 5 s. `None`, or zero, disables
    /// the comparison.
    pub max_system_difference: Option<Duration>,
    /// True if time that differs from the system's clock is distrusted; by default it is only
    /// reported.
    pub require_system_agreement: bool,
    /// Maximum step of the system's clock without a report: 500 ms.
    pub max_system_step: Duration,
    /// True if time is distrusted once the table of leap seconds has expired; by default it is
    /// only reported.
    pub require_leap_seconds: bool,
}

impl Default for ClockSettings {
    fn default() -> Self {
        Self {
            max_age: Duration::from_secs(2),
            max_extrapolation: Duration::from_millis(1_500),
            max_speed: 100.0,
            max_time_step: Duration::from_millis(200),
            recovery: 10,
            max_system_difference: Some(Duration::from_secs(5)),
            require_system_agreement: false,
            max_system_step: Duration::from_millis(500),
            require_leap_seconds: false,
        }
    }
}

/// Allowed error of a position beyond the receiver's estimate, in metres.
const PLACE_MARGIN: f64 = 10.0;

/// Allowed drift of a monotonic clock: 200 millionths, 1 / 5,000. Crystals have 20 to 100.
const DRIFT_DIVISOR: u32 = 5_000;

/// A fix with all values that are compared.
#[derive(Clone, Copy, Debug)]
struct Sample {
    monotonic: Duration,
    time: Time64,
    place: Place,
}

/// Fixes after a jump.
#[derive(Clone, Copy, Debug)]
struct Suspect {
    newest: Sample,
    consistent: u32,
}

/// The time and position of a receiver, and whether they are trusted. Feed it with
/// [`handle_fix`](Self::handle_fix) and the others, then take [`next_event`](Self::next_event)
/// until there is none. `now` must not go back in its monotonic part.
#[derive(Debug)]
pub struct Clock {
    settings: ClockSettings,
    leap_seconds: LeapSeconds,
    is_connected: bool,
    /// Reason why there is no fix; `None`: there is one.
    loss: Option<FixLoss>,
    /// Newest consistent fix.
    reference: Option<Sample>,
    suspect: Option<Suspect>,
    reckoning: DeadReckoning,
    latest: LatestTrusted,
    is_behind: bool,
    system_differs: bool,
    leap_check: LeapSecondCheck,
    is_expired: bool,
    before: Option<ClockReading>,
    events: Events,
}

impl Sample {
    /// Extrapolates the time to a later moment of the monotonic clock.
    fn extrapolated(&self, monotonic: Duration) -> Time64 {
        let passed = microseconds(monotonic.saturating_sub(self.monotonic));
        Time64(self.time.0.saturating_add_signed(passed))
    }
}

impl Clock {
    /// Creates a clock whose receiver has not reported yet.
    #[must_use]
    pub fn new(settings: ClockSettings, leap_seconds: LeapSeconds) -> Self {
        Self {
            settings,
            leap_seconds,
            is_connected: false,
            loss: Some(FixLoss::NoFix),
            reference: None,
            suspect: None,
            reckoning: DeadReckoning::default(),
            latest: LatestTrusted::default(),
            is_behind: false,
            system_differs: false,
            leap_check: LeapSecondCheck::default(),
            is_expired: false,
            before: None,
            events: Events::default(),
        }
    }

    /// Replaces the table of leap seconds.
    pub fn set_leap_seconds(&mut self, leap_seconds: LeapSeconds) {
        self.leap_seconds = leap_seconds;
    }

    /// Records that the receiver's source is connected, or is no longer connected.
    pub fn handle_connection(&mut self, is_connected: bool, now: ClockReading) {
        self.advance(now);
        if self.is_connected != is_connected {
            self.is_connected = is_connected;
            self.events.push(match is_connected {
                true => ClockEvent::Connected,
                false => ClockEvent::Disconnected,
            });
        }
    }

    /// Takes a report of the receiver that arrives now. One with a fix but without a time or a
    /// place changes nothing: what is known becomes too old.
    pub fn handle_fix(&mut self, fix: &ReceiverFix, now: ClockReading) {
        self.advance(now);
        if fix.mode == FixMode::None {
            self.lose(FixLoss::NoFix);
            return;
        }
        let Some(sample) = self.sample(fix, now) else {
            return;
        };
        let Some(newest) = self.newest() else {
            self.accept(fix, sample);
            return;
        };
        let difference = self.compare(&newest, &sample);
        match (difference, &mut self.suspect) {
            // gpsd reports each sentence of a receiver, and the last one knows most.
            (None, None) if sample.time == newest.time => {
                self.follow(fix, &sample);
            }
            (None, _) if sample.time <= newest.time => {}
            (None, None) => self.accept(fix, sample),
            (None, Some(suspect)) => {
                suspect.newest = sample;
                suspect.consistent = suspect.consistent.saturating_add(1);
                if suspect.consistent >= self.settings.recovery {
                    self.suspect = None;
                    self.reckoning.restart();
                    self.accept(fix, sample);
                    self.events.push(ClockEvent::Recovered);
                } else {
                    self.gain();
                }
            }
            (Some(jump), suspect) => {
                let is_first = suspect.is_none();
                *suspect = Some(Suspect {
                    newest: sample,
                    consistent: 0,
                });
                self.gain();
                // One report for a jump: the fixes after it may jump, too.
                if is_first {
                    self.events.push(jump);
                }
            }
        }
    }

    /// Finds what changes with time alone: a fix too old, the system's clock set, the table of leap
    /// seconds expired. Call it a few times a second.
    pub fn advance(&mut self, now: ClockReading) {
        if let Some(before) = self.before.replace(now) {
            let passed = microseconds(now.monotonic.saturating_sub(before.monotonic));
            let by = now
                .system
                .saturating_sub(before.system)
                .saturating_sub(passed);
            if by.saturating_abs() > microseconds(self.settings.max_system_step) {
                self.events.push(ClockEvent::SystemClockStepped { by });
            }
        }
        let newest = self.newest().map(|newest| newest.monotonic);
        let age = newest.map(|newest| now.monotonic.saturating_sub(newest));
        if age.is_some_and(|age| age > self.settings.max_age) {
            self.lose(FixLoss::Stale);
        }
        self.compare_with_system(now);
        let is_expired = self.leap_seconds.is_expired(self.time(now));
        if is_expired != self.is_expired {
            self.is_expired = is_expired;
            self.events.push(match is_expired {
                true => ClockEvent::LeapSecondsExpired,
                false => ClockEvent::LeapSecondsRenewed,
            });
        }
    }

    /// Reads the time, and the position at that time. Trusted times never go back. Without trust
    /// the time is the best guess: that of the last trusted fix and the monotonic clock, or that of
    /// the system's clock.
    pub fn read(&mut self, now: ClockReading) -> TimeReading {
        self.advance(now);
        let mut time = self.time(now);
        let mut distrust = self.distrust();
        if distrust.is_none() {
            match self.admit(time) {
                Some(admitted) => time = admitted,
                None => distrust = Some(UntrustedTime::Jump),
            }
        }
        let is_placed = matches!(
            distrust,
            None | Some(UntrustedTime::SystemClockDiffers | UntrustedTime::LeapSecondsExpired)
        );
        let position = is_placed.then(|| self.reckoning.at(time)).flatten();
        let is_stale = self.is_too_old(time);
        TimeReading {
            time,
            distrust,
            position: position.filter(|_| is_stale.is_none()),
            stale_position: is_stale,
        }
    }

    /// The age of the newest fix, if it is beyond the bound and nothing else is wrong.
    fn is_too_old(&self, time: Time64) -> Option<Duration> {
        let is_followed = self.suspect.is_none() && self.loss != Some(FixLoss::NoFix);
        let age = self.reckoning.age_us(time).filter(|_| is_followed);
        let age = age.map(Duration::from_micros);
        age.filter(|age| *age > self.settings.max_extrapolation)
    }

    /// Returns the next event. At most 64 wait; of further ones only the number is reported.
    pub fn next_event(&mut self) -> Option<ClockEvent> {
        self.events.next()
    }

    fn newest(&self) -> Option<Sample> {
        let suspect = self.suspect.map(|suspect| suspect.newest);
        suspect.or(self.reference)
    }

    fn sample(&self, fix: &ReceiverFix, now: ClockReading) -> Option<Sample> {
        let unix = fix.unix?;
        let expected = self.newest().map(|one| one.extrapolated(now.monotonic));
        let time = match expected {
            Some(expected) => self.leap_seconds.from_unix_near(unix, expected)?,
            None => self.leap_seconds.from_unix(unix)?,
        };
        Some(Sample {
            monotonic: now.monotonic,
            time,
            place: fix.place()?,
        })
    }

    /// Returns the inconsistency between two fixes, if there is one.
    fn compare(&self, before: &Sample, after: &Sample) -> Option<ClockEvent> {
        let passed = after.monotonic.saturating_sub(before.monotonic);
        let by = signed(after.time).saturating_sub(signed(before.extrapolated(after.monotonic)));
        let allowed = self
            .settings
            .max_time_step
            .saturating_add(passed / DRIFT_DIVISOR);
        if by.saturating_abs() > microseconds(allowed) {
            return Some(ClockEvent::TimeJump { by });
        }
        // A fix that was delayed leaves less time to the next one by the monotonic clock.
        let by_source = Duration::from_micros(after.time.0.saturating_sub(before.time.0));
        let margin = PLACE_MARGIN + before.place.accuracy + after.place.accuracy;
        let seconds = passed.max(by_source).as_secs_f64();
        let allowed = self.settings.max_speed.max(0.0) * seconds + margin;
        let moved = before.place.distance(&after.place);
        (moved > allowed).then_some(ClockEvent::PositionJump { moved, allowed })
    }

    fn accept(&mut self, fix: &ReceiverFix, sample: Sample) {
        self.follow(fix, &sample);
        self.reference = Some(sample);
        self.gain();
    }

    /// Takes a fix to extrapolate from. A speed that no vehicle has is as good as none.
    fn follow(&mut self, fix: &ReceiverFix, sample: &Sample) {
        let most = self.settings.max_speed.max(0.0);
        let fix = ReceiverFix {
            speed: fix.speed.filter(|speed| *speed <= most),
            ..*fix
        };
        self.reckoning.take(&fix, &sample.place, sample.time);
    }

    fn gain(&mut self) {
        if self.loss.take().is_some() {
            self.events.push(ClockEvent::FixGained);
        }
    }

    fn lose(&mut self, why: FixLoss) {
        if self.loss.is_none() {
            self.loss = Some(why);
            self.events.push(ClockEvent::FixLost(why));
        }
    }

    fn admit(&mut self, time: Time64) -> Option<Time64> {
        let tolerance = microseconds(self.settings.max_time_step);
        let admitted = self.latest.admit(time, tolerance);
        if admitted.is_err() != self.is_behind {
            self.is_behind = admitted.is_err();
            self.events.push(match admitted {
                Err(by) => ClockEvent::TimeBehind { by },
                Ok(_) => ClockEvent::Recovered,
            });
        }
        admitted.ok()
    }

    fn time(&self, now: ClockReading) -> Time64 {
        let known = self.reference.map(|one| one.extrapolated(now.monotonic));
        let system = || self.leap_seconds.from_unix(now.system);
        known.or_else(system).unwrap_or(Time64(0))
    }

    fn distrust(&self) -> Option<UntrustedTime> {
        if let Some(loss) = self.loss {
            return Some(match (self.is_connected, loss) {
                (false, _) => UntrustedTime::NotConnected,
                (true, FixLoss::NoFix) => UntrustedTime::NoFix,
                (true, FixLoss::Stale) => UntrustedTime::StaleFix,
            });
        }
        if self.suspect.is_some() {
            return Some(UntrustedTime::Jump);
        }
        if self.system_differs && self.settings.require_system_agreement {
            return Some(UntrustedTime::SystemClockDiffers);
        }
        let needs_table = self.settings.require_leap_seconds;
        (self.is_expired && needs_table).then_some(UntrustedTime::LeapSecondsExpired)
    }
}
