//! Stories that random bytes do not tell.

use waywarden_can::Frame;
use waywarden_group_keys::{Address, GroupHeader, Step};
use waywarden_key_suites::Secret;
use waywarden_key_suites::symmetric::hmac_tag;
use waywarden_work::NoMeter;

use super::parties::{Directory, directory, places};
use super::*;
use crate::disturbance::{Disturbance, Passage};

const SUITE: AnyGroupSuite = AnyGroupSuite::of::<FourQ>();

fn settings_of(scheme: Scheme, orchestration: Orchestration) -> GroupSettings {
    let (ecus, orchestrator) = places(1);
    GroupSettings {
        plan: GroupPlan::new(scheme, OddLevel::Skipped, orchestrator, &ecus).unwrap(),
        profile: GroupProfile::Hardened,
        transport: Transport::Fd,
        identifiers: IDENTIFIERS,
        merge_order: MergeOrder::AsReady,
        orchestration,
        timing: GroupTiming {
            exchange: Duration::from_millis(100),
            answer: Duration::from_millis(50),
            beacon: Duration::from_millis(400),
        },
    }
}

fn group(directory: &Directory) -> Disturbance<GroupNetwork<'_>> {
    Disturbance::new(GroupNetwork::new(SUITE, directory).unwrap(), 0)
}

fn live(group: &mut Disturbance<GroupNetwork<'_>>, millis: u64) {
    group.live(millis, |_| false);
}

/// A tag by which the orchestrator proves that it holds the key of an epoch, by
/// docs/protocols/gke.md.
fn proof(settings: &GroupSettings, key: &Secret, epoch: u64) -> [u8; 16] {
    let who = [settings.plan.orchestrator().0];
    let parts: [&[u8]; 3] = [b"waywarden-gke-1 proof", &who, &epoch.to_be_bytes()];
    hmac_tag(&mut NoMeter, key.as_bytes(), &parts)
}

#[test]
fn a_member_cannot_prove_its_key_for_an_epoch_of_its_choice() {
    for scheme in [
        Scheme::TreeWithOrchestrator,
        Scheme::TreeWithoutOrchestrator,
        Scheme::SymmetricDistribution,
    ] {
        let directory = directory(SUITE, 1, settings_of(scheme, Orchestration::Each));
        let mut group = group(&directory);
        live(&mut group, 1_000);
        // The one that comes to be removed proves the old key for the last epoch there is, in the
        // form in which the orchestrator has proven it for the first.
        let settings = &directory.settings;
        let (epoch, key) = group.world.network.members[1].group_key().unwrap();
        let is_proof = |frame: &&Frame| matches!(GroupHeader::of(frame), Some((Step::Finish, _)));
        let genuine = group.recorded().rfind(is_proof).unwrap();
        let payload = [&epoch.to_be_bytes()[..], &proof(settings, key, epoch)].concat();
        assert_eq!(genuine.data(), payload, "{scheme:?}");
        let payload = [&[0xFF; 8][..], &proof(settings, key, u64::MAX)].concat();
        let header = forged::whole_group(settings);
        let forged = forged::frames(settings, Step::Finish, header, &payload);
        for at in [0, 2] {
            group.world.frame(at, &forged[0]);
            let (epoch, _) = group.world.network.members[at].group_key().unwrap();
            assert!(epoch < u64::MAX, "{scheme:?}");
        }
        group.world.network.orchestrator.remove(Address(2));
        group.act(ECUS);
        live(&mut group, 2_000);
        assert_removed(&group, 1);
    }
}

/// All members but this one have the newest key.
#[track_caller]
fn assert_removed(group: &Disturbance<GroupNetwork<'_>>, removed: usize) {
    let network = &group.world.network;
    let newest = network.orchestrator.group_key();
    assert!(newest.is_some());
    for (at, member) in network.members.iter().enumerate() {
        let is_same = member.group_key() == newest;
        assert_eq!(is_same, at != removed, "member {}", at + 1);
    }
}

#[test]
fn a_removed_ecu_stays_out_when_a_fixed_tree_is_renewed() {
    let settings = settings_of(Scheme::TreeWithoutOrchestrator, Orchestration::Once);
    let directory = directory(SUITE, 1, settings);
    let mut group = group(&directory);
    live(&mut group, 1_000);
    group.world.network.orchestrator.remove(Address(2));
    group.act(ECUS);
    live(&mut group, 1_000);
    group.world.network.orchestrator.renew(false);
    group.act(ECUS);
    live(&mut group, 2_000);
    assert_removed(&group, 1);
}

#[test]
fn orders_signed_ahead_do_not_outlive_a_retry() {
    let scheme = Scheme::TreeWithOrchestrator;
    for orchestration in [Orchestration::Each, Orchestration::SignedAhead] {
        let directory = directory(SUITE, 1, settings_of(scheme, orchestration));
        let mut group = group(&directory);
        // Member 1 misses the order of its first exchange.
        for _ in 0..4 {
            group.deliver(Passage::Lost, &mut Source(&[]));
            group.world.settle();
        }
        live(&mut group, 1_000);
        assert!(group.world.network.orchestrator.group_key().is_some());
        assert_eq!(group.world.seen.count("failed"), 1, "{orchestration:?}");
    }
}
