//! Stations that learn the certificates of each other.

use waywarden_testkit::Random;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data, SignerIdentifier};

use super::{Setup, Station, american, cam, issued_by, receive, root_of, station, strangers, time};

#[test]
fn stations_of_two_authorities_come_to_verify_each_other() {
    let mut random = Random::of_test("stations_of_two_authorities_come_to_verify_each_other");
    for _ in 0..5 {
        let mut setup = Setup::of(Random::new(random.u64()));
        let Setup { store, seeds, .. } = &mut setup;
        let root = root_of(store, seeds);
        let one = issued_by(store, seeds, &root, "authority 1");
        let two = issued_by(store, seeds, &root, "authority 2");
        let mut stations = [&one, &two].map(|authority| station(store, seeds, &root, authority));
        let mut accepted = [0; 2];
        for step in 0..30 {
            let now = time(step);
            for from in 0..2 {
                let message = cam(store, seeds, &mut stations[from], now);
                let was_accepted = receive(seeds, &mut stations[1 - from], &message, now);
                accepted[from] += u32::from(was_accepted);
            }
        }
        // Unknown at first; known after a request, a pause of at most 250 ms, and one's certificate
        // within a second.
        assert!(
            accepted
                .iter()
                .all(|&accepted| (18..30).contains(&accepted)),
            "{accepted:?}"
        );
        assert!(
            stations
                .iter()
                .all(|station| station.verifier.store().held() >= 2)
        );
    }
}

#[test]
fn a_certificate_goes_out_once_a_second_and_when_it_is_needed() {
    let mut setup = Setup::new("a_certificate_goes_out_once_a_second_and_when_it_is_needed");
    let Setup { store, seeds, .. } = &mut setup;
    let root = root_of(store, seeds);
    let authority = issued_by(store, seeds, &root, "authority");
    let mut one = station(store, seeds, &root, &authority);
    let mut two = station(store, seeds, &root, &authority);
    let has_certificate = |message: &[u8]| {
        let message: Ieee1609Dot2Data<'_> = parse(message).unwrap();
        let Ieee1609Dot2Content::Signed(data) = message.content else {
            panic!("not signed");
        };
        matches!(data.signer, SignerIdentifier::Certificate(_))
    };
    let sent: Vec<bool> = (0..21)
        .map(|step| has_certificate(&cam(store, seeds, &mut one, time(step))))
        .collect();
    let with: Vec<usize> = (0..21).filter(|&step| sent[step]).collect();
    assert_eq!(with, [0, 10, 20]);
    // One that names its signer by a hash that is not known makes the receiver send its own.
    let _ = cam(store, seeds, &mut two, time(21));
    let unknown = cam(store, seeds, &mut two, time(22));
    assert!(!has_certificate(&unknown));
    assert!(!receive(seeds, &mut one, &unknown, time(22)));
    let asking = cam(store, seeds, &mut one, time(23));
    assert!(has_certificate(&asking));
    // Its request makes the other one send its own, too.
    assert!(receive(seeds, &mut two, &asking, time(23)));
    let answer = cam(store, seeds, &mut two, time(24));
    assert!(has_certificate(&answer));
    assert!(receive(seeds, &mut one, &answer, time(24)));
}

#[test]
fn an_answer_that_is_a_message_of_its_own_is_learnt_once_it_verifies() {
    let mut setup = Setup::new("an_answer_that_is_a_message_of_its_own");
    let Setup { store, seeds, .. } = &mut setup;
    let root = root_of(store, seeds);
    let authorities = ["1", "2"].map(|name| issued_by(store, seeds, &root, name));
    let mut one = american(station(store, seeds, &root, &authorities[0]));
    let mut two = american(station(store, seeds, &root, &authorities[1]));
    // Its authority is not known: the next message asks for it.
    let unknown = cam(store, seeds, &mut two, time(0));
    assert!(!receive(seeds, &mut one, &unknown, time(0)));
    let asking = cam(store, seeds, &mut one, time(1));
    receive(seeds, &mut two, &asking, time(1));
    let response = two.sender.distribution().take_response(time(4)).unwrap();
    assert!(two.sender.distribution().take_response(time(4)).is_none());
    let mut forged = response.clone();
    *forged.last_mut().unwrap() ^= 1;
    let Station { sender, verifier } = &mut one;
    assert!(
        sender
            .distribution()
            .observe_response(verifier, &forged)
            .is_empty()
    );
    let learnt = sender.distribution().observe_response(verifier, &response);
    assert_eq!(learnt.len(), 1);
    assert_eq!(learnt[0].id(), authorities[1].credential().id());
    // A station does not learn an unsolicited certificate.
    assert!(
        sender
            .distribution()
            .observe_response(verifier, &response)
            .is_empty()
    );
    let known = cam(store, seeds, &mut two, time(10));
    assert!(receive(seeds, &mut one, &known, time(10)));
}

#[test]
fn stations_that_send_once_a_second_learn_too() {
    let mut setup = Setup::new("stations_that_send_once_a_second_learn_too");
    let Setup { store, seeds, .. } = &mut setup;
    let (_, _, mut stations) = strangers(store, seeds);
    let mut accepted = [0; 2];
    for step in 0..20 {
        for from in 0..2 {
            let now = time(10 * step + from as u64);
            let message = cam(store, seeds, &mut stations[from], now);
            let was_accepted = receive(seeds, &mut stations[1 - from], &message, now);
            accepted[from] += u32::from(was_accepted);
        }
    }
    assert!(accepted.iter().all(|&one| one >= 12), "{accepted:?}");
}
