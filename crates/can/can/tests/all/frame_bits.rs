//! Every row of frame_bits.csv, through [`frame_length`] and through [`expand`].
//!
//! The rows come from a model that two public implementations agree with; where the file is and
//! how to require it: `WAYWARDEN_CORPUS`, `WAYWARDEN_REQUIRE_CORPUS`.

use waywarden_can::bits::{FdVariant, FrameLength, expand, frame_length};
use waywarden_can::{FdFlags, Frame, Id};
use waywarden_testkit::corpus_text;

struct Row {
    frame: Frame,
    variant: FdVariant,
    nominal_bits: u16,
    data_bits: u16,
    dynamic_stuff_bits: u16,
    /// Stated for FD frames only.
    crc: Option<u32>,
}

#[test]
fn every_row_of_the_corpus_is_exact() {
    let Some(text) = corpus_text("can/frame_bits.csv") else {
        return;
    };
    let mut rows = 0;
    for (at, line) in text.lines().enumerate().skip(1) {
        let row = parse(line);
        let length = frame_length(&row.frame, row.variant);
        let place = format!("line {}: {line}", at + 1);
        assert_eq!(length.nominal_bits, row.nominal_bits, "{place}");
        assert_eq!(length.data_bits, row.data_bits, "{place}");
        assert_eq!(length.dynamic_stuff_bits, row.dynamic_stuff_bits, "{place}");
        let wire = expand(&row.frame, row.variant);
        assert_eq!(wire.length(), length, "{place}");
        if let Some(crc) = row.crc {
            assert_eq!(wire.crc(), crc, "{place}");
        }
        rows += 1;
    }
    assert_eq!(rows, 4_500);
}

#[test]
fn lengths_do_not_depend_on_the_variant_of_a_classic_frame() {
    let frame = Frame::classic(Id::standard(0x123).unwrap(), &[1, 2, 3]).unwrap();
    let length: FrameLength = frame_length(&frame, FdVariant::Iso);
    assert_eq!(length, frame_length(&frame, FdVariant::NonIso));
}

fn parse(line: &str) -> Row {
    let columns: Vec<&str> = line.split(',').collect();
    let [
        kind,
        extended,
        id,
        switch,
        passive,
        data,
        nominal,
        data_bits,
        stuff,
        crc,
    ] = columns[..]
    else {
        panic!("ten columns: {line}")
    };
    let raw = u32::from_str_radix(id, 16).unwrap();
    let id = if extended == "1" {
        Id::extended(raw)
    } else {
        Id::standard(raw.try_into().unwrap())
    }
    .unwrap();
    let data: Vec<u8> = (0..data.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&data[at..at + 2], 16).unwrap())
        .collect();
    let frame = match kind {
        "classic" => Frame::classic(id, &data),
        _ => Frame::fd_with(
            id,
            &data,
            FdFlags {
                bit_rate_switch: switch == "1",
                error_state_indicator: passive == "1",
            },
        ),
    };
    Row {
        frame: frame.unwrap(),
        variant: match kind {
            "fd-non-iso" => FdVariant::NonIso,
            _ => FdVariant::Iso,
        },
        nominal_bits: nominal.parse().unwrap(),
        data_bits: data_bits.parse().unwrap(),
        dynamic_stuff_bits: stuff.parse().unwrap(),
        crc: (!crc.is_empty()).then(|| u32::from_str_radix(crc, 16).unwrap()),
    }
}
