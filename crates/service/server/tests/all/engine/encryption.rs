//! Data encrypted to certificates and decrypted.

use waywarden_testkit::Random;
use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service_protocol::{
    DecryptRequest, EncryptRequest, EncryptionKeyOf, RequestedOperation, ResponseBody, SignRequest,
    Status,
};
use waywarden_v2x_signing::SignerForm;
use waywarden_v2x_wire::ieee1609dot2::Duration;

use super::world;
use crate::support::{World, ask, cam, engine, everything, signed, verified};

#[test]
fn data_is_encrypted_to_trusted_certificates_and_decrypted() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let (other, _) = world.vehicle(Duration::Years(1));
    let own = signed(
        &service,
        SignRequest {
            signer: Some(SignerForm::Certificate),
            ..cam(b"")
        },
    );
    let signer = verified(&service, &own.unwrap()).signer.unwrap();
    let to = |recipients| {
        RequestedOperation::Encrypt(EncryptRequest {
            recipients,
            data: b"secret".to_vec(),
            is_secured: false,
        })
    };
    let foreign = other.credential.certificate().bytes().to_vec();
    let recipients = vec![
        EncryptionKeyOf::Certificate(foreign.clone()),
        EncryptionKeyOf::Known(signer),
    ];
    let body = ask(&service, &Grant::default(), to(recipients)).unwrap();
    let ResponseBody::Encrypted(message) = body else {
        panic!("{body:?}")
    };
    let decrypt = RequestedOperation::Decrypt(DecryptRequest { message });
    let body = ask(&service, &everything(), decrypt).unwrap();
    let ResponseBody::Decrypted(data) = body else {
        panic!("{body:?}")
    };
    assert_eq!(data, [&[3, 0x80, 6][..], b"secret"].concat());
    // A certificate that nothing trusted has issued.
    let mut stranger = World::new(&mut Random::new(25));
    let (stranger, _) = stranger.vehicle(Duration::Years(1));
    let stranger = stranger.credential.certificate().bytes().to_vec();
    let recipients = vec![EncryptionKeyOf::Certificate(stranger)];
    let refused = ask(&service, &Grant::default(), to(recipients)).unwrap_err();
    assert_eq!(refused.status, Status::NotEncrypted);
    assert_eq!(
        ask(&service, &Grant::default(), to(Vec::new()))
            .unwrap_err()
            .status,
        Status::NotEncrypted
    );
}
