//! Extended headers \[EN 302 636-4-1 §9.8\]: the destination of a packet.

use super::{GeoAddress, LongPositionVector, ShortPositionVector};
use crate::coer::{CoerEncode, CoerReader, CoerSink, Visitor};
use crate::error::{EmitError, ParseFault, WireError};

/// Shape of an area \[EN 302 931\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AreaShape {
    /// A circle; distance a is the radius.
    Circle,
    /// A rectangle; the distances are half the sides.
    Rectangle,
    /// An ellipse; the distances are half the axes.
    Ellipse,
}

impl AreaShape {
    const ALL: [Self; 3] = [Self::Circle, Self::Rectangle, Self::Ellipse];
}

/// Destination area of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DestinationArea {
    /// Shape of the area.
    pub shape: AreaShape,
    /// Latitude of the centre, in tenths of a microdegree, positive north.
    pub latitude: i32,
    /// Longitude of the centre, in tenths of a microdegree, positive east.
    pub longitude: i32,
    /// Distance a, in metres.
    pub distance_a_m: u16,
    /// Distance b, in metres.
    pub distance_b_m: u16,
    /// Direction of distance a, in degrees from north.
    pub angle_degrees: u16,
}

impl DestinationArea {
    fn read<V: Visitor>(
        shape: AreaShape,
        reader: &mut CoerReader<'_, V>,
    ) -> Result<Self, WireError> {
        let area = Self {
            shape,
            latitude: reader.field("GeoAreaPos Latitude")?,
            longitude: reader.field("GeoAreaPos Longitude")?,
            distance_a_m: reader.field("Distance a")?,
            distance_b_m: reader.field("Distance b")?,
            angle_degrees: reader.field("Angle")?,
        };
        reader.field::<u16>("reserved")?;
        Ok(area)
    }

    fn put<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        self.latitude.encode(sink)?;
        self.longitude.encode(sink)?;
        self.distance_a_m.encode(sink)?;
        self.distance_b_m.encode(sink)?;
        self.angle_degrees.encode(sink)?;
        0_u16.encode(sink)
    }
}

/// Destination of a packet and position of its source. `sequence_number` counts the packets of the
/// source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtendedHeader {
    /// To every station in range: announces the source.
    Beacon {
        /// Position of the source.
        source: LongPositionVector,
    },
    /// To one station (GUC).
    GeoUnicast {
        /// Number of the packet.
        sequence_number: u16,
        /// Position of the source.
        source: LongPositionVector,
        /// Position of the destination.
        destination: ShortPositionVector,
    },
    /// To one station in an area (GAC).
    GeoAnycast {
        /// Number of the packet.
        sequence_number: u16,
        /// Position of the source.
        source: LongPositionVector,
        /// Destination area.
        area: DestinationArea,
    },
    /// To all stations in an area (GBC).
    GeoBroadcast {
        /// Number of the packet.
        sequence_number: u16,
        /// Position of the source.
        source: LongPositionVector,
        /// Destination area.
        area: DestinationArea,
    },
    /// To every station in range (SHB).
    SingleHopBroadcast {
        /// Position of the source.
        source: LongPositionVector,
        /// Data specific to the medium, such as the channel load.
        media_dependent: [u8; 4],
    },
    /// To all stations within a number of hops (TSB).
    TopologicallyScopedBroadcast {
        /// Number of the packet.
        sequence_number: u16,
        /// Position of the source.
        source: LongPositionVector,
    },
    /// To all stations: asks for the position of a station (LS).
    LocationRequest {
        /// Number of the packet.
        sequence_number: u16,
        /// Position of the source.
        source: LongPositionVector,
        /// Address of the wanted station.
        wanted: GeoAddress,
    },
    /// To the station that asked for the position of the source (LS).
    LocationReply {
        /// Number of the packet.
        sequence_number: u16,
        /// Position of the source.
        source: LongPositionVector,
        /// Position of the station that asked.
        destination: ShortPositionVector,
    },
}

/// The types of headers \[EN 302 636-4-1 §9.7.4\].
mod kind {
    pub(super) const BEACON: u8 = 1;
    pub(super) const GEO_UNICAST: u8 = 2;
    pub(super) const GEO_ANYCAST: u8 = 3;
    pub(super) const GEO_BROADCAST: u8 = 4;
    pub(super) const SCOPED_BROADCAST: u8 = 5;
    pub(super) const LOCATION_SERVICE: u8 = 6;
}

impl ExtendedHeader {
    /// Returns the position of the source.
    #[must_use]
    pub fn source(&self) -> &LongPositionVector {
        match self {
            Self::Beacon { source }
            | Self::GeoUnicast { source, .. }
            | Self::GeoAnycast { source, .. }
            | Self::GeoBroadcast { source, .. }
            | Self::SingleHopBroadcast { source, .. }
            | Self::TopologicallyScopedBroadcast { source, .. }
            | Self::LocationRequest { source, .. }
            | Self::LocationReply { source, .. } => source,
        }
    }

    /// Returns the header type and subtype.
    pub(super) fn kind(&self) -> (u8, u8) {
        match self {
            Self::Beacon { .. } => (kind::BEACON, 0),
            Self::GeoUnicast { .. } => (kind::GEO_UNICAST, 0),
            Self::GeoAnycast { area, .. } => (kind::GEO_ANYCAST, area.shape as u8),
            Self::GeoBroadcast { area, .. } => (kind::GEO_BROADCAST, area.shape as u8),
            Self::SingleHopBroadcast { .. } => (kind::SCOPED_BROADCAST, 0),
            Self::TopologicallyScopedBroadcast { .. } => (kind::SCOPED_BROADCAST, 1),
            Self::LocationRequest { .. } => (kind::LOCATION_SERVICE, 0),
            Self::LocationReply { .. } => (kind::LOCATION_SERVICE, 1),
        }
    }

    /// Reads the header of a type and subtype; `offset` is the place of these.
    pub(super) fn read<V: Visitor>(
        of_kind: u8,
        subtype: u8,
        offset: usize,
        reader: &mut CoerReader<'_, V>,
    ) -> Result<Self, WireError> {
        let unknown = || {
            let tag = u64::from(of_kind << 4 | subtype);
            WireError::at(ParseFault::UnknownTag(tag), offset)
        };
        match (of_kind, subtype) {
            (kind::BEACON, 0) => {
                let source = reader.field("SO PV")?;
                return Ok(Self::Beacon { source });
            }
            (kind::SCOPED_BROADCAST, 0) => {
                let source = reader.field("SO PV")?;
                let media_dependent: &[u8; 4] = reader.field("media-dependent data")?;
                return Ok(Self::SingleHopBroadcast {
                    source,
                    media_dependent: *media_dependent,
                });
            }
            (kind::BEACON..=kind::LOCATION_SERVICE, _) => {}
            _ => return Err(unknown()),
        }
        let shape = AreaShape::ALL.get(usize::from(subtype)).copied();
        let sequence_number = reader.field("SN")?;
        reader.field::<u16>("reserved")?;
        let source = reader.field("SO PV")?;
        match (of_kind, subtype) {
            (kind::GEO_UNICAST, 0) => Ok(Self::GeoUnicast {
                sequence_number,
                source,
                destination: reader.field("DE PV")?,
            }),
            (kind::GEO_ANYCAST, _) => Ok(Self::GeoAnycast {
                sequence_number,
                source,
                area: DestinationArea::read(shape.ok_or_else(unknown)?, reader)?,
            }),
            (kind::GEO_BROADCAST, _) => Ok(Self::GeoBroadcast {
                sequence_number,
                source,
                area: DestinationArea::read(shape.ok_or_else(unknown)?, reader)?,
            }),
            (kind::SCOPED_BROADCAST, 1) => Ok(Self::TopologicallyScopedBroadcast {
                sequence_number,
                source,
            }),
            (kind::LOCATION_SERVICE, 0) => Ok(Self::LocationRequest {
                sequence_number,
                source,
                wanted: reader.field("Request GN_ADDR")?,
            }),
            (kind::LOCATION_SERVICE, 1) => Ok(Self::LocationReply {
                sequence_number,
                source,
                destination: reader.field("DE PV")?,
            }),
            _ => Err(unknown()),
        }
    }
}

impl CoerEncode for ExtendedHeader {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        match self {
            Self::Beacon { .. } | Self::SingleHopBroadcast { .. } => {}
            Self::GeoUnicast {
                sequence_number, ..
            }
            | Self::GeoAnycast {
                sequence_number, ..
            }
            | Self::GeoBroadcast {
                sequence_number, ..
            }
            | Self::TopologicallyScopedBroadcast {
                sequence_number, ..
            }
            | Self::LocationRequest {
                sequence_number, ..
            }
            | Self::LocationReply {
                sequence_number, ..
            } => {
                sequence_number.encode(sink)?;
                0_u16.encode(sink)?;
            }
        }
        self.source().encode(sink)?;
        match self {
            Self::Beacon { .. } | Self::TopologicallyScopedBroadcast { .. } => Ok(()),
            Self::SingleHopBroadcast {
                media_dependent, ..
            } => sink.put(media_dependent),
            Self::GeoUnicast { destination, .. } | Self::LocationReply { destination, .. } => {
                destination.encode(sink)
            }
            Self::GeoAnycast { area, .. } | Self::GeoBroadcast { area, .. } => area.put(sink),
            Self::LocationRequest { wanted, .. } => wanted.encode(sink),
        }
    }
}
