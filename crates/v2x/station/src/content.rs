//! Content of a received message: the sender, its position and motion, or the event that it
//! reports. Read it of messages that were verified; of others everything is only claimed.

use waywarden_v2x_security::region::is_place;
use waywarden_v2x_wire::bsm::MessageFrame;
use waywarden_v2x_wire::btp::{Btp, port};
use waywarden_v2x_wire::cam::{Cam, HighFrequencyContainer};
use waywarden_v2x_wire::denm::Denm;
use waywarden_v2x_wire::etsi102894::ReferencePosition;
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::geonet::NetworkPacket;
use waywarden_v2x_wire::ieee1609dot2::{Latitude, Longitude, Psid, TwoDLocation};
use waywarden_v2x_wire::{coer, uper};

use crate::denm::Action;
use crate::station::BSM;

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StationMessageKind {
    /// A cooperative awareness message.
    Cam,
    /// A basic safety message.
    Bsm,
    /// A message about an event.
    Denm(EventNotice),
    /// A message that is read no further than its header, by the name of its kind: one of another
    /// kind, or a CAM, DENM or BSM of a release or with parts that are not read here.
    Named(&'static str),
    /// Another one, or one that cannot be read.
    Other,
}

impl StationMessageKind {
    /// Returns its name in the standards, as `CAM`; `None` if it has none here.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Cam => Some("CAM"),
            Self::Bsm => Some("BSM"),
            Self::Denm(_) => Some("DENM"),
            Self::Named(name) => Some(name),
            Self::Other => None,
        }
    }

    /// Returns true for a message about the station itself, which has its place and motion.
    #[must_use]
    pub fn is_awareness(self) -> bool {
        matches!(self, Self::Cam | Self::Bsm)
    }
}

/// Messages of ETSI ITS: port, `messageID` of the header \[TS 102 894-2\], name.
const FACILITIES: [(u16, u8, &str); 11] = [
    (port::CAM, 2, "CAM"),
    (port::DENM, 1, "DENM"),
    (port::MAPEM, 5, "MAPEM"),
    (port::SPATEM, 4, "SPATEM"),
    (port::SAEM, 12, "SAEM"),
    (port::IVIM, 6, "IVIM"),
    (port::SREM, 9, "SREM"),
    (port::SSEM, 10, "SSEM"),
    (port::CPM, 14, "CPM"),
    (port::RTCMEM, 13, "RTCMEM"),
    (port::VAM, 16, "VAM"),
];
/// Messages of America: `messageId` of the frame \[J2735\], name.
const FRAMES: [(u16, &str); 14] = [
    (18, "MAP"),
    (19, "SPAT"),
    (20, "BSM"),
    (21, "CSR"),
    (22, "EVA"),
    (23, "ICA"),
    (25, "PDM"),
    (26, "PVD"),
    (27, "RSA"),
    (28, "RTCM"),
    (29, "SRM"),
    (30, "SSM"),
    (31, "TIM"),
    (32, "PSM"),
];

/// An event that a message reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventNotice {
    /// Identifier of the event.
    pub action: Action,
    /// Cause code of the event \[TS 102 894-2 §A.10\]; `None` if the message has none.
    pub cause: Option<u8>,
    /// True if the event is over.
    pub is_over: bool,
}

/// The content of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageContent {
    /// Kind of the message.
    pub kind: StationMessageKind,
    /// Identifier of the station, or the temporary id of a BSM.
    pub station: Option<u32>,
    /// Position of the station; of a DENM, position of the event.
    pub place: Option<TwoDLocation>,
    /// Speed of the station, in cm/s.
    pub speed_cm_s: Option<u16>,
    /// Direction of motion, in tenths of a degree from north to the east.
    pub heading_decidegrees: Option<u16>,
    /// Acceleration forwards, in cm/s².
    pub acceleration_cm_s2: Option<i16>,
    /// Turn to the left, in hundredths of a degree a second; of a BSM, which cannot say that it is
    /// not known, 0 may mean just that.
    pub yaw_rate_centidegrees_s: Option<i16>,
}

impl MessageContent {
    const UNKNOWN: Self = Self {
        kind: StationMessageKind::Other,
        station: None,
        place: None,
        speed_cm_s: None,
        heading_decidegrees: None,
        acceleration_cm_s2: None,
        yaw_rate_centidegrees_s: None,
    };

    /// Reads the payload of a message of an application: a CAM or DENM by itself, or in a
    /// GeoNetworking packet, or a BSM. Of other messages it reads the header. Linear in its length.
    #[must_use]
    pub fn of(psid: Psid, payload: &[u8]) -> Self {
        let content = match psid {
            BSM => basic_safety(payload),
            its_aid::CAM => packed(payload).or_else(|| awareness(payload)),
            its_aid::DENM => packed(payload).or_else(|| event(payload)),
            _ => packed(payload),
        };
        let is_american =
            !matches!(psid, its_aid::CAM | its_aid::DENM) && !its_aid::EUROPEAN.contains(&psid);
        let content = content.or_else(|| headed(None, payload).filter(|_| is_american));
        content.unwrap_or(Self::UNKNOWN)
    }
}

fn packed(payload: &[u8]) -> Option<MessageContent> {
    let packet: NetworkPacket<'_> = coer::parse(payload).ok()?;
    let transport = Btp::parse(packet.upper, packet.payload)?.ok()?;
    let message = transport.payload();
    let content = match transport.destination_port() {
        port::CAM => awareness(message),
        port::DENM => event(message),
        _ => None,
    };
    content.or_else(|| headed(Some(transport.destination_port()), message))
}

/// Returns the name of a message by its header: of ETSI ITS, under its BTP port, or of SAE J2735,
/// without one; `None` if the header is of no message that is known here, or of another port.
#[must_use]
pub fn name_in_header(port: Option<u16>, message: &[u8]) -> Option<&'static str> {
    match port {
        Some(port) => {
            let id = *message.get(1)?;
            let mut known = FACILITIES.iter();
            let known = known.find(|(own, number, _)| *own == port && *number == id);
            known.map(|(_, _, name)| *name)
        }
        // No extension, and 15 bits of `messageId`.
        None => {
            let id = u16::from_be_bytes(*message.first_chunk()?);
            let known = FRAMES.iter().find(|(number, _)| *number == id);
            known.map(|(_, name)| *name)
        }
    }
}

/// Reads the header of a message: that of ETSI ITS has a `stationID` in all releases.
fn headed(port: Option<u16>, message: &[u8]) -> Option<MessageContent> {
    let name = name_in_header(port, message)?;
    let station = message.get(2..).and_then(|rest| rest.first_chunk());
    let station = station.filter(|_| port.is_some());
    Some(MessageContent {
        kind: StationMessageKind::Named(name),
        station: station.map(|bytes| u32::from_be_bytes(*bytes)),
        ..MessageContent::UNKNOWN
    })
}

fn awareness(message: &[u8]) -> Option<MessageContent> {
    let cam: Cam<'_> = uper::parse(message).ok()?;
    let parameters = &cam.cam.parameters;
    let content = MessageContent {
        kind: StationMessageKind::Cam,
        station: number(cam.header.station_id.value()),
        place: place(&parameters.basic.reference_position),
        ..MessageContent::UNKNOWN
    };
    let HighFrequencyContainer::BasicVehicle(vehicle) = &parameters.high_frequency else {
        return Some(content);
    };
    let acceleration = &vehicle.longitudinal_acceleration;
    let acceleration = signed(acceleration.acceleration_dm_s2.value(), 160);
    let yaw_rate = vehicle.yaw_rate.yaw_rate_centidegrees_s.value();
    Some(MessageContent {
        speed_cm_s: known(vehicle.speed.speed_cm_s.value(), 16_382),
        heading_decidegrees: known(vehicle.heading.heading_decidegrees.value(), 3_600),
        acceleration_cm_s2: acceleration.map(|one| one * 10),
        yaw_rate_centidegrees_s: signed(yaw_rate, 32_766),
        ..content
    })
}

fn event(message: &[u8]) -> Option<MessageContent> {
    let denm: Denm<'_> = uper::parse(message).ok()?;
    let management = &denm.management;
    let cause = denm.situation.as_ref().map(|one| one.event_type.cause);
    let notice = EventNotice {
        action: Action {
            station_id: number(management.action_id.originating_station.value())?,
            number: u16::try_from(management.action_id.sequence_number.value()).ok()?,
        },
        cause: cause.and_then(|cause| u8::try_from(cause.value()).ok()),
        is_over: management.termination.is_some(),
    };
    Some(MessageContent {
        kind: StationMessageKind::Denm(notice),
        station: number(denm.station_id.value()),
        place: place(&management.event_position),
        ..MessageContent::UNKNOWN
    })
}

fn basic_safety(message: &[u8]) -> Option<MessageContent> {
    let MessageFrame::BasicSafety(message) = uper::parse(message).ok()? else {
        return None;
    };
    let core = &message.core;
    let speed = known(core.speed_2_cm_s.value(), 8_190);
    let heading = known(core.heading_eightieth_degrees.value(), 28_799);
    Some(MessageContent {
        kind: StationMessageKind::Bsm,
        station: number(core.temporary_id.value()),
        place: located(core.latitude.value(), core.longitude.value()),
        speed_cm_s: speed.map(|speed| speed * 2),
        heading_decidegrees: heading.map(|heading| heading / 8),
        acceleration_cm_s2: signed(core.acceleration.longitudinal_cm_s2.value(), 2_000),
        // To the right in these messages.
        yaw_rate_centidegrees_s: signed(-core.acceleration.yaw_rate_centidegrees_s.value(), 32_767),
    })
}

fn number(value: i64) -> Option<u32> {
    u32::try_from(value).ok()
}

/// A number up to the greatest that means one: beyond it, it is not known.
fn known(value: i64, most: i64) -> Option<u16> {
    let value = (value <= most).then_some(value)?;
    u16::try_from(value).ok()
}

/// A number within the bounds that mean one, on either side of 0.
fn signed(value: i64, most: i64) -> Option<i16> {
    let value = (value.abs() <= most).then_some(value)?;
    i16::try_from(value).ok()
}

fn place(position: &ReferencePosition) -> Option<TwoDLocation> {
    located(position.latitude.value(), position.longitude.value())
}

fn located(latitude: i64, longitude: i64) -> Option<TwoDLocation> {
    let place = TwoDLocation {
        latitude: Latitude(i32::try_from(latitude).ok()?),
        longitude: Longitude(i32::try_from(longitude).ok()?),
    };
    is_place(&place).then_some(place)
}
