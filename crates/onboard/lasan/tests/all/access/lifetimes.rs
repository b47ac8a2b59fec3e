//! Lifetimes of stream keys and of certificates.

use waywarden_can::node::Port;
use waywarden_lasan::{
    Address, CertificateError, EcuEvent, HandshakeFailure, ModuleEvent, NetworkTime,
    StreamProtectError, Validity,
};
use waywarden_work::Duration;

use super::frames::clear;
use super::{PROFILES, SAFE, Suite, ZERO, authorized, network_config};
use crate::lab::{Lab, changed};
use crate::network::{Known, NetworkConfig, identity_secret, party, stream_of};

#[test]
fn keys_come_to_an_end_when_no_one_renews_them() {
    for profile in PROFILES {
        let mut network_config = network_config(profile, 2);
        network_config.timing.stream_key = Duration::from_millis(3_000);
        let mut lab = authorized(&network_config);
        lab.unplugged.insert(0);
        lab.run(2_100);
        for ecu in [1, 2] {
            let events = lab.ecu_events(ecu);
            for sender in [1, 2] {
                assert_eq!(lab.stream_key(ecu, sender), None);
                assert!(events.contains(&EcuEvent::Expired(stream_of(sender))));
            }
        }
        let refused = lab.ecus[0].borrow_mut().send(Port(0), &clear(1, &[7; 4]));
        assert_eq!(refused, Err(StreamProtectError::NoKey));
    }
}

#[test]
fn keys_are_renewed_at_three_quarters_of_their_time() {
    for profile in SAFE {
        let mut network_config = network_config(profile, 2);
        network_config.timing.stream_key = Duration::from_millis(4_000);
        let mut lab = Lab::<Suite>::new(&network_config);
        let mut changes: Vec<(u64, u32)> = Vec::new();
        for at in 1..=13_000_u64 {
            lab.run(1);
            let Some((generation, key)) = lab.stream_key(1, 1) else {
                assert!(changes.is_empty(), "there is no time without a key");
                continue;
            };
            if changes.last().is_none_or(|&(_, last)| last != generation) {
                changes.push((at, generation));
            }
            // Receivers have it before the sender does.
            assert!(
                lab.stream_key(2, 1)
                    .is_some_and(|(other, _)| other >= generation)
            );
            assert_ne!(key, [0; 32]);
        }
        assert_eq!(changes.len(), 5, "{changes:?}");
        for pair in changes.windows(2) {
            let pause = pair[1].0 - pair[0].0;
            assert!((3_000..=3_020).contains(&pause), "{pause} ms");
        }
    }
}

/// The network with one party's certificate of another validity.
fn with_validity(lab: &Lab<Suite>, address: u8, first: u64, last: u64) -> Known {
    let network_config = NetworkConfig {
        validity: Validity {
            first: NetworkTime(ZERO + first),
            last: NetworkTime(ZERO + last),
        },
        ..lab.network_config.clone()
    };
    let own = party::<Suite>(&network_config, address, &identity_secret(address, 0));
    changed(&lab.known, |network| {
        network.parties[usize::from(address) - 1] = own;
    })
}

#[test]
fn certificates_hold_in_their_time_alone() {
    use CertificateError::{Expired, NotYet};
    for profile in SAFE {
        let plain = Lab::<Suite>::new(&network_config(profile, 2));
        // Of ECU 1's, the security module judges by its clock.
        let mut lab = Lab::<Suite>::with(
            &plain.network_config,
            &with_validity(&plain, 1, 2_000, 4_000),
        );
        lab.run(1_500);
        let failed = |failure| ModuleEvent::Failed {
            ecu: Address(1),
            failure: HandshakeFailure::Certificate(failure),
        };
        assert!(lab.module_events().contains(&failed(NotYet)));
        assert!(!lab.ecus[0].borrow().is_authenticated());
        lab.run(2_000);
        assert!(lab.is_authenticated(1), "it holds from 2 s on");
        lab.run(1_000);
        lab.module.borrow_mut().start();
        lab.run(1_500);
        assert!(lab.module_events().contains(&failed(Expired)));
        assert!(!lab.ecus[0].borrow().is_authenticated());
        assert!(lab.is_authenticated(2));
        // Of the security module's, ECUs judge by the time that it signs.
        for (first, last, error) in [(2_000, u64::MAX - ZERO, NotYet), (0, 500, Expired)] {
            let known = with_validity(&plain, 3, first, last);
            let mut lab = Lab::<Suite>::with(&plain.network_config, &known);
            lab.run(1_000);
            lab.module.borrow_mut().start();
            let _ = lab.ecu_events(2);
            lab.run(800);
            let events = lab.ecu_events(2);
            let wanted = EcuEvent::Failed(HandshakeFailure::Certificate(error));
            assert!(events.contains(&wanted), "{events:?}");
        }
    }
}
