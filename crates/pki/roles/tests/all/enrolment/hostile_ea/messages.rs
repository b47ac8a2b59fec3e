//! Messages that cannot be opened or have wrong content, headers or bytes.

use waywarden_testkit::Random;
use waywarden_v2x_pki::enrolment::{EnrolmentLimits, MessageFault};
use waywarden_v2x_signing::{DecryptError, PayloadToSign, Recipient, Seed, encrypt};
use waywarden_v2x_wire::ParseFault;
use waywarden_v2x_wire::coer::{NestedEncoding, parse};
use waywarden_v2x_wire::etsi102941::{EnrolmentResponseCode as Code, EtsiTs102941DataContent};
use waywarden_v2x_wire::etsi103097::its_aid::CAM;
use waywarden_v2x_wire::ieee1609dot2::{
    HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, Time64, Version3,
};

use super::{fault, good};
use crate::enrolment::forge::{
    By, Enrolment, content, header, message, opened_by_ea, payload, possession, sealed,
    sealed_to_ea, signed, signed_data,
};
use crate::enrolment::world::{World, later};
use crate::support::{NOW, written};

#[test]
fn message_that_cannot_be_opened_is_not_answered() {
    let mut world = World::new("not_opened");
    let good = good(&mut world);
    let (signed, _) = opened_by_ea(&mut world, &good.request);
    let (ea, aa) = (world.ea_certificate(), world.aa_certificate());
    let long = vec![3; EnrolmentLimits::DEFAULT.length_max + 1];
    let to_other = sealed(&mut world, &aa, &signed);
    let recipients = [&ea, &aa].map(|one| Recipient::certificate(&one.view().unwrap()).unwrap());
    let seed = Seed::new(*world.seeds.next());
    let to_two = encrypt(&mut world.store, &recipients, &signed, &seed).unwrap();
    let mut changed = good.request.clone();
    *changed.last_mut().unwrap() ^= 1;
    let cases = [
        (
            long.clone(),
            MessageFault::TooLong { length: long.len() },
            Code::DeniedRequest,
        ),
        (
            signed,
            MessageFault::Encryption(DecryptError::NotEncrypted),
            Code::BadContentType,
        ),
        (
            to_other,
            MessageFault::Encryption(DecryptError::NotForUs),
            Code::ImNotTheRecipient,
        ),
        (to_two, MessageFault::Recipients(2), Code::BadContentType),
        (
            changed,
            MessageFault::Encryption(DecryptError::Tag),
            Code::DecryptionFailed,
        ),
    ];
    for (request, expected, code) in cases {
        assert_eq!(fault(&mut world, &request), (expected, code));
        assert_eq!(world.answer_enrolment(&request, NOW).response, None);
    }
    let (cut, code) = fault(&mut world, &good.request[..100]);
    assert!(matches!(cut, MessageFault::Parse(_)), "{cut}");
    assert_eq!(code, Code::CantParse);
    // As it came it is good.
    world.answer_enrolment(&good.request, NOW).outcome.unwrap();
}

#[test]
fn message_with_another_content_is_refused() {
    let mut world = World::new("another_content");
    let good = good(&mut world);
    let ea = world.ea_certificate();
    let canonical = By::OwnKey(world.canonical);
    let unsecured = written(&Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Unsecured(&good.inner),
    });
    let other = message(EtsiTs102941DataContent::EnrolmentRequest(
        NestedEncoding::Value(&parse(&unsecured).unwrap()),
    ));
    let response = [&[1, 0x81, 0][..], &[0; 16], &[6]].concat();
    let make = |world: &mut World, payload: &[u8]| {
        let data = signed(world, canonical, header(), PayloadToSign::Data(payload));
        sealed(world, &ea, &data)
    };
    let cases = [
        (make(&mut world, &other), "signedData"),
        (make(&mut world, &response), "enrolmentRequest"),
    ];
    for (request, what) in cases {
        let found = fault(&mut world, &request);
        assert_eq!(found, (MessageFault::Content(what), Code::BadContentType));
    }
    let bytes = make(&mut world, b"no message");
    let (found, code) = fault(&mut world, &bytes);
    assert!(matches!(found, MessageFault::Parse(_)) && code == Code::CantParse);
    let bare = sealed(&mut world, &ea, &unsecured);
    assert_eq!(
        fault(&mut world, &bare).0,
        MessageFault::Content("signedData")
    );
}

/// Structures in each other, without end as far as a message is long.
#[test]
fn deep_nesting_is_refused() {
    let mut world = World::new("deep");
    let mut data = written(&Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Unsecured(b"core"),
    });
    let by = By::OwnKey(world.canonical);
    for _ in 0..20 {
        // Written by hand: no parser reads so deep, so no value of it can be made.
        let nonce = written(&Ieee1609Dot2Data {
            version: Version3,
            content: Ieee1609Dot2Content::Unsecured(&[]),
        });
        let template = signed(&mut world, by, header(), PayloadToSign::Data(&[]));
        let at = template.windows(nonce.len()).position(|part| part == nonce);
        let at = at.unwrap();
        data = [&template[..at], &data, &template[at + nonce.len()..]].concat();
    }
    let request = sealed_to_ea(&mut world, &data);
    let MessageFault::Parse(error) = fault(&mut world, &request).0 else {
        panic!("another fault");
    };
    assert_eq!(error.fault, ParseFault::TooDeep);
}

#[test]
fn wrong_headers_are_refused_in_both_signatures() {
    let mut world = World::new("headers");
    let good = good(&mut world);
    let signer = By::OwnKey(world.canonical);
    let late = Time64(NOW.0 - 601_000_000);
    let cases: [(HeaderInfo<'_>, Code); 5] = [
        (
            HeaderInfo {
                psid: CAM,
                ..header()
            },
            Code::BadContentType,
        ),
        (
            HeaderInfo {
                generation_time: None,
                ..header()
            },
            Code::IncompleteRequest,
        ),
        (
            HeaderInfo {
                expiry_time: Some(later(60)),
                ..header()
            },
            Code::BadContentType,
        ),
        (
            HeaderInfo {
                generation_time: Some(late),
                ..header()
            },
            Code::DeniedRequest,
        ),
        (
            HeaderInfo {
                generation_time: Some(later(3)),
                ..header()
            },
            Code::DeniedRequest,
        ),
    ];
    for (changed, expected) in cases {
        let own = Enrolment::by(good.key, signer);
        for forged in [
            Enrolment {
                header: changed,
                ..own
            },
            Enrolment {
                possession_header: changed,
                ..own
            },
        ] {
            let request = forged.sealed(&mut world, &good.inner);
            let (fault, code) = fault(&mut world, &request);
            assert_eq!(code, expected, "{fault}");
        }
    }
    let forged = Enrolment::by(good.key, signer);
    let request = forged.sealed(&mut world, &good.inner);
    world.answer_enrolment(&request, NOW).outcome.unwrap();
}

/// One byte changed anywhere in what is encrypted, and encrypted again: what is granted is what the
/// station asked for, or nothing. Only the forms in which signatures are written are not signed.
#[test]
fn changed_byte_grants_nothing_else() {
    let mut random = Random::of_test("changed_byte_grants_nothing_else");
    let mut world = World::new("changed_byte");
    let good = good(&mut world);
    let (signed, _) = opened_by_ea(&mut world, &good.request);
    let ea = world.ea_certificate();
    let mut granted = 0;
    for at in 0..signed.len() {
        let mut changed = signed.clone();
        changed[at] ^= 1 << random.below(8);
        let request = sealed(&mut world, &ea, &changed);
        let answer = world.answer_enrolment(&request, NOW);
        if answer.outcome.is_ok() {
            granted += 1;
            let own = possession(&changed);
            assert_eq!(payload(&signed_data(&own)), good.inner, "byte {at}");
        }
    }
    println!("{} bytes, {granted} of them in no signature", signed.len());
    assert!(granted <= 4);
    assert_eq!(
        content(payload(&signed_data(&signed))).label(),
        "enrolmentRequest"
    );
}
