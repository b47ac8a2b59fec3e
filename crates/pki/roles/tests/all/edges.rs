//! Headers at the edges of what a certificate permits: what is signed is accepted, and what a
//! receiver would refuse is not signed.

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, cases};
use waywarden_v2x_pki::{Contents, GeographicPoint, Region};
use waywarden_v2x_security::{Profiles, ReceptionContext};
use waywarden_v2x_signing::{
    MessageSigner, PayloadToSign, Seed, SignError, SignerForm, Statement, UnsignedMessage, sign,
};
use waywarden_v2x_wire::ieee1609dot2::{
    BasePublicEncryptionKey, CurvePoint, Duration, Elevation, EncryptionKey, HeaderInfo, Latitude,
    Longitude, Psid, PublicEncryptionKey, SymmAlgorithm, ThreeDLocation, Time64,
};

use crate::support::{NOW, START, World, deterministic, has_implicit};

/// An application without a profile, and one that is not permitted.
const APPLICATIONS: [Psid; 2] = [Psid(0x20_4097), Psid(0x20_4098)];

/// Number of headers in the quick run.
const FEW: usize = 300;

fn one<T: Clone>(random: &mut Random, all: &[T]) -> T {
    all[random.index(all.len())].clone()
}

/// A header with edges of the station's time and place, seldom with something wrong.
fn header(random: &mut Random, (start, end): (u64, u64)) -> HeaderInfo<'static> {
    const NO_POINT: [u8; 32] = [0xFF; 32];
    let psid = APPLICATIONS[usize::from(random.once_in(10))];
    let made = one(
        random,
        &[start - 1, start, start + 1, end - 2, end - 1, end, end + 1],
    );
    let expiry = one(
        random,
        &[made - 1, made, made + 1, end - 1, end, end + 1, start - 1],
    );
    // In the middle, at the edge of 5 km, beyond it, and at no place.
    let latitude = one(random, &[0, 440_000, -460_000, 900_000_001]);
    let place = ThreeDLocation {
        latitude: Latitude(latitude),
        longitude: Longitude(0),
        elevation: Elevation(0),
    };
    let point = one(
        random,
        &[
            CurvePoint::CompressedY0(&NO_POINT),
            CurvePoint::XOnly(&NO_POINT),
            CurvePoint::Fill,
            CurvePoint::Uncompressed {
                x: &NO_POINT,
                y: &NO_POINT,
            },
        ],
    );
    let key = PublicEncryptionKey {
        algorithm: SymmAlgorithm::Aes128Ccm,
        key: one(
            random,
            &[
                BasePublicEncryptionKey::EciesNistP256(point),
                BasePublicEncryptionKey::EciesBrainpoolP256r1(point),
            ],
        ),
    };
    HeaderInfo {
        generation_time: Some(Time64(made)),
        expiry_time: random.once_in(2).then_some(Time64(expiry)),
        generation_location: random.once_in(2).then_some(place),
        encryption_key: random.once_in(10).then_some(EncryptionKey::Public(key)),
        ..HeaderInfo::new(psid)
    }
}

#[test]
fn what_a_receiver_refuses_for_its_header_is_not_signed() {
    let mut random = Random::of_test("what_a_receiver_refuses_for_its_header_is_not_signed");
    let mut world = World::new(Curve::P256, &mut random, &APPLICATIONS);
    let center = GeographicPoint {
        latitude: 0,
        longitude: 0,
    };
    let contents = Contents::new(START, Duration::Hours(1))
        .within(Region::Circle(center, 5_000))
        .permitting(APPLICATIONS[0], &[1]);
    let own = world.credential(&contents, false);
    let mut verifier = world
        .receiver()
        .with_profiles(Profiles::default().lenient());
    let (start, end) = own.certificate().validity();
    let mut refused = [0; 6];
    for case in 0..cases(FEW) {
        let header = header(&mut random, (start.0, end.0));
        // Another one each time, so that none came before.
        let payload = (case as u64).to_be_bytes();
        let message = UnsignedMessage {
            payload: PayloadToSign::Data(&payload),
            header,
        };
        let options = deterministic(SignerForm::Certificate);
        let at = match sign(&mut world.store, &own, &message, &options) {
            Ok(signed) => {
                let context = ReceptionContext::at(header.generation_time.unwrap());
                let accepted = verifier.verify(&signed, &context);
                assert!(accepted.is_ok(), "{:?}: {header:?}", accepted.err());
                continue;
            }
            Err(SignError::NotPermitted(_)) => 0,
            Err(SignError::OutsideValidity { .. }) => 1,
            Err(SignError::ExpiryOutsideValidity) => 2,
            Err(SignError::ExpiryBeforeGeneration) => 3,
            Err(SignError::OutsideRegion) => 4,
            Err(SignError::Message(why)) if why.starts_with("encryptionKey: ") => 5,
            Err(other) => panic!("{other}"),
        };
        refused[at] += 1;
    }
    assert!(refused.iter().all(|&count| count > 0), "{refused:?}");
}

#[test]
fn what_a_sender_sends_is_accepted_by_the_strictest_receiver() {
    let mut random = Random::of_test("what_a_sender_sends_is_accepted_by_the_strictest_receiver");
    // All that have a profile of their own but lists, whose payloads are read, and another one.
    let applications = [
        32, 36, 37, 137, 138, 139, 140, 141, 623, 638, 639, 0x20_4097,
    ];
    let applications = applications.map(Psid);
    for curve in Curve::ALL {
        let mut world = World::new(curve, &mut random, &applications);
        for implicit in [false, true] {
            if implicit && !has_implicit(curve) {
                continue;
            }
            let mut contents = Contents::new(START, Duration::Hours(1));
            for psid in applications {
                contents = contents.permitting(psid, &[1]);
            }
            let own = world.credential(&contents, implicit);
            let mut verifier = world.receiver();
            let mut sender = MessageSigner::new(own.clone());
            for step in 0..8 {
                let now = Time64(NOW.0 + step * 250_000);
                for psid in applications {
                    let statement = Statement {
                        psid,
                        payload: &random.bytes_up_to(100),
                        location: Some(ThreeDLocation {
                            latitude: Latitude(0),
                            longitude: Longitude(0),
                            elevation: Elevation(0),
                        }),
                    };
                    let seed = Seed::new(random.array());
                    let message = sender.send(&mut world.store, &statement, now, &seed);
                    let message = message.unwrap();
                    let context = ReceptionContext {
                        psid: Some(psid),
                        ..ReceptionContext::at(Time64(now.0 + random.below(1_000_000)))
                    };
                    let accepted = verifier.verify(&message, &context);
                    assert!(accepted.is_ok(), "{psid:?}: {:?}", accepted.err());
                }
            }
        }
    }
}
