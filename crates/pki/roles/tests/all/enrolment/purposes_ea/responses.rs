//! Test purposes of enrolment responses: SECPKI_EA_ENR.

use waywarden_ecverify::Curve;
use waywarden_v2x_pki::Contents;
use waywarden_v2x_pki::enrolment::{EnrolmentAuthority, ssp};
use waywarden_v2x_security::hash::{HashFunction, hash};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::EnrolmentResponseCode as Code;
use waywarden_v2x_wire::etsi103097::its_aid::CERTIFICATE_REQUEST;
use waywarden_v2x_wire::ieee1609dot2::{
    HashAlgorithm, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, RecipientInfo,
    SignerIdentifier,
};

use super::{asked, enrolment_response};
use crate::enrolment::forge::{opened_by_ea, opened_under, payload, signed_data};
use crate::enrolment::world::{World, credential_contents, enrolment_authority, ticket_contents};
use crate::support::NOW;

/// The response to a request, decrypted: signed data.
fn response_to(world: &mut World, request: &[u8]) -> Vec<u8> {
    let (_, key) = opened_by_ea(world, request);
    let response = world.answer_enrolment(request, NOW).response.unwrap();
    opened_under(world, &key, &response)
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
    let (authority, key) =
        crate::enrolment::world::authority(root, store, Curve::P256, contents, seeds);
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
