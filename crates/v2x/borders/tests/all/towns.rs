//! Towns of every country, against a list that has nothing to do with the boundaries.

use waywarden_testkit::Random;
use waywarden_v2x_borders::{alpha2_of, state_of};
use waywarden_v2x_security::region::Borders;
use waywarden_v2x_wire::ieee1609dot2::UnCountryId;

use crate::support::{BORDERS, EXACT, TOWNS, is_in, number_of};

/// Pairs of countries of which the list counts a town to the first, and the boundary set to the
/// second, in territory that both claim.
const DISPUTED: &[(&str, &str)] = &[("EH", "MA"), ("SY", "IL"), ("IL", "PS"), ("PS", "IL")];
/// Towns that lie in another country by the boundary set, farther from the border than the
/// tolerance.
const DIFFERING: &[&str] = &["GA -2.41815 12.22294 Malinga"];

#[test]
fn town_is_in_its_country() {
    let (mut disputed, mut differing) = (0, Vec::new());
    for town in TOWNS.iter() {
        if town.country == "XK" {
            // M49 has no number for it: the country is not known.
            for country in ["RS", "DE"] {
                assert_eq!(is_in(&BORDERS, number_of(country), &town.place), None);
            }
            continue;
        }
        let is_of_another = DISPUTED.iter().any(|(own, other)| {
            *own == town.country && is_in(&EXACT, number_of(other), &town.place) == Some(true)
        });
        if is_of_another {
            disputed += 1;
            continue;
        }
        // The set does not have Antarctica.
        let expected = (town.country != "AQ").then_some(true);
        if is_in(&BORDERS, number_of(town.country), &town.place) != expected {
            differing.push(town.line);
        }
    }
    println!("{} towns, {disputed} in disputed territory", TOWNS.len());
    assert_eq!(differing, DIFFERING);
    assert!(disputed < 20);
}

/// Towns near a border are in two countries within the tolerance, and in one exactly.
#[test]
fn town_is_in_no_other_country() {
    let mut random = Random::of_test("town_is_in_no_other_country");
    let all = (0..1_000).filter(|number| alpha2_of(UnCountryId(*number)).is_some());
    let all: Vec<u16> = all.collect();
    let (mut asked, mut near) = (0, 0);
    for town in TOWNS.iter() {
        if matches!(town.country, "XK" | "EH" | "AQ") || DIFFERING.contains(&town.line) {
            continue;
        }
        // All countries of all towns would take half a minute.
        let countries = match random.once_in(10) {
            true => all.clone(),
            false => (0..20).map(|_| all[random.index(all.len())]).collect(),
        };
        let own = number_of(town.country);
        for number in countries.iter().filter(|number| **number != own) {
            let exact = is_in(&EXACT, *number, &town.place) == Some(true);
            // A territory of the United States is in 840, and what two countries claim is in both.
            let code = alpha2_of(UnCountryId(*number)).unwrap();
            let is_shared = matches!(
                (town.country, code),
                ("AS" | "GU" | "MP" | "PR" | "UM" | "VI", "US")
                    | ("UA", "RU")
                    | ("SD" | "SS", "SS" | "SD")
            );
            let is_disputed = DISPUTED.contains(&(town.country, code));
            let is_at_border = is_in(&EXACT, own, &town.place) != Some(true);
            let may_be = is_shared || is_disputed || is_at_border;
            assert!(!exact || may_be, "{} in {code}", town.line);
            asked += 1;
            near += usize::from(!exact && is_in(&BORDERS, *number, &town.place) == Some(true));
        }
    }
    println!("{near} of {asked} questions for another country were within the tolerance");
    assert!(near < asked / 1_000);
}

#[test]
fn town_of_the_united_states_is_in_its_state_alone() {
    let mut near = 0;
    for town in TOWNS.iter() {
        let Some(code) = town.state else {
            continue;
        };
        let country = UnCountryId(840);
        for number in 0..=255 {
            let answer = BORDERS.contains(country, Some(number), None, &town.place);
            let exact = EXACT.contains(country, Some(number), None, &town.place);
            // No county has borders.
            let county = BORDERS.contains(country, Some(number), Some(1), &town.place);
            match state_of(number) {
                None => assert_eq!((answer, exact), (None, None), "{number}: {}", town.line),
                Some(state) if state.code == code => {
                    assert_eq!(answer, Some(true), "{}", town.line);
                    assert_eq!(county, None);
                }
                Some(state) => {
                    near += usize::from(answer == Some(true));
                    assert_eq!(exact, Some(false), "{}: {}", state.code, town.line);
                    assert_eq!(county.is_none(), answer == Some(true));
                }
            }
        }
    }
    println!("{near} towns of another state are within the tolerance");
    assert!(near < 10);
}
