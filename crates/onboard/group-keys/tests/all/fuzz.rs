//! Any bytes into every role in every state: no panic, bounded work, and no key that was not
//! proven. The laws stand in `waywarden_group_keys::fuzz`; here the bytes come from seeds.

use waywarden_group_keys::fuzz::{self, Seen};
use waywarden_testkit::{cases, each_random_bytes};

/// Runs of each test, in the quick run.
const FEW: usize = 150;

/// Returns what was seen in all.
fn over_seeds(entry: fn(&[u8]) -> Seen) -> Seen {
    let mut all = Seen::default();
    each_random_bytes(FEW, entry, |seen| {
        all.inputs += seen.inputs;
        all.outputs_max = all.outputs_max.max(seen.outputs_max);
        all.confirmed += seen.confirmed;
        all.failed += seen.failed;
        all.missed += seen.missed;
        all.unresponsive += seen.unresponsive;
        all.included += seen.included;
    });
    println!("{all:?}");
    all
}

/// The bytes got somewhere: keys agreed on, exchanges failed, ECUs left out and taken back.
fn assert_lively(all: &Seen) {
    if cases(FEW) >= FEW {
        assert!(all.confirmed > 100 && all.failed > 100);
        assert!(all.missed > 0 && all.unresponsive > 0 && all.included > 0);
    }
}

#[test]
fn a_member_withstands_any_bytes() {
    assert_lively(&over_seeds(fuzz::member));
}

#[test]
fn an_orchestrator_withstands_any_bytes() {
    assert_lively(&over_seeds(fuzz::orchestrator));
}

#[test]
fn no_bytes_and_few_bytes_do_nothing_bad() {
    for length in 0..64 {
        for fill in [0, 1, 0x7F, 0xFF] {
            fuzz::member(&vec![fill; length]);
            fuzz::orchestrator(&vec![fill; length]);
        }
    }
}
