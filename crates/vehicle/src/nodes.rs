//! Nodes of a simulated vehicle that are not ECUs of it: logs played back, and attackers.

mod backlog;
mod compromised;
mod flood;
mod forged;
mod leaving;
mod playback;
mod replayer;
mod spoof;

pub use backlog::{Backlog, SKIPPED, Telling};
pub use compromised::{Compromised, MODIFIED, SUPPRESSED, Tampering};
pub use flood::Flood;
pub use forged::Forged;
pub use leaving::Leaving;
pub use playback::{Lane, Playback};
pub use replayer::Replayer;
pub use spoof::Spoof;
