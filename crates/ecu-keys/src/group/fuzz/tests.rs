//! Stories that random bytes do not tell.

use super::*;

fn once() -> Settings {
    let (ecus, orchestrator) = places(1);
    let scheme = Scheme::TreeWithoutOrchestrator;
    Settings {
        plan: Plan::new(scheme, OddLevel::Skipped, orchestrator, &ecus).unwrap(),
        profile: Profile::Hardened,
        transport: Transport::Fd,
        pace: Pace::AsReady,
        orchestration: Orchestration::Once,
        timing: Timing {
            exchange: Duration::from_millis(100),
            answer: Duration::from_millis(50),
            beacon: Duration::from_millis(400),
        },
    }
}

/// Lets the network alone for a while.
fn run<S: Suite>(trouble: &mut Trouble<'_, S>, millis: u64) {
    let end = trouble.world.now + Duration::from_millis(millis);
    while trouble.world.now < end {
        trouble.deliver(Passage::Whole, &mut Source(&[]));
        trouble.world.settle();
    }
}

#[test]
fn a_removed_ecu_stays_out_when_a_fixed_tree_is_renewed() {
    let directory = network::<FourQ>(1, once());
    let mut trouble = Trouble {
        world: World::<FourQ>::new(&directory).unwrap(),
        target: 0,
        recorded: [None; RECORDED],
        count: 0,
    };
    run(&mut trouble, 1_000);
    trouble.world.orchestrator.remove(Address(2));
    trouble.world.drain(ECUS);
    run(&mut trouble, 1_000);
    trouble.world.orchestrator.renew(false);
    trouble.world.drain(ECUS);
    run(&mut trouble, 2_000);
    let world = &trouble.world;
    let (epoch, key) = world.orchestrator.group_key().unwrap();
    for (at, removed) in [(0, false), (1, true), (2, false)] {
        let same = world.members[at].group_key() == Some((epoch, key));
        assert_eq!(same, !removed, "member {}", at + 1);
    }
}
