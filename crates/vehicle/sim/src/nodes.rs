//! Nodes of a simulated vehicle that are not ECUs of it: logs played back, and attackers.

mod application;
mod attacker_node;
mod authentication_role;
mod authorization_role;
mod compromised;
mod firmware_ecu;
mod flood;
mod forged;
mod forger;
mod group_key_role;
mod impostor;
mod instrumented;
mod key_frames;
mod key_role;
mod man_in_the_middle;
mod masquerade;
mod message_names;
mod overhearing_role;
mod playback;
mod relay;
mod replayer;
mod session_keys;
mod spoof;

pub use application::{Application, ApplicationConfig, Handled, Intrusion};
pub use attacker_node::AttackerNode;
pub use authentication_role::{AuthenticationContext, AuthenticationRole, MessageAuthenticator};
pub use authorization_role::{
    AdministrativeCommand, AdministrativeTimetable, AuthorizationContext, AuthorizationRole,
    GrantedKeys, LasanRole, NetworkPlaces,
};
pub use compromised::{Compromised, FrameTampering, TamperingTarget};
pub use firmware_ecu::{FailedImage, FirmwareEcu, ImageBoot, ImageChecks, ImageContext};
pub use flood::Flood;
pub use forged::Forged;
pub use forger::{Forger, ForgeryPlan};
pub use group_key_role::{AnyGroupRole, GroupKeyRole, GroupKnowledge, PublishedKeys, TimedParty};
pub use impostor::{Impostor, ImpostorNames};
pub use instrumented::{InstrumentedEcu, VehicleEcu};
pub use key_frames::KeyFrameMatcher;
pub use key_role::{CheckedMessage, KeyRole};
pub use man_in_the_middle::{ManInTheMiddle, MiddlePlan};
pub use masquerade::{MakePlayed, Masquerade, MasqueradePlan, Sessions};
pub use message_names::{MessageNames, OwnStream};
pub use overhearing_role::OverhearingRole;
pub use playback::{Lane, Playback};
pub use relay::Relay;
pub use replayer::{ReplaySelection, Replayer};
pub use session_keys::{FollowingKeys, GrantId, GroupKeyId, KeysInUse, SessionKeyId};
pub use spoof::Spoof;
