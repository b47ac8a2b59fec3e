//! Chains that are longer or shorter than an issuer lets them be.

use super::build::all;
use super::permissions::{Changes, check, deep, with};
use super::table::Family;

#[test]
fn chains_of_other_lengths_than_permitted_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("length of chain");
    lengths(&mut family);
    invalid_lengths(&mut family);
    family
}

/// Chains that are longer or shorter than an issuer lets them be.
fn lengths(family: &mut Family) {
    let honest = with(&[
        (0, vec![all(3, 0)]),
        (1, vec![all(2, 0)]),
        (2, vec![all(1, 0)]),
    ]);
    let cases: Vec<(&str, Changes)> = vec![
        (
            "root for one length less",
            vec![(0, vec![all(1, 1)]), (1, vec![all(1, 0)])],
        ),
        ("root for two lengths less", vec![(0, vec![all(1, 0)])]),
        (
            "root for one length more",
            vec![
                (0, vec![all(4, 0)]),
                (1, vec![all(3, 0)]),
                (2, vec![all(2, 0)]),
            ],
        ),
        ("root for longer chains", vec![(0, vec![all(4, -1)])]),
        ("authority for one length less", vec![(1, vec![all(1, 0)])]),
        ("authority for longer chains", vec![(1, vec![all(3, -1)])]),
        (
            "sub-authority for longer chains",
            vec![(2, vec![all(2, -1)])],
        ),
        (
            "authority without the root's limit",
            vec![(0, vec![all(3, 0)]), (1, vec![all(2, -1)])],
        ),
        (
            "sub-authority without the authority's limit",
            vec![(1, vec![all(2, 0)]), (2, vec![all(1, -1)])],
        ),
        (
            "sub-authority without the root's limit",
            vec![
                (0, vec![all(1, 2)]),
                (1, vec![all(1, 1)]),
                (2, vec![all(1, 1)]),
            ],
        ),
        (
            "authority for shorter chains than the root",
            vec![(0, vec![all(3, -1)]), (1, vec![all(1, -1)])],
        ),
        (
            "sub-authority for shorter chains",
            vec![(1, vec![all(3, 5)]), (2, vec![all(1, 5)])],
        ),
        (
            "range beyond all numbers",
            vec![(0, vec![all(1, 2)]), (1, vec![all(1, i64::MAX)])],
        ),
        (
            "least length beyond all numbers",
            vec![(1, vec![all(i64::MAX, -1)])],
        ),
    ];
    for (name, changes) in cases {
        check(family, name, &with(&changes), &honest, [135; 2]);
    }
}

/// Lengths that there are not \[1609.2 §6.4\].
fn invalid_lengths(family: &mut Family) {
    for (holder, at) in [("root", 0), ("authority", 1), ("sub-authority", 2)] {
        for (name, least, range) in [
            ("minChainLength 0", 0, -1),
            ("minChainLength 0 and a range", 0, 3),
            ("minChainLength -1", -1, -1),
            ("chainLengthRange -2", 1, -2),
        ] {
            let forged = with(&[(at, vec![all(least, range)])]);
            let name = format!("{name} of the {holder}");
            check(family, &name, &forged, &deep(), [135; 2]);
        }
    }
}
