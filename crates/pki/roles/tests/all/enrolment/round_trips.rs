//! Certificates are issued as requested, on all curves, with and without privacy.

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyStore, Uses};
use waywarden_v2x_pki::enrolment::EnrolmentLimits;

use super::world::{World, ticket_contents};
use crate::support::NOW;

#[test]
fn station_enrols_and_gets_tickets_on_every_curve() {
    let mut random = Random::of_test("station_enrols_and_gets_tickets_on_every_curve");
    for curve in Curve::ALL {
        let mut world = World::on(curve, &mut random);
        let credential = world.enrol();
        for (is_private, has_encryption_key) in [(true, false), (false, true)] {
            let mut contents = ticket_contents();
            if has_encryption_key {
                let seed = world.seeds.next();
                let key = world.store.generate(Curve::P256, Uses::AGREE, &seed);
                contents = contents.encrypted_to(world.store.public_key(key.unwrap()).unwrap());
            }
            let (request, pending) =
                world.ask_ticket_with(&credential, &contents, NOW, |request| {
                    request.is_private = is_private;
                });
            let answer = world.authorize(&request, NOW);
            let response = answer.response.unwrap();
            let World {
                store, verifier, ..
            } = &mut world;
            let limits = EnrolmentLimits::DEFAULT;
            let ticket = pending
                .open(store, verifier, &response, NOW, &limits)
                .unwrap();
            assert_eq!(ticket.bytes(), answer.outcome.unwrap().certificate);
            let view = ticket.view().unwrap();
            assert_eq!(
                view.to_be_signed.encryption_key.is_some(),
                has_encryption_key
            );
        }
    }
}
