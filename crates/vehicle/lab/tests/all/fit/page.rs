//! The page of candidates.

use waywarden_vehicle_lab::fit::{CandidateChoices, Preparation, page};

use super::{CAR, SETTING, fit_of, vehicle};

#[test]
fn the_page_has_each_candidate_the_recommendation_and_what_cannot_be() {
    let car = vehicle(CAR, &Preparation::default());
    let fit = fit_of(&car, &CandidateChoices::default(), &SETTING);
    let page = page(&fit);
    for row in &fit.rows {
        assert!(
            page.contains(&format!("<td>{}</td>", row.number)),
            "{}",
            row.name
        );
    }
    for part in [
        "small: does SecOC fit?",
        "Recommended: ",
        "Cost by message",
        "Not possible",
        "Assumptions",
        "let at most 64 bits travel",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(
        !page.contains("NaN") && !page.contains("inf"),
        "a number is none"
    );
}
