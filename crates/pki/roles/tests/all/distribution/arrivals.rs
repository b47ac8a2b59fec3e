//! Events that end a request for a certificate, and that make a station send its own.

use waywarden_v2x_signing::{PayloadToSign, SignerForm, UnsignedMessage, sign_unchecked};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    HashedId3, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, SignerIdentifier, Time64,
};

use super::{Setup, Station, Store, cam, header, issued_by, receive, root_of, station, time};
use crate::support::deterministic;

/// Two stations of one authority.
fn neighbours(setup: &mut Setup) -> [Station; 2] {
    let Setup { store, seeds, .. } = setup;
    let root = root_of(store, seeds);
    let authority = issued_by(store, seeds, &root, "authority");
    [0, 1].map(|_| station(store, seeds, &root, &authority))
}

fn requests(message: &[u8]) -> Vec<HashedId3> {
    let requests = header(message).inline_p2pcd_request;
    requests.iter().flatten().flatten().collect()
}

fn has_certificate(message: &[u8]) -> bool {
    let message: Ieee1609Dot2Data<'_> = parse(message).unwrap();
    let Ieee1609Dot2Content::Signed(data) = message.content else {
        panic!("not signed");
    };
    matches!(data.signer, SignerIdentifier::Certificate(_))
}

fn id_3(station: &Station) -> HashedId3 {
    let [.., one, two, three] = station.sender.credential().id().0;
    HashedId3([one, two, three])
}

/// The station's messages for two seconds from a step on.
fn two_seconds(store: &mut Store, station: &mut Station, from: u64) -> Vec<Vec<u8>> {
    let mut seeds = waywarden_v2x_pki::Seeds::new([7; 32]);
    let steps = from..from + 20;
    let sent = steps.map(|step| cam(store, &mut seeds, station, time(step)));
    sent.collect()
}

#[test]
fn certificate_that_arrives_as_signer_is_no_longer_asked_for() {
    let mut setup = Setup::new("certificate_that_arrives_as_signer_is_no_longer_asked_for");
    let [mut one, mut two] = neighbours(&mut setup);
    let Setup { store, seeds, .. } = &mut setup;
    let with_certificate = cam(store, seeds, &mut two, time(0));
    let with_digest = cam(store, seeds, &mut two, time(1));
    assert!(!receive(seeds, &mut one, &with_digest, time(1)));
    let asking = cam(store, seeds, &mut one, time(2));
    assert_eq!(requests(&asking), [id_3(&two)]);
    assert!(receive(seeds, &mut one, &with_certificate, time(2)));
    assert_eq!(one.sender.distribution().wanted().count(), 0);
    for message in two_seconds(store, &mut one, 3) {
        assert_eq!(requests(&message), []);
    }
}

#[test]
fn certificate_in_a_refused_message_ends_no_request() {
    let mut setup = Setup::new("certificate_in_a_refused_message_ends_no_request");
    let [mut one, mut two] = neighbours(&mut setup);
    let Setup { store, seeds, .. } = &mut setup;
    let mut forged = cam(store, seeds, &mut two, time(0));
    assert!(has_certificate(&forged));
    *forged.last_mut().unwrap() ^= 1;
    let with_digest = cam(store, seeds, &mut two, time(1));
    assert!(!receive(seeds, &mut one, &with_digest, time(1)));
    assert!(!receive(seeds, &mut one, &forged, time(1)));
    let asking = cam(store, seeds, &mut one, time(2));
    assert_eq!(requests(&asking), [id_3(&two)]);
    assert!(!receive(seeds, &mut one, &forged, time(2)));
    let again = cam(store, seeds, &mut one, time(5));
    assert_eq!(requests(&again), [id_3(&two)]);
}

/// An identifier of 3 bytes names two tickets here. It is asked for once, and the arrival of one
/// ticket leaves the request for the other one.
#[test]
fn arrival_of_one_of_two_tickets_with_one_short_identifier_leaves_the_other_request() {
    let test = "arrival_of_one_of_two_tickets_with_one_short_identifier";
    let mut setup = Setup::new(test);
    let [mut one, mut two] = neighbours(&mut setup);
    let Setup {
        random,
        store,
        seeds,
    } = &mut setup;
    let with_certificate = cam(store, seeds, &mut two, time(0));
    let with_digest = cam(store, seeds, &mut two, time(1));
    let id = two.sender.credential().id().0;
    let at = with_digest
        .windows(8)
        .position(|bytes| bytes == id)
        .unwrap();
    let mut colliding = with_digest.clone();
    colliding[at..at + 5].copy_from_slice(&random.bytes(5));
    for message in [&with_digest, &colliding] {
        assert!(!receive(seeds, &mut one, message, time(1)));
    }
    let asking = cam(store, seeds, &mut one, time(2));
    assert_eq!(requests(&asking), [id_3(&two)]);
    assert!(receive(seeds, &mut one, &with_certificate, time(2)));
    let again = cam(store, seeds, &mut one, time(5));
    assert_eq!(requests(&again), [id_3(&two)]);
}

/// \[TS 103 097 §7.1.1\]: the own certificate goes into the next CAM, and the second to the next
/// one begins there.
#[test]
fn cam_of_a_new_ticket_is_answered_by_the_own_certificate() {
    let mut setup = Setup::new("cam_of_a_new_ticket_is_answered_by_the_own_certificate");
    let [mut one, mut two] = neighbours(&mut setup);
    let Setup { store, seeds, .. } = &mut setup;
    assert!(has_certificate(&cam(store, seeds, &mut one, time(0))));
    let first = cam(store, seeds, &mut two, time(3));
    assert!(has_certificate(&first));
    assert!(receive(seeds, &mut one, &first, time(3)));
    let sent = two_seconds(store, &mut one, 4);
    let with = sent
        .iter()
        .enumerate()
        .filter(|(_, one)| has_certificate(one));
    let steps: Vec<usize> = with.map(|(at, _)| 4 + at).collect();
    assert_eq!(steps, [4, 14]);
    // The ticket is known now.
    let mut again = None;
    for step in 24..44 {
        let message = cam(store, seeds, &mut two, time(step));
        if has_certificate(&message) {
            again = Some(message);
        }
    }
    assert!(receive(seeds, &mut one, &again.unwrap(), time(44)));
    let sent = [45, 46, 47].map(|step| has_certificate(&cam(store, seeds, &mut one, time(step))));
    assert_eq!(sent, [true, false, false], "once, because a second is over");
}

/// Basic safety messages carry the certificate twice a second by themselves.
#[test]
fn unknown_signer_of_a_basic_safety_message_gets_no_certificate_early() {
    let mut setup = Setup::new("unknown_signer_of_a_basic_safety_message");
    let [mut one, two] = neighbours(&mut setup);
    let Setup { store, seeds, .. } = &mut setup;
    assert!(has_certificate(&cam(store, seeds, &mut one, time(0))));
    for (psid, expected) in [(Psid(32), false), (Psid(36), true)] {
        let at = time(if expected { 2 } else { 1 });
        let message = UnsignedMessage {
            payload: PayloadToSign::Data(b"where a vehicle is"),
            header: HeaderInfo {
                generation_time: Some(Time64(at.0)),
                ..HeaderInfo::new(psid)
            },
        };
        let options = deterministic(SignerForm::Digest);
        let credential = two.sender.credential();
        let message = sign_unchecked(store, credential, &message, &options).unwrap();
        assert!(!receive(seeds, &mut one, &message, at));
        let next = cam(store, seeds, &mut one, Time64(at.0 + 50_000));
        assert_eq!(has_certificate(&next), expected, "PSID {}", psid.0);
    }
}
