//! Why a vehicle file that is consistent in itself is no simulation.

use waywarden_boards::NoModule;
use waywarden_vehicle_file::Place;

/// Why a consistent vehicle file is no simulation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// A board or log is not among the resources.
    #[error("{what} {path} was not loaded")]
    NotLoaded {
        /// Board file or log.
        what: &'static str,
        /// Its path.
        path: String,
    },
    /// An ECU computes its cryptography on a security module that its board has not.
    #[error("ECU {ecu} has `crypto = \"module\"`: {missing}")]
    NoModule {
        /// The ECU.
        ecu: String,
        /// Which board, and which ones have a module.
        missing: NoModule,
    },
    /// A replay names a channel the log does not have.
    #[error("log {log} has no channel {channel}; it has {known}")]
    NoSuchChannel {
        /// Where the vehicle file names the log.
        place: Place,
        /// The log.
        log: String,
        /// The channel.
        channel: String,
        /// The channels it has.
        known: String,
    },
    /// The bus's rates or sample points cannot be timed.
    #[error("bus {bus}: {why}")]
    Timing {
        /// The bus.
        bus: String,
        /// What is wrong.
        why: String,
    },
    /// The two faces of a Janus frame differ in length, so that it would never be shown.
    #[error(
        "{name}: the frame has {sent} bits on the wire and its other face {seen}, stuff bits \
         included; choose `data` with as many stuff bits as the stream's own"
    )]
    TwoFaces {
        /// Where the vehicle file names the interferer.
        place: Place,
        /// The interferer.
        name: String,
        /// Bits of the frame as sent.
        sent: usize,
        /// Bits of the frame as the deceived would see it.
        seen: usize,
    },
    /// A group cannot agree on a key: a board has no figure, or its ECUs are too many.
    #[error("{name}: {why}")]
    Keys {
        /// Where the vehicle file says so.
        place: Place,
        /// The group, or the ECU in it.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// A requirement is about nothing that the vehicle has.
    #[error("{requirement}: {why}")]
    Requirement {
        /// Where the vehicle file requires it.
        place: Place,
        /// Its key in `[require]`.
        requirement: &'static str,
        /// What the vehicle lacks, and the remedy.
        why: &'static str,
    },
    /// A forged frame or a strike cannot be made.
    #[error("{name}: {why}")]
    Attack {
        /// The attacker or interferer.
        name: String,
        /// What is wrong.
        why: String,
    },
}

impl LowerError {
    /// Returns where the vehicle file says what cannot be, if that is one place.
    #[must_use]
    pub const fn place(&self) -> Option<Place> {
        match self {
            LowerError::NoSuchChannel { place, .. }
            | LowerError::TwoFaces { place, .. }
            | LowerError::Requirement { place, .. }
            | LowerError::Keys { place, .. } => Some(*place),
            _ => None,
        }
    }
}
