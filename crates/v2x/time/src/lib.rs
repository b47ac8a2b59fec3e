//! Time and position of a station or a service, and the decision whether to trust them.
//!
//! [`gpsd`] reads both from a receiver of satellite navigation, [`system`] reads the time from the
//! system's clock. The decisions in [`clock`] and [`system`] need no input and output, so that
//! tests can set the time.
#![forbid(unsafe_code)]

pub mod clock;
mod dead_reckoning;
mod event;
mod fix;
pub mod gpsd;
mod leap_check;
mod leap_fault;
mod monotone;
mod now;
pub mod system;

use std::fmt;
use std::time::Duration;

pub use event::{ClockEvent, FixLoss};
pub use fix::{FixErrors, FixMode, ReceiverFix};
pub use leap_fault::LeapSecondFault;
pub use now::{ClockReading, MachineClock};

use waywarden_v2x_security::region::Accuracy;
use waywarden_v2x_wire::ieee1609dot2::{ThreeDLocation, Time64};

/// Time and position at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeReading {
    /// Time of the reading.
    pub time: Time64,
    /// Reason to sign nothing with this time; `None`: it is trusted.
    pub distrust: Option<UntrustedTime>,
    /// Position of the station at this time; `None`: not known, or not trusted.
    pub position: Option<StationPosition>,
    /// Age of the newest fix, if that is the reason for not knowing the position: it is too old to
    /// say where a vehicle is now.
    pub stale_position: Option<Duration>,
}

/// Position and motion of a station at a time. What is not known is `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StationPosition {
    /// Place of the station.
    pub location: ThreeDLocation,
    /// Heading in hundredths of a degree from north, below 36,000; not known at rest.
    pub heading: Option<u16>,
    /// Speed in cm/s.
    pub speed: Option<u32>,
    /// Turn rate to the left, in hundredths of a degree a second.
    pub turn_rate: Option<i16>,
    /// Acceleration ahead, in cm/s².
    pub acceleration: Option<i16>,
    /// Errors at this time.
    pub accuracy: Accuracy,
}

impl StationPosition {
    /// Returns a position of which only the place is known.
    #[must_use]
    pub fn at(location: ThreeDLocation) -> Self {
        Self {
            location,
            heading: None,
            speed: None,
            turn_rate: None,
            acceleration: None,
            accuracy: Accuracy::default(),
        }
    }
}

/// Reason why a time is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UntrustedTime {
    /// The source has not reported yet.
    NotConnected,
    /// The receiver has no fix.
    NoFix,
    /// The last fix is too old.
    StaleFix,
    /// The time or the position jumped.
    Jump,
    /// The time differs too much from the system's clock.
    SystemClockDiffers,
    /// The system's clock is not synchronised.
    NotSynchronized,
    /// The table of leap seconds is out of date.
    LeapSecondsExpired,
    /// The time is whole leap seconds off the system's clock.
    LeapSecondsDiffer,
}

impl UntrustedTime {
    /// Returns the name of the reason in logs and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotConnected => "notConnected",
            Self::NoFix => "noFix",
            Self::StaleFix => "staleFix",
            Self::Jump => "jump",
            Self::SystemClockDiffers => "systemClockDiffers",
            Self::NotSynchronized => "notSynchronized",
            Self::LeapSecondsExpired => "leapSecondsExpired",
            Self::LeapSecondsDiffer => "leapSecondsDiffer",
        }
    }
}

impl fmt::Display for UntrustedTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotConnected => "gpsd is not connected",
            Self::NoFix => "there is no fix",
            Self::StaleFix => "the last fix is too old",
            Self::Jump => "the time or the position jumped",
            Self::SystemClockDiffers => "the time differs from the system's clock",
            Self::NotSynchronized => "the system's clock is not synchronised",
            Self::LeapSecondsExpired => "the table of leap seconds has expired",
            Self::LeapSecondsDiffer => "the time is whole leap seconds off the system's clock",
        })
    }
}

/// Source of the service's time and position. Calls come from several threads, for each message:
/// they are quick and do not block.
pub trait TimeSource: Send + Sync {
    /// Reads the current time and position.
    fn read(&self) -> TimeReading;

    /// Returns the reason against a time that is used nevertheless, because the settings do not
    /// require otherwise: a difference from the system's clock, an expired table of leap seconds.
    fn doubt(&self) -> Option<UntrustedTime> {
        None
    }
}
