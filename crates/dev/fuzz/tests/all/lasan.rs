//! Any bytes into every role in every state: no panic, bounded work, and no key that was not
//! granted. The laws stand in `waywarden_fuzz::lasan`; here the bytes come from seeds.

use waywarden_fuzz::{Seen, lasan};
use waywarden_testkit::cases;

use crate::{FEW, over_seeds};

/// The bytes got somewhere: ECUs authenticated, streams granted, refused and sent, sessions lost.
fn assert_lively(all: &Seen) {
    if cases(FEW) >= FEW {
        assert!(
            all.count("authenticated") > 100
                && all.count("failed") > 100
                && all.count("granted") > 100
        );
        assert!(all.count("denied") > 0 && all.count("lost") > 0 && all.count("received") > 0);
    }
}

#[test]
fn an_ecu_withstands_any_bytes() {
    assert_lively(&over_seeds(lasan::ecu));
}

#[test]
fn a_security_module_withstands_any_bytes() {
    assert_lively(&over_seeds(lasan::security_module));
}

#[test]
fn no_bytes_and_few_bytes_do_nothing_bad() {
    for length in 0..64 {
        for fill in [0, 1, 0x7F, 0xFF] {
            lasan::ecu(&vec![fill; length]);
            lasan::security_module(&vec![fill; length]);
        }
    }
}
