//! Tables `[[keys]]` of the scheme `lasan`: authentication of ECUs, and permission to send streams.

use waywarden_group_keys::Transport;
use waywarden_lasan::{
    Credentials, IdentifierPlan, LasanFrameReader, LasanProfile, Lengths, PROTECTION_LENGTH, SUITES,
};
use waywarden_work::Duration;

use super::disturbance::Window;
use super::group::KeyParty;
use super::{BusIndex, EcuIndex, StreamIndex};
use crate::{Located, Span};

/// ECUs that authenticate to a security module, which grants them the keys of streams.
#[derive(Clone, Debug, PartialEq)]
pub struct Lasan {
    /// Its name.
    pub name: Located<String>,
    /// The name of its suite, one of [`SUITES`].
    pub suite: &'static str,
    /// Its messages: hardened, or as published.
    pub profile: LasanProfile,
    /// Credentials for the parties' keys.
    pub credentials: Credentials,
    /// Its frame format.
    pub transport: Transport,
    /// Its identifiers.
    pub identifiers: IdentifierPlan,
    /// The least time from one frame of an ECU to its next, if it paces them.
    pub pacing: Option<Duration>,
    /// True if its frames lose arbitration to application traffic.
    pub gives_way: bool,
    /// The root of trust.
    pub security_module: KeyParty,
    /// The others, in the file's order.
    pub members: Vec<KeyParty>,
    /// The buses that carry its frames.
    pub buses: Vec<BusIndex>,
    /// The ECU that forwards them from bus to bus; always named if there are several.
    pub gateway: Option<EcuIndex>,
    /// Time at which the first epoch begins.
    pub start: Duration,
    /// Time from one epoch to the next.
    pub renewal: Option<Duration>,
    /// Lifetime of the key of a stream.
    pub stream_key: Duration,
    /// Place of that lifetime in the file, if it stands there.
    pub stream_key_at: Option<Span>,
    /// Validity of certificates.
    pub validity: Window,
    /// The streams that it protects, in the file's order.
    pub protected: Vec<ProtectedStream>,
    /// Changes by the workshop, in order of time.
    pub changes: Vec<WorkshopChange>,
}

/// A protected stream: a line of the access-control list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtectedStream {
    /// The stream.
    pub stream: StreamIndex,
    /// Time during which it may be sent.
    pub window: Window,
}

/// A change of an ECU by the workshop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkshopChange {
    /// Time of the change, from power-on.
    pub at: Duration,
    /// The ECU.
    pub member: KeyParty,
    /// Kind of change.
    pub work: WorkshopWork,
}

/// Kind of change by a workshop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkshopWork {
    /// Takes the ECU out of the roster.
    Retire,
    /// Takes it back.
    Enrol,
    /// Puts a new part in its place, with another key and nothing in its memory.
    Replace,
}

impl Lasan {
    /// Returns the lengths of its messages; none for a suite that there is not.
    #[must_use]
    pub fn lengths(&self) -> Option<Lengths> {
        let mut suites = SUITES.iter();
        let (_, _, sizes) = suites.find(|(name, ..)| *name == self.suite)?;
        Some(Lengths::new(self.profile, self.credentials, *sizes))
    }

    /// Returns how many frames a message of so many bytes takes, at most.
    #[must_use]
    pub const fn frame_count(&self, length: usize) -> u64 {
        let room = match self.transport {
            Transport::Classic => 8,
            Transport::Fd => 64,
        };
        length.div_ceil(room) as u64
    }

    /// Returns the reader that tells its frames from all others on its buses.
    #[must_use]
    pub fn frames(&self) -> LasanFrameReader {
        let members = self.members.iter().map(|member| member.address);
        let module = self.security_module.address;
        LasanFrameReader::new(module, members, self.transport, self.identifiers)
    }

    /// Returns the security module and the members.
    pub fn parties(&self) -> impl Iterator<Item = &KeyParty> {
        std::iter::once(&self.security_module).chain(&self.members)
    }

    /// Returns when a part was replaced, in order of time.
    pub fn replacements(&self, ecu: EcuIndex) -> impl Iterator<Item = Duration> + '_ {
        let of_it = move |change: &&WorkshopChange| {
            change.member.ecu == ecu && change.work == WorkshopWork::Replace
        };
        self.changes.iter().filter(of_it).map(|change| change.at)
    }
}

/// Returns how long a payload is when it is protected: the next length that CAN FD has; none if no
/// frame has room.
#[must_use]
pub fn protected_length(length: u8) -> Option<u8> {
    let wanted = usize::from(length) + PROTECTION_LENGTH;
    let mut lengths = waywarden_can::frame::FD_LENGTHS.iter().copied();
    lengths.find(|&length| usize::from(length) >= wanted)
}
