//! Message authentication: each ECU's role in it, what gateways forward for it, and which frames an
//! ECU has to hear.
//!
//! Keys are in place when the car starts, one for each stream, made from the seed of the vehicle
//! file, or they are derived from session keys, renewal by renewal: from a group's, or each from
//! one that a security module grants. With `key_store = "module"` they were handed to protected
//! modules that proved what they are.

mod configuration;
mod ends;
mod image;
mod keys;
mod overhearing;
mod published;
mod roles;
mod secoc_stream;
mod session_keys;

use waywarden_can::node::{Boot, Port, Ports, Slot};
use waywarden_can::{Id, StandardId};
use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth::paired::WireForm;
use waywarden_ecu::{GatewayRoute, Matching, SLOTS};

use super::part::Part;
use super::{LowerError, port_on};
use crate::nodes::{AuthenticationContext, AuthenticationRole, KeyRole};
use waywarden_vehicle_file::{
    Authentication, AuthenticationProtocol, BusIndex, EcuIndex, StreamIndex, TagCheck, VehicleFile,
};
use waywarden_vehicle_trace::Facts;

use configuration::AuthenticationConfiguration;
pub(super) use image::{ImagePart, image_part, unprotected};
pub(super) use overhearing::streams as overheard;
pub(super) use session_keys::SessionKeys;

/// Returns the key of the messages of a stream of the `at`th authentication, which each run of the
/// file gives to the ECUs: for tools that work on the logs of runs.
#[must_use]
pub fn message_key(file: &VehicleFile, at: usize, stream: StreamIndex) -> MacKey {
    keys::key([file.seed, at as u64, stream.0 as u64])
}

/// Returns the key of the announcements of the `at`th authentication.
#[must_use]
pub fn announcement_key(file: &VehicleFile, at: usize) -> MacKey {
    keys::key([file.seed, at as u64, keys::ANNOUNCEMENTS])
}

/// Makes the roles of an ECU: one for each authentication, and one more for each further bus on
/// which it verifies for others.
///
/// # Errors
/// [`LowerError::Keys`] for a role that has more counters than it can keep over a reset.
pub(super) fn parts(
    file: &VehicleFile,
    index: EcuIndex,
    facts: &Facts,
    session_keys: &SessionKeys<'_>,
) -> Result<Vec<Part>, LowerError> {
    let mut parts = Vec::new();
    for (at, table) in file.authentications.iter().enumerate() {
        for configuration in configurations(file, at, table, index) {
            configuration::check(file, table, &configuration)?;
            let context = AuthenticationContext {
                passes_to: configuration.passes_to.map(|bus| bus.0),
                ..context(file, (at, table), index, facts)
            };
            let ports = ports(file, table, index);
            let keys = session_keys.following(table, &configuration);
            let make = move |boot: &Boot<'_>, slot: Slot| -> Box<dyn KeyRole> {
                let role = AuthenticationRole::new(
                    roles::role(boot, slot, &configuration),
                    context.clone(),
                );
                Box::new(role.following(keys.as_ref().map(|keys| keys())))
            };
            parts.push(Part::new(Box::new(make), ports, usize::from(SLOTS)));
        }
        if let Some(part) = overhearing::part(file, (at, table), index, session_keys) {
            parts.push(part);
        }
    }
    Ok(parts)
}

/// Returns what an ECU has to do in an authentication: by where verified messages go.
fn configurations(
    file: &VehicleFile,
    at: usize,
    table: &Authentication,
    ecu: EcuIndex,
) -> Vec<AuthenticationConfiguration> {
    let own = |passes_to: Option<BusIndex>| {
        let checks = file.checks(table).filter(|one| one.ecu == ecu);
        let checks = checks.filter(|one| one.passes_to == passes_to);
        let mut checks: Vec<TagCheck> = checks.collect();
        checks.sort_by_key(|one| one.stream);
        checks.dedup_by_key(|one| one.stream);
        checks
    };
    let mut buses: Vec<BusIndex> = file.checks(table).filter_map(|one| one.passes_to).collect();
    buses.sort();
    buses.dedup();
    let streams = table.streams.iter().copied();
    let sends: Vec<StreamIndex> = streams
        .filter(|stream| file.stream(*stream).sender == ecu)
        .collect();
    let mut configurations = Vec::new();
    let checks = own(None);
    if !sends.is_empty() || !checks.is_empty() || configuration::is_master(table, ecu) {
        configurations.push(AuthenticationConfiguration::new(
            file,
            (at, table),
            ecu,
            (sends, checks),
            None,
        ));
    }
    for bus in buses {
        let checks = own(Some(bus));
        if !checks.is_empty() {
            configurations.push(AuthenticationConfiguration::new(
                file,
                (at, table),
                ecu,
                (Vec::new(), checks),
                Some(bus),
            ));
        }
    }
    configurations
}

/// Returns what an ECU announces whose other roles follow, with the port by which they hear it.
pub(super) fn announces(file: &VehicleFile, ecu: EcuIndex) -> Vec<(Id, Port)> {
    let tables = file.authentications.iter();
    let own = tables.filter(|table| configuration::is_master(table, ecu));
    let own = own.filter_map(|table| {
        let bus =
            *configuration::announcements(table).find(|bus| file.ecu(ecu).ports.contains(bus))?;
        let id = configuration::announcement(table, bus)?;
        Some((Id::Standard(id), port_on(file, ecu, bus)))
    });
    own.collect()
}

fn context(
    file: &VehicleFile,
    (authentication, table): (usize, &Authentication),
    ecu: EcuIndex,
    facts: &Facts,
) -> AuthenticationContext {
    let streams = table.streams.iter();
    // Frames are found by the first, those with codes alone by the second, events of 29-bit streams
    // by the third.
    let streams = streams.flat_map(|&at| {
        let own = file.stream(at).id.value;
        let internal = secoc_stream::internal_id(file, at).map(Id::Standard);
        let internal = internal.filter(|internal| *internal != own);
        let ids = [Some(own), table.cryptographic_id(at), internal];
        let ids: Vec<Id> = ids.into_iter().flatten().collect();
        let carried = file.stream(at).carried.iter().map(|carried| carried.bus);
        let here = carried.filter(|bus| file.ecu(ecu).ports.contains(bus));
        here.flat_map(move |bus| {
            let port = port_on(file, ecu, bus);
            ids.clone().into_iter().map(move |id| (port, id, at.0))
        })
    });
    AuthenticationContext {
        authentication,
        passes_to: None,
        streams: streams.collect(),
        facts: facts.clone(),
    }
}

/// The ports on which an ECU hears and says what belongs to an authentication.
fn ports(file: &VehicleFile, table: &Authentication, ecu: EcuIndex) -> Ports {
    let own = table.streams.iter().map(|&at| file.stream(at));
    let sent = own.filter(|stream| stream.sender == ecu);
    let sent = sent.map(|stream| stream.bus);
    let checks = file.checks(table).filter(|one| one.ecu == ecu);
    let checked = checks.flat_map(|one| [Some(one.bus), one.passes_to].into_iter().flatten());
    let announced = configuration::announcements(table)
        .copied()
        .filter(|bus| file.ecu(ecu).ports.contains(bus));
    let all = sent.chain(checked).chain(announced);
    all.fold(Ports::NONE, |ports, bus| {
        ports.with(port_on(file, ecu, bus))
    })
}

/// Mask of the bits of a 29-bit identifier that name the stream and mark a frame as no message of
/// it.
const BASE: u32 = 0x1FFC_0000;

fn base(id: StandardId) -> (u32, u32) {
    (u32::from(id.raw()) << 18, BASE)
}

/// The frames of a stream besides its messages, or in their place.
struct Companions {
    /// The frame with the tag, where it has an identifier of its own.
    tag: Option<Id>,
    extended: Vec<(u32, u32)>,
}

fn companions(table: &Authentication, stream: StreamIndex, id: Id) -> Companions {
    let only = |tag| Companions {
        tag,
        extended: Vec::new(),
    };
    let Id::Standard(id) = id else {
        return only(table.cryptographic_id(stream));
    };
    let tag = StandardId::new(id.raw() | 1).ok();
    let both = || [Some(id), tag].into_iter().flatten().map(base).collect();
    match &table.protocol {
        AuthenticationProtocol::Paired { wire, .. } => Companions {
            tag: tag.filter(|_| *wire == WireForm::Vatican).map(Id::Standard),
            extended: both(),
        },
        AuthenticationProtocol::Published { wire, .. } => match wire {
            WireForm::Vatican => only(tag.map(Id::Standard)),
            WireForm::Leia => Companions {
                tag: None,
                extended: both(),
            },
        },
        AuthenticationProtocol::Secoc(_) => only(table.cryptographic_id(stream)),
    }
}

/// Returns what a gateway forwards of authentications besides the streams themselves: their tags
/// the way they go, and what those who check have to ask the way back.
pub(super) fn routes(file: &VehicleFile, gateway: EcuIndex) -> Vec<GatewayRoute> {
    let mut routes = Vec::new();
    for (route, stream) in file.forwarded_by(gateway) {
        let route = &file.routes[route.0];
        let Some((_, table)) = file.authentication_of(stream) else {
            continue;
        };
        if route.verify.is_some() || file.is_verified(stream, route.from) {
            continue;
        }
        let [from, to] = [route.from, route.to].map(|bus| port_on(file, gateway, bus));
        let tags = tags(file, stream).into_iter();
        routes.extend(tags.map(|matching| route_of(from, to, matching)));
        let asking = table.asking.iter().map(|(_, id)| extended(base(*id)));
        routes.extend(asking.map(|matching| route_of(to, from, matching)));
    }
    routes.dedup();
    routes
}

/// Returns the frames of a stream besides its own messages, or in their place.
pub(super) fn tags(file: &VehicleFile, stream: StreamIndex) -> Vec<Matching> {
    let Some((_, table)) = file.authentication_of(stream) else {
        return Vec::new();
    };
    let there = companions(table, stream, file.stream(stream).id.value);
    let standard = there.tag.into_iter().map(Matching::Only);
    let all = standard.chain(there.extended.into_iter().map(extended));
    all.collect()
}

const fn extended((value, mask): (u32, u32)) -> Matching {
    Matching::Extended { value, mask }
}

fn route_of(from: Port, to: Port, matching: Matching) -> GatewayRoute {
    // A tag finds its data by identifier and counter, in whatever order they come.
    let in_order = false;
    GatewayRoute {
        from,
        to,
        matching,
        in_order,
    }
}

/// Returns which frames an ECU needs on a bus, besides its streams, to send, check or forward what
/// is authenticated: 11-bit identifiers, then 29-bit ones as value and mask.
pub(super) fn accepted(
    file: &VehicleFile,
    ecu: EcuIndex,
    bus: BusIndex,
) -> (Vec<Id>, Vec<(u32, u32)>) {
    let (mut standard, mut extended) = (Vec::new(), Vec::new());
    for table in &file.authentications {
        let mut concerned = false;
        for check in overhearing::streams(file, table, ecu).filter(|one| one.bus == bus) {
            let id = file.stream(check.stream).id.value;
            let there = companions(table, check.stream, id);
            standard.extend(there.tag.into_iter().chain([id]));
            extended.extend(there.extended);
            concerned = true;
        }
        for &at in &table.streams {
            let stream = file.stream(at);
            let checks = file.checks(table);
            let mut checks = checks.filter(|one| one.stream == at && one.ecu == ecu);
            let checks_here = checks.any(|one| one.bus == bus);
            let mut forwarded = file.forwarded_by(ecu);
            let forwards = forwarded.any(|(route, stream)| {
                let route = &file.routes[route.0];
                stream == at && (route.from == bus || route.to == bus)
            });
            let sends = stream.sender == ecu && stream.bus == bus;
            concerned |= checks_here || forwards || sends;
            if checks_here || forwards {
                let there = companions(table, at, stream.id.value);
                standard.extend(there.tag);
                extended.extend(there.extended);
            }
            // Questions about the own streams, and those that pass.
            if sends || forwards {
                extended.extend(table.asking.iter().map(|(_, id)| base(*id)));
            }
        }
        if concerned {
            standard.extend(configuration::announcement(table, bus).map(Id::Standard));
        }
    }
    (standard, extended)
}
