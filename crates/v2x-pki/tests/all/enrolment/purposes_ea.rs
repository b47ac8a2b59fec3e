//! What the enrolment authority takes and answers: test purposes of ETSI TS 103 525-2.

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::KeyHandle;
use waywarden_v2x_pki::Contents;
use waywarden_v2x_pki::enrolment::{
    AnswerStore as _, EnrolmentAuthority, Granted, Record, RequestRefusal, Requester,
    request_enrolment, ssp,
};
use waywarden_v2x_security::hash::{HashFunction, hash};
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::{
    AuthorizationValidationResponse, AuthorizationValidationResponseCode as ValidationCode,
    EnrolmentResponseCode as Code, EtsiTs102941DataContent, InnerEcResponse,
};
use waywarden_v2x_wire::etsi103097::its_aid::{CAM, CERTIFICATE_REQUEST};
use waywarden_v2x_wire::ieee1609dot2::{
    Duration, HashAlgorithm, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, RecipientInfo,
    SignerIdentifier, Time32, Time64,
};

use super::forge::{
    By, Enrolment, changed_enrolment, content, opened_by_ea, opened_under, payload, sealed,
    signed_data,
};
use super::world::{
    World, authorization_authority, credential_contents, enrolment_authority, ticket_contents,
};
use crate::support::{NOW, START};

/// The response to a request, decrypted: signed data.
fn response_to(world: &mut World, request: &[u8]) -> Vec<u8> {
    let (_, key) = opened_by_ea(world, request);
    let response = world.answer_enrolment(request, NOW).response.unwrap();
    opened_under(world, &key, &response)
}

/// Answers a request; returns the code in the response and why.
fn refused(world: &mut World, request: &[u8]) -> (Code, RequestRefusal) {
    let (_, key) = opened_by_ea(world, request);
    let answer = world.answer_enrolment(request, NOW);
    let refusal = answer.outcome.unwrap_err();
    let response = opened_under(world, &key, &answer.response.unwrap());
    let code = enrolment_response(payload(&signed_data(&response))).response_code;
    assert_eq!(code, refusal.enrolment_code());
    (code, refusal)
}

fn enrolment_response(payload: &[u8]) -> InnerEcResponse<'_> {
    match content(payload) {
        EtsiTs102941DataContent::EnrolmentResponse(response) => response,
        other => panic!("{other:?}"),
    }
}

fn asked(world: &mut World, contents: &Contents) -> Vec<u8> {
    let key = world.key();
    world.ask_enrolment(key, contents, NOW).0
}

/// A credential that the authority issued and recorded, whatever the profile permits.
fn credential_with(world: &mut World, contents: &Contents) -> Credential {
    use waywarden_v2x_keys::KeyStore as _;
    let key: KeyHandle = world.key();
    let public = world.store.public_key(key).unwrap();
    let World {
        ea,
        store,
        seeds,
        registry,
        ..
    } = world;
    let issued = ea.authority().issue(store, contents, &public, seeds);
    let certificate = issued.unwrap();
    let hash = *seeds.next();
    let recorded = registry.record(&Record {
        hash: &hash,
        received: NOW,
        response: &[],
        granted: Granted::Credential {
            station: super::world::STATION,
            certificate: &certificate,
        },
    });
    recorded.unwrap();
    let verified = world.verifier.verify_certificate(&certificate).unwrap();
    Credential::new(&world.store, key, verified).unwrap()
}

#[test]
fn enrolment_request_is_answered_secpki_ea_enr_rcv_01_bv() {
    let mut world = World::new("enr_rcv_01");
    let request = asked(&mut world, &credential_contents());
    let answer = world.answer_enrolment(&request, NOW);
    assert!(answer.response.is_some());
    assert_eq!(answer.outcome.unwrap().station, super::world::STATION);
}

/// Without permission 623, with another version of its bits, with the bit at 0.
#[test]
fn rekeying_by_a_credential_without_permission_is_refused_secpki_ea_enr_rcv_02_bi() {
    let mut random = Random::of_test("enr_rcv_02");
    let mut ea = enrolment_authority();
    ea.issues = vec![waywarden_v2x_pki::IssueGroup::all()];
    let mut world = World::with(Curve::P256, &mut random, ea, authorization_authority());
    let period = Contents::new(Time32(START.0 + 100), Duration::Years(1));
    for contents in [
        period.clone().permitting(CAM, &[1, 0, 0]),
        period.clone().permitting(CERTIFICATE_REQUEST, &[2, 0xC0]),
        period.permitting(CERTIFICATE_REQUEST, &[1, 0x40]),
    ] {
        let credential = credential_with(&mut world, &contents);
        let message = rekeying(&mut world, &credential);
        let (code, refusal) = refused(&mut world, &message);
        assert_eq!(code, Code::DeniedPermissions);
        assert_eq!(refusal, RequestRefusal::CredentialNotPermitted);
    }
    let credential = credential_with(&mut world, &credential_contents());
    let message = rekeying(&mut world, &credential);
    world.answer_enrolment(&message, NOW).outcome.unwrap();
}

/// Asks for the next credential with this one, whatever it permits.
fn rekeying(world: &mut World, credential: &Credential) -> Vec<u8> {
    let key = world.key();
    let (request, _) = world.ask_enrolment(key, &credential_contents(), NOW);
    let id = credential.id().0;
    let inner = changed_enrolment(world, &request, |inner| {
        inner.its_id = Box::leak(Box::new(id));
    });
    Enrolment::by(key, By::Credential(credential)).sealed(world, &inner)
}

#[test]
fn unregistered_station_is_refused_secpki_ea_enr_rcv_05_bi() {
    let mut world = World::new("enr_rcv_05");
    let (key, canonical) = (world.key(), world.canonical);
    let ea = world.ea_certificate();
    let World { store, seeds, .. } = &mut world;
    let requester = Requester::Registered {
        canonical_id: b"somewhere else",
        key: canonical,
    };
    let contents = credential_contents();
    let made = request_enrolment(store, requester, key, &contents, &ea, NOW, seeds);
    let (code, refusal) = refused(&mut world, &made.unwrap().0);
    assert_eq!(
        (code, refusal),
        (Code::UnknownIts, RequestRefusal::UnknownStation)
    );
}

fn denied(world: &mut World, contents: &Contents, field: &str) {
    let request = asked(world, contents);
    let (code, refusal) = refused(world, &request);
    assert_eq!(code, Code::DeniedPermissions, "{refusal}");
    match refusal {
        RequestRefusal::Denied(fault) => assert_eq!(fault.field, field),
        other => panic!("{other}"),
    }
}

#[test]
fn more_permissions_than_the_issuer_allows_are_refused_secpki_ea_enr_rcv_06_bi() {
    let mut world = World::new("enr_rcv_06");
    let mut contents = credential_contents();
    contents.permissions.clear();
    let contents = contents.permitting(CERTIFICATE_REQUEST, &[1, 0xC0 | ssp::VALIDATION_REQUEST]);
    denied(&mut world, &contents, "appPermissions");
}

#[test]
fn an_application_that_the_issuer_does_not_allow_is_refused_secpki_ea_enr_rcv_07_bi() {
    let mut world = World::new("enr_rcv_07");
    let contents = credential_contents().permitting(CAM, &[1, 0, 0]);
    denied(&mut world, &contents, "appPermissions");
}

const YEAR: u32 = 31_556_952;

fn refused_period(world: &mut World, start: u32, duration: Duration) -> RequestRefusal {
    let mut contents = credential_contents();
    (contents.start, contents.duration) = (Time32(start), duration);
    let request = asked(world, &contents);
    let (code, refusal) = refused(world, &request);
    assert_eq!(code, Code::DeniedPermissions, "{refusal}");
    assert!(refusal.to_string().contains("validityPeriod"), "{refusal}");
    refusal
}

/// Expiry before the authority's certificate begins, start before it begins, expiry after it ends,
/// start after it ends: purposes 08 to 11, where the station's profile permits any period.
#[test]
fn periods_outside_of_the_authoritys_are_refused_secpki_ea_enr_rcv_08_to_11_bi() {
    let mut world = World::new("enr_rcv_08");
    world.change_station(|station| {
        station.profile.credential.duration_max = Duration::Years(100);
        station.profile.credential.ahead_max = Duration::Years(100);
    });
    refused_period(&mut world, START.0 - 2 * YEAR, Duration::Years(1));
    for (start, duration) in [
        (START.0 - 60, Duration::Years(1)),
        (START.0 + 3 * YEAR, Duration::Years(3)),
        (START.0 + 6 * YEAR, Duration::Years(1)),
    ] {
        let refusal = refused_period(&mut world, start, duration);
        assert!(matches!(refusal, RequestRefusal::Issue(_)), "{refusal}");
    }
}

#[test]
fn longer_lifetime_than_allowed_is_refused_secpki_ea_enr_rcv_12_bi() {
    let mut world = World::new("enr_rcv_12");
    let refusal = refused_period(&mut world, START.0 + 100, Duration::Years(4));
    assert!(matches!(refusal, RequestRefusal::Denied(_)), "{refusal}");
}

#[test]
fn wrong_proof_of_possession_is_refused_secpki_ea_enr_rcv_13_bi() {
    let mut world = World::new("enr_rcv_13");
    let request = asked(&mut world, &credential_contents());
    let inner = changed_enrolment(&mut world, &request, |_| {});
    let (other, canonical) = (world.key(), world.canonical);
    let message = Enrolment::by(other, By::OwnKey(canonical)).sealed(&mut world, &inner);
    let (code, refusal) = refused(&mut world, &message);
    assert_eq!(code, Code::InvalidSignature);
    assert!(matches!(refusal, RequestRefusal::ProofOfPossession(_)));
}

/// Purposes 01 to 03: the request's key, a new nonce, one `pskRecipInfo`.
#[test]
fn response_is_encrypted_under_the_requests_key_secpki_ea_enr_01_to_03_bv() {
    let mut world = World::new("ea_enr_01");
    let request = asked(&mut world, &credential_contents());
    let (_, key) = opened_by_ea(&mut world, &request);
    let response = world.answer_enrolment(&request, NOW).response.unwrap();
    let nonce = |bytes: &[u8]| {
        let data: Ieee1609Dot2Data<'_> = parse(bytes).unwrap();
        let Ieee1609Dot2Content::Encrypted(data) = data.content else {
            panic!("{data:?}");
        };
        let recipients = data.recipients.iter().collect::<Result<Vec<_>, _>>();
        match data.ciphertext {
            waywarden_v2x_wire::ieee1609dot2::SymmetricCiphertext::Aes128Ccm(text) => {
                (*text.nonce, format!("{:?}", recipients.unwrap()))
            }
            other => panic!("{other:?}"),
        }
    };
    let (asked, _) = nonce(&request);
    let (answered, recipients) = nonce(&response);
    assert_ne!(asked, answered);
    // SHA-256 of the alternative of AES-128 and the key, its last eight bytes.
    let id = hash(HashFunction::Sha256, &[&[0x80][..], &key].concat()).id_8();
    assert_eq!(
        recipients,
        format!("{:?}", [RecipientInfo::PreSharedKey(id)])
    );
    let opened = opened_under(&mut world, &key, &response);
    signed_data(&opened);
}

/// Purposes 04 to 07: signer, hash, header, version and content.
#[test]
fn response_is_signed_by_the_authority_secpki_ea_enr_04_to_07_bv() {
    let mut world = World::new("ea_enr_04");
    let request = asked(&mut world, &credential_contents());
    let response = response_to(&mut world, &request);
    let signed = signed_data(&response);
    let ea = world.ea_certificate();
    assert_eq!(signed.signer, SignerIdentifier::Digest(ea.id()));
    assert_eq!(signed.hash_id, HashAlgorithm::Sha256);
    waywarden_v2x_security::verify_signature_by(&signed, &ea).unwrap();
    let header = HeaderInfo {
        generation_time: Some(NOW),
        ..HeaderInfo::new(CERTIFICATE_REQUEST)
    };
    assert_eq!(signed.tbs_data.header_info, header);
    assert_eq!(payload(&signed)[..2], [1, 0x81]);
}

/// Purposes 08 to 10: `requestHash`, a certificate with code 0 and none with another.
#[test]
fn response_has_the_hash_and_the_result_secpki_ea_enr_08_to_10_bv() {
    let mut world = World::new("ea_enr_08");
    for (contents, is_ok) in [(credential_contents(), true), (ticket_contents(), false)] {
        let request = asked(&mut world, &contents);
        let (signed, _) = opened_by_ea(&mut world, &request);
        let response = response_to(&mut world, &request);
        let data = signed_data(&response);
        let response = enrolment_response(payload(&data));
        let hash = hash(HashFunction::Sha256, &signed);
        assert_eq!(response.request_hash, &hash.as_bytes()[..16]);
        assert_eq!(response.response_code == Code::Ok, is_ok);
        assert_eq!(response.certificate.is_some(), is_ok);
    }
}

#[test]
fn authority_without_permission_cannot_answer_secpki_ea_enr_11_bv() {
    let mut world = World::new("ea_enr_11");
    let mut contents = enrolment_authority();
    contents.permissions.clear();
    let contents = contents.permitting(CERTIFICATE_REQUEST, &ssp::AUTHORIZATION_AUTHORITY);
    let World {
        root, store, seeds, ..
    } = &mut world;
    let (authority, key) = super::world::authority(root, store, Curve::P256, contents, seeds);
    let refused = EnrolmentAuthority::new(authority, key).map(drop);
    assert!(refused.unwrap_err().to_string().contains("appPermissions"));
}

#[test]
fn credential_has_only_what_is_allowed_secpki_ea_enr_12_bv() {
    let mut world = World::new("ea_enr_12");
    let credential = world.enrol();
    let view = credential.certificate().view().unwrap();
    let contents = Contents::of(&view.to_be_signed).unwrap();
    assert_eq!(contents.permissions, credential_contents().permissions);
    assert!(contents.issues.is_empty() && contents.requests.is_empty());
}

/// A validation request, and the signed request and key in it.
fn validation(world: &mut World, contents: &Contents, now: Time64) -> (Vec<u8>, Vec<u8>, [u8; 16]) {
    let credential = world.enrol();
    let (request, _) = world.ask_ticket(&credential, contents, now);
    let (message, _) = world.asked(&request, now);
    let (signed, key) = opened_by_ea(world, &message);
    (message, signed, key)
}

fn validation_response(payload: &[u8]) -> AuthorizationValidationResponse<'_> {
    match content(payload) {
        EtsiTs102941DataContent::AuthorizationValidationResponse(response) => response,
        other => panic!("{other:?}"),
    }
}

/// Purposes AUTHVAL_RCV_01 and AUTHVAL_01 to 04 and 06: one recipient by the request's key, signed
/// data, the hash, and with code 0 the attributes without `certIssuePermissions`.
#[test]
fn validation_request_is_answered_secpki_ea_authval_01_to_04_06_bv() {
    let mut world = World::new("authval_01");
    let (message, signed, key) = validation(&mut world, &ticket_contents(), NOW);
    let answer = world.answer_validation(&message, NOW);
    let response = opened_under(&mut world, &key, &answer.response.unwrap());
    let data = signed_data(&response);
    assert_eq!(payload(&data)[0], 1);
    let response = validation_response(payload(&data));
    let hash = hash(HashFunction::Sha256, &signed);
    assert_eq!(response.request_hash, &hash.as_bytes()[..16]);
    assert_eq!(response.response_code, ValidationCode::Ok);
    let confirmed = response.attributes.unwrap();
    assert!(confirmed.app_permissions.is_some());
    assert!(confirmed.cert_issue_permissions.is_none());
    assert_eq!(answer.outcome.unwrap().station, super::world::STATION);
}

#[test]
fn refused_validation_has_no_attributes_secpki_ea_authval_05_bv() {
    let mut world = World::new("authval_05");
    let mut contents = ticket_contents();
    contents.permissions.clear();
    // The authority issues for DENMs; the station's profile does not have them.
    let contents =
        contents.permitting(waywarden_v2x_wire::etsi103097::its_aid::DENM, &[1, 0, 0, 0]);
    let (message, _, key) = validation(&mut world, &contents, NOW);
    let answer = world.answer_validation(&message, NOW);
    let response = opened_under(&mut world, &key, &answer.response.unwrap());
    let data = signed_data(&response);
    let response = validation_response(payload(&data));
    assert_eq!(response.response_code, ValidationCode::DeniedPermissions);
    assert!(response.attributes.is_none());
}

#[test]
fn credential_that_may_not_ask_for_tickets_is_refused_secpki_ea_authval_rcv_02_bi() {
    let mut world = World::new("authval_rcv_02");
    let contents = Contents::new(Time32(START.0 + 100), Duration::Years(1))
        .permitting(CERTIFICATE_REQUEST, &[1, ssp::ENROLMENT_REQUEST]);
    let credential = credential_with(&mut world, &contents);
    let (request, _) = world.ask_ticket(&credential, &ticket_contents(), NOW);
    let (message, _) = world.asked(&request, NOW);
    let refusal = world.answer_validation(&message, NOW).outcome.unwrap_err();
    assert_eq!(refusal, RequestRefusal::CredentialNotPermitted);
    assert_eq!(refusal.validation_code(), ValidationCode::DeniedPermissions);
}

/// The same signed bytes, encrypted once more: the station's request was consented to before.
#[test]
fn request_passed_on_twice_is_refused() {
    let mut world = World::new("passed_on_twice");
    let (message, signed, _) = validation(&mut world, &ticket_contents(), NOW);
    world.answer_validation(&message, NOW).outcome.unwrap();
    let ea = world.ea_certificate();
    let again = sealed(&mut world, &ea, &signed);
    let answer = world.answer_validation(&again, NOW);
    assert_eq!(answer.outcome.unwrap_err(), RequestRefusal::Replayed);
}
