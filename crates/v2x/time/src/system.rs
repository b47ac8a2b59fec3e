//! The system's clock as the source of time, for a roadside unit or a vehicle with NTP or PTP.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use waywarden_v2x_security::time::LeapSeconds;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::monotone::LatestTrusted;
use super::now::{microseconds, signed};
use super::{
    ClockEvent, ClockReading, MachineClock, StationPosition, TimeReading, TimeSource, UntrustedTime,
};

/// Rules for trust in the system's clock.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemSettings {
    /// File that exists once the clock is synchronised, such as
    /// `/run/systemd/timesync/synchronized` of systemd. `None`: the clock is always trusted.
    pub synchronized_file: Option<PathBuf>,
    /// Maximum backward step without distrust, during which the time stands still: 50 ms; 0 to 1 s
    /// make sense.
    pub max_backward_step: Duration,
    /// Maximum step of the clock without a report: 500 ms.
    pub max_step: Duration,
    /// True if time is distrusted once the table of leap seconds has expired; by default it is
    /// only reported.
    pub require_leap_seconds: bool,
    /// Fixed position of the station, such as a roadside unit; `None`: not known.
    pub position: Option<StationPosition>,
}

impl Default for SystemSettings {
    fn default() -> Self {
        Self {
            synchronized_file: None,
            max_backward_step: Duration::from_millis(50),
            max_step: Duration::from_millis(500),
            require_leap_seconds: false,
            position: None,
        }
    }
}

/// Trust in readings of the system's clock: a state machine without input and output.
#[derive(Debug)]
pub struct SystemMonitor {
    settings: SystemSettings,
    leap_seconds: LeapSeconds,
    /// Last reading: the monotonic clock and the time.
    before: Option<(Duration, Time64)>,
    latest: LatestTrusted,
    is_behind: bool,
    is_synchronized: Option<bool>,
    is_expired: bool,
}

impl SystemMonitor {
    /// Creates a monitor without a reading.
    #[must_use]
    pub fn new(settings: SystemSettings, leap_seconds: LeapSeconds) -> Self {
        Self {
            settings,
            leap_seconds,
            before: None,
            latest: LatestTrusted::default(),
            is_behind: false,
            is_synchronized: None,
            is_expired: false,
        }
    }

    /// Replaces the table of leap seconds.
    pub fn set_leap_seconds(&mut self, leap_seconds: LeapSeconds) {
        self.leap_seconds = leap_seconds;
    }

    /// Judges a reading of the clocks, and appends what happened: at most four events. Trusted
    /// times never go back: after a step back nothing is trusted until the clock has caught up.
    pub fn read(
        &mut self,
        now: ClockReading,
        is_synchronized: bool,
        events: &mut Vec<ClockEvent>,
    ) -> TimeReading {
        let mut time = self.time(now, events);
        let is_expired = self.leap_seconds.is_expired(time);
        if std::mem::replace(&mut self.is_expired, is_expired) != is_expired {
            events.push(match is_expired {
                true => ClockEvent::LeapSecondsExpired,
                false => ClockEvent::LeapSecondsRenewed,
            });
        }
        if self.is_synchronized.replace(is_synchronized) != Some(is_synchronized) {
            events.push(match is_synchronized {
                true => ClockEvent::Synchronized,
                false => ClockEvent::NotSynchronized,
            });
        }
        let distrust = if !is_synchronized {
            Some(UntrustedTime::NotSynchronized)
        } else if is_expired && self.settings.require_leap_seconds {
            Some(UntrustedTime::LeapSecondsExpired)
        } else if let Some(admitted) = self.admit(time, events) {
            time = admitted;
            None
        } else {
            Some(UntrustedTime::Jump)
        };
        TimeReading {
            time,
            distrust,
            position: self.settings.position,
            stale_position: None,
        }
    }

    /// The time of now. In a leap second the monotonic clock tells which of two it is.
    fn time(&mut self, now: ClockReading, events: &mut Vec<ClockEvent>) -> Time64 {
        let Some((monotonic, time)) = self.before else {
            let time = self.leap_seconds.from_unix(now.system);
            let time = time.unwrap_or(Time64(0));
            self.before = Some((now.monotonic, time));
            return time;
        };
        let passed = microseconds(now.monotonic.saturating_sub(monotonic));
        let expected = Time64(time.0.saturating_add_signed(passed));
        let time = self.leap_seconds.from_unix_near(now.system, expected);
        let time = time.unwrap_or(Time64(0));
        let by = signed(time).saturating_sub(signed(expected));
        if by.saturating_abs() > microseconds(self.settings.max_step) {
            events.push(ClockEvent::SystemClockStepped { by });
        }
        self.before = Some((now.monotonic, time));
        time
    }

    fn admit(&mut self, time: Time64, events: &mut Vec<ClockEvent>) -> Option<Time64> {
        let tolerance = microseconds(self.settings.max_backward_step);
        let admitted = self.latest.admit(time, tolerance);
        if admitted.is_err() != self.is_behind {
            self.is_behind = admitted.is_err();
            events.push(match admitted {
                Err(by) => ClockEvent::TimeBehind { by },
                Ok(_) => ClockEvent::Recovered,
            });
        }
        admitted.ok()
    }
}

/// Interval between looks for the file.
const FILE_INTERVAL: Duration = Duration::from_secs(1);

/// The system's clock as a [`TimeSource`].
pub struct SystemClock {
    clock: MachineClock,
    file: Option<PathBuf>,
    state: Mutex<State>,
    observe: Box<dyn Fn(&ClockEvent) + Send + Sync>,
}

struct State {
    monitor: SystemMonitor,
    /// Time of the last look for the file, and whether the file existed.
    looked: Option<(Duration, bool)>,
}

impl SystemClock {
    /// Creates a source. Events are logged and handed to `observe`, in the thread that reads the
    /// time; it must not wait, nor read the time.
    #[must_use]
    pub fn new(
        settings: SystemSettings,
        leap_seconds: LeapSeconds,
        observe: impl Fn(&ClockEvent) + Send + Sync + 'static,
    ) -> Self {
        Self {
            clock: MachineClock::new(),
            file: settings.synchronized_file.clone(),
            state: Mutex::new(State {
                monitor: SystemMonitor::new(settings, leap_seconds),
                looked: None,
            }),
            observe: Box::new(observe),
        }
    }

    /// Replaces the table of leap seconds.
    pub fn set_leap_seconds(&self, leap_seconds: LeapSeconds) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.monitor.set_leap_seconds(leap_seconds);
    }

    fn is_synchronized(&self, state: &mut State, now: ClockReading) -> bool {
        let Some(file) = &self.file else {
            return true;
        };
        if let Some((at, found)) = state.looked
            && now.monotonic.saturating_sub(at) < FILE_INTERVAL
        {
            return found;
        }
        let found = file.exists();
        state.looked = Some((now.monotonic, found));
        found
    }
}

impl TimeSource for SystemClock {
    fn read(&self) -> TimeReading {
        let mut events = Vec::new();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Within the lock, so that readings come in the order of their clocks.
        let now = self.clock.now();
        let is_synchronized = self.is_synchronized(&mut state, now);
        let reading = state.monitor.read(now, is_synchronized, &mut events);
        drop(state);
        for event in &events {
            event.log();
            (self.observe)(event);
        }
        reading
    }

    fn doubt(&self) -> Option<UntrustedTime> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_expired = state.monitor.is_expired;
        is_expired.then_some(UntrustedTime::LeapSecondsExpired)
    }
}

impl fmt::Debug for SystemClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SystemClock")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}
