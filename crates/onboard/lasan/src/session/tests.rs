//! Sealed messages against vectors made elsewhere, and cut, changed, readdressed, replayed.

use waywarden_can::{Frame, Id};
use waywarden_testkit::bytes_of;
use waywarden_work::NoMeter;

use super::super::identifier::LasanKind;
use super::*;
use waywarden_key_roles::Address;
use waywarden_testkit::{blocks, flipped};

const VECTORS: &str = include_str!("../../../../../vectors/lasan.txt");

const REQUEST: LasanHeader = LasanHeader {
    gives_way: false,
    kind: LasanKind::Request,
    source: Address(1),
    target: Address(2),
};

/// The two sides of a session, from 184 bytes of key material.
fn sides(keys: &[u8; 184]) -> [Session; 2] {
    let secret = |at: usize| Secret::from_bytes(keys[at..at + 32].try_into().unwrap());
    let initial = |at: usize| Zeroizing::new(keys[at..at + 12].try_into().unwrap());
    let derived = || Keys {
        module: Half {
            key: secret(0),
            initial: initial(160),
        },
        ecu: Half {
            key: secret(32),
            initial: initial(172),
        },
        proofs: [secret(64), secret(96)],
        exporter: secret(128),
    };
    [
        Session::of_module(derived(), Instant::ZERO),
        Session::of_ecu(derived(), Instant::ZERO),
    ]
}

/// Key material in which nothing is alike.
fn material() -> [u8; 184] {
    core::array::from_fn(|at| at as u8)
}

fn seal(session: &mut Session, header: &LasanHeader, plain: &[u8]) -> (Sealed, usize) {
    let random = Secret::from_bytes([9; 32]);
    let sealed = session.seal(&mut NoMeter, header, plain, &random);
    let sealed = sealed.expect("there is room");
    (sealed, sealed.1)
}

fn open(session: &mut Session, header: &LasanHeader, message: &[u8]) -> Result<usize, OpenError> {
    let (mut bytes, length) = ([0; SEALED_MAX], message.len());
    bytes[..length].copy_from_slice(message);
    let opened = session.open(&mut NoMeter, header, &mut bytes[..length]);
    opened.map(<[u8]>::len)
}

#[test]
fn known_answers_are_met() {
    let mut count = 0;
    for fields in blocks(VECTORS).filter(|fields| fields["kind"] == "session") {
        let field = |name: &str| bytes_of(fields[name]);
        let keys: [u8; 184] = field("keys").try_into().unwrap();
        let [mut module, mut ecu] = sides(&keys);
        assert_eq!(module.exporter().unwrap().as_bytes()[..], field("exporter"));
        let reverse = |kind| LasanHeader {
            kind,
            source: REQUEST.target,
            target: REQUEST.source,
            ..REQUEST
        };
        let [module, ecu] = [&mut module, &mut ecu];
        // The ECU's certificate ends 1,000,001 ms after the registration.
        let end = [0, 0, 0, 0, 0, 0x0F, 0x42, 0x41];
        let (acknowledge, length) = seal(module, &reverse(LasanKind::Acknowledge), &end);
        assert_eq!(acknowledge.0[..length], field("acknowledge"));
        let (request, length) = seal(ecu, &REQUEST, &[0, 0, 1, 1]);
        assert_eq!(request.0[..length], field("request"));
        assert_eq!(open(module, &REQUEST, &field("request")), Ok(4));
        assert_eq!(
            open(ecu, &reverse(LasanKind::Acknowledge), &field("acknowledge")),
            Ok(8)
        );
        assert_eq!(
            open(ecu, &reverse(LasanKind::Grant), &field("grant")),
            Ok(45)
        );
        count += 1;
    }
    assert_eq!(count, 2);
}

#[test]
fn sealed_messages_are_met() {
    let mut count = 0;
    for fields in blocks(VECTORS).filter(|fields| fields["kind"] == "sealed") {
        let field = |name: &str| bytes_of(fields[name]);
        let [mut module, mut ecu] = sides(&field("keys").try_into().unwrap());
        let (from, to) = match fields["from"] {
            "module" => (&mut module, &mut ecu),
            _ => (&mut ecu, &mut module),
        };
        let identifier = u32::from_be_bytes(field("identifier").try_into().unwrap());
        let frame = Frame::classic(Id::extended(identifier).unwrap(), &[]).unwrap();
        let (header, part) = LasanHeader::of(&frame).unwrap();
        assert_eq!((header.kind.name(), part), (fields["message"], 0));
        let counter = u32::from_be_bytes(field("counter").try_into().unwrap());
        if let Session::Hardened { seals, .. } = from {
            seals.counter = counter - 1;
        }
        let (sealed, length) = seal(from, &header, &field("plain"));
        assert_eq!(sealed.0[..length], field("bytes"));
        let mut message = field("bytes");
        let opened = to.open(&mut NoMeter, &header, &mut message);
        assert_eq!(opened, Ok(&field("plain")[..]));
        count += 1;
    }
    assert_eq!(count, 4);
}

#[test]
fn the_testbeds_confirmation_is_met() {
    let mut found = blocks(VECTORS).filter(|fields| fields["kind"] == "confirmation");
    let fields = found.next().unwrap();
    let field = |name: &str| bytes_of(fields[name]);
    let key = || Secret::from_bytes(field("key").try_into().unwrap());
    let [ecu, module] = [0, 6].map(|at| Name(field("names")[at..at + 6].try_into().unwrap()));
    assert_eq!(names(ecu, module)[..], field("plain"));
    let mut session = Session::published(key(), key(), ecu, module);
    let random = Secret::from_bytes(field("random").try_into().unwrap());
    let sealed = session.seal(&mut NoMeter, &REQUEST, &field("plain"), &random);
    let (sealed, length) = sealed.unwrap();
    assert_eq!(sealed[..length], field("bytes"));
    assert_eq!(length, 44);
    // It is taken as often as it comes, under whatever header.
    for kind in [LasanKind::Request, LasanKind::EcuConfirmation] {
        let header = LasanHeader { kind, ..REQUEST };
        assert_eq!(open(&mut session, &header, &sealed[..length]), Ok(12));
    }
    for bit in 0..8 * length {
        let opened = open(&mut session, &REQUEST, &flipped(&sealed[..length], bit));
        // The names that stand in clear beside the ciphertext are not those that are looked at.
        let beside = (96..192).contains(&bit);
        assert_eq!(opened.is_ok(), beside, "bit {bit}");
    }
}

#[test]
fn messages_are_opened_once_and_in_order() {
    let [mut module, mut ecu] = sides(&material());
    let sealed: std::vec::Vec<_> = (0..4)
        .map(|at| seal(&mut ecu, &REQUEST, &[at; 4]))
        .collect();
    let mut take = |at: usize| {
        let (bytes, length) = &sealed[at];
        open(&mut module, &REQUEST, &bytes.0[..*length])
    };
    assert_eq!(take(1), Ok(4));
    assert_eq!(take(0), Err(OpenError::Replay));
    assert_eq!(take(1), Err(OpenError::Replay));
    assert_eq!(take(3), Ok(4));
    assert_eq!(take(2), Err(OpenError::Replay));
}

#[test]
fn what_is_cut_changed_or_readdressed_is_refused() {
    let [mut module, mut ecu] = sides(&material());
    // One before, so that a smaller counter is a replay.
    let (first, length) = seal(&mut ecu, &REQUEST, &[1; 4]);
    assert_eq!(open(&mut module, &REQUEST, &first.0[..length]), Ok(4));
    let (sealed, length) = seal(&mut ecu, &REQUEST, &[1; 4]);
    let message = &sealed.0[..length];
    for bit in 0..8 * length {
        let opened = open(&mut module, &REQUEST, &flipped(message, bit));
        assert!(opened.is_err(), "bit {bit}");
    }
    for cut in 0..length {
        assert!(open(&mut module, &REQUEST, &message[..cut]).is_err());
    }
    for header in [
        LasanHeader {
            kind: LasanKind::Acknowledge,
            ..REQUEST
        },
        LasanHeader {
            source: Address(3),
            ..REQUEST
        },
        LasanHeader {
            target: Address(3),
            ..REQUEST
        },
        LasanHeader {
            gives_way: true,
            ..REQUEST
        },
    ] {
        assert_eq!(open(&mut module, &header, message), Err(OpenError::Tag));
    }
    // Nor does it open in the direction that it came from.
    assert_eq!(open(&mut ecu, &REQUEST, message), Err(OpenError::Tag));
    assert_eq!(
        open(&mut module, &REQUEST, message),
        Ok(4),
        "nothing of that did harm"
    );
}

#[test]
fn counters_do_not_wrap() {
    let [mut module, mut ecu] = sides(&material());
    let Session::Hardened { seals, .. } = &mut ecu else {
        panic!("not the testbed's");
    };
    seals.counter = u32::MAX - 1;
    let (last, length) = seal(&mut ecu, &REQUEST, &[1]);
    assert_eq!(open(&mut module, &REQUEST, &last.0[..length]), Ok(1));
    let random = Secret::from_bytes([9; 32]);
    let more = ecu.seal(&mut NoMeter, &REQUEST, &[1], &random);
    assert!(more.is_none());
}

#[test]
fn what_is_too_long_is_not_sealed() {
    let [_, mut ecu] = sides(&material());
    let random = Secret::from_bytes([9; 32]);
    let plain = [0; SEALED_MAX];
    let mut seal = |length: usize| {
        let sealed = ecu.seal(&mut NoMeter, &REQUEST, &plain[..length], &random);
        sealed.is_some()
    };
    assert!(seal(SEALED_MAX - 12) && !seal(SEALED_MAX - 11) && !seal(SEALED_MAX));
}
