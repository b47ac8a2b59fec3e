//! Unknown signers and requests for unknown certificates, in floods.

use waywarden_v2x_signing::Throttle;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data};

use super::{Setup, cam, issued_by, receive, root_of, station, strangers, time};

#[test]
fn a_flood_of_unknown_signers_fills_no_memory() {
    let mut setup = Setup::new("a_flood_of_unknown_signers_fills_no_memory");
    let Setup {
        random,
        store,
        seeds,
    } = &mut setup;
    let root = root_of(store, seeds);
    let authority = issued_by(store, seeds, &root, "authority");
    let mut one = station(store, seeds, &root, &authority);
    let mut two = station(store, seeds, &root, &authority);
    let _ = cam(store, seeds, &mut two, time(0));
    let mut message = cam(store, seeds, &mut two, time(1));
    let id = two.sender.credential().id().0;
    let at = message.windows(8).position(|window| window == id).unwrap();
    for _ in 0..1_000 {
        message[at..at + 8].copy_from_slice(&random.bytes(8));
        assert!(!receive(seeds, &mut one, &message, time(1)));
    }
    let asking = cam(store, seeds, &mut one, time(2));
    let parsed: Ieee1609Dot2Data<'_> = parse(&asking).unwrap();
    let Ieee1609Dot2Content::Signed(data) = parsed.content else {
        panic!("not signed");
    };
    let requests = data.tbs_data.header_info.inline_p2pcd_request.unwrap();
    assert_eq!(requests.len(), Throttle::default().requests_max);
    assert_eq!(one.verifier.store().held(), 0);
}

#[test]
fn hashes_of_no_certificate_do_not_keep_stations_from_learning() {
    let mut setup = Setup::new("hashes_of_no_certificate_do_not_keep_stations_from_learning");
    let Setup {
        random,
        store,
        seeds,
    } = &mut setup;
    let (_, _, mut stations) = strangers(store, seeds);
    // The second message names its signer by a hash.
    cam(store, seeds, &mut stations[0], time(0));
    let mut flood = cam(store, seeds, &mut stations[0], time(1));
    let id = stations[0].sender.credential().id().0;
    let at = flood.windows(8).position(|window| window == id).unwrap();
    let mut accepted = [0; 2];
    for step in 2..102 {
        let now = time(step);
        if step % 5 == 0 {
            for _ in 0..8 {
                flood[at..at + 8].copy_from_slice(&random.bytes(8));
                for station in &mut stations {
                    receive(seeds, station, &flood, now);
                }
            }
        }
        for from in 0..2 {
            let message = cam(store, seeds, &mut stations[from], now);
            let was_accepted = receive(seeds, &mut stations[1 - from], &message, now);
            accepted[from] += u32::from(was_accepted);
        }
    }
    assert!(accepted.iter().all(|&one| one > 70), "{accepted:?}");
}
