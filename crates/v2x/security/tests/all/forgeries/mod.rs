//! Forged V2X messages, certificates and revocation lists, each made from seeds by a generator and
//! each with the result that a receiver has to give. Where it makes sense the same verifier accepts
//! the honest counterpart, which lacks the one flaw: a verifier that refuses everything fails.
//!
//! `cargo test -p waywarden-v2x-security forgeries -- --nocapture` prints the table.

mod accepted_places;
pub(crate) mod build;
mod chains;
mod cut;
mod elements;
mod encoded_certificates;
mod encoding;
mod headers;
mod keys;
mod lengths;
mod lists;
mod malleability;
mod payloads;
mod permissions;
mod points;
mod profiles;
mod raw;
mod region_faults;
mod regions;
mod replays;
mod rights;
mod signatures;
mod table;

use std::collections::BTreeSet;

use table::Family;

/// Every family.
const FAMILIES: &[fn() -> Family] = &[
    regions::family,
    region_faults::family,
    profiles::family,
    lists::family,
    rights::family,
    chains::family,
    keys::family,
    points::family,
    permissions::family,
    lengths::family,
    signatures::family,
    malleability::family,
    headers::family,
    payloads::family,
    encoding::family,
    encoded_certificates::family,
    cut::family,
    replays::family,
];

#[test]
fn at_least_250_forgeries_have_distinct_names() {
    let families: Vec<Family> = FAMILIES.iter().map(|make| make()).collect();
    let rows = || families.iter().flat_map(|family| &family.rows);
    let names: BTreeSet<&str> = rows().map(|row| row.name.as_str()).collect();
    assert_eq!(names.len(), rows().count(), "a name occurs twice");
    let forgeries = rows().filter(|row| row.is_forgery).count();
    let paired = rows().filter(|row| row.has_counterpart).count();
    println!("{forgeries} forgeries, {paired} with an honest counterpart");
    for family in &families {
        let own = family.rows.iter();
        let forged = own.clone().filter(|row| row.is_forgery).count();
        let failed = own.filter(|row| !row.holds).count();
        println!("  {}: {forged}, of which {failed} fail", family.name);
    }
    assert!(forgeries >= 250, "{forgeries} forgeries");
    assert!(paired >= 150, "{paired} honest counterparts");
}
