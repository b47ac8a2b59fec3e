//! An attacker that records pseudonyms on the air cannot tell two of one vehicle.

use std::collections::BTreeSet;

use waywarden_testkit::{Random, cases};
use waywarden_v2x_pki::pseudonym::Period;

use super::scms::{FIRST, Scms};
use crate::support::without_keys_and_identifiers;

#[test]
fn pseudonyms_of_a_week_differ_in_keys_and_linkage_values_alone() {
    let mut random =
        Random::of_test("pseudonyms_of_a_week_differ_in_keys_and_linkage_values_alone");
    let mut scms = Scms::new(&mut random, cases(12).min(24));
    for week in 0..2 {
        let mut said = BTreeSet::new();
        for (vehicle, position, response) in scms.week(Period(FIRST.0 + week), 0..2) {
            let pseudonym = scms.open(vehicle, position, &response).unwrap();
            said.insert(without_keys_and_identifiers(&pseudonym.certificate));
            scms.store.retire_key(pseudonym.key);
        }
        assert_eq!(said.len(), 1, "week {week}");
    }
}
