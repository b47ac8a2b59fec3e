//! Requests of the station, and responses that it accepts: test purposes of ETSI TS 103 525-2.

use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_pki::enrolment::{
    EnrolmentLimits, PendingEnrolment, Requester, ResponseRefusal, request_enrolment, ssp,
};
use waywarden_v2x_pki::{Contents, IssueError};
use waywarden_v2x_security::{verify_own_signature, verify_signature_by};
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::{
    EnrolmentResponseCode as Code, EtsiTs102941DataContent, InnerEcRequest,
};
use waywarden_v2x_wire::etsi103097::its_aid::CERTIFICATE_REQUEST;
use waywarden_v2x_wire::ieee1609dot2::{
    Duration, EncryptedData, HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, RecipientInfo,
    SignerIdentifier, SymmetricCiphertext,
};

use super::forge::{content, header, opened_by_aa, opened_by_ea, payload, possession, signed_data};
use super::world::{STATION, World, credential_contents, ticket_contents};
use crate::support::{NOW, START};

fn encrypted(bytes: &[u8]) -> EncryptedData<'_> {
    let data: Ieee1609Dot2Data<'_> = parse(bytes).unwrap();
    match data.content {
        Ieee1609Dot2Content::Encrypted(data) => data,
        other => panic!("{other:?}"),
    }
}

/// Returns the certificate that a message is encrypted to, as its only recipient.
fn recipient(bytes: &[u8]) -> HashedId8 {
    let data = encrypted(bytes);
    assert_eq!(data.recipients.len(), 1);
    match data.recipients.iter().next().unwrap().unwrap() {
        RecipientInfo::Certificate(info) => info.recipient_id,
        other => panic!("{other:?}"),
    }
}

fn rekey(world: &mut World, credential: &Credential) -> (Vec<u8>, PendingEnrolment) {
    let (key, ea) = (world.key(), world.ea_certificate());
    let World { store, seeds, .. } = world;
    let requester = Requester::Enrolled(credential);
    let contents = credential_contents();
    request_enrolment(store, requester, key, &contents, &ea, NOW, seeds).unwrap()
}

/// Purposes 01, 02, 08, 09 and 11: what is sent, by whom, with which headers, and the proof of
/// possession.
#[test]
fn first_request_is_signed_with_the_canonical_key_secpki_itss_enr_01_02_08_09_11_bv() {
    let mut world = World::new("itss_enr_02");
    let key = world.key();
    let (request, _) = world.ask_enrolment(key, &credential_contents(), NOW);
    let (outer, _) = opened_by_ea(&mut world, &request);
    let outer_data = signed_data(&outer);
    assert!(matches!(outer_data.signer, SignerIdentifier::OwnKey(_)));
    assert_eq!(outer_data.tbs_data.header_info, header());
    let canonical = world.store.public_key(world.canonical).unwrap();
    verify_own_signature(&outer_data, &canonical).unwrap();
    assert_eq!(content(payload(&outer_data)).label(), "enrolmentRequest");
    let possession = possession(&outer);
    let inner_data = signed_data(&possession);
    assert!(matches!(inner_data.signer, SignerIdentifier::OwnKey(_)));
    assert_eq!(inner_data.tbs_data.header_info, header());
    let public = world.store.public_key(key).unwrap();
    verify_own_signature(&inner_data, &public).unwrap();
    assert!(verify_own_signature(&inner_data, &canonical).is_err());
    let inner: InnerEcRequest<'_> = parse(payload(&inner_data)).unwrap();
    assert_eq!(inner.its_id, STATION);
}

#[test]
fn rekeying_is_signed_with_the_current_credential_secpki_itss_enr_03_bv() {
    let mut world = World::new("itss_enr_03");
    let credential = world.enrol();
    let (request, pending) = rekey(&mut world, &credential);
    let (outer, _) = opened_by_ea(&mut world, &request);
    let data = signed_data(&outer);
    assert_eq!(data.signer, SignerIdentifier::Digest(credential.id()));
    verify_signature_by(&data, credential.certificate()).unwrap();
    let possession = possession(&outer);
    let inner: InnerEcRequest<'_> = parse(payload(&signed_data(&possession))).unwrap();
    assert_eq!(inner.its_id, credential.id().0);
    let response = world.answer_enrolment(&request, NOW).response.unwrap();
    let World {
        store, verifier, ..
    } = &mut world;
    let next = pending
        .open(store, verifier, &response, NOW, &EnrolmentLimits::DEFAULT)
        .unwrap();
    assert_ne!(next.id(), credential.id());
}

/// The standard has the station make a new key; the authority refuses one that is in use.
#[test]
fn key_in_use_is_not_certified_again_secpki_itss_enr_06_bv() {
    let mut world = World::new("itss_enr_06");
    let credential = world.enrol();
    let (ea, contents) = (world.ea_certificate(), credential_contents());
    let canonical = world.canonical;
    for (requester, key) in [
        (Requester::Enrolled(&credential), credential.key()),
        (Requester::Enrolled(&credential), canonical),
    ] {
        let World { store, seeds, .. } = &mut world;
        let made = request_enrolment(store, requester, key, &contents, &ea, NOW, seeds);
        let refusal = world
            .answer_enrolment(&made.unwrap().0, NOW)
            .outcome
            .unwrap_err();
        assert_eq!(refusal.enrolment_code(), Code::InvalidKeys, "{refusal}");
    }
}

#[test]
fn station_asks_for_no_permission_to_issue_secpki_itss_enr_07_bv() {
    let mut world = World::new("itss_enr_07");
    let key = world.key();
    let contents = credential_contents().issuing_all();
    let ea = world.ea_certificate();
    let requester = Requester::Registered {
        canonical_id: STATION,
        key: world.canonical,
    };
    let World { store, seeds, .. } = &mut world;
    let refused = request_enrolment(store, requester, key, &contents, &ea, NOW, seeds);
    let error = refused.map(drop).unwrap_err();
    let field = "certIssuePermissions";
    let why = "a station cannot ask for them";
    let expected = IssueError::Contents { field, why };
    assert_eq!(error.to_string(), expected.to_string());
}

#[test]
fn request_is_encrypted_to_the_ea_alone_secpki_itss_enr_10_bv() {
    let mut world = World::new("itss_enr_10");
    let key = world.key();
    let (request, _) = world.ask_enrolment(key, &credential_contents(), NOW);
    assert_eq!(recipient(&request), world.ea_certificate().id());
}

#[test]
fn credential_that_permits_no_requests_signs_none_secpki_itss_enr_12_bv() {
    let mut world = World::new("itss_enr_12");
    let key = world.key();
    let contents = Contents::new(START, Duration::Hours(24))
        .permitting(waywarden_v2x_wire::etsi103097::its_aid::CAM, &[1, 0, 0]);
    let public = world.store.public_key(key).unwrap();
    let World {
        aa, store, seeds, ..
    } = &mut world;
    let issued = aa
        .authority()
        .issue(store, &contents, &public, seeds)
        .unwrap();
    let verified = world.verifier.verify_certificate(&issued).unwrap();
    let ticket = Credential::new(&world.store, key, verified).unwrap();
    let (key, ea) = (world.key(), world.ea_certificate());
    let World { store, seeds, .. } = &mut world;
    let requester = Requester::Enrolled(&ticket);
    let contents = credential_contents();
    let refused = request_enrolment(store, requester, key, &contents, &ea, NOW, seeds);
    let error = refused.map(drop).unwrap_err().to_string();
    assert!(error.contains("appPermissions"), "{error}");
}

/// Purposes RECV_01 (a refusal) and RECV_02 (a credential).
#[test]
fn responses_are_handled_secpki_itss_enr_recv_01_02_bv() {
    let mut world = World::new("itss_enr_recv");
    let asked = [credential_contents(), ticket_contents()];
    for (contents, is_ok) in asked.into_iter().zip([true, false]) {
        let key = world.key();
        let (request, pending) = world.ask_enrolment(key, &contents, NOW);
        let response = world.answer_enrolment(&request, NOW).response.unwrap();
        let World {
            store, verifier, ..
        } = &mut world;
        let opened = pending.open(store, verifier, &response, NOW, &EnrolmentLimits::DEFAULT);
        match is_ok {
            true => assert_eq!(opened.unwrap().public_key(), store.public_key(key).ok()),
            false => assert_eq!(
                opened.unwrap_err(),
                ResponseRefusal::Denied(Code::DeniedPermissions)
            ),
        }
    }
}

/// Purposes AUTH_01, 02, 03 and 05: what is sent, encrypted to the authority alone, version 1.
#[test]
fn ticket_request_is_encrypted_to_the_aa_alone_secpki_itss_auth_01_to_03_05_bv() {
    let mut world = World::new("itss_auth_01");
    let credential = world.enrol();
    let (request, _) = world.ask_ticket(&credential, &ticket_contents(), NOW);
    assert_eq!(recipient(&request), world.aa_certificate().id());
    let (data, _) = opened_by_aa(&mut world, &request);
    let data = signed_data(&data);
    assert_eq!(payload(&data)[0], 1);
    let EtsiTs102941DataContent::AuthorizationRequest(inner) = content(payload(&data)) else {
        panic!("another content");
    };
    assert_eq!(inner.shared.ea_id, world.ea_certificate().id());
    // In private nothing that the authority can read names the credential.
    let id = credential.id().0;
    assert!(!payload(&data).windows(8).any(|window| window == id));
}

#[test]
fn no_key_and_nonce_are_used_twice_secpki_itss_auth_04_bv() {
    let mut world = World::new("itss_auth_04");
    let credential = world.enrol();
    let mut seen = Vec::new();
    for _ in 0..8 {
        let (request, _) = world.ask_ticket(&credential, &ticket_contents(), NOW);
        let (_, key) = opened_by_aa(&mut world, &request);
        let SymmetricCiphertext::Aes128Ccm(text) = encrypted(&request).ciphertext else {
            panic!("another cipher");
        };
        assert!(!seen.contains(&(key, *text.nonce)));
        assert!(!seen.iter().any(|(own, _)| *own == key));
        seen.push((key, *text.nonce));
    }
}

/// The authority's side of purpose AUTH_REP_02: the same message gets the same answer, and nothing
/// is issued a second time.
#[test]
fn repeated_request_gets_the_same_response_secpki_itss_auth_rep_02_bv() {
    let mut world = World::new("itss_auth_rep_02");
    let credential = world.enrol();
    let (request, pending) = world.ask_ticket(&credential, &ticket_contents(), NOW);
    let first = world.authorize(&request, NOW);
    let again = world.authorize(&request, NOW);
    assert_eq!(first.response, again.response);
    assert!(first.outcome.is_ok() && again.outcome.is_err());
    let World {
        store, verifier, ..
    } = &mut world;
    let limits = EnrolmentLimits::DEFAULT;
    pending
        .open(store, verifier, &again.response.unwrap(), NOW, &limits)
        .unwrap();
    assert_eq!(world.answers.answers(), 1);
}

#[test]
fn permissions_are_those_of_etsis_test_suite() {
    assert_eq!(ssp::ENROLMENT_CREDENTIAL, [1, 0xC0]);
    assert_eq!(ssp::ENROLMENT_AUTHORITY, [1, 0x0E]);
    assert_eq!(ssp::AUTHORIZATION_AUTHORITY, [1, 0x32]);
    assert_eq!(CERTIFICATE_REQUEST.0, 623);
}
