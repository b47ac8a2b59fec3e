//! Payloads beside the certificate of their signer, in the stations' own security services.

use waywarden_testkit::{Random, bytes_of};
use waywarden_v2x_neighbourhood::{
    CertificateForm, CertificateUse, InProcess, ReceptionVerdict, SecurityServices, Tickets,
};
use waywarden_v2x_pki::GeographicPoint;
use waywarden_v2x_security::{IncomingMessage, MessageSource, ReceptionContext, Verifier};
use waywarden_v2x_station::{MessageEnvelope, StationMessage};
use waywarden_v2x_wire::etsi103097::its_aid;

use crate::road::{BEGIN, laboratory, on_ring};

/// CAM of a roadside unit in Munich, and one 390 km to the north-west.
const MUNICH: &str = "020200000007000000fa4ac1120e4600ce000000000000000080";
const FAR: &str = "020200000007000000fa8ac678ce175997600000000000000080";

#[test]
fn station_refuses_place_outside_of_the_certificate_unless_configured_otherwise() {
    let mut random = Random::new(53);
    let laboratory = laboratory(&mut random, 1);
    let centre = GeographicPoint {
        latitude: 481_370_000,
        longitude: 115_750_000,
    };
    let mut services = || {
        let mut verifier = Verifier::default();
        laboratory.lock().unwrap().teach(&mut verifier, 1).unwrap();
        let tickets = Tickets::new(&laboratory, 0, CertificateForm::Explicit);
        let tickets = Box::new(tickets.within(centre, 20_000));
        let seed = random.bytes(32).try_into().unwrap();
        InProcess::new(CertificateUse::DirectSender, tickets, verifier, BEGIN, seed).unwrap()
    };
    let (mut sender, mut receiver) = (services(), services());
    let mut lenient = services().without_payload_check();
    let location = on_ring(0.0, 0.0, std::time::Duration::ZERO, BEGIN).location;
    for (payload, is_inside) in [(MUNICH, true), (FAR, false)] {
        let message = StationMessage {
            psid: its_aid::CAM,
            payload: bytes_of(payload),
            location,
            envelope: MessageEnvelope::wsmp_from([2; 6], its_aid::CAM),
        };
        let frame = sender.sign(&message, BEGIN).unwrap();
        let received = IncomingMessage {
            message: &frame,
            context: ReceptionContext {
                now: BEGIN,
                place: None,
                psid: None,
                external_data: None,
                data_hash: None,
                source: MessageSource::Radio,
            },
        };
        let verdict = receiver.verify(std::slice::from_ref(&received)).remove(0);
        assert_eq!(verdict.is_accepted(), is_inside, "{verdict:?}");
        match verdict {
            ReceptionVerdict::Accepted { payload_check, .. } => {
                assert_eq!(payload_check, Some("passed"));
            }
            other => {
                assert_eq!(other.name(), "payload-check-failed");
                let ReceptionVerdict::PayloadRefused { reason } = other else {
                    panic!("{other:?}")
                };
                assert!(
                    reason.contains("outside the certificate's region"),
                    "{reason}"
                );
            }
        }
        let verdict = lenient.verify(&[received]).remove(0);
        assert!(
            matches!(
                verdict,
                ReceptionVerdict::Accepted {
                    payload_check: None,
                    ..
                }
            ),
            "{verdict:?}"
        );
    }
}
