//! Any bytes into every role in every state: no panic, bounded work, and no key that was not
//! proven. The laws stand in `waywarden_fuzz::group_keys`; here the bytes come from seeds.

use waywarden_fuzz::{Seen, group_keys};
use waywarden_testkit::cases;

use crate::{FEW, over_seeds};

/// The bytes got somewhere: keys agreed on, exchanges failed, ECUs left out and taken back.
fn assert_lively(all: &Seen) {
    if cases(FEW) >= FEW {
        assert!(all.count("confirmed") > 100 && all.count("failed") > 100);
        assert!(
            all.count("missed") > 0 && all.count("unresponsive") > 0 && all.count("included") > 0
        );
    }
}

#[test]
fn a_member_withstands_any_bytes() {
    assert_lively(&over_seeds(group_keys::member));
}

#[test]
fn an_orchestrator_withstands_any_bytes() {
    assert_lively(&over_seeds(group_keys::orchestrator));
}

#[test]
fn no_bytes_and_few_bytes_do_nothing_bad() {
    for length in 0..64 {
        for fill in [0, 1, 0x7F, 0xFF] {
            group_keys::member(&vec![fill; length]);
            group_keys::orchestrator(&vec![fill; length]);
        }
    }
}
