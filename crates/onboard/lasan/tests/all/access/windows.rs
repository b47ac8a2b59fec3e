//! Permissions and their windows: who gets a stream key, and when it is revoked.

use waywarden_lasan::{Address, DenialReason, LasanHeader, LasanKind, ModuleEvent, NetworkTime};

use super::{PROFILES, SAFE, Suite, ZERO, authorized, denied, network_config, refused};
use crate::lab::Lab;
use crate::network::stream_of;

#[test]
fn who_is_not_on_the_list_is_denied_for_good() {
    for profile in PROFILES {
        let mut lab = authorized(&network_config(profile, 2));
        let keys = [lab.stream_key(1, 2), lab.stream_key(2, 2)];
        // ECU 1 receives the stream of ECU 2, and may not send it.
        assert!(lab.ecus[0].borrow_mut().request(stream_of(2)));
        // And there is no stream of an ECU 9.
        assert!(lab.ecus[0].borrow_mut().request(stream_of(9)));
        lab.run(1_000);
        let events = lab.ecu_events(1);
        let said = lab.module_events();
        for stream in [2, 9] {
            assert!(
                events.contains(&denied(stream, DenialReason::NotAllowed)),
                "{events:?}"
            );
            assert!(said.contains(&refused(stream, 1, DenialReason::NotAllowed)));
        }
        let granted = |event: &ModuleEvent| matches!(event, ModuleEvent::Keyed { .. });
        assert!(!said.iter().any(granted), "{said:?}");
        assert_eq!([lab.stream_key(1, 2), lab.stream_key(2, 2)], keys);
        let mark = lab.heard.len();
        lab.run(5_000);
        assert!(
            lab.heard_of(LasanKind::Request, mark).is_empty(),
            "for good"
        );
    }
}

#[test]
fn a_stream_is_keyed_within_its_window() {
    for profile in SAFE {
        let mut network_config = network_config(profile, 3);
        (
            network_config.streams[0].from,
            network_config.streams[0].until,
        ) = (NetworkTime(ZERO + 3_000), NetworkTime(ZERO + 6_000));
        let mut lab = Lab::<Suite>::new(&network_config);
        lab.run(2_990);
        for ecu in 1..=3 {
            assert_eq!(lab.stream_key(ecu, 1), None);
            assert!(lab.stream_key(ecu, 2).is_some());
        }
        assert!(lab.ecu_events(1).contains(&denied(1, DenialReason::NotNow)));
        assert!(
            lab.module_events()
                .contains(&refused(1, 1, DenialReason::NotNow))
        );
        // The denial says when to ask again.
        lab.run(30);
        lab.assert_authorized(&[1, 2, 3]);
        lab.run(2_979);
        lab.assert_authorized(&[1, 2, 3]);
        let _ = lab.module_events();
        lab.run(3);
        for ecu in 1..=3 {
            assert_eq!(lab.stream_key(ecu, 1), None, "the window is over");
            assert!(lab.stream_key(ecu, 2).is_some());
        }
        let said = lab.module_events();
        assert!(
            said.contains(&ModuleEvent::Revoked(stream_of(1))),
            "{said:?}"
        );
        // The denial says that no other window opens.
        let mark = lab.heard.len();
        lab.run(2_000);
        assert!(lab.heard_of(LasanKind::Request, mark).is_empty());
    }
}

/// Windows are the security module's, not the receivers': one whose clock stands still is notified.
#[test]
fn the_end_of_a_window_is_said_to_all_holders() {
    for profile in SAFE {
        let mut network_config = network_config(profile, 3);
        network_config.streams[0].until = NetworkTime(ZERO + 3_000);
        let mut lab = authorized(&network_config);
        let slow = lab.ecus[1].clone();
        lab.stopped.insert(2, lab.now);
        lab.run(2_100);
        assert!(
            lab.ecu_events(2)
                .contains(&denied(1, DenialReason::Revoked))
        );
        assert!(slow.borrow().stream_key(stream_of(1)).is_none());
        // A receiver that was not reached is notified when it is there again.
        assert_eq!(lab.stream_key(3, 1), None);
    }
}

/// An attacker who cuts an ECU off from what is said to it does not keep it from learning that a
/// stream was revoked: its next session begins with that.
#[test]
fn a_revocation_outlives_a_session() {
    for profile in SAFE {
        let mut lab = authorized(&network_config(profile, 3));
        lab.route = Some(Box::new(|from, frame| {
            let kind = LasanHeader::of(frame).map(|(header, _)| header.kind);
            let others = (0..4).filter(|&to| to != from);
            let cut = |to: usize| to == 2 && kind == Some(LasanKind::Deny);
            others
                .filter(|&to| !cut(to))
                .map(|to| (to, *frame))
                .collect()
        }));
        lab.module.borrow_mut().retire(Address(1));
        lab.run(500);
        assert_eq!(lab.stream_key(3, 1), None);
        assert!(lab.stream_key(2, 1).is_some(), "it was not told");
        // All are authenticated again, which is what ends its session.
        lab.module.borrow_mut().start();
        lab.run(1_500);
        assert!(lab.is_authenticated(2));
        lab.route = None;
        lab.run(1_000);
        assert_eq!(lab.stream_key(2, 1), None);
    }
}
