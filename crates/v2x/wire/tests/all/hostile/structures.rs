//! Rules of the standard for structures, beyond their encoding.

use waywarden_v2x_wire::coer::{CoerDecode, Raw, parse};
use waywarden_v2x_wire::ieee1609dot2::*;
use waywarden_v2x_wire::{ParseFault, WireError};

use super::bytes::SCOPE;
use crate::support::maker::Maker;
use crate::support::{comes_back, written};

#[test]
fn the_version_is_three() {
    let error = parse::<Ieee1609Dot2Data<'_>>(&[2, 0x80, 0]).unwrap_err();
    let expected = 3;
    assert_eq!(error.fault, ParseFault::Version { expected, found: 2 });
    assert_eq!((error.offset, error.field), (0, "protocolVersion"));
    let mut list = written(&Maker::new(1, SCOPE).revocation_list());
    list[0] = 3;
    let error = parse::<CrlContents<'_>>(&list).unwrap_err();
    let expected = 1;
    assert_eq!(error.fault, ParseFault::Version { expected, found: 3 });
}

/// Finds a certificate of a kind, and its parts.
fn parts_of(kind: CertificateType) -> CertificateBase<'static> {
    (0..)
        .map(|seed| *Maker::new(seed, SCOPE).certificate())
        .find(|parts| parts.kind == kind)
        .unwrap()
}

/// Returns the refusal of inconsistent parts by a parse; creating a certificate of them gives the
/// same answer.
fn refusal(parts: CertificateBase<'static>) -> &'static str {
    let bytes = written(&parts);
    let error = parse::<Certificate<'_>>(&bytes).unwrap_err();
    let ParseFault::Inconsistent(why) = error.fault else {
        panic!("{error}");
    };
    assert_eq!(Certificate::new(parts).unwrap_err(), why);
    why
}

#[test]
fn the_parts_of_a_certificate_go_together() {
    let of_key = parts_of(CertificateType::Explicit);
    let of_value = parts_of(CertificateType::Implicit);
    assert_eq!(
        refusal(CertificateBase {
            signature: None,
            ..of_key
        }),
        "an explicit certificate has a signature"
    );
    assert_eq!(
        refusal(CertificateBase {
            kind: CertificateType::Implicit,
            ..of_key
        }),
        "an implicit certificate has a reconstruction value"
    );
    assert_eq!(
        refusal(CertificateBase {
            kind: CertificateType::Explicit,
            ..of_value
        }),
        "an explicit certificate has a verification key"
    );
    assert_eq!(
        refusal(CertificateBase {
            signature: of_key.signature,
            ..of_value
        }),
        "an implicit certificate has no signature"
    );
    let to_be_signed = Raw::new(ToBeSignedCertificate {
        app_permissions: None,
        cert_issue_permissions: None,
        cert_request_permissions: None,
        ..*of_key.to_be_signed
    });
    assert_eq!(
        refusal(CertificateBase {
            to_be_signed,
            ..of_key
        }),
        "a certificate has permissions of at least one kind"
    );
}

#[test]
fn a_payload_is_not_empty() {
    let error = parse::<SignedDataPayload<'_>>(&[0]).unwrap_err();
    assert!(matches!(error.fault, ParseFault::Inconsistent(_)));
    // One that says that it left something out says something.
    assert!(comes_back::<SignedDataPayload<'_>>(&[0x80, 2, 7, 0x80, 0]).is_ok());
    let parts = PayloadParts::decode(&mut waywarden_v2x_wire::coer::CoerReader::new(
        &[0],
        waywarden_v2x_wire::coer::Silent,
    ));
    assert!(SignedDataPayload::new(parts.unwrap()).is_none());
}

/// Signed data in signed data, so many times.
fn matryoshka(times: usize) -> Vec<u8> {
    let mut bytes = vec![3, 0x80, 0];
    for _ in 0..times {
        bytes.splice(..0, [3, 0x81, 0, 0x40]);
        // PSID 32, signed by itself, with a P-256 signature.
        bytes.extend([0, 1, 32, 0x82, 0x80, 0x80]);
        bytes.extend([1; 64]);
    }
    bytes
}

#[test]
fn sixteen_levels_are_read_and_seventeen_are_not() {
    let read = |times| -> Result<(), WireError> {
        let bytes = matryoshka(times);
        comes_back::<Ieee1609Dot2Data<'_>>(&bytes).map(drop)
    };
    assert_eq!(read(16), Ok(()));
    let error = read(17).unwrap_err();
    assert_eq!((error.fault, error.field), (ParseFault::TooDeep, "data"));
    // However deep: what it costs does not grow, and the stack of a small thread is enough.
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    let deep = thread.spawn(|| {
        let bytes = matryoshka(10_000);
        parse::<Ieee1609Dot2Data<'_>>(&bytes).map(drop)
    });
    assert_eq!(
        deep.unwrap().join().unwrap().unwrap_err().fault,
        ParseFault::TooDeep
    );
}
