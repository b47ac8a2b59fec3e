//! Any bytes into every role in every state: no panic, bounded work, and no key that was not
//! granted. The laws stand in `waywarden_lasan::fuzz`; here the bytes come from seeds.

use waywarden_lasan::fuzz::{self, Seen};
use waywarden_testkit::{cases, each_random_bytes};

/// Runs of each test, in the quick run.
const FEW: usize = 150;

/// Returns what was seen in all.
fn over_seeds(entry: fn(&[u8]) -> Seen) -> Seen {
    let mut all = Seen::default();
    each_random_bytes(FEW, entry, |seen| {
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

/// The bytes got somewhere: ECUs authenticated, streams granted, refused and sent, sessions lost.
fn assert_lively(all: &Seen) {
    if cases(FEW) >= FEW {
        assert!(all.authenticated > 100 && all.failed > 100 && all.granted > 100);
        assert!(all.denied > 0 && all.lost > 0 && all.received > 0);
    }
}

#[test]
fn an_ecu_withstands_any_bytes() {
    assert_lively(&over_seeds(fuzz::ecu));
}

#[test]
fn a_security_module_withstands_any_bytes() {
    assert_lively(&over_seeds(fuzz::security_module));
}

#[test]
fn no_bytes_and_few_bytes_do_nothing_bad() {
    for length in 0..64 {
        for fill in [0, 1, 0x7F, 0xFF] {
            fuzz::ecu(&vec![fill; length]);
            fuzz::security_module(&vec![fill; length]);
        }
    }
}
