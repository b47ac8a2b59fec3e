//! An ECU image under a LASAN security module, or the module: by the crates as published, in a main
//! loop over one transmit mailbox.
//!
//! `waywarden-firmware-ecu` has what images share, `waywarden-firmware-secoc` the authenticator of
//! streams; here are the network's role, and the keys that follow what it is granted.
#![no_std]
#![forbid(unsafe_code)]

mod grants;
mod party;
mod role;

use waywarden_firmware_ecu::Start;
use waywarden_firmware_link::LasanRecord;

pub use self::grants::{GrantedKeys, Grants};
pub use self::party::Party;
pub use self::role::{LasanRole, Places, Roles, roles};

/// The values of a boot of a party under a security module.
pub type LasanStart = Start<LasanRecord>;

/// Number of ECUs that a security module authenticates at a time, as a simulated one does.
pub const HANDSHAKES: usize = 4;
/// Number of streams whose keys an ECU has.
pub const HELD: usize = waywarden_firmware_link::KEYS_MAX;
/// Number of ECUs of a security module.
pub const ECUS: usize = waywarden_firmware_link::LASAN_PARTIES_MAX - 1;
/// Number of keys that a security module grants.
pub const PERMISSIONS: usize = waywarden_firmware_link::PERMISSIONS_MAX;
