//! The rules of the encoding, one by one \[X.696\].

use waywarden_v2x_wire::coer::{CoerDecode, SequenceOf, Text, Unknown, emit, parse, parse_prefix};
use waywarden_v2x_wire::ieee1609dot2::*;
use waywarden_v2x_wire::{EmitError, ParseFault};

use crate::support::comes_back;

fn fault<'a, T: CoerDecode<'a> + core::fmt::Debug>(bytes: &'a [u8]) -> ParseFault {
    parse::<T>(bytes).unwrap_err().fault
}

#[test]
fn lengths_have_one_form() {
    assert_eq!(parse::<&[u8]>(&[0]).unwrap(), b"");
    assert_eq!(parse::<&[u8]>(&[2, 7, 8]).unwrap(), [7, 8]);
    let long = [&[0x81, 0x80][..], &[9; 128]].concat();
    assert_eq!(comes_back::<&[u8]>(&long).unwrap().len(), 128);
    let longer = [&[0x82, 0x01, 0x00][..], &[9; 256]].concat();
    assert_eq!(comes_back::<&[u8]>(&longer).unwrap().len(), 256);
    assert_eq!(fault::<&[u8]>(&[0x81, 1, 7]), ParseFault::NotCanonical);
    assert_eq!(fault::<&[u8]>(&[0x81, 0x7F]), ParseFault::NotCanonical);
    assert_eq!(fault::<&[u8]>(&[0x82, 0, 0x80]), ParseFault::NotCanonical);
    assert_eq!(fault::<&[u8]>(&[0x80]), ParseFault::NotCanonical);
    assert_eq!(fault::<&[u8]>(&[0xFF; 200]), ParseFault::LengthTooLarge);
    let huge = [0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF];
    assert_eq!(fault::<&[u8]>(&huge), ParseFault::Truncated(usize::MAX));
    assert_eq!(fault::<&[u8]>(&[3, 1]), ParseFault::Truncated(2));
    assert_eq!(fault::<&[u8]>(&[0x82, 1]), ParseFault::Truncated(1));
    assert_eq!(fault::<&[u8]>(&[]), ParseFault::Truncated(1));
}

#[test]
fn what_is_left_over_is_an_error_unless_asked_for() {
    assert_eq!(fault::<&[u8]>(&[1, 7, 8, 9]), ParseFault::TrailingBytes(2));
    assert_eq!(parse_prefix::<&[u8]>(&[1, 7, 8, 9]), Ok((&[7][..], 2)));
}

#[test]
fn integers_have_one_form_and_64_bits() {
    for (bytes, number) in [
        (&[1, 0][..], 0),
        (&[1, 0xFF], -1),
        (&[1, 0x80], -128),
        (&[2, 0xFF, 0x7F], -129),
        (&[2, 0, 0x80], 128),
        (&[8, 0x80, 0, 0, 0, 0, 0, 0, 0], i64::MIN),
        (&[8, 0x7F, 255, 255, 255, 255, 255, 255, 255], i64::MAX),
    ] {
        assert_eq!(comes_back::<i64>(bytes), Ok(number));
    }
    assert_eq!(fault::<i64>(&[0]), ParseFault::NotCanonical);
    assert_eq!(fault::<i64>(&[2, 0, 0x7F]), ParseFault::NotCanonical);
    assert_eq!(fault::<i64>(&[2, 0xFF, 0x80]), ParseFault::NotCanonical);
    assert_eq!(
        fault::<i64>(&[9, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
        ParseFault::OutOfRange
    );
    assert_eq!(
        fault::<i64>(&[9, 0, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        ParseFault::OutOfRange
    );
    // Without a sign, the top bit is a digit.
    for (bytes, number) in [
        (&[1, 0][..], 0),
        (&[1, 0xFF], 255),
        (&[2, 1, 0], 256),
        (&[8, 255, 255, 255, 255, 255, 255, 255, 255], u64::MAX),
    ] {
        assert_eq!(comes_back::<Psid>(bytes), Ok(Psid(number)));
    }
    assert_eq!(fault::<Psid>(&[0]), ParseFault::NotCanonical);
    assert_eq!(fault::<Psid>(&[2, 0, 0xFF]), ParseFault::NotCanonical);
    assert_eq!(
        fault::<Psid>(&[9, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
        ParseFault::OutOfRange
    );
}

#[test]
fn lists_do_not_promise_more_than_they_have() {
    type List<'a> = SequenceOf<'a, u16>;
    assert_eq!(parse::<List<'_>>(&[1, 1, 0, 7]).unwrap().len(), 1);
    assert_eq!(
        fault::<List<'_>>(&[1, 5, 0, 7]),
        ParseFault::CountTooLarge(5)
    );
    let most = [8, 255, 255, 255, 255, 255, 255, 255, 255, 0];
    assert_eq!(
        fault::<List<'_>>(&most),
        ParseFault::CountTooLarge(u64::MAX)
    );
    assert_eq!(
        fault::<List<'_>>(&[2, 0, 1, 0, 7]),
        ParseFault::NotCanonical
    );
    assert_eq!(fault::<List<'_>>(&[0]), ParseFault::NotCanonical);
    let beyond = [9, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(fault::<List<'_>>(&beyond), ParseFault::OutOfRange);
    // As many bytes as elements, but elements are longer.
    assert_eq!(
        fault::<List<'_>>(&[1, 3, 0, 7, 9]),
        ParseFault::Truncated(1)
    );
    assert_eq!(
        fault::<SequenceOf<'_, u8, 1>>(&[1, 0]),
        ParseFault::OutOfRange
    );
    assert!(SequenceOf::<'_, u8, 2>::new(&[1]).is_none());
}

#[test]
fn a_preamble_has_no_other_bits() {
    assert!(comes_back::<CrlPriorityInfo<'_>>(&[0x40, 9]).is_ok());
    assert_eq!(
        fault::<CrlPriorityInfo<'_>>(&[0x20]),
        ParseFault::PaddingNotZero
    );
    assert_eq!(
        fault::<CrlPriorityInfo<'_>>(&[0x41, 9]),
        ParseFault::PaddingNotZero
    );
}

#[test]
fn a_map_of_additions_has_bits_and_no_others() {
    type Info<'a> = CrlPriorityInfo<'a>;
    assert_eq!(fault::<Info<'_>>(&[0x80, 0]), ParseFault::OutOfRange);
    assert_eq!(fault::<Info<'_>>(&[0x80, 1, 0]), ParseFault::OutOfRange);
    assert_eq!(fault::<Info<'_>>(&[0x80, 2, 7, 0]), ParseFault::OutOfRange);
    assert_eq!(
        fault::<Info<'_>>(&[0x80, 2, 8, 0x80, 0]),
        ParseFault::OutOfRange
    );
    assert_eq!(
        fault::<Info<'_>>(&[0x80, 2, 6, 0xA0, 0]),
        ParseFault::PaddingNotZero
    );
    // 64 are read, 65 are not.
    let map = |bits: usize| {
        let bytes = bits.div_ceil(8);
        let mut all = vec![0x80, bytes as u8 + 1, (bytes * 8 - bits) as u8];
        all.extend(vec![0; bytes - 1]);
        all.push(0x80 >> ((bits - 1) % 8));
        all.push(0);
        all
    };
    assert!(comes_back::<Info<'_>>(&map(64)).unwrap().unknown.any());
    assert_eq!(fault::<Info<'_>>(&map(65)), ParseFault::OutOfRange);
    assert_eq!(
        fault::<Info<'_>>(&[0x80, 0x81, 0x80]),
        ParseFault::Truncated(128)
    );
}

#[test]
fn unknown_additions_are_skipped_and_kept() {
    // The first and the third of three, of two bytes and of none.
    let bytes = [0xC0, 9, 2, 5, 0xA0, 2, 7, 8, 0];
    let info: CrlPriorityInfo<'_> = comes_back(&bytes).unwrap();
    assert_eq!(info.priority, Some(9));
    assert!(info.unknown.any());
    // Beside known ones: pduFunctionalType, then one of a later version, in a longer map.
    let bytes = [0x80, 1, 32, 2, 3, 0x28, 1, 5, 2, 0xAA, 0xBB];
    let header: HeaderInfo<'_> = comes_back(&bytes).unwrap();
    assert_eq!(header.pdu_functional_type, Some(5));
    assert!(header.unknown.any());
    // A writer that knows fewer has a shorter one; that is kept, too.
    let bytes = [0x80, 1, 32, 2, 7, 0x80, 2, 1, 0];
    let header: HeaderInfo<'_> = comes_back(&bytes).unwrap();
    assert_eq!(header.inline_p2pcd_request.map(|list| list.len()), Some(0));
    assert_eq!(
        fault::<CrlPriorityInfo<'_>>(&[0x80, 2, 7, 0x80, 5, 1]),
        ParseFault::Truncated(4)
    );
}

#[test]
fn an_addition_fills_its_length() {
    let header = |addition: &'static [u8]| [&[0x80, 1, 32, 2, 4, 0x20], addition].concat();
    assert!(comes_back::<HeaderInfo<'_>>(&header(&[1, 5])).is_ok());
    let long = parse::<HeaderInfo<'_>>(&header(&[2, 5, 0])).unwrap_err();
    assert_eq!(long.fault, ParseFault::TrailingBytes(1));
    assert_eq!((long.offset, long.field), (8, "pduFunctionalType"));
    assert_eq!(
        fault::<HeaderInfo<'_>>(header(&[0]).leak()),
        ParseFault::Truncated(1)
    );
    assert_eq!(
        fault::<HeaderInfo<'_>>(header(&[9, 5]).leak()),
        ParseFault::Truncated(8)
    );
}

#[test]
fn alternatives_that_are_not_known() {
    type Ssp<'a> = ServiceSpecificPermissions<'a>;
    assert_eq!(
        comes_back::<Ssp<'_>>(&[0x85, 2, 7, 8]),
        Ok(ServiceSpecificPermissions::Unknown(5, Unknown(&[7, 8])))
    );
    assert_eq!(
        fault::<Signature<'_>>(&[0x85, 0]),
        ParseFault::UnknownCritical(5)
    );
    assert_eq!(
        fault::<IssuerIdentifier>(&[0x84, 0]),
        ParseFault::UnknownCritical(4)
    );
    assert_eq!(
        fault::<GeographicRegion<'_>>(&[0x84, 0]),
        ParseFault::UnknownCritical(4)
    );
    assert_eq!(fault::<HashAlgorithm>(&[3]), ParseFault::UnknownCritical(3));
    assert_eq!(fault::<Duration>(&[0x87, 0, 0]), ParseFault::UnknownTag(7));
    // Another class, a tag of two bytes, an enumeration of two bytes.
    assert_eq!(fault::<Duration>(&[0x02, 0, 0]), ParseFault::UnknownTag(2));
    assert_eq!(
        fault::<Ssp<'_>>(&[0xBF, 0x7F, 0]),
        ParseFault::UnknownTag(0xBF)
    );
    assert_eq!(
        fault::<HashAlgorithm>(&[0x82, 1, 0]),
        ParseFault::UnknownTag(0x82)
    );
}

#[test]
fn a_default_value_is_not_written_and_not_read() {
    type Group<'a> = PsidGroupPermissions<'a>;
    assert!(comes_back::<Group<'_>>(&[0, 0x81]).is_ok());
    assert!(comes_back::<Group<'_>>(&[0xE0, 0x81, 1, 2, 1, 0xFF, 0xC0]).is_ok());
    for (bytes, field, offset) in [
        (&[0x80, 0x81, 1, 1], "minChainLength", 2),
        (&[0x40, 0x81, 1, 0], "chainLengthRange", 2),
    ] {
        let error = parse::<Group<'_>>(bytes).unwrap_err();
        assert_eq!(error.fault, ParseFault::NotCanonical);
        assert_eq!((error.field, error.offset), (field, offset));
    }
    let error = parse::<Group<'_>>(&[0x20, 0x81, 0x80]).unwrap_err();
    assert_eq!(
        (error.fault, error.field),
        (ParseFault::NotCanonical, "eeType")
    );
    // For no kind of holder.
    assert_eq!(fault::<Group<'_>>(&[0x20, 0x81, 0]), ParseFault::OutOfRange);
}

#[test]
fn values_out_of_range() {
    let north = |latitude: i32| [latitude.to_be_bytes(), [0; 4]].concat();
    assert!(comes_back::<TwoDLocation>(&north(LATITUDE_UNKNOWN)).is_ok());
    let error = parse::<TwoDLocation>(&north(LATITUDE_UNKNOWN + 1)).unwrap_err();
    assert_eq!(
        (error.fault, error.field),
        (ParseFault::OutOfRange, "latitude")
    );
    assert_eq!(
        fault::<TwoDLocation>(north(i32::MIN).leak()),
        ParseFault::OutOfRange
    );
    assert_eq!(
        fault::<Longitude>(&(-1_800_000_000_i32).to_be_bytes()),
        ParseFault::OutOfRange
    );
    let mut buffer = [7; 4];
    assert_eq!(
        emit(&Latitude(LATITUDE_UNKNOWN + 1), &mut buffer),
        Err(EmitError::OutOfRange("Latitude"))
    );
    assert_eq!(emit(&Time64(1), &mut buffer), Err(EmitError::NoRoom));
    assert_eq!(buffer, [7; 4], "untouched");
}

#[test]
fn texts_are_utf_8_and_count_characters() {
    type Name<'a> = Text<'a, 3>;
    assert_eq!(fault::<Name<'_>>(&[1, 0xFF]), ParseFault::NotUtf8);
    assert_eq!(fault::<Name<'_>>(&[2, 0xED, 0xA0]), ParseFault::NotUtf8);
    assert_eq!(fault::<Name<'_>>(b"\x04abcd"), ParseFault::OutOfRange);
    let bytes = [&[9], "車車車".as_bytes()].concat();
    assert_eq!(comes_back::<Name<'_>>(&bytes).unwrap().as_str(), "車車車");
    assert!(Name::new("車車車車").is_none());
}

#[test]
fn an_error_names_the_field_and_the_place() {
    let error = parse::<Ieee1609Dot2Data<'_>>(&[3, 0x81, 0, 0x40, 3, 0x80, 5, 1]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "at byte 7, unsecuredData: 4 or more bytes are missing"
    );
}
