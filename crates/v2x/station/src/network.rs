//! The packets that messages travel in: GeoNetworking with BTP, or WAVE short messages, in frames
//! of Ethernet.
//!
//! In GeoNetworking the packet is signed, headers and all, and the SPDU stands behind a basic
//! header that is not signed \[EN 302 636-4-1 §8.2\]. In WSMP the message alone is signed.

use alloc::vec::Vec;

use waywarden_v2x_security::region::is_known;
use waywarden_v2x_signing::written;
use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::btp::BtpB;
use waywarden_v2x_wire::geonet::{
    Body, DestinationArea, ExtendedHeader, GeoAddress, GeonetStationType, Lifetime,
    LongPositionVector, NetworkPacket, Packet, SPEED_MAX, ShortPositionVector, TrafficClass,
    UpperProtocol,
};
use waywarden_v2x_wire::ieee1609dot2::{Psid, TwoDLocation};
use waywarden_v2x_wire::link::NetworkProtocol;
use waywarden_v2x_wire::wsmp::Wsm;

use crate::identifiers::StationIdentifiers;
use crate::motion::{Motion, VehicleType};

/// The destination of all frames.
pub const BROADCAST: [u8; 6] = [0xFF; 6];

/// Lifetime of a packet to all stations in range: one second \[EN 302 636-4-1 Annex H\].
const SINGLE_HOP_LIFETIME: Lifetime = Lifetime(1 << 2 | 1);
/// Lifetime of a packet to an area: 60 s.
const AREA_LIFETIME: Lifetime = Lifetime(6 << 2 | 2);
/// Hop limit of a packet to an area (`itsGnDefaultHopLimit`).
const AREA_HOPS: u8 = 10;

/// The destination of a message, with its priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// To all stations in range.
    InRange,
    /// To all stations in an area, forwarded on the way.
    Area(DestinationArea),
}

/// The headers around a signed message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageEnvelope {
    source: [u8; 6],
    network: NetworkHeader,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NetworkHeader {
    GeoNetworking { lifetime: Lifetime, hops: u8 },
    Wsmp(Psid),
}

impl MessageEnvelope {
    /// The envelope of a WAVE short message.
    #[must_use]
    pub fn wsmp(identifiers: &StationIdentifiers, psid: Psid) -> Self {
        Self::wsmp_from(identifiers.mac, psid)
    }

    /// The envelope of a WAVE short message from another address.
    #[must_use]
    pub fn wsmp_from(source: [u8; 6], psid: Psid) -> Self {
        let network = NetworkHeader::Wsmp(psid);
        Self { source, network }
    }

    /// Returns the address of the link that the frame comes from.
    #[must_use]
    pub fn source(&self) -> [u8; 6] {
        self.source
    }

    /// Returns the frame of a signed message, without its check sequence.
    ///
    /// # Errors
    /// [`EmitError::OutOfRange`] for an SPDU that no packet has room for, and for an application
    /// whose number WSMP cannot tell.
    pub fn frame(&self, spdu: &[u8]) -> Result<Vec<u8>, EmitError> {
        let (network, packet) = match self.network {
            NetworkHeader::GeoNetworking { lifetime, hops } => {
                let packet = Packet {
                    lifetime,
                    remaining_hop_limit: hops,
                    body: Body::Secured(spdu),
                };
                (NetworkProtocol::GeoNetworking, written(&packet)?)
            }
            NetworkHeader::Wsmp(psid) => (NetworkProtocol::Wsmp, written(&Wsm::new(psid, spdu))?),
        };
        let mut frame = Vec::with_capacity(14 + packet.len());
        frame.extend_from_slice(&BROADCAST);
        frame.extend_from_slice(&self.source);
        frame.extend_from_slice(&network.ethertype().to_be_bytes());
        frame.extend_from_slice(&packet);
        Ok(frame)
    }
}

/// A message as a GeoNetworking packet, which is what is signed.
///
/// # Errors
/// [`EmitError::OutOfRange`] for a message that no packet has room for.
pub(crate) fn geonetworking(
    identifiers: &mut StationIdentifiers,
    (vehicle, motion): (&VehicleType, &Motion),
    (destination, class, port): (Destination, u8, u16),
    media_dependent: [u8; 4],
    message: &[u8],
) -> Result<(Vec<u8>, MessageEnvelope), EmitError> {
    let transport = BtpB {
        destination_port: port,
        destination_port_info: 0,
        payload: message,
    };
    let transport = written(&transport)?;
    let source = position(identifiers, vehicle, motion);
    let (extended, lifetime, hops) = match destination {
        Destination::InRange => {
            let header = ExtendedHeader::SingleHopBroadcast {
                source,
                media_dependent,
            };
            (header, SINGLE_HOP_LIFETIME, 1)
        }
        Destination::Area(area) => {
            let sequence_number = identifiers.packet_number;
            identifiers.packet_number = sequence_number.wrapping_add(1);
            let header = ExtendedHeader::GeoBroadcast {
                sequence_number,
                source,
                area,
            };
            (header, AREA_LIFETIME, AREA_HOPS)
        }
    };
    let packet = NetworkPacket {
        upper: UpperProtocol::BtpB,
        traffic_class: TrafficClass(class),
        is_mobile: vehicle.station_type != VehicleType::ROADSIDE_UNIT.station_type,
        maximum_hop_limit: hops,
        extended,
        payload: &transport,
    };
    let envelope = MessageEnvelope {
        source: identifiers.mac,
        network: NetworkHeader::GeoNetworking { lifetime, hops },
    };
    Ok((written(&packet)?, envelope))
}

fn position(
    identifiers: &StationIdentifiers,
    vehicle: &VehicleType,
    motion: &Motion,
) -> LongPositionVector {
    let location = &motion.location;
    let speed = i16::try_from(motion.speed_cm_s.unwrap_or(0)).unwrap_or(SPEED_MAX);
    let speed = speed.min(SPEED_MAX);
    LongPositionVector {
        position: ShortPositionVector {
            address: GeoAddress {
                is_manual: false,
                station_type: GeonetStationType(vehicle.station_type & 0x1F),
                reserved: 0,
                mac: identifiers.mac,
            },
            timestamp_ms: (motion.time.0 / 1_000) as u32,
            latitude: location.latitude.0,
            longitude: location.longitude.0,
        },
        is_accurate: is_accurate(motion),
        speed_cm_s: if motion.is_reversing { -speed } else { speed },
        heading_decidegrees: motion.heading_decidegrees.unwrap_or(0) % 3_600,
    }
}

/// True if the place is known to better than `itsGnPaiInterval` / 2 \[EN 302 636-4-1 §9.5\].
///
/// Choice: so is a place whose error is not known, such as that of a roadside unit.
fn is_accurate(motion: &Motion) -> bool {
    const HALF_INTERVAL_CM: u32 = 4_000;
    let place = TwoDLocation {
        latitude: motion.location.latitude,
        longitude: motion.location.longitude,
    };
    let ellipse = motion.accuracy.ellipse;
    is_known(&place) && ellipse.is_none_or(|one| one.semi_major_cm < HALF_INTERVAL_CM)
}
