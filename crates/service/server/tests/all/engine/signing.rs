//! Grants and conditions for signing.

use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service_protocol::{DecryptRequest, RequestedOperation, SignRequest, Status};
use waywarden_v2x_signing::SignerForm;
use waywarden_v2x_time::UntrustedTime;
use waywarden_v2x_wire::ieee1609dot2::{
    Duration, Elevation, Latitude, Longitude, ThreeDLocation, Time64,
};

use super::world;
use crate::support::{CAM, DENM, NOW, ask, cam, engine, everything, signed, verified};

#[test]
fn client_signs_only_for_its_applications() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let mut grant = everything();
    grant.sign.remove(&DENM);
    let denm = SignRequest {
        psid: DENM,
        ..cam(b"warning")
    };
    let refused = ask(&service, &grant, RequestedOperation::Sign(denm.clone())).unwrap_err();
    assert_eq!(refused.status, Status::PsidNotAuthorized);
    assert!(refused.reason.contains("37"), "{refused}");
    assert!(ask(&service, &everything(), RequestedOperation::Sign(denm)).is_ok());
    let nothing = Grant::default();
    let refused = ask(&service, &nothing, RequestedOperation::Sign(cam(b""))).unwrap_err();
    assert_eq!(refused.status, Status::NotAuthorized);
    let decrypt = RequestedOperation::Decrypt(DecryptRequest { message: vec![3] });
    let refused = ask(&service, &nothing, decrypt).unwrap_err();
    assert_eq!(refused.status, Status::NotAuthorized);
}

#[test]
fn certificate_decides_beside_the_grant() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let other = waywarden_v2x_wire::ieee1609dot2::Psid(139);
    let mut grant = everything();
    grant.sign.insert(other);
    let request = RequestedOperation::Sign(SignRequest {
        psid: other,
        ..cam(b"")
    });
    assert_eq!(
        ask(&service, &grant, request).unwrap_err().status,
        Status::NotPermitted
    );
    for (asked, is_permitted) in [
        (vec![1, 0xff, 0xf0], true),
        (vec![1, 0x80, 0], true),
        (vec![1, 0xff, 0xf8], false),
        (vec![2, 0x80, 0], false),
        (vec![1, 0x80], false),
    ] {
        let sign = SignRequest {
            permissions: Some(asked.clone()),
            ..cam(b"")
        };
        assert_eq!(signed(&service, sign).is_ok(), is_permitted, "{asked:?}");
    }
}

#[test]
fn certificate_without_permissions_permits_no_message_that_needs_one() {
    let (mut world, time) = world();
    let service = engine(world.materials_permitting(Duration::Years(1), &[]), &time);
    for asked in [vec![1, 0, 0], vec![1, 0xff, 0xfc], vec![0], vec![7; 32]] {
        let sign = SignRequest {
            permissions: Some(asked.clone()),
            ..cam(b"")
        };
        let refused = signed(&service, sign).expect_err("signed without the permissions");
        assert_eq!(refused.status, Status::NotPermitted, "{asked:?}");
    }
    for none in [None, Some(Vec::new())] {
        let sign = SignRequest {
            permissions: none,
            ..cam(b"")
        };
        assert!(signed(&service, sign).is_ok());
    }
}

#[test]
fn nothing_is_signed_without_trusted_time_or_with_an_earlier_one() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    time.set(NOW, Some(UntrustedTime::StaleFix));
    assert_eq!(
        signed(&service, cam(b"")).unwrap_err().status,
        Status::TimeNotTrusted
    );
    time.set(NOW, None);
    assert!(signed(&service, cam(b"")).is_ok());
    time.set(Time64(NOW.0 - 1), None);
    assert_eq!(
        signed(&service, cam(b"")).unwrap_err().status,
        Status::TimeNotTrusted
    );
    time.set(Time64(NOW.0 + 1), None);
    assert!(signed(&service, cam(b"")).is_ok());
}

#[test]
fn expired_certificate_signs_nothing() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Hours(1)), &time);
    assert!(signed(&service, cam(b"")).is_ok());
    time.set(Time64(NOW.0 + 3_600_000_000), None);
    assert_eq!(
        signed(&service, cam(b"")).unwrap_err().status,
        Status::NoCertificate
    );
}

#[test]
fn a_signer_that_receivers_refuse_is_not_signed_with() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let place = ThreeDLocation {
        latitude: Latitude(481_000_000),
        longitude: Longitude(115_000_000),
        elevation: Elevation(0),
    };
    for psid in [CAM, DENM] {
        for form in [
            // Receivers know it from this one on.
            SignerForm::Certificate,
            SignerForm::Digest,
            SignerForm::Chain,
        ] {
            let sign = SignRequest {
                psid,
                signer: Some(form),
                location: Some(place),
                ..cam(format!("{psid:?} {form:?}").as_bytes())
            };
            let receivers_take = match form {
                SignerForm::Digest => psid == CAM,
                SignerForm::Certificate => true,
                SignerForm::Chain => false,
            };
            match signed(&service, sign) {
                Ok(message) => {
                    assert!(receivers_take, "{psid:?} {form:?}");
                    let verdict = verified(&service, &message);
                    assert!(verdict.is_accepted(), "{psid:?} {form:?} {verdict:?}");
                }
                Err(refused) => {
                    assert!(!receivers_take, "{psid:?} {form:?} {refused}");
                    assert_eq!(refused.status, Status::NotSigned);
                    assert!(refused.reason.starts_with("signer: "), "{refused}");
                }
            }
        }
    }
}
