//! Addresses and position vectors \[EN 302 636-4-1 §6, §9.5\].

use crate::coer::{CoerDecode, CoerEncode, CoerReader, CoerSink, LeafValue, Visitor};
use crate::error::{EmitError, WireError};

/// Minimum speed of a vector, in cm/s: 15 bits with a sign.
pub const SPEED_MIN: i16 = -0x4000;
/// Maximum speed of a vector, in cm/s.
pub const SPEED_MAX: i16 = 0x3FFF;

/// Type of a station \[EN 302 636-4-1 §6.3\]; at most 31.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeonetStationType(
    /// Number of the type: 0 unknown, 1 pedestrian, 2 cyclist, 3 moped, 4 motorcycle, 5 passenger
    /// car, 6 bus, 7 light truck, 8 heavy truck, 9 trailer, 10 special vehicle, 11 tram, 15
    /// roadside.
    pub u8,
);

/// The address of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeoAddress {
    /// True if an operator chose the address; otherwise the station generated it.
    pub is_manual: bool,
    /// Type of the station.
    pub station_type: GeonetStationType,
    /// Ten reserved bits, which are part of the address: before version 1.2.1 they were a country
    /// code, and stations in the field still send one.
    pub reserved: u16,
    /// Link-layer address.
    pub mac: [u8; 6],
}

impl<'a> CoerDecode<'a> for GeoAddress {
    const NAME: &'static str = "GN_ADDR";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let octets: &[u8; 8] = reader.array()?;
        reader.value(LeafValue::Octets(octets));
        let [head, tail, mac @ ..] = *octets;
        Ok(Self {
            is_manual: head & 0x80 != 0,
            station_type: GeonetStationType(head >> 2 & 0x1F),
            reserved: u16::from_be_bytes([head & 0x3, tail]),
            mac,
        })
    }
}

impl CoerEncode for GeoAddress {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        if self.station_type.0 > 0x1F {
            return Err(EmitError::OutOfRange("ST"));
        }
        if self.reserved > 0x3FF {
            return Err(EmitError::OutOfRange("reserved"));
        }
        let [head, tail] = self.reserved.to_be_bytes();
        let manual = u8::from(self.is_manual) << 7;
        sink.put(&[manual | self.station_type.0 << 2 | head, tail])?;
        sink.put(&self.mac)
    }
}

/// Position of a station at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortPositionVector {
    /// Address of the station.
    pub address: GeoAddress,
    /// Time of the position: milliseconds of TAI since 2004-01-01T00:00:00 UTC, modulo 2^32.
    pub timestamp_ms: u32,
    /// Latitude in tenths of a microdegree, positive north.
    pub latitude: i32,
    /// Longitude in tenths of a microdegree, positive east.
    pub longitude: i32,
}

impl<'a> CoerDecode<'a> for ShortPositionVector {
    const NAME: &'static str = "ShortPositionVector";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        Ok(Self {
            address: reader.field("GN_ADDR")?,
            timestamp_ms: reader.field("TST")?,
            latitude: reader.field("Lat")?,
            longitude: reader.field("Long")?,
        })
    }
}

impl CoerEncode for ShortPositionVector {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        self.address.encode(sink)?;
        self.timestamp_ms.encode(sink)?;
        self.latitude.encode(sink)?;
        self.longitude.encode(sink)
    }
}

/// Position of a station at a time, with speed and heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongPositionVector {
    /// Address, time and position of the station.
    pub position: ShortPositionVector,
    /// True if the position is as accurate as the station requires.
    pub is_accurate: bool,
    /// Speed in cm/s, from [`SPEED_MIN`] to [`SPEED_MAX`].
    pub speed_cm_s: i16,
    /// Heading in tenths of a degree, clockwise from north.
    pub heading_decidegrees: u16,
}

/// The accuracy bit and the speed, a signed number of 15 bits.
struct AccuracyAndSpeed(bool, i16);

impl<'a> CoerDecode<'a> for AccuracyAndSpeed {
    const NAME: &'static str = "bits";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let word = u16::from_be_bytes(*reader.array()?);
        reader.value(LeafValue::Unsigned(u64::from(word)));
        // Moves the sign to the top, and back over the accuracy's bit.
        Ok(Self(word & 0x8000 != 0, (word << 1) as i16 >> 1))
    }
}

impl<'a> CoerDecode<'a> for LongPositionVector {
    const NAME: &'static str = "LongPositionVector";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let position = reader.field("position")?;
        let AccuracyAndSpeed(is_accurate, speed_cm_s) = reader.field("PAI, S")?;
        let heading_decidegrees = reader.field("H")?;
        Ok(Self {
            position,
            is_accurate,
            speed_cm_s,
            heading_decidegrees,
        })
    }
}

impl CoerEncode for LongPositionVector {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        if !(SPEED_MIN..=SPEED_MAX).contains(&self.speed_cm_s) {
            return Err(EmitError::OutOfRange("S"));
        }
        self.position.encode(sink)?;
        let speed = self.speed_cm_s as u16 & 0x7FFF;
        (u16::from(self.is_accurate) << 15 | speed).encode(sink)?;
        self.heading_decidegrees.encode(sink)
    }
}
