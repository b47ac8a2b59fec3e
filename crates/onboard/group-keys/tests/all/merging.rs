//! Two networks become one [GKE §III-B]: the first keeps what it has below the top.

use waywarden_group_keys::{Address, GroupDirectory, Scheme, Step};
use waywarden_key_suites::{FourQ, Secret};

use crate::network::{Fleet, NetworkConfig};

fn merges(fleet: &Fleet<FourQ>) -> usize {
    fleet.frames(&[Step::Orchestration])
}

#[test]
fn a_second_network_joins_by_its_own_exchanges_and_one_more() {
    for (scheme, own) in [
        // Four leaves and three above them; three without the orchestrator in each.
        (Scheme::TreeWithOrchestrator, 7),
        (Scheme::TreeWithoutOrchestrator, 3),
    ] {
        let mut fleet = Fleet::<FourQ>::new(&NetworkConfig {
            first_network: 4,
            ..NetworkConfig::new(scheme, 8)
        });
        fleet.run(500);
        let alone = fleet.orchestrators_key();
        assert!((0..4).all(|member| fleet.key(member) == alone && alone.is_some()));
        assert!((4..8).all(|member| fleet.key(member).is_none()));
        let (plan, before) = (&fleet.directory.settings().plan, merges(&fleet));
        let (first, _) = plan.children(plan.root()).unwrap();
        let subgroup = |fleet: &Fleet<FourQ>| {
            let member = fleet.members[0].borrow();
            member.as_ref().unwrap().subgroup_key(first).unwrap()
        };
        let kept = subgroup(&fleet);
        let second: Vec<Address> = (5..=8).map(Address).collect();
        let mut role = fleet.orchestrator.borrow_mut();
        role.as_mut().unwrap().admit(&second);
        drop(role);
        fleet.run(2_000);
        fleet.assert_agreed();
        assert_ne!(fleet.orchestrators_key(), alone);
        assert_eq!(merges(&fleet) - before, own + 1, "{scheme:?}");
        assert!(
            subgroup(&fleet) == kept,
            "the first network formed its own key anew"
        );
    }
}

/// All holders of the key of a logical ECU have the same one, the orchestrator where the plan says
/// so. No other logical ECU has that key.
#[test]
fn each_subgroup_has_one_key_of_its_own() {
    for scheme in [
        Scheme::TreeWithOrchestrator,
        Scheme::TreeWithoutOrchestrator,
        Scheme::SymmetricDistribution,
    ] {
        let mut fleet = Fleet::<FourQ>::new(&NetworkConfig::new(scheme, 5));
        fleet.run(1_000);
        fleet.assert_agreed();
        let plan = &fleet.directory.settings().plan;
        let mut known: Vec<Secret> = Vec::new();
        for logical in plan.merges() {
            let key = |ecu: Address| {
                if ecu == plan.orchestrator() {
                    let role = fleet.orchestrator.borrow();
                    role.as_ref().unwrap().subgroup_key(logical)
                } else {
                    let role = fleet.members[usize::from(ecu.0) - 1].borrow();
                    role.as_ref().unwrap().subgroup_key(logical)
                }
            };
            let keys: Vec<Secret> = plan.holders(logical).filter_map(key).collect();
            assert_eq!(keys.len(), plan.holders(logical).count(), "{scheme:?}");
            assert!(keys.iter().all(|one| *one == keys[0]), "{scheme:?}");
            assert!(!known.contains(&keys[0]), "{scheme:?}");
            known.extend(keys.into_iter().take(1));
            for ecu in plan.ecus().filter(|&ecu| !plan.is_below(ecu, logical)) {
                assert!(key(ecu).is_none(), "{scheme:?}");
            }
        }
    }
}
