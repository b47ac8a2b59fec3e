//! Nodes of a simulated vehicle that are not ECUs of it: logs played back, and attackers.

mod authorising;
mod backlog;
mod compromised;
mod flood;
mod forged;
mod impostor;
mod keying;
mod leaving;
mod playback;
mod replayer;
mod spoof;
mod tidings;
mod timetable;

pub(crate) use authorising::event_word;
pub use authorising::{AUTHORISATION, Authorised, Authorising, Decree, Names, Post};
pub use backlog::{Backlog, Groups, SKIPPED, Telling, VehicleEcu};
pub use compromised::{Compromised, MODIFIED, SUPPRESSED, Tampering};
pub use flood::Flood;
pub use forged::Forged;
pub use impostor::{Impostor, Names as ImpostorNames};
pub use keying::{KEYS, Keyed, Order, Renewing};
pub(crate) use keying::{is_key_in_use, word};
pub use leaving::Leaving;
pub use playback::{Lane, Playback};
pub use replayer::Replayer;
pub use spoof::Spoof;
pub use tidings::{KeyRole, KeyTable, News, Receipts, Tiding, Tidings};
pub use timetable::Timetable;
