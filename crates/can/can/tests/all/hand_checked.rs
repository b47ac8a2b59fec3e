//! The frames of vectors/can-hand-checked.csv, one for each rule: laid out, counted and decoded.

use std::fmt::Write;

use waywarden_can::Frame;
use waywarden_can::bits::{
    BitStep, Decoder, FdVariant, Field, Level, Stuff, WireBits, expand, frame_length,
};

const HAND_CHECKED: &str = include_str!("../../../../../vectors/can-hand-checked.csv");

#[test]
fn hand_checked_frames_are_laid_out_counted_and_decoded_as_written() {
    let rows = HAND_CHECKED.lines().filter(|line| !line.starts_with('#'));
    let mut count = 0;
    for row in rows.skip(1) {
        let columns: Vec<&str> = row.split(',').collect();
        let [rule, variant, text, bits, counts @ .., _why] = &columns[..] else {
            panic!("columns of {row}")
        };
        let variant = match *variant {
            "non-iso" => FdVariant::NonIso,
            "iso" | "" => FdVariant::Iso,
            other => panic!("{rule}: variant {other}"),
        };
        let frame = decode(bits, variant);
        assert_eq!(frame.to_string(), *text, "{rule}");
        let wire = expand(&frame, variant);
        assert_eq!(write_out(&wire), *bits, "{rule}");
        let length = frame_length(&frame, variant);
        assert_eq!(length, wire.length(), "{rule}");
        let ours = [
            length.nominal_bits,
            length.data_bits,
            length.dynamic_stuff_bits,
            length.fixed_stuff_bits,
        ];
        assert_eq!(ours.map(|bits| bits.to_string())[..], *counts, "{rule}");
        count += 1;
    }
    assert_eq!(count, 39);
}

fn decode(bits: &str, variant: FdVariant) -> Frame {
    let mut decoder = Decoder::new(variant);
    let mut frame = None;
    for bit in bits.chars().filter_map(|bit| bit.to_digit(2)) {
        match decoder.push(Level::from_bit(bit == 1)) {
            Ok(BitStep::Frame(received)) => frame = Some(received),
            Ok(_) => {}
            Err(error) => panic!("{error} in {bits}"),
        }
    }
    frame.unwrap_or_else(|| panic!("the frame goes on after {bits}"))
}

/// Writes the bits in the form of the file.
fn write_out(wire: &WireBits) -> String {
    let mut text = String::new();
    let mut last = None;
    for (at, bit) in wire.bits().iter().enumerate() {
        if last.is_some_and(|field| field != bit.field) {
            let switch = at > 0 && wire.bits()[at - 1].data_phase != bit.data_phase;
            text.push_str(if switch { "| " } else { " " });
        }
        let level = u8::from(bit.level.bit());
        match bit.stuff {
            Stuff::None => write!(text, "{level}"),
            Stuff::Dynamic => write!(text, "({level})"),
            Stuff::Fixed => write!(text, "[{level}]"),
        }
        .expect("a string takes all text");
        last = Some(bit.field);
    }
    assert_eq!(last, Some(Field::EndOfFrame));
    text
}
