//! Claimed positions of messages. Nothing of them has been verified: a sender can claim any place.

use waywarden_v2x_wire::bsm::MessageFrame;
use waywarden_v2x_wire::btp::{Btp, port};
use waywarden_v2x_wire::cam::Cam;
use waywarden_v2x_wire::denm::Denm;
use waywarden_v2x_wire::geonet::NetworkPacket;
use waywarden_v2x_wire::ieee1609dot2::{
    Ieee1609Dot2Content, Ieee1609Dot2Data, Latitude, Longitude, SignedData, TwoDLocation,
};
use waywarden_v2x_wire::{coer, uper};

use super::class::BASIC_SAFETY_MESSAGE;
use waywarden_v2x_security::region::is_place;

/// Part of a message that states its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PositionSource {
    /// In its payload: the reference position of a CAM, the event position of a DENM, the position
    /// of a BSM.
    Payload,
    /// In the GeoNetworking header that was signed with the payload: the sender's position.
    Network,
    /// In the security header: the generation location.
    Header,
}

/// A position that a message claims.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClaimedPosition {
    /// The position: known, and in range.
    pub place: TwoDLocation,
    /// Part of the message that states it.
    pub source: PositionSource,
}

/// Returns the position that a message claims: that of its payload, else that of its network
/// header, else that of its security header, each if it is known and in range. `None` if the
/// position is unknown, or the message is not signed. Linear in the length of the message.
///
/// A payload that cannot be read has no position, and is no error here.
#[must_use]
pub fn position_of(data: &Ieee1609Dot2Data<'_>) -> Option<ClaimedPosition> {
    let Ieee1609Dot2Content::Signed(signed) = &data.content else {
        return None;
    };
    let header = || {
        let place = signed.tbs_data.header_info.generation_location?;
        claimed(
            place.latitude.0.into(),
            place.longitude.0.into(),
            PositionSource::Header,
        )
    };
    in_payload(signed).or_else(header)
}

fn in_payload(signed: &SignedData<'_>) -> Option<ClaimedPosition> {
    let inner = signed.tbs_data.payload.data.as_ref()?.view().ok()?;
    let Ieee1609Dot2Content::Unsecured(payload) = inner.content else {
        return None;
    };
    match signed.tbs_data.header_info.psid {
        BASIC_SAFETY_MESSAGE => in_safety_message(payload),
        _ => in_packet(payload),
    }
}

fn in_safety_message(payload: &[u8]) -> Option<ClaimedPosition> {
    let MessageFrame::BasicSafety(message) = uper::parse(payload).ok()? else {
        return None;
    };
    claimed(
        message.core.latitude.value(),
        message.core.longitude.value(),
        PositionSource::Payload,
    )
}

fn in_packet(payload: &[u8]) -> Option<ClaimedPosition> {
    let packet: NetworkPacket<'_> = coer::parse(payload).ok()?;
    in_transport(&packet).or_else(|| {
        let source = packet.extended.source().position;
        claimed(
            source.latitude.into(),
            source.longitude.into(),
            PositionSource::Network,
        )
    })
}

fn in_transport(packet: &NetworkPacket<'_>) -> Option<ClaimedPosition> {
    let transport = Btp::parse(packet.upper, packet.payload)?.ok()?;
    let position = match transport.destination_port() {
        port::CAM => {
            let cam: Cam<'_> = uper::parse(transport.payload()).ok()?;
            cam.cam.parameters.basic.reference_position
        }
        port::DENM => {
            let denm: Denm<'_> = uper::parse(transport.payload()).ok()?;
            denm.management.event_position
        }
        _ => return None,
    };
    claimed(
        position.latitude.value(),
        position.longitude.value(),
        PositionSource::Payload,
    )
}

/// Takes tenths of a microdegree; `None` for those that are unknown or out of range.
fn claimed(latitude: i64, longitude: i64, source: PositionSource) -> Option<ClaimedPosition> {
    /// ETSI's messages may have either name of the antimeridian, IEEE 1609.2 has one.
    const ANTIMERIDIAN: i64 = 1_800_000_000;
    let longitude = match longitude {
        other if other == -ANTIMERIDIAN => ANTIMERIDIAN,
        other => other,
    };
    let place = TwoDLocation {
        latitude: Latitude(i32::try_from(latitude).ok()?),
        longitude: Longitude(i32::try_from(longitude).ok()?),
    };
    is_place(&place).then_some(ClaimedPosition { place, source })
}
