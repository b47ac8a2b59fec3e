//! WAVE short messages: headers written by hand from the standard's figures, and hostile ones.

use waywarden_v2x_wire::coer::{CoerEncode, CoerLength};
use waywarden_v2x_wire::coer::{CoerSlice, Rebuilt, emit, length, parse, parse_prefix};
use waywarden_v2x_wire::ieee1609dot2::Psid;
use waywarden_v2x_wire::wsmp::{Element, PSID_MAX, Wsm, WsmpElements};
use waywarden_v2x_wire::{EmitError, ParseFault};

/// It is read as `wsm`, written as `bytes`, and refused when it is cut anywhere.
fn holds(bytes: &[u8], wsm: &Wsm<'_>) {
    let read: Wsm<'_> = parse(bytes).unwrap();
    assert_eq!(read, *wsm);
    let mut buffer = vec![0; bytes.len()];
    for message in [wsm, &read] {
        assert_eq!(emit(message, &mut buffer), Ok(bytes));
        assert_eq!(length(message), Ok(bytes.len()));
        let mut slice = CoerSlice::new(&mut buffer);
        message.encode(&mut Rebuilt(&mut slice)).unwrap();
        assert_eq!(slice.used(), bytes.len());
        assert_eq!(buffer, bytes);
    }
    for length in 0..bytes.len() {
        let error = parse::<Wsm<'_>>(&bytes[..length]).unwrap_err();
        let short = matches!(
            error.fault,
            ParseFault::Truncated(_) | ParseFault::CountTooLarge(_)
        );
        assert!(short, "{length}: {error}");
    }
}

#[test]
fn the_shortest_header() {
    holds(
        &[0x03, 0x00, 0x20, 2, 0xAA, 0xBB],
        &Wsm::new(Psid(32), &[0xAA, 0xBB]),
    );
    holds(&[0x03, 0x00, 0x20, 0], &Wsm::new(Psid(32), &[]));
}

#[test]
fn elements_of_the_network_and_the_transport() {
    let network = [
        Element::ChannelNumber(172),
        Element::DataRate(12),
        Element::TransmitPower(-3),
        Element::ChannelLoad(&[1, 2]),
        Element::Other {
            id: 99,
            content: &[],
        },
    ];
    let mut wsm = Wsm::new(Psid(0x83), &[7]);
    wsm.subtype = 2;
    wsm.network = Some(WsmpElements::new(&network));
    let head = [
        0x2B, 5, 15, 1, 172, 16, 1, 12, 4, 1, 0xFD, 23, 2, 1, 2, 99, 0,
    ];
    holds(&[&head[..], &[0, 0x80, 0x03, 1, 7]].concat(), &wsm);
    wsm.transport = Some(WsmpElements::new(&network[..1]));
    holds(
        &[&head[..], &[1, 0x80, 0x03, 1, 15, 1, 172, 1, 7]].concat(),
        &wsm,
    );
    wsm.network = Some(WsmpElements::new(&[]));
    holds(&[0x2B, 0, 1, 0x80, 0x03, 1, 15, 1, 172, 1, 7], &wsm);
}

#[test]
fn long_messages_have_two_bytes_of_length() {
    let data = [0x55; 0x3FFF];
    for (size, head) in [
        (127, &[127][..]),
        (128, &[0x80, 128]),
        (0x3FFF, &[0xBF, 0xFF]),
    ] {
        let bytes = [&[3, 0, 0x20], head, &data[..size]].concat();
        holds(&bytes, &Wsm::new(Psid(32), &data[..size]));
    }
    let huge = [0; 0x4000];
    let written = Wsm::new(Psid(32), &huge).encode(&mut CoerLength::default());
    assert_eq!(written, Err(EmitError::OutOfRange("Length")));
    // Longer than needed is taken, and written short.
    let bytes = [3, 0, 0x20, 0x80, 1, 9];
    let wsm: Wsm<'_> = parse(&bytes).unwrap();
    assert_eq!(emit(&wsm, &mut [0; 8]), Ok(&[3, 0, 0x20, 1, 9][..]));
}

/// The bounds of each length of a PSID, as in IEEE 1609.12, and numbers in use: MAP's and TIM's.
#[test]
fn psids() {
    let table: [(u64, &[u8]); 11] = [
        (0, &[0x00]),
        (0x7F, &[0x7F]),
        (0x80, &[0x80, 0x00]),
        (0x83, &[0x80, 0x03]),
        (0x407F, &[0xBF, 0xFF]),
        (0x4080, &[0xC0, 0x00, 0x00]),
        (0x20_407F, &[0xDF, 0xFF, 0xFF]),
        (0x20_4080, &[0xE0, 0x00, 0x00, 0x00]),
        (0x20_4097, &[0xE0, 0x00, 0x00, 0x17]),
        (0x20_4099, &[0xE0, 0x00, 0x00, 0x19]),
        (PSID_MAX, &[0xEF, 0xFF, 0xFF, 0xFF]),
    ];
    for (number, bytes) in table {
        let bytes = [&[3, 0], bytes, &[0]].concat();
        holds(&bytes, &Wsm::new(Psid(number), &[]));
    }
    let refused = Wsm::new(Psid(PSID_MAX + 1), &[]).encode(&mut CoerLength::default());
    assert_eq!(refused, Err(EmitError::OutOfRange("Psid")));
}

#[test]
fn what_is_refused() {
    let fault = |bytes: &[u8]| {
        let error = parse::<Wsm<'_>>(bytes).unwrap_err();
        (error.fault, error.offset)
    };
    let (expected, found) = (3, 2);
    // The header of 2010.
    let old = [2, 0x20, 15, 1, 172, 0x80, 0, 1, 9];
    assert_eq!(fault(&old), (ParseFault::Version { expected, found }, 0));
    // Port numbers, and a form of address that there is not.
    assert_eq!(
        fault(&[3, 2, 0, 1, 0, 2, 0]),
        (ParseFault::UnknownTag(2), 1)
    );
    assert_eq!(
        fault(&[3, 0x81, 0, 1, 0, 2, 0]),
        (ParseFault::UnknownTag(0x81), 1)
    );
    assert_eq!(
        fault(&[3, 0, 0xF0, 0, 0, 0, 0]),
        (ParseFault::OutOfRange, 2)
    );
    assert_eq!(
        fault(&[3, 0, 0x20, 0xC0, 1]),
        (ParseFault::LengthTooLarge, 3)
    );
    assert_eq!(fault(&[3, 0, 0x20, 5, 1]), (ParseFault::Truncated(4), 4));
    assert_eq!(
        fault(&[3, 0, 0x20, 1, 1, 0]),
        (ParseFault::TrailingBytes(1), 5)
    );
    // More elements than there are bytes.
    let many = [0x0B, 0xBF, 0xFF, 15, 1, 172];
    assert_eq!(fault(&many), (ParseFault::CountTooLarge(0x3FFF), 1));
    // A channel of two bytes.
    assert_eq!(
        fault(&[0x0B, 1, 15, 2, 0, 172, 0, 0x20, 0]),
        (ParseFault::OutOfRange, 3)
    );
    let wsm = Wsm {
        subtype: 16,
        ..Wsm::new(Psid(0), &[])
    };
    let written = wsm.encode(&mut CoerLength::default());
    assert_eq!(written, Err(EmitError::OutOfRange("subtype")));
    assert_eq!(
        emit(&Wsm::new(Psid(0), &[]), &mut [0; 3]),
        Err(EmitError::NoRoom)
    );
    // What stands behind belongs to the link.
    let (_, read) = parse_prefix::<Wsm<'_>>(&[3, 0, 0x20, 1, 1, 0, 0]).unwrap();
    assert_eq!(read, 5);
}
