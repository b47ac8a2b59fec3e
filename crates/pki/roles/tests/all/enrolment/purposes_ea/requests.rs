//! Test purposes of enrolment requests: SECPKI_EA_ENR_RCV.

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_pki::Contents;
use waywarden_v2x_pki::enrolment::{RequestRefusal, Requester, request_enrolment, ssp};
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::etsi102941::EnrolmentResponseCode as Code;
use waywarden_v2x_wire::etsi103097::its_aid::{CAM, CERTIFICATE_REQUEST};
use waywarden_v2x_wire::ieee1609dot2::{Duration, Time32};

use super::{asked, credential_with, refused};
use crate::enrolment::forge::{By, Enrolment, changed_enrolment};
use crate::enrolment::world::{
    World, authorization_authority, credential_contents, enrolment_authority,
};
use crate::support::{NOW, START};

#[test]
fn enrolment_request_is_answered_secpki_ea_enr_rcv_01_bv() {
    let mut world = World::new("enr_rcv_01");
    let request = asked(&mut world, &credential_contents());
    let answer = world.answer_enrolment(&request, NOW);
    assert!(answer.response.is_some());
    assert_eq!(
        answer.outcome.unwrap().station,
        crate::enrolment::world::STATION
    );
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
