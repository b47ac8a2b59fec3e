//! Requests with wrong fields, of wrong signers, of blocked stations, and replayed ones.

use waywarden_v2x_pki::enrolment::{MessageFault, RequestRefusal, StationStatus};
use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::etsi102941::{CertificateFormat, EnrolmentResponseCode as Code};
use waywarden_v2x_wire::ieee1609dot2::{CurvePoint, HashedId8, HeaderInfo, PublicVerificationKey};

use super::{changed, fault, good, refusal};
use crate::enrolment::forge::{
    By, Enrolment, changed_enrolment, header, opened_by_ea, sealed_to_ea,
};
use crate::enrolment::world::{World, later};
use crate::support::NOW;

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
    let sealed_again = sealed_to_ea(&mut world, &signed);
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
