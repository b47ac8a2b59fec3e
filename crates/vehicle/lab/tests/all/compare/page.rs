//! The page of a comparison: what it says is what the ranking has.

use waywarden_vehicle_lab::compare::{
    Attacks, AuthenticationChoice, Comparison, KeyChoice, RankBy, Variant, page,
};

use super::{CAR, NONE, original, setting, trial, with};
use crate::html::{Tag, tags};

fn comparison() -> Comparison {
    let (car, setting) = (original(CAR), setting(Attacks::Standard));
    let impossible = Variant {
        keys: KeyChoice::None,
        authentication: AuthenticationChoice::Lasan,
    };
    let variants = [
        NONE,
        with(AuthenticationChoice::Secoc("production")),
        with(AuthenticationChoice::Vatican),
        impossible,
    ];
    let trials = variants.map(|one| trial(&car, one, &setting)).to_vec();
    Comparison::new(&car, &setting, RankBy::Security, trials)
}

/// Returns the cells of the table with this caption or, of one without, this name.
fn cells<'a>(tags: &'a [Tag], title: &str) -> Vec<&'a Tag> {
    let table = tags.iter().skip_while(|tag| {
        tag.text.trim() != title && !tag.attribute("aria-label").starts_with(title)
    });
    let table = table.skip(1).take_while(|tag| tag.name != "div");
    table.filter(|tag| tag.name == "td").collect()
}

#[test]
fn the_page_has_the_conclusion_and_each_variant_with_its_figures() {
    let comparison = comparison();
    let text = page(&comparison);
    let tags = tags(&text);
    assert!(
        tags.iter()
            .any(|tag| tag.text.trim() == comparison.conclusion)
    );
    let cells = cells(&tags, "Variants with figures of their own");
    let columns = cells.len() / comparison.variants.len();
    let names = [
        "1: secoc-production, keys none",
        "2: vatican, keys none",
        "baseline: none, keys none",
    ];
    for ((row, name), cells) in comparison
        .variants
        .iter()
        .zip(names)
        .zip(cells.chunks(columns))
    {
        assert_eq!(cells[0].text.trim(), name);
        let own = &row.figures;
        let stopped = format!("{} of {}", own.stopped, own.attacks);
        assert_eq!(cells[3].text.trim(), stopped, "{name}");
    }
    let figures = [
        "Load of the busiest bus",
        "Worst latency as a share of its deadline",
        "Time until streams and keys are up",
    ];
    let drawn = tags
        .iter()
        .filter(|tag| tag.name == "title" && tag.inside.contains(&"svg".to_owned()));
    let drawn: Vec<&str> = drawn.map(|tag| tag.text.trim()).collect();
    assert!(
        figures.iter().all(|title| drawn.contains(title)),
        "{drawn:?}"
    );
    assert!(!text.contains("<script") && !text.contains("://"));
    assert_eq!(text, page(&self::comparison()), "the same again");
}

#[test]
fn the_page_shows_which_attacks_a_variant_stops_and_which_requirements_it_misses() {
    let comparison = comparison();
    let text = page(&comparison);
    let tags = tags(&text);
    let cells = cells(&tags, "Attacks by variant");
    let said = |class: &str| cells.iter().filter(|tag| tag.has_class(class)).count();
    let sum = |of: fn(&waywarden_vehicle_lab::compare::VariantFigures) -> usize| -> usize {
        comparison.variants.iter().map(|row| of(&row.figures)).sum()
    };
    assert_eq!(said("refused"), sum(|own| own.stopped));
    assert_eq!(said("taken"), sum(|own| own.open.len()));
    assert!(said("refused") > 0 && said("taken") > 0);
    for row in &comparison.variants {
        let own = &row.figures;
        assert_eq!(own.stopped_attacks.len(), own.stopped);
        assert_eq!(own.stopped + own.open.len(), own.attacks);
        for missed in &own.missed {
            let kind = missed
                .rsplit_once(' ')
                .map_or(missed.as_str(), |(kind, _)| kind);
            assert!(tags.iter().any(|tag| tag.text.contains(kind)), "{missed}");
        }
    }
    let reason = &comparison.impossible[0].reason;
    assert!(tags.iter().any(|tag| tag.text.trim() == reason));
}

#[test]
fn the_page_draws_each_variant_once_and_names_those_on_the_pareto_front() {
    let comparison = comparison();
    let text = page(&comparison);
    let tags = tags(&text);
    let dots: Vec<_> = tags.iter().filter(|tag| tag.name == "circle").collect();
    let drawn = comparison.variants.iter();
    let drawn = drawn.filter(|row| row.figures.worst_share.is_some());
    assert_eq!(dots.len(), drawn.count());
    let on_front =
        |row: &&waywarden_vehicle_lab::compare::VariantRow| row.pareto && row.rank.is_some();
    let front = comparison.variants.iter().filter(on_front).count();
    let named = dots.iter().filter(|tag| tag.has_class("c1")).count();
    assert!(named > 0 && named == front, "{named} of {front}");
}
