//! A frame on the wire, bit by bit.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can::Frame;
use waywarden_can::bits::{FdVariant, Level, Stuff, WireBits, expand};
use waywarden_can::timing::{BitTiming, bit_duration, duration};
use waywarden_documents::document::DocumentFormat;
use waywarden_vehicle_file::identifier::IdentifierFields;

/// A frame on the wire.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Explained {
    /// The frame, as candump writes it.
    pub frame: String,
    /// Its identifier.
    #[serde(flatten)]
    pub identifier: IdentifierFields,
    /// Bits at the nominal rate.
    pub nominal_bits: u16,
    /// Bits at the data rate.
    pub data_bits: u16,
    /// Stuff bits of the part with dynamic stuffing.
    pub dynamic_stuff_bits: u16,
    /// Stuff bits of the CRC of a CAN FD frame.
    pub fixed_stuff_bits: u16,
    /// The CRC in hexadecimal.
    pub crc: String,
    /// Duration of the frame.
    pub duration_us: f64,
    /// The same with the three bits of intermission.
    pub with_intermission_us: f64,
    /// Its bits in order.
    pub bits: Vec<Bit>,
}

/// The document of a frame for programs.
pub const DOCUMENT: DocumentFormat<Explained> =
    DocumentFormat::new("bus-bits", 1, "waywarden bus bits FRAME --format json");

/// A bit on the wire.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Bit {
    /// Its number, from 0.
    pub bit: usize,
    /// From start of frame until it begins.
    pub starts_us: f64,
    /// The field that it is of.
    pub field: &'static str,
    /// 0 dominant, 1 recessive.
    pub level: u8,
    /// `dynamic` or `fixed` of a stuff bit, `none` of another.
    pub stuff: &'static str,
    /// `nominal` or `data`.
    pub rate: &'static str,
}

/// Explains a frame on a bus of this timing.
#[must_use]
pub fn bits_of(frame: &Frame, variant: FdVariant, timing: &BitTiming) -> Explained {
    explain(frame, &expand(frame, variant), timing)
}

/// Explains a frame whose bits are known.
#[must_use]
pub fn explain(frame: &Frame, wire: &WireBits, timing: &BitTiming) -> Explained {
    let length = wire.length();
    let us = |picos: u64| picos as f64 * 1e-6;
    let mut starts = 0;
    let bits = wire.bits().iter().enumerate().map(|(at, bit)| {
        let explained = Bit {
            bit: at,
            starts_us: us(starts),
            field: bit.field.abbreviation(),
            level: u8::from(bit.level == Level::Recessive),
            stuff: match bit.stuff {
                Stuff::None => "none",
                Stuff::Dynamic => "dynamic",
                Stuff::Fixed => "fixed",
            },
            rate: if bit.data_phase { "data" } else { "nominal" },
        };
        starts += bit_duration(bit, timing).get();
        explained
    });
    let bits = bits.collect();
    let whole = duration(&length, timing).get();
    Explained {
        frame: frame.to_string(),
        identifier: frame.id().into(),
        nominal_bits: length.nominal_bits,
        data_bits: length.data_bits,
        dynamic_stuff_bits: length.dynamic_stuff_bits,
        fixed_stuff_bits: length.fixed_stuff_bits,
        crc: hexadecimal(wire.crc()),
        duration_us: us(whole),
        with_intermission_us: us(whole + timing.intermission().get()),
        bits,
    }
}

/// Returns a CRC as programs read it: digits alone could be taken for a decimal number.
#[must_use]
pub fn hexadecimal(crc: u32) -> String {
    format!("0x{crc:X}")
}
