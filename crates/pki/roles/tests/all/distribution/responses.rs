//! Certificates in responses: their choice, time and repetition.

use waywarden_v2x_wire::ieee1609dot2::{HashedId3, Time64};

use super::{Setup, cam, header, receive, request, station, strangers, time};

#[test]
fn answers_are_given_once_in_a_while_after_a_pause_and_not_if_others_gave_them() {
    let mut setup = Setup::new("answers_are_given_once_in_a_while_after_a_pause");
    let Setup { store, seeds, .. } = &mut setup;
    let (root, authorities, [_, mut giving]) = strangers(store, seeds);
    let mut helping = station(store, seeds, &root, &authorities[1]);
    let mut pauses = Vec::new();
    for round in 0..8_u64 {
        // All give their own certificates first, so that no answer has to yield.
        let begin = Time64(time(100 * round).0);
        let at = |milliseconds: u64| Time64(begin.0 + milliseconds * 1_000);
        let lacking = cam(store, seeds, &mut giving, at(0));
        cam(store, seeds, &mut helping, at(0));
        let mut asking = station(store, seeds, &root, &authorities[0]);
        assert!(!receive(seeds, &mut asking, &lacking, at(1)));
        let request = cam(store, seeds, &mut asking, at(2));
        assert_eq!(header(&request).inline_p2pcd_request.unwrap().len(), 1);
        receive(seeds, &mut giving, &request, at(3));
        receive(seeds, &mut helping, &request, at(3));
        let mut given = Vec::new();
        for step in 0..100 {
            receive(seeds, &mut giving, &request, at(4 + 10 * step));
            let message = cam(store, seeds, &mut giving, at(5 + 10 * step));
            if header(&message).requested_certificate.is_some() {
                given.push((5 + 10 * step, message));
            }
        }
        let times: Vec<u64> = given.iter().map(|(at, _)| *at).collect();
        assert!((2..=4).contains(&given.len()), "{times:?}");
        assert!(
            times.windows(2).all(|pair| pair[1] - pair[0] >= 250),
            "{times:?}"
        );
        pauses.push(times[0]);
        // Another station was asked, too, and hears the answer in time: it gives none.
        receive(seeds, &mut helping, &given[0].1, at(3));
        let silent = (0..20).all(|step| {
            let message = cam(store, seeds, &mut helping, at(1_100 + 10 * step));
            header(&message).requested_certificate.is_none()
        });
        assert!(silent);
    }
    pauses.sort_unstable();
    pauses.dedup();
    assert!(pauses.len() >= 3, "random pauses: {pauses:?}");
}

#[test]
fn trust_anchors_are_not_given_and_old_wants_are_forgotten() {
    let mut setup = Setup::new("trust_anchors_are_not_given_and_old_wants_are_forgotten");
    let Setup { store, seeds, .. } = &mut setup;
    let (root, _, [one, mut two]) = strangers(store, seeds);
    let root_id = root.credential().id().0;
    let requests = [HashedId3([root_id[5], root_id[6], root_id[7]])];
    let now = time(0);
    let asking = request(store, &one, &requests, now);
    receive(seeds, &mut two, &asking, now);
    for step in 0..20 {
        let message = cam(store, seeds, &mut two, time(step));
        assert!(header(&message).requested_certificate.is_none());
    }
    // The signer of that message is missing; no station gives it, and after 5 s none asks for it.
    assert_eq!(two.sender.distribution().wanted().count(), 1);
    let late = cam(store, seeds, &mut two, time(60));
    assert!(header(&late).inline_p2pcd_request.is_none());
    assert_eq!(two.sender.distribution().wanted().count(), 0);
}
