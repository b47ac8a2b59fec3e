//! Checks of whole exchanges by pycrate and python cryptography: they open each message, verify
//! each signature, and read and write each structure.

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, hex_of};
use waywarden_v2x_keys::{KeyStore, Uses};
use waywarden_v2x_signing::{Credential, encryption_key};

use super::world::{STATION, World, credential_contents, ticket_contents};
use crate::oracles::{Oracle, chain, name, private};
use crate::support::NOW;

/// Curves that pycrate knows, and whose authorities can be encrypted to with their own curve.
const CURVES: [Curve; 3] = [Curve::P256, Curve::BrainpoolP256r1, Curve::BrainpoolP384r1];

/// Enrols a station and has the oracle follow; returns the credential.
fn enrol(world: &mut World, oracle: &mut Oracle) -> (Credential, Vec<u8>) {
    let key = world.key();
    let (request, _) = world.ask_enrolment(key, &credential_contents(), NOW);
    let answer = world.answer_enrolment(&request, NOW);
    let certificate = answer.outcome.unwrap().certificate;
    let canonical = world.store.public_key(world.canonical).unwrap();
    let canonical = compressed(&canonical);
    oracle.ask(&[
        "enrolment",
        &chain(world.ea.authority().credential()),
        &private(&world.store, world.ea_key),
        &format!("{}:{}", name(world.curve), canonical),
        &hex_of(STATION),
        &hex_of(&request),
        &hex_of(&answer.response.unwrap()),
    ]);
    let verified = world.verifier.verify_certificate(&certificate).unwrap();
    let credential = Credential::new(&world.store, key, verified).unwrap();
    (credential, certificate)
}

/// A point by SEC 1, compressed.
fn compressed(point: &waywarden_ecverify::Point) -> String {
    use waywarden_ecverify::EncodedPoint::{CompressedY0, CompressedY1};
    match point.uncompressed().to_compressed() {
        CompressedY0(x) => format!("02{}", hex_of(x)),
        CompressedY1(x) => format!("03{}", hex_of(x)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn others_follow_enrolment_and_authorization() {
    let Some(mut oracle) = Oracle::of_script("enrolment_oracle.py") else {
        return;
    };
    let mut random = Random::of_test("others_follow_enrolment_and_authorization");
    let mut expected = Vec::new();
    for curve in CURVES {
        let mut world = World::on(curve, &mut random);
        world.aa = world.aa.without_proof_of_possession();
        let (credential, certificate) = enrol(&mut world, &mut oracle);
        expected.push(certificate);
        for (is_private, proves_possession) in
            [(true, true), (true, false), (false, true), (false, false)]
        {
            let mut contents = ticket_contents();
            if is_private {
                let seed = world.seeds.next();
                let key = world.store.generate(Curve::P256, Uses::AGREE, &seed);
                let key = world.store.public_key(key.unwrap()).unwrap();
                encryption_key(&key).unwrap();
                contents = contents.encrypted_to(key);
            }
            let (request, _) = world.ask_ticket_with(&credential, &contents, NOW, |own| {
                own.is_private = is_private;
                own.proves_possession = proves_possession;
            });
            let (asked, pending) = world.asked(&request, NOW);
            let answered = world.answer_validation(&asked, NOW).response.unwrap();
            let answer = world.finish(&pending, Some(&answered), NOW);
            expected.push(answer.outcome.unwrap().certificate);
            oracle.ask(&[
                "authorization",
                &chain(world.ea.authority().credential()),
                &private(&world.store, world.ea_key),
                &chain(world.aa.authority().credential()),
                &private(&world.store, world.aa_key),
                &chain(&credential),
                &hex_of(&request),
                &hex_of(&asked),
                &hex_of(&answered),
                &hex_of(&answer.response.unwrap()),
            ]);
        }
    }
    for (answer, expected) in oracle.answers().into_iter().zip(expected) {
        assert_eq!(answer, Ok(vec![expected]));
    }
}
