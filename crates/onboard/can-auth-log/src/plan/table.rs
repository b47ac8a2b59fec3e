//! Messages that are protected in the same way.

use std::collections::{HashMap, HashSet};

use waywarden_can::{ExtendedId, Format, Frame, Id, StandardId};
use waywarden_can_auth::key_store::KeyStoreError;
use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth::paired::WireForm;
use waywarden_can_auth::secoc::{
    AnnouncementFrame, Layout, SecocCarrier, SecocProfile, Synchronisation, SynchronisationError,
};
use waywarden_vehicle_file::matrix::j1939::parameter_group;
use waywarden_vehicle_file::{AuthenticationProtocol, Secoc};
use waywarden_work::{Algorithm, Duration};

use super::id_text;
use crate::stream_keys::{MESSAGE_KEY, StreamKeys, stream_keys};

/// Messages that are protected in the same way.
pub(crate) struct AuthenticationTable {
    pub(crate) protocol: AuthenticationProtocol,
    pub(crate) mac: Algorithm,
    /// The protocol and its profile, for reports.
    pub(crate) protocol_name: String,
    /// True if classic frames of SecOC become CAN FD frames.
    pub(crate) widens: bool,
    pub(crate) announcements: Option<FreshnessAnnouncements>,
    /// SecOC's data ids that are not the identifiers.
    pub(super) data_ids: HashMap<Id, u16>,
    /// Cryptographic PDUs: their identifiers, and those of their messages.
    pub(super) cryptographic: HashMap<Id, Id>,
    /// True if one key serves all streams.
    pub(super) shares_keys: bool,
    /// Identifiers under which ECUs ask for the state of a stream.
    pub(super) asking: Vec<StandardId>,
    /// The only bus it is about.
    pub(super) bus: Option<String>,
    pub(super) messages: ProtectedMessages,
}

/// The announcements of a freshness master: trip and reset counters of the vehicle.
pub(crate) struct FreshnessAnnouncements {
    pub(crate) sync: Synchronisation,
    pub(crate) period: Duration,
    key: MacKey,
}

/// Messages that a table is about.
pub(super) enum ProtectedMessages {
    All {
        except: Except,
        key: MacKey,
    },
    Named(HashMap<Id, NamedMessage>),
    /// The same, with parameter groups of SAE J1939 from any source address.
    Groups {
        named: HashMap<Id, NamedMessage>,
        groups: HashMap<u32, NamedMessage>,
        except: Except,
    },
}

/// Messages that a table is not about: identifiers, and parameter groups of SAE J1939.
#[derive(Default)]
pub(super) struct Except {
    pub(super) ids: HashSet<Id>,
    pub(super) groups: HashSet<u32>,
}

/// A stream that is found: its name, true if others have that name, too, its layout and its key.
pub(super) type Found<'a> = (Option<&'a str>, bool, Option<Layout>, &'a MacKey);

impl Except {
    pub(super) fn contains(&self, id: Id) -> bool {
        self.ids.contains(&id)
            || parameter_group(id).is_some_and(|group| self.groups.contains(&group))
    }
}

pub(super) struct NamedMessage {
    pub(super) name: String,
    pub(super) key: MacKey,
    /// None if it is learned from the frames.
    pub(super) layout: Option<Layout>,
}

impl FreshnessAnnouncements {
    /// Announcements are in classic frames where their counters leave room for an authenticator, as
    /// in vehicle files.
    pub(super) fn new(
        secoc: &Secoc,
        id: StandardId,
        period: Duration,
        key: MacKey,
    ) -> Result<Self, SynchronisationError> {
        let made = |carrier, mac| {
            Synchronisation::new(
                &secoc.profile,
                AnnouncementFrame {
                    carrier,
                    id,
                    mac_bits: mac,
                },
                MESSAGE_KEY,
            )
        };
        let mac = secoc.profile.mac_bits();
        let sync = made(SecocCarrier::Classic, mac.min(CLASSIC_MAC_BITS_MAX))
            .or_else(|_| made(SecocCarrier::Fd, mac))?;
        Ok(FreshnessAnnouncements { sync, period, key })
    }

    /// Makes the key of the announcements.
    pub(crate) fn keys(&self) -> Result<StreamKeys, KeyStoreError> {
        stream_keys(Algorithm::Aes128Cmac, &self.key)
    }
}

impl AuthenticationTable {
    /// Returns how frames are laid out where tags have frames of their own.
    pub(crate) fn wire(&self) -> Option<WireForm> {
        match self.protocol {
            AuthenticationProtocol::Paired { wire, .. }
            | AuthenticationProtocol::Published { wire, .. } => Some(wire),
            AuthenticationProtocol::Secoc(_) => None,
        }
    }

    /// Returns SecOC's profile.
    pub(crate) fn profile(&self) -> Option<SecocProfile> {
        match &self.protocol {
            AuthenticationProtocol::Secoc(secoc) => Some(secoc.profile),
            _ => None,
        }
    }

    pub(crate) fn is_as_published(&self) -> bool {
        matches!(self.protocol, AuthenticationProtocol::Published { .. })
    }

    /// Returns the identifier of the message that frames under `id` belong to.
    pub(super) fn message_of(&self, id: Id) -> Id {
        self.cryptographic.get(&id).copied().unwrap_or(id)
    }

    /// Returns the identifier of the cryptographic PDUs of a stream, if it has such.
    pub(super) fn cryptographic_of(&self, stream: Id) -> Option<Id> {
        let mut all = self.cryptographic.iter();
        all.find(|(_, message)| **message == stream)
            .map(|(id, _)| *id)
    }

    /// Returns true if the codes of a stream have PDUs of their own.
    pub(crate) fn is_separate(&self, stream: Id) -> bool {
        self.cryptographic_of(stream).is_some()
    }

    /// Returns true for a message of a stream with cryptographic PDUs, false for such a PDU; none
    /// for other streams.
    pub(crate) fn separate_kind(&self, stream: Id, frame: Id) -> Option<bool> {
        self.is_separate(stream).then_some(frame == stream)
    }

    /// Returns true if cryptographic PDUs have this identifier.
    pub(crate) fn has_cryptographic(&self, id: Id) -> bool {
        self.cryptographic.contains_key(&id)
    }

    /// Returns true if it announces under this identifier.
    pub(super) fn announces(&self, id: Id) -> bool {
        let mut own = self.announcements.iter();
        own.any(|own| id == Id::Standard(own.sync.id()))
    }

    /// Returns true if an ECU asks for the state of a stream under this 29-bit identifier.
    pub(crate) fn is_asked_under(&self, id: ExtendedId) -> bool {
        self.asking.iter().any(|own| own.raw() == id.base())
    }

    pub(crate) fn is_on(&self, bus: &str) -> bool {
        self.bus.as_deref().is_none_or(|own| own == bus)
    }

    /// Returns true if it is about all messages that it can carry.
    pub(crate) fn is_all(&self) -> bool {
        matches!(self.messages, ProtectedMessages::All { .. })
    }

    /// Returns true if a frame that no option named can be protected: all messages that can are.
    pub(super) fn carries(&self, frame: &Frame) -> bool {
        let is_data = frame.format() != Format::Remote;
        match (self.wire(), frame.id()) {
            (None, _) => is_data,
            (Some(_), Id::Extended(_)) => false,
            (Some(_), Id::Standard(id)) => frame.format() == Format::Classic && id.raw() % 2 == 0,
        }
    }

    /// Finds a stream by the identifier of its messages when they are not protected.
    pub(super) fn find(&self, id: Id) -> Option<Found<'_>> {
        let named = match &self.messages {
            ProtectedMessages::All { except, key } => {
                return (!except.contains(id)).then_some((None, false, None, key));
            }
            ProtectedMessages::Named(named) | ProtectedMessages::Groups { named, .. } => named,
        };
        if let Some(NamedMessage { name, key, layout }) = named.get(&id) {
            return Some((Some(name), false, *layout, key));
        }
        let ProtectedMessages::Groups { groups, except, .. } = &self.messages else {
            return None;
        };
        let group = parameter_group(id).filter(|_| !except.contains(id))?;
        let NamedMessage { name, key, layout } = groups.get(&group)?;
        Some((Some(name), true, *layout, key))
    }

    /// Says which messages it is about.
    pub(super) fn about(&self) -> String {
        let ids = match &self.messages {
            ProtectedMessages::All { except, .. } => {
                let mut own = id_texts(except.ids.iter());
                own.extend(group_texts(except.groups.iter()));
                match own.is_empty() {
                    true => "all it can carry".to_owned(),
                    false => format!("all it can carry except {}", listed(&own)),
                }
            }
            ProtectedMessages::Named(named) if named.is_empty() => "no message".to_owned(),
            ProtectedMessages::Named(named) => listed(&id_texts(named.keys())),
            ProtectedMessages::Groups { named, groups, .. } => {
                let mut own = id_texts(named.keys());
                own.extend(group_texts(groups.keys()));
                listed(&own)
            }
        };
        match &self.bus {
            Some(bus) => format!("{ids} on {bus}"),
            None => ids,
        }
    }
}

/// The longest authenticator of an announcement in a classic frame, in bits.
const CLASSIC_MAC_BITS_MAX: u8 = 28;

/// Limit on the items that a message lists.
const LISTED_MAX: usize = 8;

/// Lists the first items, and the number of the rest.
pub(super) fn listed(all: &[impl AsRef<str>]) -> String {
    let first: Vec<&str> = all.iter().take(LISTED_MAX).map(AsRef::as_ref).collect();
    match all.len().saturating_sub(LISTED_MAX) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Writes identifiers in order.
fn id_texts<'a>(ids: impl Iterator<Item = &'a Id>) -> Vec<String> {
    let mut all: Vec<String> = ids.map(|id| id_text(*id)).collect();
    all.sort();
    all
}

/// Writes parameter groups in order.
fn group_texts<'a>(groups: impl Iterator<Item = &'a u32>) -> Vec<String> {
    let mut all: Vec<String> = groups.map(|group| format!("PGN {group}")).collect();
    all.sort();
    all
}
