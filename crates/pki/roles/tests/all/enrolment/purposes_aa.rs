//! Messages that the authorization authority accepts, sends and answers: test purposes of ETSI TS
//! 103 525-2.

use waywarden_v2x_keys::KeyHandle;
use waywarden_v2x_pki::Contents;
use waywarden_v2x_pki::enrolment::{
    AuthorizationStep, MessageFault, RequestRefusal, ResponseRefusal,
};
use waywarden_v2x_signing::{Credential, DecryptError};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::{
    AuthorizationResponseCode as Code, AuthorizationValidationResponseCode as ValidationCode,
    EtsiTs102941DataContent,
};
use waywarden_v2x_wire::ieee1609dot2::{
    Duration, HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, Time32, Time64,
};

use super::forge::{
    Authorization, By, content, header, key_tag, opened_by_aa, opened_by_ea, opened_under, payload,
    sealed_to_ea, signed_data,
};
use super::world::{World, later, ticket_contents};
use crate::support::{NOW, START};

/// A credential, a key for a ticket, and the station's request.
struct Asked {
    credential: Credential,
    key: KeyHandle,
    request: Vec<u8>,
}

fn asked(world: &mut World, contents: &Contents) -> Asked {
    let credential = world.enrol();
    let key = world.key();
    let (request, _) = world.ask_ticket_with(&credential, contents, NOW, |own| own.key = key);
    Asked {
        credential,
        key,
        request,
    }
}

/// Sends a request through both authorities; returns the code in the response and why.
pub(super) fn refused(world: &mut World, request: &[u8], now: Time64) -> (Code, RequestRefusal) {
    let (_, key) = opened_by_aa(world, request);
    let answer = world.authorize(request, now);
    let refusal = answer.outcome.unwrap_err();
    let response = opened_under(world, &key, &answer.response.unwrap());
    let data = signed_data(&response);
    let EtsiTs102941DataContent::AuthorizationResponse(response) = content(payload(&data)) else {
        panic!("another content");
    };
    assert!(response.certificate.is_none());
    assert_eq!(response.response_code, refusal.authorization_code());
    (response.response_code, refusal)
}

/// Returns the refusal of a request that gets no response at all.
fn skipped(world: &mut World, request: &[u8]) -> RequestRefusal {
    match world.receive(request, NOW) {
        AuthorizationStep::Done(answer) => {
            assert_eq!(answer.response, None);
            answer.outcome.unwrap_err()
        }
        AuthorizationStep::Ask { .. } => panic!("the enrolment authority is asked"),
    }
}

/// Purposes AUTH_RCV_01 (with a proof of possession), AUTH_RCV_02 (without), AUTHVAL_01 (the
/// enrolment authority is asked) and AUTHVAL_02 (it alone can read the message).
#[test]
fn request_is_read_and_the_ea_is_asked_secpki_aa_auth_rcv_01_02_bv_authval_01_02_bv() {
    for proves_possession in [true, false] {
        let mut world = World::new("aa_auth_rcv_01");
        world.aa = world.aa.without_proof_of_possession();
        let credential = world.enrol();
        let (request, _) = world.ask_ticket_with(&credential, &ticket_contents(), NOW, |own| {
            own.proves_possession = proves_possession;
        });
        let (message, _) = world.asked(&request, NOW);
        let data: Ieee1609Dot2Data<'_> = parse(&message).unwrap();
        let Ieee1609Dot2Content::Encrypted(data) = data.content else {
            panic!("{data:?}");
        };
        assert_eq!(data.recipients.len(), 1);
        let (signed, _) = opened_by_ea(&mut world, &message);
        let signed = signed_data(&signed);
        assert_eq!(signed.tbs_data.header_info, header());
        waywarden_v2x_security::verify_signature_by(&signed, &world.aa_certificate()).unwrap();
        let asked = content(payload(&signed));
        assert_eq!(asked.label(), "authorizationValidationRequest");
        // What the station sent, byte for byte.
        let (own, _) = opened_by_aa(&mut world, &request);
        let EtsiTs102941DataContent::AuthorizationValidationRequest(asked) = asked else {
            panic!("{asked:?}");
        };
        let shared = asked.shared.bytes().unwrap();
        assert!(own.windows(shared.len()).any(|window| window == shared));
    }
}

#[test]
fn request_to_another_authority_is_skipped_secpki_aa_auth_rcv_03_bi() {
    let mut world = World::new("aa_auth_rcv_03");
    let asked = asked(&mut world, &ticket_contents());
    let (data, _) = opened_by_aa(&mut world, &asked.request);
    let message = sealed_to_ea(&mut world, &data);
    let refusal = skipped(&mut world, &message);
    let fault = MessageFault::Encryption(DecryptError::NotForUs);
    assert_eq!(refusal, RequestRefusal::Message(fault));
    assert_eq!(refusal.authorization_code(), Code::ItsAaImNotTheRecipient);
}

/// Purposes 04 (the encrypted key) and 05 (the ciphertext).
#[test]
fn request_that_cannot_be_decrypted_is_skipped_secpki_aa_auth_rcv_04_05_bi() {
    let mut world = World::new("aa_auth_rcv_04");
    let asked = asked(&mut world, &ticket_contents());
    // Behind the version, alternatives, one recipient, its hash, the key's alternative and point:
    // the encrypted key begins at byte 48.
    for at in [48, asked.request.len() - 1] {
        let mut message = asked.request.clone();
        message[at] ^= 1;
        let refusal = skipped(&mut world, &message);
        let fault = MessageFault::Encryption(DecryptError::Tag);
        assert_eq!(refusal, RequestRefusal::Message(fault));
        assert_eq!(refusal.authorization_code(), Code::ItsAaDecryptionFailed);
    }
}

#[test]
fn wrong_proof_of_possession_is_refused_secpki_aa_auth_rcv_06_bi() {
    let mut world = World::new("aa_auth_rcv_06");
    let asked = asked(&mut world, &ticket_contents());
    let other = world.key();
    let forged = Authorization::by(&asked.credential, other);
    let message = forged.sealed(&mut world, &asked.request, |_, _| {});
    let (code, refusal) = refused(&mut world, &message, NOW);
    assert_eq!(code, Code::InvalidSignature);
    assert!(matches!(refusal, RequestRefusal::ProofOfPossession(_)));
}

/// Another tag, another key of the tag, and the tag of other keys.
#[test]
fn wrong_key_tag_is_refused_secpki_aa_auth_rcv_07_bi() {
    let mut world = World::new("aa_auth_rcv_07");
    let asked = asked(&mut world, &ticket_contents());
    let forged = Authorization::by(&asked.credential, asked.key);
    let other = world.key();
    let foreign = Box::leak(Box::new(key_tag(&world, &[3; 32], other)));
    for case in 0..3 {
        let message = forged.sealed(&mut world, &asked.request, |own, shared| match case {
            0 => shared.key_tag = &[7; 16],
            1 => own.hmac_key = &[7; 32],
            _ => {
                own.hmac_key = &[3; 32];
                shared.key_tag = foreign;
            }
        });
        let (code, refusal) = refused(&mut world, &message, NOW);
        assert_eq!(
            (code, refusal),
            (Code::ItsAaKeysDontMatch, RequestRefusal::KeyTag)
        );
    }
    // The tag as this test computes it is the station's.
    let own = Box::leak(Box::new(key_tag(&world, &[3; 32], asked.key)));
    let message = forged.sealed(&mut world, &asked.request, |inner, shared| {
        inner.hmac_key = &[3; 32];
        shared.key_tag = own;
    });
    world.authorize(&message, NOW).outcome.unwrap();
}

#[test]
fn station_that_is_not_enrolled_is_refused_secpki_aa_auth_rcv_08_bi() {
    let mut world = World::new("aa_auth_rcv_08");
    let asked = asked(&mut world, &ticket_contents());
    world.registry = waywarden_v2x_pki::enrolment::MemoryRegistry::new(10);
    let (code, refusal) = refused(&mut world, &asked.request, NOW);
    assert_eq!(code, Code::UnknownIts);
    let denied = ResponseRefusal::Denied(ValidationCode::UnknownIts);
    assert_eq!(refusal, RequestRefusal::Validation(denied));
}

#[test]
fn credential_of_an_unknown_ea_is_refused_secpki_aa_auth_rcv_09_bi() {
    let mut world = World::new("aa_auth_rcv_09");
    let asked = asked(&mut world, &ticket_contents());
    let forged = Authorization::by(&asked.credential, asked.key);
    let message = forged.sealed(&mut world, &asked.request, |_, shared| {
        shared.ea_id = HashedId8([9; 8]);
    });
    let (code, refusal) = refused(&mut world, &message, NOW);
    assert_eq!(code, Code::ItsAaUnknownEa);
    assert_eq!(refusal, RequestRefusal::UnknownAuthority(HashedId8([9; 8])));
    let ea = world.ea.authority().credential().id();
    world.aa.revoke_enrolment_authority(ea);
    let (code, _) = refused(&mut world, &asked.request, NOW);
    assert_eq!(code, Code::ItsAaInvalidEa);
}

/// Purposes 10 (in the past) and 11 (in the future).
#[test]
fn request_of_another_time_is_refused_secpki_aa_auth_rcv_10_11_bi() {
    let mut world = World::new("aa_auth_rcv_10");
    let asked = asked(&mut world, &ticket_contents());
    for now in [later(601), Time64(NOW.0 - 3_000_000)] {
        let (code, refusal) = refused(&mut world, &asked.request, now);
        assert_eq!(code, Code::ItsAaOutOfSyncRequest, "{refusal}");
    }
    // In the credential's signature alone: that is the enrolment authority's to find out.
    for made in [Time64(NOW.0 - 601_000_000), later(3)] {
        let mut forged = Authorization::by(&asked.credential, asked.key);
        forged.credential_header.generation_time = Some(made);
        let message = forged.sealed(&mut world, &asked.request, |_, _| {});
        let (code, refusal) = refused(&mut world, &message, NOW);
        assert_eq!(code, Code::DeniedPermissions);
        let denied = ResponseRefusal::Denied(ValidationCode::DeniedRequest);
        assert_eq!(refusal, RequestRefusal::Validation(denied));
    }
}

/// Purposes 12 to 15: expiry before the credential begins, start before it, expiry after it ends,
/// start after it; and 16: expiry after the time for which tickets are fetched in advance.
#[test]
fn periods_outside_of_the_credentials_are_refused_secpki_aa_auth_rcv_12_to_16_bi() {
    const YEAR: u32 = 31_556_952;
    let mut world = World::new("aa_auth_rcv_12");
    let credential = world.enrol();
    let (code, text) = (Code::DeniedPermissions, "DeniedPermissions");
    let check = |world: &mut World, start: u32, hours: u16| {
        let mut contents = ticket_contents();
        (contents.start, contents.duration) = (Time32(start), Duration::Hours(hours));
        let (request, _) = world.ask_ticket(&credential, &contents, NOW);
        let (found, refusal) = refused(world, &request, NOW);
        assert_eq!(found, code);
        assert!(refusal.to_string().contains(text), "{refusal}");
    };
    // 16: beginning after 92 days less than a week.
    check(&mut world, START.0 + 100 + 86 * 86_400, 168);
    world.change_station(|station| station.profile.ticket.ahead_max = Duration::Years(50));
    // The credential is valid from START + 100 for three years.
    check(&mut world, START.0 + 20, 0);
    check(&mut world, START.0 + 90, 168);
    check(&mut world, START.0 + 100 + 3 * YEAR - 86_400, 168);
    check(&mut world, START.0 + 200 + 3 * YEAR, 168);
}

#[test]
fn request_without_proof_of_possession_is_refused_where_one_is_demanded() {
    let mut world = World::new("no_pop");
    let credential = world.enrol();
    let (request, _) = world.ask_ticket_with(&credential, &ticket_contents(), NOW, |own| {
        own.proves_possession = false;
    });
    let (code, refusal) = refused(&mut world, &request, NOW);
    assert_eq!(code, Code::ItsAaBadContentType);
    assert_eq!(refusal, RequestRefusal::NoProofOfPossession);
}

/// The ticket's key signs, not the credential's.
#[test]
fn proof_by_a_certificate_is_refused() {
    let mut world = World::new("pop_by_credential");
    let asked = asked(&mut world, &ticket_contents());
    for by in [
        By::Credential(&asked.credential),
        By::Whole(&asked.credential),
    ] {
        let mut forged = Authorization::by(&asked.credential, asked.key);
        forged.possession = Some(by);
        let message = forged.sealed(&mut world, &asked.request, |_, _| {});
        let (code, _) = refused(&mut world, &message, NOW);
        assert_eq!(code, Code::ItsAaBadContentType);
    }
}

#[test]
fn unreachable_ea_is_reported_and_the_request_may_come_again() {
    let mut world = World::new("unreachable");
    let asked = asked(&mut world, &ticket_contents());
    let (_, pending) = world.asked(&asked.request, NOW);
    let answer = world.finish(&pending, None, NOW);
    let refusal = answer.outcome.unwrap_err();
    assert_eq!(refusal, RequestRefusal::Unreachable);
    assert_eq!(refusal.authorization_code(), Code::AaEaCantReachEa);
    world.authorize(&asked.request, NOW).outcome.unwrap();
}
