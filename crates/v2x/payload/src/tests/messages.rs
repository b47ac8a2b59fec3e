//! Messages bit by bit, independent of the encoder.

use alloc::vec;
use alloc::vec::Vec;

use super::MUNICH;

/// Bits in the order of unaligned PER.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn put(&mut self, value: u64, width: u32) -> &mut Self {
        let bits = (0..width).rev().map(|bit| value >> bit & 1 == 1);
        self.0.extend(bits);
        self
    }

    fn octets(&self) -> Vec<u8> {
        let octet = |bits: &[bool]| {
            let bits = bits.iter().enumerate();
            bits.fold(0, |octet, (at, bit)| octet | u8::from(*bit) << (7 - at))
        };
        self.0.chunks(8).map(octet).collect()
    }

    fn place(&mut self, (latitude, longitude): (i32, i32), west: i64) -> &mut Self {
        self.put((i64::from(latitude) + 900_000_000) as u64, 31)
            .put((i64::from(longitude) + west) as u64, 32)
    }

    fn reference_position(&mut self, place: (i32, i32)) -> &mut Self {
        self.place(place, 1_800_000_000).put(0, 36).put(0, 24)
    }
}

/// A special vehicle's container: its number and its bits.
pub(super) type Container<'a> = (u64, &'a [(u64, u32)]);

/// A CAM of a roadside unit, or one that claims this station type.
pub(super) fn cam(station_type: u64, place: (i32, i32), special: Option<Container<'_>>) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(2, 8).put(2, 8).put(7, 32).put(0, 16);
    bits.put(0, 2).put(u64::from(special.is_some()), 1);
    bits.put(0, 1)
        .put(station_type, 8)
        .reference_position(place);
    // The container of a roadside unit, without zones.
    bits.put(0b01, 2).put(0, 2);
    special_container(&mut bits, special);
    bits.octets()
}

fn special_container(bits: &mut Bits, special: Option<Container<'_>>) {
    if let Some((number, content)) = special {
        bits.put(number, 4);
        for (value, width) in content {
            bits.put(*value, *width);
        }
    }
}

/// A CAM of a roadside unit that protects a zone.
pub(super) fn zone() -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(2, 8).put(2, 8).put(7, 32).put(0, 16);
    bits.put(0, 4).put(15, 8).reference_position(MUNICH);
    bits.put(0b01, 2).put(0b01, 2).put(0, 4);
    // The type and the place of the zone, with nothing optional.
    bits.put(0, 4).put(0, 2).place(MUNICH, 1_800_000_000);
    bits.octets()
}

/// A CAM with an addition of a later version.
pub(super) fn extended_cam() -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(2, 8).put(2, 8).put(7, 32).put(0, 16);
    bits.put(0b100, 3)
        .put(0, 1)
        .put(15, 8)
        .reference_position(MUNICH);
    bits.put(0b01, 2).put(0, 2);
    // One addition, which is there, of one octet.
    bits.put(0, 7).put(1, 1).put(1, 8).put(7, 8);
    bits.octets()
}

/// A CAM with a container for special vehicles that a later version added.
pub(super) fn later_special_container() -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(2, 8).put(2, 8).put(7, 32).put(0, 16);
    bits.put(0b001, 3)
        .put(0, 1)
        .put(15, 8)
        .reference_position(MUNICH);
    bits.put(0b01, 2).put(0, 2);
    // The first addition of the choice, of one octet.
    bits.put(1, 1).put(0, 7).put(1, 8).put(7, 8);
    bits.octets()
}

/// A CAM with a high frequency container that a later version added.
pub(super) fn later_high_frequency_container() -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(2, 8).put(2, 8).put(7, 32).put(0, 16);
    bits.put(0, 4).put(15, 8).reference_position(MUNICH);
    bits.put(1, 1).put(0, 7).put(1, 8).put(7, 8);
    bits.octets()
}

pub(super) fn denm(place: (i32, i32), causes: &[u8]) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(2, 8).put(1, 8).put(7, 32);
    bits.put(u64::from(!causes.is_empty()), 1).put(0, 2);
    bits.put(0, 6).put(8, 32).put(9, 16).put(1, 42).put(1, 42);
    bits.reference_position(place).put(15, 8);
    if !causes.is_empty() {
        bits.put(0, 1)
            .put(u64::from(causes.len() > 1), 1)
            .put(0, 1)
            .put(0, 3);
        for cause in causes {
            bits.put(0, 1).put(u64::from(*cause), 8).put(0, 8);
        }
    }
    bits.octets()
}

pub(super) fn bsm(place: (i32, i32)) -> Vec<u8> {
    let mut core = Bits::default();
    core.put(0, 3)
        .put(1, 7)
        .put(7, 32)
        .put(0, 16)
        .place(place, 1_799_999_999);
    for _ in 0..172 {
        core.put(0, 1);
    }
    let core = core.octets();
    [&[0, 20, core.len() as u8][..], &core].concat()
}

/// A GeoNetworking packet with a message to a port.
pub(super) fn packet(port: u16, message: &[u8]) -> Vec<u8> {
    let length = message.len() as u8 + 4;
    let mut packet = vec![0x20, 0x50, 2, 0, 0, length, 1, 0];
    packet.extend([0; 28]);
    packet.extend(port.to_be_bytes());
    packet.extend([0, 0]);
    packet.extend(message);
    packet
}
