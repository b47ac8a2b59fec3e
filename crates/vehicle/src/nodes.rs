//! Nodes of a simulated vehicle that are not ECUs of it: logs played back, and attackers.

mod application;
mod authenticating;
mod authorising;
mod backlog;
mod compromised;
mod flood;
mod forged;
mod forger;
mod group_keys;
mod impostor;
mod key_frames;
mod keying;
mod leaving;
mod ledger;
mod man_in_the_middle;
mod masquerade;
mod overhearing;
mod playback;
mod relay;
mod replayer;
mod spoof;
mod tidings;
mod timetable;
mod verdict;

pub(crate) use application::display_origin;
pub use application::{
    Application, DISPLAY, FORGERY, Handled, INPUT, INTRUSION, Intrusion, Matters, Origin,
    REFUSED_CALL,
};
pub use authenticating::{Authentic, Authenticating, Desk};
pub(crate) use authorising::event_word;
pub use authorising::{AUTHORISATION, Authorised, Authorising, Decree, Names, Post};
pub use backlog::{Backlog, Groups, SKIPPED, Telling, VehicleEcu, is_intruders};
pub use compromised::{Compromised, MODIFIED, SUPPRESSED, Tampering, Target};
pub use flood::Flood;
pub use forged::Forged;
pub use forger::{Forger, Plan as ForgeryPlan};
pub use group_keys::{FollowingKey, FollowingKeys, GroupKeyId, KeysInUse, RenewableKeys};
pub use impostor::{Impostor, Names as ImpostorNames};
pub use key_frames::KeyFrameMatcher;
pub use keying::{KEYS, Keyed, Order, PublishedKeys, Renewing};
pub(crate) use keying::{is_key_in_use, word};
pub use leaving::Leaving;
pub use ledger::{Genuine, Ledger, REMEMBERED};
pub use man_in_the_middle::{ManInTheMiddle, MiddlePlan};
pub use masquerade::{MakePlayed, Masked, Masquerade, Sessions};
pub use overhearing::Overhearing;
pub use playback::{Lane, Playback};
pub use relay::Relay;
pub use replayer::{Replayer, Which};
pub use spoof::Spoof;
pub use tidings::{KeyRole, KeyTable, News, Receipts, RoleTable, Tiding, Tidings};
pub use timetable::Timetable;
pub(crate) use verdict::verdict_word;
pub use verdict::{AUTHENTICATION, Found, Verdict};
