//! What `[[keys]]` says: who agrees on a group key, how, and when.

use waywarden_ecu_keys::group::{Address, Orchestration, Pace, Profile, Scheme, Transport};
use waywarden_work::Duration;

use super::{BusIndex, EcuIndex};
use crate::file::Located;

/// A group of ECUs that agree on a key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyGroup {
    /// Its name.
    pub name: Located<String>,
    /// How they agree.
    pub scheme: Scheme,
    /// With which cryptography.
    pub suite: KeySuite,
    /// With which messages.
    pub profile: Profile,
    /// In which frames.
    pub transport: Transport,
    /// What starts the exchanges.
    pub orchestration: Orchestration,
    /// In what order they run.
    pub pace: Pace,
    /// Who says who agrees with whom.
    pub orchestrator: KeyParty,
    /// The others, in the file's order.
    pub members: Vec<KeyParty>,
    /// The buses that carry the key frames.
    pub buses: Vec<BusIndex>,
    /// Who forwards key frames between them; there is somebody if there are several.
    pub gateway: Option<EcuIndex>,
    /// When the first agreement begins.
    pub start: Duration,
    /// Whether its frames lose arbitration to application traffic; those of a renewal do.
    pub gives_way: bool,
    /// Whether the streams of its ECUs wait for the first key.
    pub holds_streams: bool,
    /// Time between two renewals.
    pub renewal: Option<Duration>,
    /// Removals and readmissions, in order of time.
    pub changes: Vec<KeyChange>,
}

/// The cryptography of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySuite {
    /// FourQ and SchnorrQ.
    FourQ,
    /// P-256: ECDH and ECDSA.
    P256,
}

/// An ECU of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyParty {
    /// The ECU.
    pub ecu: EcuIndex,
    /// Its address in the key exchange: its own, or the lowest that was free.
    pub address: Address,
}

/// Who leaves a group or comes back, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyChange {
    /// When, from power-on.
    pub at: Duration,
    /// Who.
    pub member: KeyParty,
    /// Whether it is removed, or readmitted.
    pub is_removal: bool,
}

impl KeyGroup {
    /// Returns the orchestrator and the members.
    pub fn parties(&self) -> impl Iterator<Item = &KeyParty> {
        std::iter::once(&self.orchestrator).chain(&self.members)
    }
}
