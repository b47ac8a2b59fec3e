//! Inputs of a station: time, position, frames.

use std::sync::Arc;
use std::time::Duration;

use waywarden_v2x_station::Motion;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::attack::StationAttack;

/// A moment on the two clocks of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StationMoment {
    /// The time that messages have, as the station's clock shows it. It may step.
    pub time: Time64,
    /// The time since the run began. It never goes back.
    pub elapsed: Duration,
}

/// Time and position as a station knows them.
#[derive(Clone, Debug, PartialEq)]
pub struct StationFix {
    /// Time on the station's clock.
    pub time: Time64,
    /// Reason why the time is not trusted; `None`: it is.
    pub distrust: Option<String>,
    /// The place and the movement at this time; `None`: not known.
    pub motion: Option<Motion>,
    /// Age of the last position, if it is too old to be extrapolated.
    pub stale_position: Option<Duration>,
}

/// Source of a station's time and position (PoTi, the position and time management of ETSI's
/// facilities).
pub trait PositionAndTime: Send {
    /// Reads time and place so long after the begin of the run; `None` before the station comes
    /// and after it has left: it neither sends nor hears then.
    fn read(&mut self, elapsed: Duration) -> Option<StationFix>;
}

/// True kind of a frame's sender. Stations do not see it: it is for the reports of a laboratory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SenderOrigin {
    /// A station that keeps the rules.
    Honest,
    /// An attacker.
    Attack(StationAttack),
    /// Not known: the frame came from outside of the process.
    Unknown,
}

impl SenderOrigin {
    /// Returns its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Honest => "honest",
            Self::Attack(attack) => attack.name(),
            Self::Unknown => "unknown",
        }
    }
}

/// A frame of Ethernet, without its check sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct EthernetFrame {
    /// Bytes from the destination address on.
    pub bytes: Arc<[u8]>,
    /// True kind of the sender.
    pub origin: SenderOrigin,
}
