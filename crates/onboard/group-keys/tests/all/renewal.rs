//! Renewals and a member that computes far longer than the others.

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_group_keys::Scheme;
use waywarden_key_suites::FourQ;

use crate::network::{Fleet, NetworkConfig};

/// The slow member, counted from 0, and the time between two requests for a key, in milliseconds.
const SLOW: usize = 2;
const PERIOD: u64 = 400;

fn fleet() -> Fleet<FourQ> {
    let mut network_config = NetworkConfig::new(Scheme::TreeWithoutOrchestrator, 4);
    network_config.board = "tc297";
    let slow = Board::builtin("sam-v71").expect("there is such a board");
    Fleet::with(&network_config, |config| {
        config.ecus[SLOW].board = Arc::new(slow);
    })
}

/// The epochs of the slow member and of the orchestrator after 40 renewals.
fn epochs(fleet: &Fleet<FourQ>) -> (u64, u64) {
    let epoch = |key: Option<(u64, [u8; 32])>| key.map_or(0, |(epoch, _)| epoch);
    (epoch(fleet.key(SLOW)), epoch(fleet.orchestrators_key()))
}

#[test]
fn a_renewal_waits_until_the_slowest_member_has_acknowledged() {
    let mut fleet = fleet();
    for time in 1..=40 {
        fleet.run(time * PERIOD);
        let mut role = fleet.orchestrator.borrow_mut();
        role.as_mut().unwrap().renew_when_acknowledged(true);
    }
    let (slow, all) = epochs(&fleet);
    println!("epoch {slow} of {all}");
    // At most the key that is being agreed on is missing: four orders and a start have been given.
    assert!(slow > 8 && all - slow <= 5, "{slow} {all}");
}
