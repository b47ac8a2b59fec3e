//! Events of a source of time, for logs and metrics.

use std::fmt;

use super::{LeapSecondFault, UntrustedTime};

/// Reason why there is no fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixLoss {
    /// The receiver reports that it has none.
    NoFix,
    /// The receiver, or gpsd, has sent none for too long.
    Stale,
}

/// Event of a source of time and position. Spans are in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClockEvent {
    /// gpsd is connected.
    Connected,
    /// The connection to gpsd is lost.
    Disconnected,
    /// This number of lines from this connection to gpsd could not be read and were skipped.
    /// Reported for the first one and whenever their number gains a digit.
    LinesSkipped(u64),
    /// There is a fix, for the first time or again.
    FixGained,
    /// There is no fix any more.
    FixLost(FixLoss),
    /// The position moved further than a vehicle can. Distances are in metres.
    PositionJump {
        /// Distance that the position moved.
        moved: f64,
        /// Maximum distance that a vehicle could have moved.
        allowed: f64,
    },
    /// The time differs from the one that the monotonic clock leads to.
    TimeJump {
        /// Difference, positive if the time is later.
        by: i64,
    },
    /// The time has gone back behind one that was trusted. It is not trusted until it has caught
    /// up.
    TimeBehind {
        /// Span by which the time is behind.
        by: i64,
    },
    /// The time is trusted again after a jump, or after it went back.
    Recovered,
    /// The time differs from the system's clock by more than the bound.
    SystemClockDiffers {
        /// Difference, positive if the time is later.
        by: i64,
    },
    /// The time agrees with the system's clock again.
    SystemClockAgrees,
    /// The time is whole leap seconds off the system's clock.
    LeapSecondsDiffer {
        /// Difference, positive if the time is later.
        by: i64,
        /// Likely cause.
        fault: LeapSecondFault,
    },
    /// The time is no longer whole leap seconds off the system's clock.
    LeapSecondsAgree,
    /// The system's clock was set.
    SystemClockStepped {
        /// Size of the step, positive if forward.
        by: i64,
    },
    /// The system's clock was found to be synchronised.
    Synchronized,
    /// The system's clock is not synchronised any more.
    NotSynchronized,
    /// The table of leap seconds has expired.
    LeapSecondsExpired,
    /// A table of leap seconds that has not expired is in use again.
    LeapSecondsRenewed,
    /// This number of events before this one was not recorded.
    Missed(u64),
}

impl ClockEvent {
    /// Returns the name of the event in logs and metrics.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::Disconnected => "disconnected",
            Self::LinesSkipped(_) => "linesSkipped",
            Self::FixGained => "fixGained",
            Self::FixLost(_) => "fixLost",
            Self::PositionJump { .. } => "positionJump",
            Self::TimeJump { .. } => "timeJump",
            Self::TimeBehind { .. } => "timeBehind",
            Self::Recovered => "recovered",
            Self::SystemClockDiffers { .. } => "systemClockDiffers",
            Self::SystemClockAgrees => "systemClockAgrees",
            Self::LeapSecondsDiffer { .. } => "leapSecondsDiffer",
            Self::LeapSecondsAgree => "leapSecondsAgree",
            Self::SystemClockStepped { .. } => "systemClockStepped",
            Self::Synchronized => "synchronized",
            Self::NotSynchronized => "notSynchronized",
            Self::LeapSecondsExpired => "leapSecondsExpired",
            Self::LeapSecondsRenewed => "leapSecondsRenewed",
            Self::Missed(_) => "missed",
        }
    }

    /// Returns whether an operator should know: a warning in the log, not information.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        !matches!(
            self,
            Self::Connected
                | Self::FixGained
                | Self::Recovered
                | Self::SystemClockAgrees
                | Self::LeapSecondsAgree
                | Self::Synchronized
                | Self::LeapSecondsRenewed
        )
    }

    /// Logs the event, as a warning or as information.
    pub(super) fn log(&self) {
        let name = self.name();
        match self.is_warning() {
            true => tracing::warn!(event = name, "time: {self}"),
            false => tracing::info!(event = name, "time: {self}"),
        }
    }
}

/// Microseconds as milliseconds with a sign.
struct Milliseconds(i64);

impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+} ms", self.0 / 1_000)
    }
}

impl fmt::Display for ClockEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected => f.write_str("gpsd is connected"),
            Self::Disconnected => write!(f, "{}", UntrustedTime::NotConnected),
            Self::LinesSkipped(lines) => write!(
                f,
                "lines of gpsd that cannot be read were skipped, {lines} so far; check the \
                 connection to gpsd"
            ),
            Self::FixGained => f.write_str("there is a fix"),
            Self::FixLost(FixLoss::NoFix) => f.write_str("the receiver has lost its fix"),
            Self::FixLost(FixLoss::Stale) => write!(f, "{}", UntrustedTime::StaleFix),
            Self::PositionJump { moved, allowed } => write!(
                f,
                "the position jumped by {moved:.0} m, at most {allowed:.0} m were possible; check \
                 the antenna and the receiver for spoofing"
            ),
            Self::TimeJump { by } => write!(
                f,
                "the time jumped by {}; check the antenna and the receiver for spoofing",
                Milliseconds(*by)
            ),
            Self::TimeBehind { by } => write!(
                f,
                "the time is {} behind one that was trusted; it is not trusted until it has caught \
                 up, or until a restart",
                Milliseconds(*by)
            ),
            Self::Recovered => f.write_str("the time is trusted again"),
            Self::SystemClockDiffers { by } => write!(
                f,
                "the time differs by {} from the system's clock; check the receiver and NTP",
                Milliseconds(*by)
            ),
            Self::SystemClockAgrees => f.write_str("the time agrees with the system's clock"),
            Self::LeapSecondsDiffer { by, fault } => write!(
                f,
                "the time differs by {} from the system's clock, {fault}",
                Milliseconds(*by)
            ),
            Self::LeapSecondsAgree => {
                f.write_str("the time is no longer whole leap seconds off the system's clock")
            }
            Self::SystemClockStepped { by } => {
                write!(f, "the system's clock was set by {}", Milliseconds(*by))
            }
            Self::Synchronized => f.write_str("the system's clock is synchronised"),
            Self::NotSynchronized => write!(f, "{}", UntrustedTime::NotSynchronized),
            Self::LeapSecondsExpired => write!(
                f,
                "{}; install a new leap-seconds.list",
                UntrustedTime::LeapSecondsExpired
            ),
            Self::LeapSecondsRenewed => f.write_str("the table of leap seconds is valid"),
            Self::Missed(count) => write!(f, "{count} events were not recorded"),
        }
    }
}
