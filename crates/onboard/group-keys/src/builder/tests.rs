//! Groups that the builder makes, and those that it refuses.

use waywarden_can::driver::run_bus_at_once;
use waywarden_can::node::Node;
use waywarden_key_suites::{FourQ, P256};
use waywarden_work::Instant;

use super::*;
use crate::GroupRoleEvent;

fn identity<S: GroupSuite + Default>(at: u8) -> MemberIdentity<S> {
    MemberIdentity::new(S::default(), Address(at), &Secret::from_bytes([at; 32]))
}

/// An orchestrator at 9, and members from 1 on.
fn builder<S: GroupSuite + Default>(members: u8) -> GroupBuilder {
    let begun = GroupBuilder::new(Address(9), identity::<S>(9).public_key());
    (1..=members).fold(begun, |group, at| {
        group.with_member(Address(at), identity::<S>(at).public_key())
    })
}

fn boot(at: u8) -> Boot<'static> {
    Boot {
        now: Instant::ZERO,
        seed: [at; 32],
        retained: &[],
    }
}

fn all_agree<S: GroupSuite + Default + 'static>(group: &SharedGroupConfiguration) {
    let mut orchestrator = Orchestrator::boxed(&boot(9), identity::<S>(9), group.clone()).unwrap();
    let mut members =
        [1, 2, 3].map(|at| Member::boxed(&boot(at), identity::<S>(at), group.clone()).unwrap());
    orchestrator.renew(false);
    for millis in 0..100 {
        let [first, second, third] = &mut members;
        let nodes: &mut [&mut dyn Node] = &mut [first, second, third, &mut orchestrator];
        let now = Instant::ZERO + Duration::from_millis(millis);
        run_bus_at_once(nodes, Port(0), now).unwrap();
    }
    let (epoch, key) = orchestrator.group_key().unwrap();
    for member in &mut members {
        let (of, own) = member.group_key().unwrap();
        assert!(of == epoch && own == key);
        let failed = core::iter::from_fn(|| member.event());
        let failed = failed
            .filter(|event| matches!(event, GroupRoleEvent::Failed { .. }))
            .count();
        assert_eq!(failed, 0);
    }
}

#[test]
fn built_groups_agree_in_each_scheme_and_on_each_transport() {
    for scheme in [
        Scheme::TreeWithOrchestrator,
        Scheme::TreeWithoutOrchestrator,
        Scheme::SymmetricDistribution,
    ] {
        for transport in [Transport::Fd, Transport::Classic] {
            let group = builder::<FourQ>(3)
                .with_scheme(scheme)
                .with_transport(transport);
            all_agree::<FourQ>(&group.build().unwrap());
        }
    }
    all_agree::<P256>(&builder::<P256>(3).build().unwrap());
}

#[test]
fn what_fits_no_group_is_refused() {
    let refused = |group: GroupBuilder| group.build().map(|_| ());
    let key = || identity::<FourQ>(1).public_key();
    assert_eq!(
        refused(builder::<FourQ>(0)),
        Err(GroupError::Plan(PlanError::Empty))
    );
    let twice = builder::<FourQ>(2).with_member(Address(2), key());
    assert_eq!(
        refused(twice),
        Err(GroupError::Plan(PlanError::Twice(Address(2))))
    );
    let zero = builder::<FourQ>(2).with_member(Address(0), key());
    assert_eq!(refused(zero), Err(GroupError::Plan(PlanError::NoAddress)));
}

#[test]
fn what_fits_no_role_is_refused() {
    let group = builder::<FourQ>(2).build().unwrap();
    let member = |identity| Member::boxed(&boot(1), identity, group.clone()).map(|_| ());
    let orchestrator =
        |identity| Orchestrator::boxed(&boot(9), identity, group.clone()).map(|_| ());
    assert_eq!(
        member(identity::<FourQ>(9)),
        Err(GroupError::Role(Address(9)))
    );
    assert_eq!(
        member(identity::<FourQ>(3)),
        Err(GroupError::Role(Address(3)))
    );
    assert_eq!(
        orchestrator(identity::<FourQ>(1)),
        Err(GroupError::Role(Address(1)))
    );
    let other = |at| MemberIdentity::new(FourQ, Address(at), &Secret::from_bytes([7; 32]));
    assert_eq!(member(other(1)), Err(GroupError::PublicKey(Address(1))));
    assert_eq!(
        orchestrator(other(9)),
        Err(GroupError::PublicKey(Address(9)))
    );
}
