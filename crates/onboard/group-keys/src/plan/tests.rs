//! Properties of every plan.

use super::*;

fn plan(scheme: Scheme, odd: OddLevel, count: u8) -> Result<GroupPlan, PlanError> {
    let places: [PlannedEcu; 128] = core::array::from_fn(|at| PlannedEcu {
        address: Address(at as u8 + 1),
        rank: 0,
    });
    let orchestrator = Address(count + 1);
    GroupPlan::new(scheme, odd, orchestrator, &places[..usize::from(count)])
}

#[test]
fn there_are_as_many_merges_as_the_paper_counts() {
    for count in 2..=85 {
        let merges = |scheme| {
            plan(scheme, OddLevel::Skipped, count)
                .unwrap()
                .merges()
                .count()
        };
        let count = usize::from(count);
        assert_eq!(merges(Scheme::TreeWithOrchestrator), 2 * count - 1);
        assert_eq!(merges(Scheme::TreeWithoutOrchestrator), count);
        assert_eq!(merges(Scheme::SymmetricDistribution), count);
    }
}

#[test]
fn each_network_has_a_top_of_its_own() {
    let place = |address| PlannedEcu {
        address: Address(address),
        rank: 0,
    };
    let (first, second) = ([1, 2, 3].map(place), [4, 5].map(place));
    for scheme in [
        Scheme::TreeWithOrchestrator,
        Scheme::TreeWithoutOrchestrator,
    ] {
        let networks: [&[PlannedEcu]; 2] = [&first, &second];
        let plan = GroupPlan::of_networks(scheme, OddLevel::Skipped, Address(9), &networks);
        let plan = plan.unwrap();
        let (one, other) = plan.children(plan.root()).unwrap();
        for ecu in plan.ecus() {
            assert_eq!(plan.is_below(ecu, one), ecu.0 <= 3);
            assert_eq!(plan.is_below(ecu, other), ecu.0 > 3);
        }
    }
}

#[test]
fn the_address_space_holds_85_and_127_ecus() {
    let fits = |scheme, count| plan(scheme, OddLevel::Skipped, count).map(|_| ());
    for (scheme, most) in [
        (Scheme::TreeWithOrchestrator, 85),
        (Scheme::TreeWithoutOrchestrator, 127),
        (Scheme::SymmetricDistribution, 127),
    ] {
        assert_eq!(fits(scheme, most), Ok(()));
        assert_eq!(fits(scheme, most + 1), Err(PlanError::OutOfAddresses));
    }
}

#[test]
fn odd_levels_are_promoted_by_a_merge_with_no_one() {
    let plan = plan(Scheme::TreeWithOrchestrator, OddLevel::Promoted, 5).unwrap();
    let promotions = plan
        .merges()
        .filter(|&at| plan.children(at).unwrap().1 == Address::NONE);
    // 5 leaves, then 3 with one promoted, then 2 with one promoted, then the root.
    assert_eq!(
        (promotions.count(), plan.merges().count()),
        (2, 5 + 3 + 2 + 1)
    );
}

#[test]
fn every_path_ends_at_the_root_and_every_child_knows_its_parent() {
    for odd in [OddLevel::Skipped, OddLevel::Promoted] {
        for count in 1..=60 {
            let plan = plan(Scheme::TreeWithOrchestrator, odd, count).unwrap();
            for ecu in plan.ecus() {
                assert_eq!(plan.path(ecu).last(), Some(plan.root()));
                assert!(plan.path(ecu).count() < DEPTH_MAX);
            }
            for merge in plan.merges() {
                let (first, second) = plan.children(merge).unwrap();
                for child in [first, second] {
                    let known = child == Address::NONE || child == plan.orchestrator();
                    assert!(known || plan.parent(child) == merge);
                }
            }
        }
    }
}

#[test]
fn the_cheapest_present_member_acts_and_the_orchestrator_last() {
    let ranks = [3, 1, 1, 2];
    let places: [PlannedEcu; 4] = core::array::from_fn(|at| PlannedEcu {
        address: Address(at as u8 + 1),
        rank: ranks[at],
    });
    let orchestrator = Address(9);
    let scheme = Scheme::TreeWithOrchestrator;
    let plan = GroupPlan::new(scheme, OddLevel::Skipped, orchestrator, &places).unwrap();
    let mut excluded = Excluded::default();
    assert_eq!(plan.active(plan.root(), &excluded), Address(2));
    excluded.set(Address(2), true);
    assert_eq!(plan.active(plan.root(), &excluded), Address(3));
    let leaf = plan.parent(Address(2));
    assert_eq!(plan.active(leaf, &excluded), orchestrator);
    (1..=4).for_each(|ecu| excluded.set(Address(ecu), true));
    assert_eq!(plan.active(plan.root(), &excluded), orchestrator);
}

/// Every pair, triple and so on of a plan's ECUs either is a subgroup or is refused.
#[test]
fn a_subgroup_is_found_by_exactly_those_who_hold_its_key() {
    for scheme in [
        Scheme::TreeWithOrchestrator,
        Scheme::TreeWithoutOrchestrator,
        Scheme::SymmetricDistribution,
    ] {
        for odd in [OddLevel::Skipped, OddLevel::Promoted] {
            for count in 1..=7u8 {
                let plan = plan(scheme, odd, count).unwrap();
                let mut found = 0;
                for set in 1u32..1 << (count + 1) {
                    let named = |at: &u8| set >> (at - 1) & 1 == 1;
                    let ecus: [Address; 8] = core::array::from_fn(|at| Address(at as u8 + 1));
                    let mut chosen = [Address::NONE; 8];
                    let mut length = 0;
                    for ecu in ecus.iter().filter(|ecu| named(&ecu.0)) {
                        chosen[length] = *ecu;
                        length += 1;
                    }
                    let chosen = &chosen[..length];
                    let Some(logical) = plan.subgroup(chosen) else {
                        continue;
                    };
                    let optional = scheme != Scheme::TreeWithoutOrchestrator;
                    for ecu in plan.holders(logical) {
                        let left_out = optional && ecu == plan.orchestrator();
                        assert!(chosen.contains(&ecu) || left_out);
                    }
                    let mut all = chosen.iter();
                    assert!(all.all(|&ecu| plan.holders(logical).any(|one| one == ecu)));
                    found += 1;
                }
                assert!(found > 0, "{scheme:?} {odd:?} {count}");
            }
        }
    }
}

#[test]
fn the_orchestrator_holds_the_keys_of_leaves_and_root_and_of_no_subgroup_between() {
    let plan = plan(Scheme::TreeWithOrchestrator, OddLevel::Skipped, 4).unwrap();
    let orchestrator = plan.orchestrator();
    for logical in plan.merges() {
        let is_leaf = plan.height(logical) == 1;
        let holds = plan.holders(logical).any(|ecu| ecu == orchestrator);
        assert_eq!(holds, is_leaf || logical == plan.root());
    }
    let pair = [Address(1), Address(2)];
    assert!(plan.subgroup(&pair).is_some());
    assert_eq!(plan.subgroup(&[pair[0], pair[1], orchestrator]), None);
    assert_eq!(plan.subgroup(&[Address(2), Address(3)]), None);
}
