//! Headers, default values, extensions and the basic types, by known bits.

use waywarden_testkit::Random;
use waywarden_v2x_wire::cam::{Cam, HighFrequencyContainer};
use waywarden_v2x_wire::denm::{Denm, ManagementContainer};
use waywarden_v2x_wire::etsi102894::TrafficRule;
use waywarden_v2x_wire::uper::{
    Bits, Bounded, ExtensibleInteger, Flags, ListOf, UperOctets, length, parse,
};
use waywarden_v2x_wire::{EmitError, ParseFault};

use super::{Values, bytes_from, management, written_cam, written_denm};

#[test]
fn headers_of_other_messages_are_refused() {
    let mut cam = written_cam(1);
    let fault = |bytes: &[u8]| parse::<Cam<'_>>(bytes).unwrap_err().fault;
    cam[1] = 1;
    assert_eq!(
        fault(&cam),
        ParseFault::Inconsistent("the message is no CAM")
    );
    let error = parse::<Denm<'_>>(&written_cam(1)).unwrap_err();
    assert_eq!(
        error.fault,
        ParseFault::Inconsistent("the message is no DENM")
    );
    (cam[0], cam[1]) = (1, 2);
    let (expected, found) = (2, 1);
    assert_eq!(fault(&cam), ParseFault::Version { expected, found });
    let mut denm = written_denm(1);
    denm[0] = 3;
    let error = parse::<Denm<'_>>(&denm).unwrap_err();
    assert_eq!(error.fault, ParseFault::Version { expected, found: 3 });
    let long = [&written_cam(1)[..], &[0]].concat();
    assert_eq!(fault(&long), ParseFault::TrailingBytes(1));
}

/// A default value that is there is refused: the standard has it absent.
#[test]
fn default_values() {
    let mut own = management(&mut Values(Random::new(7)));
    own.termination = None;
    own.validity_duration_s = Bounded::new(601).unwrap();
    own.transmission_interval_ms = None;
    let mut bytes = bytes_from(&own);
    // 600 is 601 without its last bit, wherever that stands.
    let read: ManagementContainer<'_> = parse(&bytes).unwrap();
    assert_eq!(read, own);
    let bits = Bits::of(&bytes).len() - 8;
    let end = (0..bits).rev().find(|bit| {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 0x80 >> (bit % 8);
        let error = parse::<ManagementContainer<'_>>(&changed).err();
        error.is_some_and(|error| error.fault == ParseFault::NotCanonical)
    });
    let bit = end.expect("one bit makes 600 of 601");
    bytes[bit / 8] ^= 0x80 >> (bit % 8);
    let error = parse::<ManagementContainer<'_>>(&bytes).unwrap_err();
    assert_eq!(
        (error.fault, error.field),
        (ParseFault::NotCanonical, "validityDuration")
    );
    own.validity_duration_s = Bounded::new(600).unwrap();
    assert_eq!(bytes_from(&own).len(), bytes.len() - 2);
}

/// Additions and values of later versions are skipped, kept, and written as they were.
#[test]
fn extensions() {
    // A management container with two additions of three, of two bytes and one.
    let mut random = Values(Random::new(7));
    let mut own = management(&mut random);
    // Count 3, map 101, then length 2 and its bytes, length 1 and its byte.
    let mut additions = vec![
        (2_u64, 7),
        (0b101, 3),
        (2, 8),
        (0xABCD, 16),
        (1, 8),
        (0xEF, 8),
    ];
    let packed = pack(&mut additions);
    own.additions = Bits::of(&packed).first(50).unwrap();
    let bytes = bytes_from(&own);
    let read: ManagementContainer<'_> = parse(&bytes).unwrap();
    assert_eq!(read.station_type, own.station_type);
    assert_eq!(read.additions.len(), 50);
    assert_eq!(bytes_from(&read), bytes);
    // An enumeration and a choice.
    let rule = [0b1000_0011];
    let read: TrafficRule = parse(&rule).unwrap();
    assert_eq!((read, read.label()), (TrafficRule::Later(3), None));
    assert_eq!(bytes_from(&read), rule);
    assert_eq!(
        length(&TrafficRule::Later(64)),
        Err(EmitError::OutOfRange("TrafficRule"))
    );
    let fast = [0b1000_0101, 2, 0xAB, 0xCD];
    let read: HighFrequencyContainer<'_> = parse(&fast).unwrap();
    assert_eq!(
        read,
        HighFrequencyContainer::Later(5, Bits::of(&[0xAB, 0xCD]))
    );
    assert_eq!(bytes_from(&read), fast);
    // More than 64 values or additions, and lengths in fragments.
    let fault = |bytes: &[u8]| {
        parse::<HighFrequencyContainer<'_>>(bytes)
            .unwrap_err()
            .fault
    };
    assert_eq!(fault(&[0b1100_0101, 2, 0xAB, 0xCD]), ParseFault::OutOfRange);
    assert_eq!(
        fault(&[0b1000_0101, 0xC1, 0xAB, 0xCD]),
        ParseFault::LengthTooLarge
    );
    assert_eq!(
        fault(&[0b1000_0101, 0xBF, 0xFF, 0xCD]),
        ParseFault::Truncated(0x3FFE)
    );
}

/// Puts numbers of so many bits one after the other.
fn pack(parts: &mut Vec<(u64, u32)>) -> Vec<u8> {
    let digits: String = parts
        .drain(..)
        .map(|(number, bits)| format!("{number:0width$b}", width = bits as usize))
        .collect();
    let byte = |at: usize| {
        let end = (at + 8).min(digits.len());
        u8::from_str_radix(&format!("{:0<8}", &digits[at..end]), 2).unwrap()
    };
    (0..digits.len()).step_by(8).map(byte).collect()
}

#[test]
fn numbers_flags_lists_and_octets() {
    assert_eq!(Bounded::<1, 62>::new(0), None);
    assert_eq!(Bounded::<1, 62>::new(63), None);
    // 62 numbers have six bits: two patterns are none.
    let fault = |byte: u8| parse::<Bounded<1, 62>>(&[byte]).unwrap_err().fault;
    assert_eq!(fault(0b1111_1000), ParseFault::OutOfRange);
    assert_eq!(fault(0b1111_1100), ParseFault::OutOfRange);
    assert_eq!(fault(0b0000_0001), ParseFault::PaddingNotZero);
    assert_eq!(parse::<Bounded<1, 62>>(&[0b1111_0100]), Ok(Bounded::MAX));
    // A number with one value has no bits, and a byte all the same.
    assert_eq!(parse::<Bounded<5, 5>>(&[0]), Ok(Bounded::MIN));
    assert_eq!(bytes_from(&Bounded::<5, 5>::MIN), [0]);
    let widest = Bounded::<{ i64::MIN }, { i64::MAX }>::new(-1).unwrap();
    assert_eq!(parse(&bytes_from(&widest)), Ok(widest));
    // Out of range, by the shortest form only.
    type Small = ExtensibleInteger<1, 255>;
    for number in [1, 255, 0, 256, -1, -128, -129, 127, i64::MIN, i64::MAX] {
        let bytes = bytes_from(&ExtensibleInteger::<1, 255>(number));
        assert_eq!(parse::<Small>(&bytes), Ok(ExtensibleInteger(number)));
    }
    let fault = |mut parts: Vec<(u64, u32)>| parse::<Small>(&pack(&mut parts)).unwrap_err().fault;
    assert_eq!(
        fault(vec![(1, 1), (1, 8), (7, 8)]),
        ParseFault::NotCanonical
    );
    assert_eq!(
        fault(vec![(1, 1), (3, 8), (256, 24)]),
        ParseFault::NotCanonical
    );
    assert_eq!(fault(vec![(1, 1), (0, 8)]), ParseFault::OutOfRange);
    assert_eq!(
        fault(vec![(1, 1), (9, 8), (1, 64), (1, 8)]),
        ParseFault::OutOfRange
    );
    // The standard's bit 0 is on top.
    let flags = Flags::<7>::new(0b100_0001).unwrap();
    assert!(flags.is_set(0) && flags.is_set(6) && !flags.is_set(1) && !flags.is_set(7));
    assert_eq!(Flags::<7>::new(0x80), None);
    // Lists and octets out of bounds.
    type Triple<'a> = ListOf<'a, bool, 1, 3>;
    assert_eq!(Triple::new(&[]), None);
    assert_eq!(Triple::new(&[true; 4]), None);
    assert_eq!(
        parse::<Triple<'_>>(&[0b1110_0000]).unwrap_err().fault,
        ParseFault::OutOfRange
    );
    let list: Triple<'_> = parse(&[0b0110_0000]).unwrap();
    assert_eq!(
        (list.len(), list),
        (2, Triple::new(&[true, false]).unwrap())
    );
    assert_eq!(UperOctets::<1, 2>::new(&[]), None);
    let octets = UperOctets::<1, 2>::new(&[0xAB, 0xCD]).unwrap();
    let bytes = bytes_from(&octets);
    assert_eq!(bytes, [0xD5, 0xE6, 0x80]);
    assert_eq!(parse(&bytes), Ok(octets));
    assert!(octets.bytes().eq([0xAB, 0xCD]));
}
