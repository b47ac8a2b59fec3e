//! The configuration of an ECU in an authentication: its streams, its keys, its part in freshness,
//! and the buses it verifies for.

use waywarden_can::node::{Boot, Port, Ports};
use waywarden_can::{Frame, Id, StandardId};
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::mac::Mac;
use waywarden_can_auth::paired::WireForm;
use waywarden_can_auth::secoc::{AnnouncementFrame, SecocCarrier, Synchronisation};
use waywarden_ecu::{COUNTERS, FreshnessRole, Shield};
use waywarden_work::{Algorithm, Duration};

use super::keys::{self, Held, Keys, place};
use super::secoc_stream::{self, SecuredStream};
use crate::lower::{LowerError, port_on};
use waywarden_session_keys::FollowingKey;
use waywarden_vehicle_file::{
    Attack, Authentication, AuthenticationProtocol, BusIndex, EcuIndex, KeyStoreKind, Secoc,
    StreamIndex, TagCheck, VehicleFile, Warning,
};

/// Configuration of an ECU in an authentication.
pub(super) struct AuthenticationConfiguration {
    pub(super) protocol: Protocol,
    pub(super) mac: Algorithm,
    key_store: KeyStoreKind,
    pub(super) sends: Vec<Line>,
    pub(super) checks: Vec<Line>,
    /// Identifier of its own questions.
    pub(super) asks_under: Option<StandardId>,
    /// Identifiers of the other ECUs' questions.
    pub(super) others_ask: Vec<StandardId>,
    pub(super) freshness: FreshnessRole,
    pub(super) shield: Option<Shield>,
    /// The bus to which it sends on what it finds authentic.
    pub(super) passes_to: Option<BusIndex>,
    /// The vehicle's seed and the authentication that the keys belong to.
    keys: [u64; 2],
    /// True if its keys follow session keys and none is in place at a boot.
    follows: bool,
    /// True if it takes every tag for right: it follows what an intruder overhears.
    overhears: bool,
    /// True if an intruder runs code there that ignores the usage of a key in software.
    is_intruded: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Protocol {
    Paired(WireForm),
    Published(WireForm),
    Secoc,
}

/// A stream and its end.
pub(super) struct Line {
    stream: StreamIndex,
    pub(super) port: Port,
    pub(super) id: StandardId,
    /// Name of its keys.
    name: StandardId,
    /// SecOC settings of the stream; none in the other protocols.
    pub(super) secured: Option<SecuredStream>,
}

/// The key of announcements; streams have theirs by their place, epochs of LeiA above them.
pub(super) const ANNOUNCEMENTS: KeyId = KeyId(0xFFFF);
pub(super) const EPOCHS: u16 = 0x4000;
pub(super) const FAILURES: u16 = 0x8000;

/// Number of announcements that a follower marks as used before the master sends them.
const AHEAD: u32 = 4;

impl AuthenticationConfiguration {
    pub(super) fn new(
        file: &VehicleFile,
        (at, table): (usize, &Authentication),
        ecu: EcuIndex,
        (sends, checks): (Vec<StreamIndex>, Vec<TagCheck>),
        passes_to: Option<BusIndex>,
    ) -> Self {
        let line = |stream: StreamIndex, bus: BusIndex| line(file, table, stream, (ecu, bus));
        let sends = sends.into_iter();
        let sends = sends.filter_map(|stream| line(stream, file.stream(stream).bus));
        let others = table.asking.iter().filter(|(one, _)| *one != ecu);
        AuthenticationConfiguration {
            protocol: match &table.protocol {
                AuthenticationProtocol::Paired { wire, .. } => Protocol::Paired(*wire),
                AuthenticationProtocol::Published { wire, .. } => Protocol::Published(*wire),
                AuthenticationProtocol::Secoc(_) => Protocol::Secoc,
            },
            mac: table.mac(),
            key_store: table.key_store,
            sends: sends.collect(),
            passes_to,
            shield: passes_to.map(|bus| {
                let shield = shield(file, ecu, bus, &checks);
                match is_open(file, table, ecu, bus) {
                    true => shield.open(),
                    false => shield,
                }
            }),
            checks: checks
                .iter()
                .filter_map(|one| line(one.stream, one.bus))
                .collect(),
            asks_under: table.asks_under(ecu),
            others_ask: others.map(|(_, id)| *id).collect(),
            freshness: freshness(file, table, ecu, passes_to.is_none()),
            keys: [file.seed, at as u64],
            follows: table.keys.is_session_key(),
            overhears: false,
            is_intruded: file.attackers.iter().any(|one| match &one.attack {
                Attack::Compromise { ecus, .. } => ecus.contains(&ecu),
                _ => false,
            }),
        }
    }

    /// Returns a configuration that takes part in nothing, and follows what an intruder overhears.
    pub(super) fn overhearing(
        file: &VehicleFile,
        (at, table): (usize, &Authentication),
        ecu: EcuIndex,
        checks: Vec<TagCheck>,
    ) -> Self {
        let configuration =
            AuthenticationConfiguration::new(file, (at, table), ecu, (Vec::new(), checks), None);
        // It reads the answers to others, in whose name it asks nothing.
        let asks_under = table.asking.first().map(|(_, id)| *id);
        let freshness = freshness(file, table, ecu, false);
        AuthenticationConfiguration {
            asks_under,
            freshness,
            overhears: true,
            ..configuration
        }
    }

    /// Returns the keys that follow session keys, of which there are none at a boot.
    pub(super) fn following(&self) -> Vec<FollowingKey> {
        let announces = matches!(self.freshness, FreshnessRole::Master { .. });
        let sends = |id: KeyId| match id {
            ANNOUNCEMENTS => announces,
            id => self.sends.iter().any(|line| line.key() == id),
        };
        let follow = |one: &Held| FollowingKey {
            id: one.id,
            usage: one.usage,
            sends: sends(one.id),
            of: [one.of[1], one.of[2]],
        };
        self.all_held().iter().map(follow).collect()
    }

    fn held(&self, line: &Line, usage: Usage) -> Held {
        Held {
            id: line.key(),
            usage: match self.is_intruded && self.key_store == KeyStoreKind::Software {
                true => Usage::Both,
                false => usage,
            },
            of: [self.keys[0], self.keys[1], line.stream.0 as u64],
        }
    }

    pub(super) fn all_held(&self) -> Vec<Held> {
        let sends = self
            .sends
            .iter()
            .map(|line| self.held(line, Usage::Protect));
        let checks = self.checks.iter().map(|line| self.held(line, Usage::Check));
        let mut held: Vec<Held> = sends.chain(checks).collect();
        let of = |what: u64| [self.keys[0], self.keys[1], what];
        let announces = match self.freshness {
            FreshnessRole::Unsynchronised => None,
            FreshnessRole::Follower { .. } => Some(Usage::Check),
            FreshnessRole::Master { .. } => Some(Usage::Protect),
        };
        held.extend(announces.map(|usage| Held {
            id: ANNOUNCEMENTS,
            usage,
            of: of(keys::ANNOUNCEMENTS),
        }));
        if matches!(self.protocol, Protocol::Published(WireForm::Leia)) {
            let own = self.asks_under.map(|id| (id, Usage::Protect));
            let others = self.others_ask.iter().map(|id| (*id, Usage::Check));
            held.extend(own.into_iter().chain(others).map(|(id, usage)| Held {
                id: KeyId(FAILURES | id.raw()),
                usage,
                of: of(u64::from(FAILURES | id.raw())),
            }));
        }
        held
    }

    pub(super) fn place<M: Mac + Send + 'static>(&self, boot: &Boot<'_>) -> Keys {
        let held = self.all_held();
        let room = 2 * held.len();
        let in_place = match self.follows {
            true => &[][..],
            false => held.as_slice(),
        };
        let keys = place::<M>(boot, self.key_store, in_place, room);
        match self.overhears {
            true => keys.believing(),
            false => keys,
        }
    }
}

impl Line {
    pub(super) fn key(&self) -> KeyId {
        KeyId(self.name.raw())
    }

    pub(super) fn epoch_key(&self) -> KeyId {
        KeyId(EPOCHS | self.name.raw())
    }
}

fn line(
    file: &VehicleFile,
    table: &Authentication,
    stream: StreamIndex,
    (ecu, bus): (EcuIndex, BusIndex),
) -> Option<Line> {
    let own = file.stream(stream);
    // The file has been seen to that: vatiCAN and LeiA have no streams under 29-bit identifiers.
    let id = match (own.id.value, &table.protocol) {
        (Id::Standard(id), _) => id,
        (Id::Extended(_), AuthenticationProtocol::Secoc(_)) => {
            secoc_stream::internal_id(file, stream)?
        }
        (Id::Extended(_), _) => return None,
    };
    let profile = match &table.protocol {
        AuthenticationProtocol::Secoc(secoc) => Some(secoc.profile),
        _ => None,
    };
    let secured = match profile {
        Some(profile) => Some(SecuredStream::new(file, table, stream, profile)?),
        None => None,
    };
    let port = port_on(file, ecu, bus);
    Some(Line {
        stream,
        port,
        id,
        name: secoc_stream::key_name(file, stream)?,
        secured,
    })
}

/// Returns true if a gateway passes on frames that it does not know: as published it does. It does
/// not if it verifies anything else besides, which would pass unverified then.
fn is_open(file: &VehicleFile, table: &Authentication, gateway: EcuIndex, to: BusIndex) -> bool {
    let is_published = matches!(table.protocol, AuthenticationProtocol::Published { .. });
    let all = file.authentications.iter().flat_map(|one| file.checks(one));
    let mut own = all.filter(|check| check.ecu == gateway);
    is_published
        && own.all(|check| check.passes_to == Some(to) && table.streams.contains(&check.stream))
}

fn shield(file: &VehicleFile, gateway: EcuIndex, to: BusIndex, checks: &[TagCheck]) -> Shield {
    let mut routes = file.routes.iter().filter(|route| {
        let own = checks
            .iter()
            .any(|check| route.streams.contains(&check.stream));
        route.gateway == gateway && route.to == to && own
    });
    let warning = routes.find_map(|route| route.verify.as_ref()?.warning.as_ref());
    let frame: Option<Frame> = warning.and_then(Warning::frame);
    let pace = warning.map_or(Duration::ZERO, |warning| warning.pace);
    let ports = Ports::NONE.with(port_on(file, gateway, to));
    let ids = checks
        .iter()
        .filter_map(|check| match file.stream(check.stream).id.value {
            Id::Standard(id) => Some(id),
            Id::Extended(_) => None,
        });
    Shield::new(ports, frame, pace).only(ids)
}

/// The part of an ECU's configuration in freshness. Where an ECU announces freshness, one
/// configuration does, and those that verify for other buses follow it.
fn freshness(
    file: &VehicleFile,
    table: &Authentication,
    ecu: EcuIndex,
    may_announce: bool,
) -> FreshnessRole {
    let AuthenticationProtocol::Secoc(secoc) = &table.protocol else {
        return FreshnessRole::Unsynchronised;
    };
    let Some(master) = &secoc.master else {
        return FreshnessRole::Unsynchronised;
    };
    let frame = announcement_frame(secoc);
    let made = frame.map(|frame| Synchronisation::new(&secoc.profile, frame, ANNOUNCEMENTS));
    let Some(Ok(sync)) = made else {
        return FreshnessRole::Unsynchronised;
    };
    let own = &file.ecu(ecu).ports;
    let mut here = master.buses.iter().filter(|bus| own.contains(bus));
    if master.ecu == ecu && may_announce {
        let ports = here.fold(Ports::NONE, |ports, bus| {
            ports.with(port_on(file, ecu, *bus))
        });
        let pace = master.period;
        return FreshnessRole::Master { ports, sync, pace };
    }
    match here.next() {
        Some(bus) => FreshnessRole::Follower {
            port: port_on(file, ecu, *bus),
            sync,
            resets_ahead: AHEAD,
        },
        None => FreshnessRole::Unsynchronised,
    }
}

/// Returns the frame of announcements, where there is a master.
pub(super) fn announcement_frame(secoc: &Secoc) -> Option<AnnouncementFrame> {
    Some(AnnouncementFrame {
        // An announcement fits a classic frame with up to 28 bits of code.
        carrier: SecocCarrier::Classic,
        id: secoc.master.as_ref()?.id,
        mac_bits: secoc.profile.mac_bits().min(28),
    })
}

/// Returns true if an ECU announces freshness.
pub(super) fn is_master(table: &Authentication, ecu: EcuIndex) -> bool {
    table
        .freshness_master()
        .is_some_and(|master| master.ecu == ecu)
}

/// Returns the buses on which a master announces.
pub(super) fn announcements(table: &Authentication) -> impl Iterator<Item = &BusIndex> {
    let master = table.freshness_master();
    master.into_iter().flat_map(|master| &master.buses)
}

/// Returns the identifier of announcements on a bus.
pub(super) fn announcement(table: &Authentication, bus: BusIndex) -> Option<StandardId> {
    let master = table.freshness_master()?;
    master.buses.contains(&bus).then_some(master.id)
}

/// Sees whether a role can keep what it counts over a reset.
///
/// # Errors
/// [`LowerError::Keys`].
pub(super) fn check(
    file: &VehicleFile,
    table: &Authentication,
    configuration: &AuthenticationConfiguration,
) -> Result<(), LowerError> {
    let lines = || configuration.sends.iter().chain(&configuration.checks);
    let counts = |line: &Line| {
        let freshness = line.secured.map(|stream| stream.profile().freshness());
        freshness.is_some_and(|own| !own.is_synchronised() && own.bits() > 0)
    };
    let count = lines().filter(|line| counts(line)).count();
    if count <= COUNTERS {
        return Ok(());
    }
    Err(LowerError::Keys {
        place: file.source.place(&table.name.span),
        name: table.name.value.clone(),
        why: format!(
            "an ECU would have {count} counters to keep over a reset, and has room for {COUNTERS}; \
             protect fewer streams, or take a profile whose freshness is synchronised"
        ),
    })
}
