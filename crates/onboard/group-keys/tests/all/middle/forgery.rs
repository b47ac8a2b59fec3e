//! Forged, held-back and endless messages of an attacker, some with the keys of a removed ECU.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use waywarden_group_keys::{
    Address, GroupDirectory, GroupHeader, GroupRoleEvent, Orchestration, Scheme, Step,
};
use waywarden_key_suites::FourQ;

use super::Divided;
use super::modification::UNKNOWN;
use crate::insider::{Foothold, Pass, frame_of, other_side};
use crate::knowledge::whole_group;
use crate::network::{Fleet, NetworkConfig};
use crate::schemes::SCHEMES;

/// Any ECU that was in the group can prove the key that it was in the group with. That must not
/// make an ECU that is cut off believe that it is the key of a later epoch.
#[test]
fn a_removed_ecu_has_no_old_key_confirmed_for_a_new_epoch() {
    for scheme in SCHEMES {
        let mut at = Divided::new(&NetworkConfig::new(scheme, 4), &[3]);
        at.fleet.run(600);
        at.fleet.assert_agreed();
        let (_, old) = at.fleet.key(0).expect("ECU 1 is still a member");
        at.shut.store(true, Relaxed);
        at.remove(1);
        at.fleet.run(3_000);
        let (epoch, new) = at.fleet.orchestrators_key().unwrap();
        assert_ne!(old, new);
        at.forge_proof(&old, epoch);
        at.fleet.run(3_100);
        let own = at.fleet.key(3).expect("it keeps the key that it has");
        assert!(own.0 < epoch && own.1 == old, "{scheme:?} {own:?}");
    }
}

#[test]
fn a_forged_proof_shuts_no_one_out_for_good() {
    for scheme in SCHEMES {
        let mut at = Divided::new(&NetworkConfig::new(scheme, 4), &[3]);
        at.fleet.run(600);
        let (_, old) = at.fleet.key(0).expect("ECU 1 is still a member");
        at.forge_proof(&old, u64::MAX);
        at.fleet.run(700);
        at.remove(1);
        at.fleet.run(8_000);
        assert_eq!(at.fleet.key(3), at.fleet.orchestrators_key(), "{scheme:?}");
    }
}

/// An order that was held back is not fresh any more once a later one was obeyed.
#[test]
fn a_start_that_was_held_back_does_not_turn_back_the_freshness() {
    let network_config = NetworkConfig {
        orchestration: Orchestration::Once,
        ..NetworkConfig::new(Scheme::TreeWithoutOrchestrator, 3)
    };
    let (held, holding) = (
        Arc::new(Mutex::new(Vec::new())),
        Arc::new(AtomicBool::new(true)),
    );
    let (holds, keeps) = (holding.clone(), held.clone());
    let pass: Pass = Box::new(move |port, frame| {
        let is_start = matches!(GroupHeader::of(frame), Some((Step::Start, _)));
        if is_start && holds.swap(false, Relaxed) {
            keeps.lock().unwrap().push((other_side(port), *frame));
            return Vec::new();
        }
        vec![(other_side(port), *frame)]
    });
    let mut foothold = None;
    let mut fleet = Fleet::<FourQ>::with(&network_config, |config| {
        foothold = Some(Foothold::between(config, &[0, 1, 2], pass));
    });
    let foothold = foothold.unwrap();
    fleet.run(8_000);
    fleet.assert_agreed();
    assert_eq!(held.lock().unwrap().len(), 1);
    let before = fleet.frames(&[Step::ShareA, Step::ShareB]);
    foothold
        .injected
        .lock()
        .unwrap()
        .extend(held.lock().unwrap().iter());
    fleet.run(8_100);
    assert_eq!(fleet.frames(&[Step::ShareA, Step::ShareB]), before);
    fleet.assert_agreed();
}

/// A delivery that is refused has alleged its freshness and proven none.
#[test]
fn a_forged_delivery_makes_no_one_deaf() {
    let mut at = Divided::new(&NetworkConfig::new(Scheme::SymmetricDistribution, 4), &[3]);
    at.fleet.run(600);
    at.fleet.assert_agreed();
    let directory = at.fleet.directory.clone();
    let plan = &directory.settings().plan;
    let to_two = GroupHeader {
        second: Address(2),
        result: plan.parent(Address(2)),
        ..whole_group(plan)
    };
    for (header, step, payload) in [
        (whole_group(plan), Step::Freshness, &[0x7F; 8][..]),
        (to_two, Step::MasterSignature, &[0x11; 64]),
        (to_two, Step::MasterSecret, &[0x22; 32]),
    ] {
        at.foothold.inject(frame_of(header, step, payload));
    }
    at.fleet.run(700);
    at.remove(1);
    at.fleet.run(4_000);
    assert_eq!(at.fleet.key(1), at.fleet.orchestrators_key());
    assert_ne!(at.fleet.key(0), at.fleet.orchestrators_key());
}

/// Signatures cost time to check, so only three wrong ones are checked for one key.
#[test]
fn a_flood_of_wrong_ends_is_not_checked_without_end() {
    for scheme in SCHEMES {
        let on = Arc::new(AtomicBool::new(true));
        let floods = on.clone();
        let pass: Pass = Box::new(move |port, frame| match GroupHeader::of(frame) {
            Some((Step::End, header)) if floods.load(Relaxed) => {
                let wrong = |at| frame_of(header, Step::End, &[at; 64]);
                (0..40).map(|at| (other_side(port), wrong(at))).collect()
            }
            _ => vec![(other_side(port), *frame)],
        });
        let network_config = NetworkConfig {
            board: "tc297",
            ..NetworkConfig::new(scheme, 4)
        };
        let mut foothold = None;
        let fleet = &mut Fleet::<FourQ>::with(&network_config, |config| {
            foothold = Some(Foothold::between(config, &[3], pass));
        });
        let _foothold = foothold.unwrap();
        let (mut now, mut failed) = (0, 0);
        while fleet.frames(&[Step::End]) == 0 {
            now += 1;
            fleet.run(now);
        }
        // Before the proof is repeated.
        fleet.run(now + 150);
        assert!(fleet.frames(&[Step::End]) >= 40);
        let role = fleet.members[3].clone();
        while let Some(event) = role.borrow_mut().as_mut().unwrap().event() {
            failed += usize::from(matches!(event, GroupRoleEvent::Failed { .. }));
        }
        // On either side of the gateway, for each key; not all of the last one's may have come.
        let keys = fleet.frames(&[Step::Finish]).div_ceil(2);
        assert!((1..=3 * keys).contains(&failed), "{scheme:?} {failed}");
        assert_eq!(fleet.key(3), None);
        on.store(false, Relaxed);
        fleet.run(8_000);
        fleet.assert_agreed();
    }
}

/// Reports are not signed. A node that sends them without end costs exchanges, but must not keep
/// the group from a key.
#[test]
fn reports_without_end_do_not_keep_the_group_from_a_key() {
    for scheme in SCHEMES {
        let network_config = NetworkConfig {
            board: "tc297",
            ..NetworkConfig::new(scheme, 4)
        };
        let plan = network_config.settings().plan;
        let mut foothold = None;
        let fleet = &mut Fleet::<FourQ>::with(&network_config, |config| {
            foothold = Some(Foothold::on_the_bus(config));
        });
        let header = GroupHeader {
            first: Address(2),
            result: plan.parent(Address(2)),
            ..UNKNOWN
        };
        let foothold = foothold.unwrap();
        for at in 0..800 {
            foothold.inject(frame_of(header, Step::Report, &[0]));
            fleet.run(at * 5);
        }
        // They go on having keys renewed, but there are keys.
        assert!(fleet.orchestrators_key().is_some(), "{scheme:?}");
        assert!(
            (0..4).all(|member| fleet.key(member).is_some()),
            "{scheme:?}"
        );
        fleet.run(6_000);
        fleet.assert_agreed();
    }
}
