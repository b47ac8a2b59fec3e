//! Message authentication: streams that travel with a tag, their protocol, and the ECUs that check.

mod check;
mod granted_key;
mod key_origin;
mod tag_bases;

use waywarden_can::{Frame, Id, StandardId};
use waywarden_can_auth::paired::WireForm;
use waywarden_can_auth::secoc::{Layout, SecocCarrier, SecocProfile};
use waywarden_work::{Algorithm, Duration};

use super::{BusIndex, EcuIndex, FrameFormat, Stream, StreamIndex, VehicleFile};
use crate::place::Located;

pub use check::TagCheck;
pub(crate) use check::is_verified;
pub use granted_key::{GrantedKey, GrantedKeyUse};
pub use key_origin::{BeforeFirstKey, GroupKey, KeyOrigin};

/// Streams whose messages are authenticated in the same way.
#[derive(Clone, Debug, PartialEq)]
pub struct Authentication {
    /// Its name.
    pub name: Located<String>,
    /// The protocol.
    pub protocol: AuthenticationProtocol,
    /// Origin of its keys.
    pub keys: KeyOrigin,
    /// The streams.
    pub streams: Vec<StreamIndex>,
    /// Receivers that have no keys and take messages as they are.
    pub unchecked: Vec<EcuIndex>,
    /// Location of its keys.
    pub key_store: KeyStoreKind,
    /// Identifiers under which the ECUs that check ask and complain, one each; only some protocols
    /// have them.
    pub asking: Vec<(EcuIndex, StandardId)>,
}

/// A protocol of message authentication with its choices.
#[derive(Clone, Debug, PartialEq)]
pub enum AuthenticationProtocol {
    /// vatiCAN or LeiA, hardened: a tag in a frame of its own.
    Paired {
        /// The layout of frames.
        wire: WireForm,
        /// The code.
        mac: Algorithm,
    },
    /// The same as published, with the weaknesses.
    Published {
        /// The protocol whose frames it uses.
        wire: WireForm,
        /// The code.
        mac: Algorithm,
    },
    /// AUTOSAR's SecOC: the tag is in the message's own frame.
    Secoc(Secoc),
}

/// The choices of SecOC.
#[derive(Clone, Debug, PartialEq)]
pub struct Secoc {
    /// Profile: lengths of freshness and code, in full and as sent.
    pub profile: SecocProfile,
    /// The ECU that announces the time of the car, where it is announced.
    pub master: Option<FreshnessMasterPlace>,
    /// Streams of which only a part is authenticated: its first byte and its length.
    pub areas: Vec<(StreamIndex, u8, u8)>,
    /// Streams whose data id, AUTOSAR's `SecOCDataId`, is not their identifier.
    pub data_ids: Vec<(StreamIndex, u16)>,
    /// The identifiers of cryptographic PDUs, of all streams or of none: empty if freshness and
    /// code are behind the payloads.
    pub cryptographic_ids: Vec<(StreamIndex, Id)>,
}

/// The freshness master of a SecOC network.
#[derive(Clone, Debug, PartialEq)]
pub struct FreshnessMasterPlace {
    /// The ECU.
    pub ecu: EcuIndex,
    /// The identifier of its announcements.
    pub id: StandardId,
    /// Time between two announcements.
    pub period: Duration,
    /// The buses it announces on: all that carry a stream with its tag.
    pub buses: Vec<BusIndex>,
}

/// The engine that computes the cryptography of an ECU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CryptoEngine {
    /// Software on its cores.
    Software,
    /// The board's hardware security module, where that offers an operation.
    Module,
}

/// Location of the keys of an authentication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyStoreKind {
    /// The memory of the ECU's software: an attacker that runs code on the ECU has them.
    Software,
    /// In a protected module, with the code that uses them: an attacker that runs code beside it
    /// does not have them.
    Module,
}

/// Protection of a stream's frames on the bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protection {
    /// No protection.
    #[default]
    None,
    /// Encrypted and tagged under a key that a security module grants.
    Granted,
    /// A tag in a second frame.
    Paired(WireForm),
    /// Freshness and code behind the payload, in bytes.
    Trailer(u8),
    /// Freshness and code in a frame of their own.
    Separate {
        /// The identifier of the cryptographic PDU.
        id: Id,
        /// Bytes of freshness and code.
        bytes: u8,
    },
}

/// Additional actions of a gateway that verifies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewayVerification {
    /// The warning it sends when a message was refused.
    pub warning: Option<Warning>,
}

/// A gateway's warning to the ECUs behind it after it refused a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The identifier.
    pub id: Id,
    /// The payload, up to 8 bytes.
    pub data: Vec<u8>,
    /// The least time between two of them.
    pub pace: Duration,
}

impl Warning {
    /// Returns its frame.
    pub fn frame(&self) -> Option<Frame> {
        Frame::classic(self.id, &self.data).ok()
    }
}

impl Authentication {
    /// Returns the layout of a stream's secured frames, of a SecOC stream.
    #[must_use]
    pub fn layout(&self, index: StreamIndex, stream: &Stream) -> Layout {
        let carrier = match stream.format {
            FrameFormat::Classic => SecocCarrier::Classic,
            FrameFormat::Fd { .. } => SecocCarrier::Fd,
        };
        let layout = Layout::fixed(carrier, stream.length);
        let AuthenticationProtocol::Secoc(secoc) = &self.protocol else {
            return layout;
        };
        let mut areas = secoc.areas.iter();
        match areas.find(|(stream, ..)| *stream == index) {
            Some(&(_, offset, length)) => layout.secured(offset..offset + length),
            None => layout,
        }
    }

    /// Returns the data id of a SecOC stream that the file gives one; the others have the low 16
    /// bits of their identifiers.
    #[must_use]
    pub fn data_id(&self, index: StreamIndex) -> Option<u16> {
        let AuthenticationProtocol::Secoc(secoc) = &self.protocol else {
            return None;
        };
        let mut data_ids = secoc.data_ids.iter();
        data_ids.find(|(own, _)| *own == index).map(|(_, id)| *id)
    }

    /// Returns how one of its streams is protected.
    #[must_use]
    pub fn protection(&self, stream: StreamIndex) -> Protection {
        match (
            protocol_protection(&self.protocol),
            self.cryptographic_id(stream),
        ) {
            (Protection::Trailer(bytes), Some(id)) => Protection::Separate { id, bytes },
            (protection, _) => protection,
        }
    }

    /// Returns the identifier of a stream's cryptographic PDU, if it has one.
    #[must_use]
    pub fn cryptographic_id(&self, stream: StreamIndex) -> Option<Id> {
        let AuthenticationProtocol::Secoc(secoc) = &self.protocol else {
            return None;
        };
        let mut ids = secoc.cryptographic_ids.iter();
        ids.find(|(one, _)| *one == stream).map(|(_, id)| *id)
    }

    /// Returns true if freshness and code of its streams have PDUs of their own.
    #[must_use]
    pub fn is_separate(&self) -> bool {
        match &self.protocol {
            AuthenticationProtocol::Secoc(secoc) => !secoc.cryptographic_ids.is_empty(),
            _ => false,
        }
    }

    /// Returns the identifier under which an ECU asks.
    #[must_use]
    pub fn asks_under(&self, ecu: EcuIndex) -> Option<StandardId> {
        let mut asking = self.asking.iter();
        asking.find(|(one, _)| *one == ecu).map(|(_, id)| *id)
    }

    /// Returns the protocol in a word or two, for reports.
    #[must_use]
    pub fn protocol_name(&self) -> String {
        self.protocol.name()
    }

    /// Returns the code's algorithm.
    #[must_use]
    pub fn mac(&self) -> Algorithm {
        self.protocol.mac()
    }
}

impl AuthenticationProtocol {
    /// Returns it in a word or two, for reports.
    #[must_use]
    pub fn name(&self) -> String {
        let wire = |wire: &WireForm| match wire {
            WireForm::Vatican => "vatiCAN",
            WireForm::Leia => "LeiA",
        };
        match self {
            AuthenticationProtocol::Paired { wire: one, .. } => format!("{}, hardened", wire(one)),
            AuthenticationProtocol::Published { wire: one, .. } => {
                format!("{}, as published", wire(one))
            }
            AuthenticationProtocol::Secoc(secoc) => {
                let Secoc { profile, .. } = secoc;
                let (mac, truncated) = (profile.mac_bits(), profile.truncated_bits());
                format!("SecOC, {mac} bits of code, {truncated} of freshness")
            }
        }
    }

    /// Returns the code's algorithm.
    #[must_use]
    pub fn mac(&self) -> Algorithm {
        match self {
            AuthenticationProtocol::Paired { mac, .. }
            | AuthenticationProtocol::Published { mac, .. } => *mac,
            AuthenticationProtocol::Secoc(_) => Algorithm::Aes128Cmac,
        }
    }
}

impl Protection {
    /// Returns how many bytes a payload of this length has in its frame; none if no frame of the
    /// format has room.
    #[must_use]
    pub fn wire_length(self, length: u8, format: FrameFormat) -> Option<u8> {
        let wanted = match self {
            Protection::None | Protection::Paired(_) | Protection::Separate { .. } => {
                return Some(length);
            }
            Protection::Granted => return super::protected_length(length),
            Protection::Trailer(trailer) => length.checked_add(trailer)?,
        };
        match format {
            FrameFormat::Classic => (wanted <= 8).then_some(wanted),
            FrameFormat::Fd { .. } => {
                let mut lengths = waywarden_can::frame::FD_LENGTHS.iter().copied();
                lengths.find(|&one| one >= wanted)
            }
        }
    }
}

/// Returns how a protocol protects the frames of its streams.
#[must_use]
pub(crate) fn protocol_protection(protocol: &AuthenticationProtocol) -> Protection {
    match protocol {
        AuthenticationProtocol::Paired { wire, .. }
        | AuthenticationProtocol::Published { wire, .. } => Protection::Paired(*wire),
        // 128 bits of code and 64 of freshness at most.
        AuthenticationProtocol::Secoc(secoc) => {
            Protection::Trailer(secoc.profile.trailer_length() as u8)
        }
    }
}

impl VehicleFile {
    /// Returns the authentication of a stream, with its place in the vehicle file.
    #[must_use]
    pub fn authentication_of(&self, stream: StreamIndex) -> Option<(usize, &Authentication)> {
        let mut tables = self.authentications.iter().enumerate();
        tables.find(|(_, table)| table.streams.contains(&stream))
    }

    /// Returns true if a stream travels without its tags on a bus, because a gateway verified it.
    #[must_use]
    pub fn is_verified(&self, stream: StreamIndex, bus: BusIndex) -> bool {
        let carried = &self.stream(stream).carried;
        is_verified(carried, bus, |route| self.routes.get(route))
    }

    /// Returns true if an ECU takes the messages of a stream on a bus as they are: they have no
    /// tags there, or it has no keys.
    #[must_use]
    pub fn takes_unchecked(&self, stream: StreamIndex, ecu: EcuIndex, bus: BusIndex) -> bool {
        match self.authentication_of(stream) {
            None => self.stream(stream).protection == Protection::None,
            Some((_, table)) => self.is_verified(stream, bus) || table.unchecked.contains(&ecu),
        }
    }

    /// Returns the checks of the streams of an authentication, each once by ECU and bus.
    pub fn checks<'a>(&'a self, table: &'a Authentication) -> impl Iterator<Item = TagCheck> + 'a {
        table.streams.iter().flat_map(move |&stream| {
            let own = self.stream(stream);
            let receivers = own.receivers.iter().map(move |one| TagCheck {
                stream,
                ecu: one.ecu,
                bus: one.bus,
                passes_to: None,
            });
            let receivers = receivers.filter(move |one| {
                !self.is_verified(stream, one.bus) && !table.unchecked.contains(&one.ecu)
            });
            let gateways = own.carried.iter().filter_map(move |carried| {
                let route = &self.routes[carried.by?.0];
                let verifies = route.verify.is_some() && !self.is_verified(stream, route.from);
                verifies.then_some(TagCheck {
                    stream,
                    ecu: route.gateway,
                    bus: route.from,
                    passes_to: Some(route.to),
                })
            });
            receivers.chain(gateways)
        })
    }

    /// Returns true if an ECU holds a key of a group as its plan forms it; it may have been removed
    /// since.
    #[must_use]
    pub fn holds(&self, key: GroupKey, ecu: EcuIndex) -> bool {
        let Some(group) = self.groups.get(key.group) else {
            return false;
        };
        let mut parties = group.parties();
        let Some(party) = parties.find(|party| party.ecu == ecu) else {
            return false;
        };
        match (key.logical, group.plan(std::iter::repeat(0))) {
            (None, _) => true,
            (Some(logical), Ok(plan)) => plan.holders(logical).any(|at| at == party.address),
            (Some(_), Err(_)) => false,
        }
    }

    /// Returns the beginnings of the 29-bit identifiers of message authentication, each with the
    /// command that follows.
    pub fn tag_bases(&self) -> impl Iterator<Item = (u16, u32)> + '_ {
        self.authentications.iter().flat_map(|table| {
            let streams = table.streams.iter();
            let streams = streams.flat_map(|&at| table.tag_bases(self.stream(at).id.value));
            let asking = table
                .asking
                .iter()
                .map(|(_, id)| (id.raw(), tag_bases::EPOCH));
            streams.chain(asking)
        })
    }
}
