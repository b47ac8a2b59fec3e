//! Extracts the parts of a payload that a certificate restricts.

use alloc::vec::Vec;

use waywarden_v2x_security::region::is_place;
use waywarden_v2x_wire::bsm::MessageFrame;
use waywarden_v2x_wire::btp::{Btp, port};
use waywarden_v2x_wire::cam::{
    Cam, CamParameters, EmergencyContainer, HighFrequencyContainer, SafetyCarContainer,
    SpecialVehicleContainer,
};
use waywarden_v2x_wire::denm::Denm;
use waywarden_v2x_wire::etsi102894::TrafficRule;
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::geonet::NetworkPacket;
use waywarden_v2x_wire::ieee1609dot2::{Latitude, Longitude, Psid, TwoDLocation};
use waywarden_v2x_wire::{WireError, coer, uper};

/// PSID of basic safety messages.
pub(crate) const BSM: Psid = Psid(32);
/// Station types \[TS 102 894-2\].
const UNKNOWN_STATION: i64 = 0;
const ROADSIDE_UNIT: i64 = 15;

/// Parts of a payload that a certificate restricts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Content {
    /// Application of the message.
    pub(crate) psid: Psid,
    /// Position that the message reports.
    pub(crate) place: Place,
    /// Permissions that the message needs.
    pub(crate) needs: Needs,
    /// Comparison of the high frequency container with the station type.
    pub(crate) station: StationContainer,
}

impl Content {
    /// Returns the content of a message of which only the application is known.
    fn unread(psid: Psid) -> Self {
        Self {
            psid,
            place: Place::Unread,
            needs: Needs::Nothing,
            station: StationContainer::Absent,
        }
    }
}

/// Position that a message reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    /// A valid position.
    Known(TwoDLocation),
    /// The message reports its position as unavailable.
    Unknown,
    /// The message is of a kind that is not parsed.
    Unread,
}

/// Comparison of a high frequency container with the station type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StationContainer {
    /// The message has no such container, or an unknown one.
    Absent,
    /// The station reports its type as unknown.
    OfUnknownType,
    /// True if the container matches the station type.
    OfType(bool),
}

/// Permissions that a message needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// No permission that a certificate can restrict.
    Nothing,
    /// Required bits of a CAM's SSP; true if the CAM has containers that are not parsed.
    Cam(Vec<usize>, bool),
    /// Cause code of a DENM; `None` without a situation container, as in a cancellation.
    Denm(Option<u8>),
}

/// Reason why a payload is not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// The application has no rules.
    Application,
    /// Another kind of message than those that are parsed.
    Kind,
    /// The payload cannot be parsed as a message of its application.
    Error(WireError),
}

/// BTP ports and their applications \[TS 103 248 §5\] \[TS 102 965 §6\].
const PORTS: [(u16, Psid); 8] = [
    (port::CAM, its_aid::CAM),
    (port::DENM, its_aid::DENM),
    (port::MAPEM, Psid(138)),
    (port::SPATEM, Psid(137)),
    (port::IVIM, Psid(139)),
    (port::SREM, Psid(140)),
    (port::CPM, Psid(639)),
    (port::VAM, Psid(638)),
];
/// Applications whose messages are parsed.
const READ: [Psid; 3] = [BSM, its_aid::CAM, its_aid::DENM];

/// Parses a payload: a bare message or a GeoNetworking packet. The result has the application of
/// the message, which may differ from `psid`.
pub(crate) fn read(psid: Psid, payload: &[u8]) -> Result<Content, Unread> {
    let Some((port, message)) = packed(payload) else {
        return bare(psid, payload);
    };
    let Some((_, application)) = PORTS.iter().find(|(own, _)| *own == port) else {
        return Err(match READ.contains(&psid) {
            true => Unread::Kind,
            false => Unread::Application,
        });
    };
    match message_of(*application, message) {
        // A receiver delivers it to the application of its port, even if it cannot be parsed here.
        Err(_) if *application != psid => Ok(Content::unread(*application)),
        read => read,
    }
}

/// Returns the BTP port and the message of a GeoNetworking packet; `None` for other bytes.
fn packed(payload: &[u8]) -> Option<(u16, &[u8])> {
    let packet: NetworkPacket<'_> = coer::parse(payload).ok()?;
    let transport = Btp::parse(packet.upper, packet.payload)?.ok()?;
    Some((transport.destination_port(), transport.payload()))
}

/// Parses a bare message as one of its application, else as one of the others in `READ`.
fn bare(psid: Psid, message: &[u8]) -> Result<Content, Unread> {
    message_of(psid, message).or_else(|unread| {
        let mut others = READ.into_iter().filter(|_| READ.contains(&psid));
        let other = others.find_map(|other| message_of(other, message).ok());
        other.ok_or(unread)
    })
}

fn message_of(application: Psid, message: &[u8]) -> Result<Content, Unread> {
    match application {
        BSM => basic_safety(message),
        its_aid::CAM => awareness(message),
        its_aid::DENM => event(message),
        _ => Err(Unread::Application),
    }
}

fn basic_safety(payload: &[u8]) -> Result<Content, Unread> {
    match uper::parse(payload).map_err(Unread::Error)? {
        MessageFrame::BasicSafety(message) => Ok(Content {
            psid: BSM,
            place: place(
                message.core.latitude.value(),
                message.core.longitude.value(),
            ),
            needs: Needs::Nothing,
            station: StationContainer::Absent,
        }),
        _ => Err(Unread::Kind),
    }
}

fn awareness(message: &[u8]) -> Result<Content, Unread> {
    let cam: Cam<'_> = uper::parse(message).map_err(Unread::Error)?;
    let parameters = &cam.cam.parameters;
    let mut bits = Vec::new();
    // Choice: a vehicle that reports passing a tolling zone needs no bit. The table names this item
    // together with the zones that a roadside unit protects, so every car would need the bit.
    if let HighFrequencyContainer::Rsu(own) = &parameters.high_frequency {
        bits.extend(own.protected_zones.is_some().then_some(0));
    }
    if let Some(special) = &parameters.special_vehicle {
        special_bits(special, &mut bits);
    }
    let position = &parameters.basic.reference_position;
    Ok(Content {
        psid: its_aid::CAM,
        place: place(position.latitude.value(), position.longitude.value()),
        needs: Needs::Cam(bits, has_unread_containers(parameters)),
        station: station_container(parameters),
    })
}

/// Returns true if a CAM has additions, or containers of kinds that a later version added.
fn has_unread_containers(parameters: &CamParameters<'_>) -> bool {
    use {HighFrequencyContainer as High, SpecialVehicleContainer as Special};
    !parameters.additions.is_empty()
        || matches!(parameters.high_frequency, High::Later(..))
        || matches!(parameters.special_vehicle, Some(Special::Later(..)))
}

/// Compares the container with the station type \[EN 302 637-2 §7.1\].
fn station_container(parameters: &CamParameters<'_>) -> StationContainer {
    let is_roadside = match parameters.basic.station_type.value() {
        UNKNOWN_STATION => return StationContainer::OfUnknownType,
        other => other == ROADSIDE_UNIT,
    };
    match &parameters.high_frequency {
        HighFrequencyContainer::BasicVehicle(_) => StationContainer::OfType(!is_roadside),
        HighFrequencyContainer::Rsu(_) => StationContainer::OfType(is_roadside),
        _ => StationContainer::Absent,
    }
}

/// Adds the SSP bits that a special vehicle container requires.
fn special_bits(container: &SpecialVehicleContainer<'_>, bits: &mut Vec<usize>) {
    match container {
        SpecialVehicleContainer::PublicTransport(_) => bits.push(1),
        SpecialVehicleContainer::SpecialTransport(_) => bits.push(2),
        SpecialVehicleContainer::DangerousGoods(_) => bits.push(3),
        SpecialVehicleContainer::RoadWorks(own) => {
            bits.push(4);
            bits.extend(own.closed_lanes.is_some().then_some(8));
        }
        SpecialVehicleContainer::Rescue(_) => bits.push(5),
        SpecialVehicleContainer::Emergency(own) => emergency_bits(own, bits),
        SpecialVehicleContainer::SafetyCar(own) => safety_car_bits(own, bits),
        _ => {}
    }
}

fn emergency_bits(container: &EmergencyContainer<'_>, bits: &mut Vec<usize>) {
    bits.push(6);
    if let Some(priority) = container.priority {
        bits.extend(priority.is_set(0).then_some(9));
        bits.extend(priority.is_set(1).then_some(10));
    }
}

fn safety_car_bits(container: &SafetyCarContainer<'_>, bits: &mut Vec<usize>) {
    bits.push(7);
    match container.traffic_rule {
        Some(TrafficRule::NoPassing) => bits.push(11),
        Some(TrafficRule::NoPassingForTrucks) => bits.push(12),
        _ => {}
    }
    bits.extend(container.speed_limit_km_h.is_some().then_some(13));
}

fn event(message: &[u8]) -> Result<Content, Unread> {
    let denm: Denm<'_> = uper::parse(message).map_err(Unread::Error)?;
    // Choice: only the cause of the event counts. A linked cause names another event, and no rule
    // requires that the signer be permitted to report that one, too.
    let cause = denm.situation.as_ref().map(|situation| {
        // The parser limits it to an octet; 0 is reserved and names no event.
        u8::try_from(situation.event_type.cause.value()).unwrap_or(0)
    });
    let position = &denm.management.event_position;
    Ok(Content {
        psid: its_aid::DENM,
        place: place(position.latitude.value(), position.longitude.value()),
        needs: Needs::Denm(cause),
        station: StationContainer::Absent,
    })
}

fn place(latitude: i64, longitude: i64) -> Place {
    let degrees = i32::try_from(latitude)
        .ok()
        .zip(i32::try_from(longitude).ok());
    let place = degrees.map(|(latitude, longitude)| TwoDLocation {
        latitude: Latitude(latitude),
        longitude: Longitude(longitude),
    });
    place.filter(is_place).map_or(Place::Unknown, Place::Known)
}
