//! Errors of lowering: a consistent vehicle file that cannot be simulated.

use waywarden_boards::NoModule;
use waywarden_vehicle_file::SourceLocation;

/// Reason why a consistent vehicle file cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// A board, log or image is not among the resources.
    #[error("{what} {path} was not loaded")]
    NotLoaded {
        /// Kind of the file: board file or log.
        what: &'static str,
        /// Path of the missing file.
        path: String,
    },
    /// An ECU computes its cryptography on a security module that its board has not.
    #[error("ECU {ecu} has `crypto = \"module\"`: {missing}")]
    NoModule {
        /// Name of the ECU.
        ecu: String,
        /// The board, and the ones that have a module.
        missing: NoModule,
    },
    /// A replay names a channel the log does not have.
    #[error("log {log} has no channel {channel}; it has {known}")]
    NoSuchChannel {
        /// Place in the vehicle file that names the log.
        place: SourceLocation,
        /// Name of the log.
        log: String,
        /// The missing channel.
        channel: String,
        /// The channels it has.
        known: String,
    },
    /// An ECU image cannot take the part that the vehicle file gives it.
    #[error("ECU {ecu} has `firmware`, and {why}")]
    Firmware {
        /// Place in the vehicle file that names the image.
        place: SourceLocation,
        /// Name of the ECU.
        ecu: String,
        /// The part, and what an image can do.
        why: String,
    },
    /// The bus's rates or sample points cannot be timed.
    #[error("bus {bus}: {why}")]
    Timing {
        /// Name of the bus.
        bus: String,
        /// Description of the fault.
        why: String,
    },
    /// The two faces of a Janus frame differ in length, so that it would never be shown.
    #[error(
        "{name}: the frame has {sent} bits on the wire and its other face {seen}, stuff bits \
         included; choose `data` with as many stuff bits as the stream's own"
    )]
    TwoFaces {
        /// Place in the vehicle file that names the interferer.
        place: SourceLocation,
        /// Name of the interferer.
        name: String,
        /// Bits of the frame as sent.
        sent: usize,
        /// Bits of the frame as the deceived would see it.
        seen: usize,
    },
    /// A group cannot agree on a key: a board has no figure, or its ECUs are too many.
    #[error("{name}: {why}")]
    Keys {
        /// Place in the vehicle file.
        place: SourceLocation,
        /// The group, or the ECU in it.
        name: String,
        /// Description of the fault.
        why: String,
    },
    /// A requirement is about nothing that the vehicle has.
    #[error("{requirement}: {why}")]
    Requirement {
        /// Place of the requirement in the vehicle file.
        place: SourceLocation,
        /// Its key in `[require]`.
        requirement: &'static str,
        /// Feature that the vehicle lacks, and the remedy.
        why: &'static str,
    },
    /// A forged frame or a strike cannot be made.
    #[error("{name}: {why}")]
    Attack {
        /// Name of the attacker or interferer.
        name: String,
        /// Description of the fault.
        why: String,
    },
}

impl LowerError {
    /// Returns where the vehicle file says what cannot be, if that is one place.
    #[must_use]
    pub const fn place(&self) -> Option<SourceLocation> {
        match self {
            LowerError::NoSuchChannel { place, .. }
            | LowerError::Firmware { place, .. }
            | LowerError::TwoFaces { place, .. }
            | LowerError::Requirement { place, .. }
            | LowerError::Keys { place, .. } => Some(*place),
            _ => None,
        }
    }
}
