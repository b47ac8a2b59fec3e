//! tshark as oracle: it dissects what is signed, encrypted and issued, to the last field, without
//! an error, and reads the same values. It knows no P-384.

use waywarden_ecverify::{Curve, Point};
use waywarden_testkit::{Random, dissect, has_tshark, hex_of};
use waywarden_v2x_keys::{KeyStore, Uses};
use waywarden_v2x_pki::{Contents, GeographicPoint, Region};
use waywarden_v2x_signing::{
    Credential, PayloadToSign, Recipient, RecipientId, Seed, SignerForm, UnsignedMessage, encrypt,
    encrypt_under, sign, wire_key,
};
use waywarden_v2x_wire::ieee1609dot2::{
    Duration, EncryptionKey, HashedId8, HeaderInfo, Psid, Time64,
};
use waywarden_v2x_wire::link::NetworkProtocol;
use waywarden_v2x_wire::wsmp::Wsm;

use crate::support::{NOW, START, World, deterministic, has_implicit, header_at_now, written};

/// It looks into messages of this application.
const PSID: Psid = Psid(32);

fn packet(message: &[u8]) -> Vec<u8> {
    written(&Wsm::new(PSID, message))
}

/// Dissects messages; returns a line of fields for each.
fn lines(name: &str, messages: &[Vec<u8>], fields: &[&str]) -> Vec<String> {
    let packets: Vec<Vec<u8>> = messages.iter().map(|message| packet(message)).collect();
    let packets = packets.iter();
    let packets = packets.map(|packet| (NetworkProtocol::Wsmp.ethertype(), &packet[..]));
    dissect(name, &packets.collect::<Vec<_>>(), fields)
}

/// The contents of a station's certificate that has all that there is.
fn contents(key: Point) -> Contents {
    let center = GeographicPoint {
        latitude: 522_345_678,
        longitude: 134_000_000,
    };
    Contents::new(START, Duration::Hours(24))
        .named("station")
        .within(Region::Circle(center, 5_000))
        .permitting(PSID, &[1, 0x80])
        .encrypted_to(key)
}

fn header(key: &Point) -> HeaderInfo<'_> {
    HeaderInfo {
        expiry_time: Some(Time64(NOW.0 + 1)),
        encryption_key: Some(EncryptionKey::Public(wire_key(key).unwrap())),
        ..header_at_now(PSID)
    }
}

/// The line of a signed message: hash, signer, digest, both times, and of its certificates the
/// radius and the kinds.
fn signed_line(own: &Credential, implicit: bool, signer: SignerForm) -> String {
    let hash = u8::from(own.curve().field_bytes() > 32);
    let implicit = u8::from(implicit);
    let (kind, digest, radius, kinds) = match signer {
        SignerForm::Digest => (0, hex_of(&own.id().0), "", String::new()),
        SignerForm::Certificate => (1, String::new(), "5000", implicit.to_string()),
        SignerForm::Chain => (1, String::new(), "5000", format!("{implicit}+0")),
    };
    let (made, expiry) = (NOW.0, NOW.0 + 1);
    format!("{hash},{kind},{digest},{made},{expiry},{radius},{kinds}")
}

#[test]
fn tshark_dissects_signed_messages_and_their_certificates() {
    if !has_tshark() {
        return;
    }
    let mut random = Random::of_test("tshark_dissects_signed_messages_and_their_certificates");
    let (mut messages, mut expected) = (Vec::new(), Vec::new());
    for curve in [Curve::P256, Curve::BrainpoolP256r1, Curve::BrainpoolP384r1] {
        let mut world = World::new(curve, &mut random, &[PSID]);
        let key = world
            .store
            .generate(Curve::P256, Uses::AGREE, &random.array());
        let key = world.store.public_key(key.unwrap()).unwrap();
        for implicit in [false, true] {
            if implicit && !has_implicit(curve) {
                continue;
            }
            let own = world.credential(&contents(key), implicit);
            for signer in [
                SignerForm::Digest,
                SignerForm::Certificate,
                SignerForm::Chain,
            ] {
                let payload = random.bytes(20);
                let message = UnsignedMessage {
                    payload: PayloadToSign::Data(&payload),
                    header: header(&key),
                };
                let options = deterministic(signer);
                messages.push(sign(&mut world.store, &own, &message, &options).unwrap());
                expected.push(signed_line(&own, implicit, signer));
            }
        }
    }
    let fields = [
        "ieee1609dot2.hashId",
        "ieee1609dot2.signer",
        "ieee1609dot2.digest",
        "ieee1609dot2.generationTime",
        "ieee1609dot2.expiryTime",
        "ieee1609dot2.radius",
        "ieee1609dot2.type",
    ];
    assert_eq!(lines("signed.pcap", &messages, &fields), expected);
}

#[test]
fn tshark_dissects_encrypted_messages() {
    if !has_tshark() {
        return;
    }
    let mut random = Random::of_test("tshark_dissects_encrypted_messages");
    let mut world = World::new(Curve::P256, &mut random, &[PSID]);
    let mut recipients = Vec::new();
    for curve in [Curve::P256, Curve::BrainpoolP256r1] {
        let key = world
            .store
            .generate(curve, Uses::AGREE, &random.array())
            .unwrap();
        let public = world.store.public_key(key).unwrap();
        let contents = Contents::new(START, Duration::Hours(24)).permitting(PSID, &[1]);
        let own = world.credential(&contents.encrypted_to(public), false);
        let view = own.certificate().view().unwrap();
        let key = wire_key(&public).unwrap();
        recipients.push(Recipient::certificate(&view).unwrap());
        recipients.push(Recipient::signed_data(&random.bytes(50), &key).unwrap());
        recipients.push(Recipient::response_key(&key).unwrap());
    }
    let seed = Seed::new(random.array());
    let text = random.bytes(40);
    let messages = [
        encrypt(&mut world.store, &recipients, &text, &seed).unwrap(),
        encrypt_under(&random.array(), &text, &seed).unwrap(),
    ];
    let ids = recipients.iter().map(|recipient| match recipient.id() {
        RecipientId::Certificate(HashedId8(id))
        | RecipientId::SignedData(HashedId8(id))
        | RecipientId::ResponseKey(HashedId8(id))
        | RecipientId::SymmetricKey(HashedId8(id)) => hex_of(&id),
    });
    let ids: Vec<String> = ids.collect();
    let fields = [
        "ieee1609dot2.content",
        "ieee1609dot2.RecipientInfo",
        "ieee1609dot2.recipientId",
        "ieee1609dot2.encKey",
        "ieee1609dot2.ciphertext",
    ];
    let expected = [
        format!("2,2+3+4+2+3+4,{},0+0+0+1+1+1,0", ids.join("+")),
        "2,0,,,0".to_owned(),
    ];
    assert_eq!(lines("encrypted.pcap", &messages, &fields), expected);
}
