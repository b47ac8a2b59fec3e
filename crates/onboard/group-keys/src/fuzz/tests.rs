//! Stories that random bytes do not tell.

use super::*;
use crate::transcript;
use waywarden_key_roles::Address;

fn settings_of(scheme: Scheme, orchestration: Orchestration) -> Settings {
    let (ecus, orchestrator) = places(1);
    Settings {
        plan: Plan::new(scheme, OddLevel::Skipped, orchestrator, &ecus).unwrap(),
        profile: Profile::Hardened,
        transport: Transport::Fd,
        identifiers: IDENTIFIERS,
        pace: Pace::AsReady,
        orchestration,
        timing: Timing {
            exchange: Duration::from_millis(100),
            answer: Duration::from_millis(50),
            beacon: Duration::from_millis(400),
        },
    }
}

/// Lets the network alone for a while.
fn run(trouble: &mut Trouble<'_>, millis: u64) {
    let end = trouble.world.now + Duration::from_millis(millis);
    while trouble.world.now < end {
        trouble.deliver(Passage::Whole, &mut Source(&[]));
        trouble.world.settle();
    }
}

fn trouble(directory: &world::Known) -> Trouble<'_> {
    Trouble {
        world: World::new(AnyGroupSuite::of::<FourQ>(), directory).unwrap(),
        target: 0,
        recorded: [None; RECORDED],
        count: 0,
    }
}

#[test]
fn a_member_cannot_prove_its_key_for_an_epoch_of_its_choice() {
    for scheme in [
        Scheme::TreeWithOrchestrator,
        Scheme::TreeWithoutOrchestrator,
        Scheme::SymmetricDistribution,
    ] {
        let directory = network(
            AnyGroupSuite::of::<FourQ>(),
            1,
            settings_of(scheme, Orchestration::Each),
        );
        let mut trouble = trouble(&directory);
        run(&mut trouble, 1_000);
        // The one that comes to be removed proves the old key for the last epoch there is.
        let settings = &directory.settings;
        let (_, key) = trouble.world.members[1].group_key().unwrap();
        let tag = transcript::proof::<16>(key, settings.plan.orchestrator(), u64::MAX);
        let mut payload = [0xFF; 24];
        payload[8..].copy_from_slice(&tag);
        let (header, step) = (transcript::whole_group(settings), Step::Finish);
        let forged = header.frame(settings, step, &payload, 0).unwrap();
        for at in [0, 2] {
            trouble.world.frame(at, &forged);
            let (epoch, _) = trouble.world.members[at].group_key().unwrap();
            assert!(epoch < u64::MAX, "{scheme:?}");
        }
        trouble.world.orchestrator.remove(Address(2));
        trouble.world.drain(ECUS);
        run(&mut trouble, 2_000);
        assert_removed(&trouble, 1);
    }
}

/// Everybody but this member has the newest key.
#[track_caller]
fn assert_removed(trouble: &Trouble<'_>, removed: usize) {
    let newest = trouble.world.orchestrator.group_key();
    assert!(newest.is_some());
    for (at, member) in trouble.world.members.iter().enumerate() {
        let same = member.group_key() == newest;
        assert_eq!(same, at != removed, "member {}", at + 1);
    }
}

#[test]
fn a_removed_ecu_stays_out_when_a_fixed_tree_is_renewed() {
    let settings = settings_of(Scheme::TreeWithoutOrchestrator, Orchestration::Once);
    let directory = network(AnyGroupSuite::of::<FourQ>(), 1, settings);
    let mut trouble = trouble(&directory);
    run(&mut trouble, 1_000);
    trouble.world.orchestrator.remove(Address(2));
    trouble.world.drain(ECUS);
    run(&mut trouble, 1_000);
    trouble.world.orchestrator.renew(false);
    trouble.world.drain(ECUS);
    run(&mut trouble, 2_000);
    assert_removed(&trouble, 1);
}

#[test]
fn orders_signed_ahead_do_not_outlive_a_retry() {
    let scheme = Scheme::TreeWithOrchestrator;
    for orchestration in [Orchestration::Each, Orchestration::SignedAhead] {
        let directory = network(
            AnyGroupSuite::of::<FourQ>(),
            1,
            settings_of(scheme, orchestration),
        );
        let mut trouble = trouble(&directory);
        // Member 1 misses the order of its first exchange.
        for _ in 0..4 {
            trouble.deliver(Passage::Lost, &mut Source(&[]));
            trouble.world.settle();
        }
        run(&mut trouble, 1_000);
        assert!(trouble.world.orchestrator.group_key().is_some());
        assert_eq!(trouble.world.seen.failed, 1, "{orchestration:?}");
    }
}
