//! Any bytes into every role in every state: no panic, bounded work, and no key that was not
//! proven. The laws stand in `group::fuzz` and `lasan::fuzz`; here the bytes come from seeds.

use std::panic;

use waywarden_ecu_keys::group::fuzz::{self, Seen};
use waywarden_ecu_keys::lasan::fuzz as lasan;
use waywarden_testkit::{Random, cases, first_seed};

/// Runs of each test, in the quick run.
const FEW: usize = 150;

/// Runs an entry point over the seeds; a failing one is printed. Hands over what was seen.
fn each_seed<T>(entry: fn(&[u8]) -> T, mut see: impl FnMut(T)) {
    let first = first_seed(0);
    for seed in first..first + cases(FEW) as u64 {
        let bytes = Random::new(seed).bytes(64 + (seed % 8) as usize * 128);
        see(
            panic::catch_unwind(|| entry(&bytes)).unwrap_or_else(|cause| {
                println!("WAYWARDEN_SEED={seed} WAYWARDEN_CASES=1 repeats it");
                panic::resume_unwind(cause)
            }),
        );
    }
}

/// Returns what was seen in all.
fn over_seeds(entry: fn(&[u8]) -> Seen) -> Seen {
    let mut all = Seen::default();
    each_seed(entry, |seen| {
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

fn over_seeds_of_lasan(entry: fn(&[u8]) -> lasan::Seen) -> lasan::Seen {
    let mut all = lasan::Seen::default();
    each_seed(entry, |seen| {
        all.inputs += seen.inputs;
        all.outputs_max = all.outputs_max.max(seen.outputs_max);
        all.authenticated += seen.authenticated;
        all.failed += seen.failed;
        all.granted += seen.granted;
        all.denied += seen.denied;
        all.lost += seen.lost;
        all.received += seen.received;
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

/// The bytes got somewhere: ECUs authenticated, streams granted, refused and sent, sessions lost.
fn assert_lively_lasan(all: &lasan::Seen) {
    if cases(FEW) >= FEW {
        assert!(all.authenticated > 100 && all.failed > 100 && all.granted > 100);
        assert!(all.denied > 0 && all.lost > 0 && all.received > 0);
    }
}

#[test]
fn an_ecu_withstands_any_bytes() {
    assert_lively_lasan(&over_seeds_of_lasan(lasan::ecu));
}

#[test]
fn a_security_module_withstands_any_bytes() {
    assert_lively_lasan(&over_seeds_of_lasan(lasan::security_module));
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
            lasan::ecu(&vec![fill; length]);
            lasan::security_module(&vec![fill; length]);
        }
    }
}
