//! Nodes of a simulated vehicle that are not ECUs of it: logs played back, and attackers.

mod backlog;
mod compromised;
mod flood;
mod forged;
mod keying;
mod leaving;
mod playback;
mod replayer;
mod spoof;

pub use backlog::{Backlog, Groups, SKIPPED, Telling, VehicleEcu};
pub use compromised::{Compromised, MODIFIED, SUPPRESSED, Tampering};
pub use flood::Flood;
pub use forged::Forged;
pub use keying::{KEYS, Keyed, News, Order, Renewing, Tiding, Tidings, Timetable};
pub(crate) use keying::{is_key_in_use, word};
pub use leaving::Leaving;
pub use playback::{Lane, Playback};
pub use replayer::Replayer;
pub use spoof::Spoof;
