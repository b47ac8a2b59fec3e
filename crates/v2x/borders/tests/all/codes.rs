//! The tables, against those of others.

use std::collections::BTreeMap;

use waywarden_v2x_borders::{EUROPEAN_UNION, UnitedState, alpha2_of, name_of, state_of};
use waywarden_v2x_security::region::Borders;
use waywarden_v2x_wire::ieee1609dot2::UnCountryId;

use crate::support::{BORDERS, lines};

#[test]
fn countries_have_the_codes_areas_and_union_of_an_independent_list() {
    let mut known = BTreeMap::new();
    for line in lines("countries.txt") {
        let Some(line) = line.strip_prefix("country ") else {
            continue;
        };
        let parts: Vec<&str> = line.split(' ').collect();
        let number = UnCountryId(parts[1].parse().unwrap());
        assert_eq!(alpha2_of(number), Some(parts[0]), "{line}");
        assert!(name_of(number).is_some_and(|name| !name.is_empty()));
        known.insert(number.0, parts[0]);
        let around = BORDERS.areas_around(number);
        assert!(around.len() <= 12, "{line}: {around:?}");
        for area in &parts[2..4] {
            // The file's head says where the two lists differ.
            let area = match (parts[0], *area) {
                (_, "-") => continue,
                ("SS", "15") => 14,
                ("UM", "21") => 57,
                ("UM", "19") => 9,
                (_, area) => area.parse().unwrap(),
            };
            assert!(around.contains(&UnCountryId(area)), "{line}: {around:?}");
        }
        let is_in_union = around.contains(&EUROPEAN_UNION);
        assert_eq!(is_in_union, line.ends_with(" eu"), "{line}");
        assert!(around.contains(&UnCountryId(1)), "{line}");
    }
    let ours = (0..=u16::MAX).filter_map(|one| Some((one, alpha2_of(UnCountryId(one))?)));
    assert_eq!(ours.collect::<BTreeMap<_, _>>(), known);
    assert_eq!(known.len(), 249);
}

/// A country is in one smallest area of M49, and areas contain what their parts do.
#[test]
fn areas_nest_as_the_list_of_the_united_nations_has_them() {
    let around = |number| {
        let all = BORDERS.areas_around(UnCountryId(number)).iter();
        all.map(|area| area.0).collect::<Vec<u16>>()
    };
    assert_eq!(around(1), []);
    assert_eq!(around(150), [1]);
    assert_eq!(around(155), [1, 150]);
    assert_eq!(around(65_535), [1]);
    assert_eq!(around(276), [1, 150, 155, 65_535]);
    assert_eq!(around(756), [1, 150, 155]);
    assert_eq!(around(196), [1, 142, 145, 65_535], "Cyprus");
    assert_eq!(around(638), [1, 2, 14, 202, 65_535], "Réunion");
    assert_eq!(around(831), [1, 150, 154, 830], "Guernsey");
    assert_eq!(around(840), [1, 3, 19, 21]);
    // The Census Bureau counts it among the states, whose country is 840.
    assert_eq!(around(630), [1, 3, 19, 21, 29, 419, 840], "Puerto Rico");
    assert_eq!(around(10), [1], "Antarctica");
    for number in 0..=u16::MAX {
        for area in around(number) {
            let outer = around(area);
            assert!(
                outer.iter().all(|one| around(number).contains(one)),
                "{number} in {area}"
            );
            assert!(
                !outer.contains(&number),
                "{number} and {area} contain each other"
            );
        }
    }
}

#[test]
fn states_have_the_codes_of_an_independent_list() {
    let mut known = Vec::new();
    for line in lines("countries.txt") {
        let Some(line) = line.strip_prefix("state ") else {
            continue;
        };
        let mut parts = line.splitn(3, ' ');
        let mut next = || parts.next().unwrap();
        let (number, code, name) = (next().parse().unwrap(), next(), next());
        let is_territory = false;
        assert_eq!(
            state_of(number),
            Some(UnitedState {
                code,
                name,
                is_territory
            })
        );
        known.push(number);
    }
    assert_eq!(known.len(), 51);
    let territories: Vec<(u8, &str)> = (0..=255)
        .filter(|number| !known.contains(number))
        .filter_map(|number| Some((number, state_of(number)?.code)))
        .collect();
    let expected = [
        (60, "AS"),
        (66, "GU"),
        (69, "MP"),
        (72, "PR"),
        (74, "UM"),
        (78, "VI"),
    ];
    assert_eq!(territories, expected);
}

#[test]
fn numbers_that_are_no_country_have_no_name() {
    for (number, name) in [
        (276, Some("Germany")),
        (792, Some("Türkiye")),
        (150, Some("Europe")),
        (65_535, Some("European Union")),
        (0, None),
        (280, None),
        (999, None),
        (65_534, None),
    ] {
        assert_eq!(name_of(UnCountryId(number)), name, "{number}");
    }
}
