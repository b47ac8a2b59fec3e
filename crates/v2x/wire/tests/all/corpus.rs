//! Real data: every byte of it is read, and written again as it was.

use std::fs;

use waywarden_testkit::corpus;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateType, Ieee1609Dot2Content, Ieee1609Dot2Data, IssuerIdentifier,
    PublicVerificationKey, Signature, SignedData, SignerIdentifier, VerificationKeyIndicator,
};
use waywarden_v2x_wire::{ParseFault, WireError};

use crate::support::{comes_back, etsi_certificates, field_messages};

fn signed<'a>(data: &Ieee1609Dot2Data<'a>) -> SignedData<'a> {
    match data.content {
        Ieee1609Dot2Content::Signed(signed) => signed,
        _ => panic!("not signed: {data:?}"),
    }
}

#[test]
fn certificates_of_the_etsi_suite() {
    let Some(certificates) = etsi_certificates() else {
        return;
    };
    let mut curves = [0; 3];
    for (name, bytes) in &certificates {
        let certificate: Certificate<'_> =
            comes_back(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let key = certificate.to_be_signed.verify_key_indicator;
        curves[match key {
            VerificationKeyIndicator::VerificationKey(key) => match key {
                PublicVerificationKey::EcdsaNistP256(_) => 0,
                PublicVerificationKey::EcdsaBrainpoolP256r1(_) => 1,
                PublicVerificationKey::EcdsaBrainpoolP384r1(_) => 2,
                other => panic!("{name}: {other:?}"),
            },
            other => panic!("{name}: {other:?}"),
        }] += 1;
    }
    assert_eq!(certificates.len(), 105);
    assert_eq!(curves.iter().sum::<i32>(), 105, "{curves:?}");
}

#[test]
fn messages_from_the_field() {
    let Some(messages) = field_messages() else {
        return;
    };
    let mut with_certificate = 0;
    for (from, bytes) in &messages {
        let data: Ieee1609Dot2Data<'_> =
            comes_back(bytes).unwrap_or_else(|error| panic!("{from}: {error}"));
        let signed = signed(&data);
        if let SignerIdentifier::Certificate(chain) = signed.signer {
            let certificate = chain.iter().next().unwrap().unwrap();
            assert_eq!(certificate.kind, CertificateType::Implicit);
            with_certificate += 1;
        }
        let payload = signed.tbs_data.payload.data.unwrap().view().unwrap();
        assert!(matches!(payload.content, Ieee1609Dot2Content::Unsecured(_)));
        assert!(signed.tbs_data.header_info.generation_time.is_some());
    }
    assert_eq!(messages.len(), 843);
    println!("{with_certificate} of 843 have a certificate");
}

#[test]
fn the_trust_lists_of_the_european_union() {
    let Some(folder) = corpus("v2x/eu_trust") else {
        return;
    };
    let manager = fs::read(folder.join("E7A4B2B045E7ACF9.oer")).unwrap();
    let manager: Certificate<'_> = comes_back(&manager).unwrap();
    assert!(matches!(manager.issuer, IssuerIdentifier::SelfIssued(_)));
    assert!(matches!(
        manager.signature,
        Some(Signature::EcdsaBrainpoolP384r1(_))
    ));
    let list = fs::read(folder.join("CE4CF6C19BFED720.oer")).unwrap();
    let list: Ieee1609Dot2Data<'_> = comes_back(&list).unwrap();
    let signed = signed(&list);
    assert!(matches!(
        signed.signature,
        Signature::EcdsaBrainpoolP384r1(_)
    ));
    assert_eq!(signed.tbs_data.header_info.psid.0, 624, "CTL service");
    // The list itself is a payload here.
    let payload = signed.tbs_data.payload.data.unwrap().view().unwrap();
    assert!(matches!(payload.content, Ieee1609Dot2Content::Unsecured(list) if list.len() == 0x44A));
}

#[test]
fn an_attack_by_depth_is_refused_before_it_costs_anything() {
    let Some(folder) = corpus("v2x/eu_trust") else {
        return;
    };
    let attack = fs::read(folder.join("CE4CF6C19BFED720_with_recursion_depth150.oer")).unwrap();
    // A stack that would not last for the whole of it.
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    let refused = thread.spawn(move || match parse::<Ieee1609Dot2Data<'_>>(&attack) {
        Ok(_) => panic!("the attack was read"),
        Err(error) => error,
    });
    let error: WireError = refused.unwrap().join().unwrap();
    assert_eq!(error.fault, ParseFault::TooDeep);
    // Four bytes a level; what is too deep is not looked at.
    assert_eq!((error.offset, error.field), (17 * 4, "data"));
}

#[test]
fn samples_of_another_compiler() {
    let Some(folder) = corpus("v2x/asn1c_samples") else {
        return;
    };
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    for name in ["sample-Certificate-1.coer", "sample-Certificate-2.coer"] {
        let bytes = read(name);
        comes_back::<Certificate<'_>>(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let bytes = read("sample-Ieee1609Dot2Data-1.coer");
    comes_back::<Ieee1609Dot2Data<'_>>(&bytes).unwrap();
}
