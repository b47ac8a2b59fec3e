//! Enrolment requests that the enrolment authority must refuse, each for its reason.

use waywarden_testkit::Random;
use waywarden_v2x_keys::KeyHandle;
use waywarden_v2x_pki::enrolment::{
    AnswerStore, Limits, MemoryRegistry, MessageFault, Record, RecordError, RequestRefusal,
    Station, StationRegistry, StationStatus, StorageFailure,
};
use waywarden_v2x_signing::{DecryptError, Payload, Recipient, Seed, encrypt};
use waywarden_v2x_wire::Fault;
use waywarden_v2x_wire::coer::{Nested, SequenceOf, parse};
use waywarden_v2x_wire::etsi102941::{
    CertificateFormat, EnrolmentResponseCode as Code, EtsiTs102941DataContent, InnerEcRequest,
};
use waywarden_v2x_wire::etsi103097::its_aid::CAM;
use waywarden_v2x_wire::ieee1609dot2::{
    CurvePoint, HashedId8, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data,
    PublicVerificationKey, Time64, Version3,
};

use super::forge::{
    By, Enrolment, changed_enrolment, content, header, message, opened_by_ea, payload, possession,
    sealed, signed, signed_data,
};
use super::world::{STATION, World, credential_contents, later};
use crate::support::{NOW, written};

/// A request that is as it should be, its new key, and what it carries.
struct Good {
    request: Vec<u8>,
    key: KeyHandle,
    inner: Vec<u8>,
}

fn good(world: &mut World) -> Good {
    let key = world.key();
    let (request, _) = world.ask_enrolment(key, &credential_contents(), NOW);
    let inner = changed_enrolment(world, &request, |_| {});
    Good {
        request,
        key,
        inner,
    }
}

fn refusal(world: &mut World, request: &[u8], now: Time64) -> RequestRefusal {
    let before = world.registry.answers();
    let refusal = world.answer_enrolment(request, now).outcome.unwrap_err();
    assert_eq!(
        world.registry.answers(),
        before,
        "a refusal is not recorded"
    );
    refusal
}

fn fault(world: &mut World, request: &[u8]) -> (MessageFault, Code) {
    match refusal(world, request, NOW) {
        RequestRefusal::Message(fault) => {
            let code = RequestRefusal::Message(fault).enrolment_code();
            (fault, code)
        }
        other => panic!("{other}"),
    }
}

#[test]
fn message_that_cannot_be_opened_is_not_answered() {
    let mut world = World::new("not_opened");
    let good = good(&mut world);
    let (signed, _) = opened_by_ea(&mut world, &good.request);
    let (ea, aa) = (world.ea_certificate(), world.aa_certificate());
    let long = vec![3; Limits::DEFAULT.length_max + 1];
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
    let other = message(EtsiTs102941DataContent::EnrolmentRequest(Nested::Value(
        &parse(&unsecured).unwrap(),
    )));
    let response = [&[1, 0x81, 0][..], &[0; 16], &[6]].concat();
    let make = |world: &mut World, payload: &[u8]| {
        let data = signed(world, canonical, header(), Payload::Data(payload));
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
        let template = signed(&mut world, by, header(), Payload::Data(&[]));
        let at = template.windows(nonce.len()).position(|part| part == nonce);
        let at = at.unwrap();
        data = [&template[..at], &data, &template[at + nonce.len()..]].concat();
    }
    let ea = world.ea_certificate();
    let request = sealed(&mut world, &ea, &data);
    let MessageFault::Parse(error) = fault(&mut world, &request).0 else {
        panic!("another fault");
    };
    assert_eq!(error.fault, Fault::TooDeep);
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

fn changed(
    world: &mut World,
    good: &Good,
    change: impl for<'r> FnOnce(&mut InnerEcRequest<'r>),
) -> RequestRefusal {
    let inner = changed_enrolment(world, &good.request, change);
    let forged = Enrolment::by(good.key, By::OwnKey(world.canonical));
    let request = forged.sealed(world, &inner);
    refusal(world, &request, NOW)
}

#[test]
fn wrong_fields_are_refused() {
    let mut world = World::new("fields");
    let good = good(&mut world);
    let world = &mut world;
    let found = changed(world, &good, |inner| {
        inner.certificate_format = CertificateFormat(2);
    });
    assert_eq!(found, RequestRefusal::Format(2));
    let found = changed(world, &good, |inner| {
        inner.attributes.app_permissions = None;
    });
    assert_eq!(found.enrolment_code(), Code::IncompleteRequest);
    let found = changed(world, &good, |inner| {
        inner.attributes.cert_issue_permissions = SequenceOf::new(&[]);
    });
    // An empty list permits nothing, and is no reason to issue a certificate that has one.
    assert_eq!(found.enrolment_code(), Code::DeniedPermissions, "{found}");
    let keys = [
        PublicVerificationKey::EcsigSm2(CurvePoint::CompressedY0(&[7; 32])),
        PublicVerificationKey::EcdsaNistP256(CurvePoint::CompressedY0(&[0xFF; 32])),
        PublicVerificationKey::EcdsaNistP256(CurvePoint::XOnly(&[7; 32])),
    ];
    for key in keys {
        let found = changed(world, &good, |inner| {
            inner.public_keys.verification_key = key;
        });
        assert_eq!(found, RequestRefusal::PublicKey("verificationKey"));
        assert_eq!(found.enrolment_code(), Code::InvalidKeys);
    }
    let found = changed(world, &good, |inner| inner.its_id = b"");
    assert_eq!(found, RequestRefusal::UnknownStation);
}

#[test]
fn other_signers_are_refused() {
    let mut world = World::new("signers");
    let good = good(&mut world);
    let credential = world.enrol();
    let other = world.key();
    let by = |world: &mut World, signer| {
        let forged = Enrolment::by(good.key, signer);
        let request = forged.sealed(world, &good.inner);
        refusal(world, &request, NOW)
    };
    let found = by(&mut world, By::OwnKey(other));
    assert!(matches!(found, RequestRefusal::Signature(_)), "{found}");
    assert_eq!(found.enrolment_code(), Code::InvalidSignature);
    // The station's credential, for the canonical identifier.
    let found = by(&mut world, By::Credential(&credential));
    assert_eq!(found, RequestRefusal::UnknownStation);
    let found = by(&mut world, By::Whole(&credential));
    assert_eq!(found.enrolment_code(), Code::BadContentType);
    // The authority's own credential, for itself: it is in no registry.
    let ea = world.ea.authority().credential().clone();
    let id: &'static HashedId8 = Box::leak(Box::new(ea.id()));
    let inner = changed_enrolment(&mut world, &good.request, |inner| inner.its_id = &id.0);
    let request = Enrolment::by(good.key, By::Credential(&ea)).sealed(&mut world, &inner);
    assert_eq!(
        refusal(&mut world, &request, NOW),
        RequestRefusal::UnknownStation
    );
    // The proof of possession by a certificate.
    let mut forged = Enrolment::by(good.key, By::OwnKey(world.canonical));
    forged.possession = By::Credential(&credential);
    let request = forged.sealed(&mut world, &good.inner);
    assert_eq!(fault(&mut world, &request).1, Code::BadContentType);
}

#[test]
fn blocked_station_and_expired_credential_are_refused() {
    let mut world = World::new("blocked");
    let credential = world.enrol();
    let good = good(&mut world);
    world.change_station(|station| station.status = StationStatus::Blocked);
    let found = refusal(&mut world, &good.request, NOW);
    assert_eq!(found, RequestRefusal::StationBlocked);
    assert_eq!(found.enrolment_code(), Code::BadItsStatus);
    world.change_station(|station| station.status = StationStatus::Active);
    world.answer_enrolment(&good.request, NOW).outcome.unwrap();
    // A credential of three years, after four.
    let now = later(4 * 31_556_952);
    let id: &'static HashedId8 = Box::leak(Box::new(credential.id()));
    let inner = changed_enrolment(&mut world, &good.request, |inner| inner.its_id = &id.0);
    let time = HeaderInfo {
        generation_time: Some(now),
        ..header()
    };
    let forged = Enrolment {
        header: time,
        possession_header: time,
        ..Enrolment::by(good.key, By::Credential(&credential))
    };
    let request = forged.sealed(&mut world, &inner);
    let found = refusal(&mut world, &request, now);
    assert_eq!(found, RequestRefusal::CredentialNotValid);
    assert_eq!(found.enrolment_code(), Code::BadItsStatus);
}

/// The same bytes, the same signed request encrypted again, and the same after a restart.
#[test]
fn replayed_request_issues_nothing() {
    let mut world = World::new("replay");
    let good = good(&mut world);
    let first = world.answer_enrolment(&good.request, NOW);
    let (signed, _) = opened_by_ea(&mut world, &good.request);
    let ea = world.ea_certificate();
    let sealed_again = sealed(&mut world, &ea, &signed);
    for request in [&good.request, &sealed_again] {
        let again = world.answer_enrolment(request, later(30));
        assert_eq!(again.outcome.unwrap_err(), RequestRefusal::Replayed);
        assert_eq!(
            again.response, first.response,
            "what was answered, and nothing else"
        );
    }
    assert_eq!(world.registry.answers(), 1);
    // Forgotten once it is too old to come again.
    world.registry.forget_before(later(601));
    let found = refusal(&mut world, &good.request, later(601));
    assert!(
        matches!(
            found,
            RequestRefusal::Message(MessageFault::OutOfSync { .. })
        ),
        "{found}"
    );
}

#[test]
fn full_memory_refuses_new_requests_and_keeps_the_old() {
    let mut world = World::new("full");
    world.registry = MemoryRegistry::new(1);
    use waywarden_v2x_keys::KeyStore as _;
    world.registry.register(Station {
        canonical_id: STATION.to_vec(),
        key: world.store.public_key(world.canonical).unwrap(),
        profile: waywarden_v2x_pki::enrolment::StationProfile::new(Vec::new()),
        status: StationStatus::Active,
    });
    let (one, two) = (good(&mut world), good(&mut world));
    world.answer_enrolment(&one.request, NOW).outcome.unwrap();
    let answer = world.answer_enrolment(&two.request, NOW);
    assert_eq!(answer.outcome.unwrap_err(), RequestRefusal::Full);
    assert_eq!(
        answer.response, None,
        "a certificate that is not recorded does not leave"
    );
    let again = world.answer_enrolment(&one.request, NOW);
    assert_eq!(again.outcome.unwrap_err(), RequestRefusal::Replayed);
}

/// A registry whose storage fails when it records, or always.
struct Failing {
    inner: MemoryRegistry,
    reads: bool,
}

fn failure() -> StorageFailure {
    StorageFailure("no space left".to_owned())
}

impl AnswerStore for Failing {
    fn answer(&self, hash: &[u8; 32]) -> Result<Option<Vec<u8>>, StorageFailure> {
        self.inner.answer(hash)
    }

    fn record(&mut self, _: &Record<'_>) -> Result<(), RecordError> {
        Err(RecordError::Storage(failure()))
    }
}

impl StationRegistry for Failing {
    fn station(&self, canonical_id: &[u8]) -> Result<Option<Station>, StorageFailure> {
        match self.reads {
            true => self.inner.station(canonical_id),
            false => Err(failure()),
        }
    }

    fn credential(&self, id: HashedId8) -> Result<Option<(Station, Vec<u8>)>, StorageFailure> {
        self.inner.credential(id)
    }

    fn tickets(&self, id: &[u8], start: Time64, end: Time64) -> Result<u32, StorageFailure> {
        self.inner.tickets(id, start, end)
    }
}

#[test]
fn failing_storage_lets_no_certificate_out() {
    let mut world = World::new("failing");
    let good = good(&mut world);
    for reads in [true, false] {
        let inner = std::mem::take(&mut world.registry);
        let mut failing = Failing { inner, reads };
        let World {
            ea, store, seeds, ..
        } = &mut world;
        let answer = ea.answer_enrolment(store, &mut failing, &good.request, NOW, seeds);
        let refusal = answer.outcome.unwrap_err();
        assert_eq!(refusal, RequestRefusal::Storage(failure()));
        assert_eq!(refusal.enrolment_code(), Code::DeniedRequest);
        // What was refused before anything was issued may be answered.
        assert_eq!(answer.response.is_none(), reads);
        world.registry = failing.inner;
    }
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
