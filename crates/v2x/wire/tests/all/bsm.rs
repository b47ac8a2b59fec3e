//! Basic safety messages: those of the Wyoming pilot, all of them, and hostile bits.

use waywarden_testkit::{bytes_of, corpus_text};
use waywarden_v2x_wire::bsm::{
    AuxiliaryBrakeStatus, BsmOptionalParts, MessageFrame, TransmissionState,
};
use waywarden_v2x_wire::coer;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data, Psid};
use waywarden_v2x_wire::uper::{Bits, Bounded, UperEncode, emit, length, parse};
use waywarden_v2x_wire::{EmitError, ParseFault};

fn emitted<T: UperEncode>(value: &T) -> Vec<u8> {
    let mut buffer = vec![0; length(value).unwrap()];
    emit(value, &mut buffer).unwrap();
    buffer
}

/// The payload of signed data, and its application.
fn payload(spdu: &[u8]) -> (Psid, Vec<u8>) {
    let data: Ieee1609Dot2Data<'_> = coer::parse(spdu).unwrap();
    let Ieee1609Dot2Content::Signed(signed) = data.content else {
        panic!("not signed");
    };
    let inner = signed.tbs_data.payload.data.unwrap().view().unwrap();
    let Ieee1609Dot2Content::Unsecured(bytes) = inner.content else {
        panic!("not in the clear");
    };
    (signed.tbs_data.header_info.psid, bytes.to_vec())
}

#[test]
fn messages_from_the_field() {
    let Some(text) = corpus_text("v2x/us_field/signed.hex") else {
        return;
    };
    let (mut safety, mut others, mut moving, mut with_part_ii) = (0, 0, 0, 0);
    for line in text.lines() {
        let spdu = bytes_of(line.split_whitespace().last().unwrap());
        let (psid, bytes) = payload(&spdu);
        let Ok(frame) = parse::<MessageFrame<'_>>(&bytes) else {
            assert_ne!(psid, Psid(32), "{line}");
            others += 1;
            continue;
        };
        assert_eq!(emitted(&frame), bytes);
        let MessageFrame::BasicSafety(message) = frame else {
            assert_ne!(psid, Psid(32), "{line}");
            others += 1;
            continue;
        };
        assert_eq!(psid, Psid(32));
        let core = message.core;
        // Wyoming lies from 41 to 45 degrees north and from 104 to 111 degrees west; the roads
        // and the test site in Colorado are south of it.
        let (latitude, longitude) = (core.latitude.value(), core.longitude.value());
        assert!((390_000_000..=450_100_000).contains(&latitude), "{core:?}");
        assert!(
            (-1_111_000_000..=-1_030_000_000).contains(&longitude),
            "{core:?}"
        );
        assert!(
            (10_000..40_000).contains(&core.elevation_dm.value()),
            "{core:?}"
        );
        // Less than 50 m/s.
        assert!(core.speed_2_cm_s.value() < 2_500 || core.speed_2_cm_s == Bounded::MAX);
        assert!(core.second_mark_ms.value() < 60_000 || core.second_mark_ms == Bounded::MAX);
        assert!(core.size.length_cm.value() < 3_000 && core.size.width_cm.value() < 400);
        moving += usize::from(core.speed_2_cm_s.value() > 50);
        with_part_ii += usize::from(message.more.has_part_ii);
        safety += 1;
    }
    println!("{safety} basic safety messages, {moving} moving, {with_part_ii} with part II");
    println!("{others} other messages");
    assert_eq!(safety + others, 843);
    assert!(safety > 0 && moving > 0);
}

/// The core of the first message of the field, in a frame of its own; its fields were read by a
/// script of a few lines from the widths in the standard.
const FIRST: &str =
    "0014250d4c4c9510b829a7165b3f1673b847ab642faa7ffff238cd6bfd7d07d07f7fff80007796b0";

#[test]
fn a_message_field_by_field() {
    let bytes = bytes_of(FIRST);
    let frame: MessageFrame<'_> = parse(&bytes).unwrap();
    assert_eq!(emitted(&frame), bytes);
    let MessageFrame::BasicSafety(message) = frame else {
        panic!("{frame:?}");
    };
    assert_eq!(message.more, BsmOptionalParts::default());
    let core = message.core;
    let numbers = [
        (core.message_count.value(), 53),
        (core.temporary_id.value(), 825_381_954),
        (core.second_mark_ms.value(), 57_510),
        (core.latitude.value(), 411_553_150),
        (core.longitude.value(), -1_046_634_864),
        (core.elevation_dm.value(), 18_120),
        (core.accuracy.semi_major_5_cm.value(), 95),
        (core.accuracy.semi_minor_5_cm.value(), 84),
        (core.accuracy.orientation.value(), 65_535),
        (core.speed_2_cm_s.value(), 1_137),
        (core.heading_eightieth_degrees.value(), 19_819),
        (core.steering_1_5_degrees.value(), 127),
        (core.acceleration.longitudinal_cm_s2.value(), 0),
        (core.acceleration.vertical_2_centi_g.value(), 0),
        (core.acceleration.yaw_rate_centidegrees_s.value(), 0),
        (core.size.width_cm.value(), 239),
        (core.size.length_cm.value(), 726),
    ];
    for (at, (read, expected)) in numbers.into_iter().enumerate() {
        assert_eq!(read, expected, "{at}");
    }
    assert_eq!(core.transmission, TransmissionState::Unavailable);
    assert_eq!(core.brakes.wheel_brakes.bits(), 0b10000);
    assert_eq!(core.brakes.auxiliary, AuxiliaryBrakeStatus::Unavailable);
}

#[test]
fn messages_cut_and_changed() {
    let bytes = bytes_of(FIRST);
    for length in 0..bytes.len() {
        let error = parse::<MessageFrame<'_>>(&bytes[..length]).unwrap_err();
        assert!(matches!(error.fault, ParseFault::Truncated(_)), "{error}");
    }
    for bit in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 0x80 >> (bit % 8);
        if let Ok(read) = parse::<MessageFrame<'_>>(&changed) {
            assert_eq!(emitted(&read), changed);
        }
    }
}

#[test]
fn other_frames() {
    let other = Bounded::new(31).unwrap();
    let frame = MessageFrame::Other(other, Bits::of(&[1, 2, 3]));
    assert_eq!(emitted(&frame), [0, 31, 3, 1, 2, 3]);
    assert_eq!(parse(&[0, 31, 3, 1, 2, 3]), Ok(frame));
    let fault = |bytes: &[u8]| parse::<MessageFrame<'_>>(bytes).unwrap_err().fault;
    assert_eq!(fault(&[0x80, 31, 0]), ParseFault::UnknownCritical(0));
    assert_eq!(fault(&[0, 31, 3, 1, 2, 3, 4]), ParseFault::TrailingBytes(1));
    assert_eq!(fault(&[0, 31, 0]), ParseFault::OutOfRange);
    assert_eq!(fault(&[0, 31, 0x80, 3, 1, 2, 3]), ParseFault::NotCanonical);
    let long = [&[0, 31, 0x80, 200][..], &[7; 200]].concat();
    let frame: MessageFrame<'_> = parse(&long).unwrap();
    assert_eq!(emitted(&frame), long);
    // A core that says that more follows, and nothing does; and the other way.
    let bytes = bytes_of(FIRST);
    let MessageFrame::BasicSafety(mut message) = parse(&bytes).unwrap() else {
        panic!();
    };
    message.more.has_part_ii = true;
    assert_eq!(length(&message), Err(EmitError::OutOfRange("partII")));
    message.more = BsmOptionalParts {
        bits: Bits::of(&[1]),
        ..BsmOptionalParts::default()
    };
    assert_eq!(length(&message), Err(EmitError::OutOfRange("partII")));
    let safety = Bounded::new(20).unwrap();
    let wrong = MessageFrame::Other(safety, Bits::of(&[1]));
    assert_eq!(length(&wrong), Err(EmitError::OutOfRange("messageId")));
}
