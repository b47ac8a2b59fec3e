//! Variants of a car side by side, as an HTML page.

mod bars;
mod front;

use std::collections::BTreeMap;

use waywarden_report_page::{Escaped, Head, Page, Sheet, Standing, Tile};
use waywarden_vehicle_file::formatting::{count, percent, span};
use waywarden_vehicle_report::report::Cells;

use super::choice::titles;
use super::{Comparison, VariantRow};
pub(crate) use bars::figure as bar_figure;

/// Writes the page.
#[must_use]
pub fn page(comparison: &Comparison) -> String {
    let mut page = Page::begin(&Head {
        title: &format!("{}: variants compared", comparison.vehicle),
        ..Head::default()
    });
    header(&mut page, comparison);
    table(&mut page, comparison);
    bars::section(&mut page, comparison);
    front::section(&mut page, comparison);
    attacks(&mut page, comparison);
    requirements(&mut page, comparison);
    rest(&mut page, comparison);
    page.finish()
}

fn header(page: &mut Page, comparison: &Comparison) {
    page.put(format_args!(
        "<header>\n<h1>{}: variants compared</h1>\n",
        Escaped(&comparison.vehicle)
    ));
    let best = comparison.variants.first().filter(|row| !row.is_baseline());
    match best {
        Some(row) if row.is_met() => {
            let words = format!("Fits best: {}.", row.variant().title());
            page.verdict(Standing::Good, &words);
        }
        Some(_) => page.verdict(
            Standing::Bad,
            "No variant that protects streams meets all requirements.",
        ),
        None => page.verdict(Standing::Bad, "No variant protects a stream."),
    }
    page.put(format_args!(
        "<p class=\"lead\">{}</p>\n<p class=\"facts\">{}, {} simulated each, seed {}, by Waywarden \
         {}.</p>\n",
        Escaped(&comparison.conclusion),
        count(comparison.tried() as u64, "variant"),
        span(comparison.duration_ms),
        comparison.seed,
        env!("CARGO_PKG_VERSION")
    ));
    if let Some(row) = best {
        page.tiles(&tiles(row));
    }
    page.put("</header>\n");
}

/// The main figures of the variant that ranks first.
fn tiles(row: &VariantRow) -> Vec<Tile> {
    let own = &row.figures;
    let tile = |label: &str, value: String, detail: String, is_good: Option<bool>| Tile {
        label: label.to_owned(),
        value,
        detail,
        standing: match is_good {
            None => Standing::Neutral,
            Some(true) => Standing::Good,
            Some(false) => Standing::Bad,
        },
    };
    let coverage = own.coverage;
    let is_met = (own.requirements > 0).then(|| row.is_met());
    let is_open = (own.attacks > 0).then_some(own.open.is_empty());
    let share = own.worst_share;
    vec![
        tile(
            "Requirements met",
            format!("{} of {}", own.met, own.requirements),
            "by the variant that ranks first".to_owned(),
            is_met,
        ),
        tile(
            "Streams protected",
            format!("{} of {}", coverage.covered, coverage.streams),
            format!("{} with session keys", coverage.session_keys),
            Some(coverage.covered == coverage.streams),
        ),
        tile(
            "Attacks stopped",
            format!("{} of {}", own.stopped, own.attacks),
            format!("{} reach an ECU", own.open.len()),
            is_open,
        ),
        tile(
            "Worst latency",
            latency(row),
            own.worst_stream.clone().unwrap_or_default(),
            Some(share.is_some_and(|share| share <= 1.0)),
        ),
        tile(
            "Load of the busiest bus",
            percent(own.load),
            own.busiest_bus.clone(),
            None,
        ),
        tile(
            "Streams and keys up",
            start_up(row),
            "from power-on".to_owned(),
            None,
        ),
    ]
}

fn latency(row: &VariantRow) -> String {
    let share = row.figures.worst_share;
    share.map_or("never arrived".to_owned(), |share| {
        format!("{} of deadline", percent(share))
    })
}

fn start_up(row: &VariantRow) -> String {
    row.figures
        .start_up_ms
        .map_or("not by the end".to_owned(), span)
}

/// Names a variant in one line.
fn name(row: &VariantRow) -> String {
    names(row).join(", ")
}

/// Names a variant in two lines: its rank with its authentication, and its keys.
fn names(row: &VariantRow) -> [String; 2] {
    let rank = row
        .rank
        .map_or("baseline".to_owned(), |rank| rank.to_string());
    let variant = row.variant();
    let (keys, authentication) = (variant.keys.name(), variant.authentication.name());
    [format!("{rank}: {authentication}"), format!("keys {keys}")]
}

fn table(page: &mut Page, comparison: &Comparison) {
    let explanation = "In the order of their ranks; the car without protection is the baseline. \
                       The first column stays in view when the table scrolls.";
    page.section("variants", "Variants side by side", explanation);
    // Rank, keys and authentication are in the name.
    const NAMED: usize = 3;
    let rows = comparison.variants.iter().map(|row| {
        let mut cells = row.cells().split_off(NAMED);
        cells.insert(0, name(row));
        cells
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let headers = [
        &["variant"],
        VariantRow::HEADERS.get(NAMED..).unwrap_or_default(),
    ]
    .concat();
    page.sheet(
        &Sheet {
            caption: "Variants with figures of their own",
            headers: &headers,
            numbers: 1..headers.len() - 1,
            folded: false,
        },
        &rows,
    );
    page.end_section();
}

/// Shows which attacks each variant stops.
fn attacks(page: &mut Page, comparison: &Comparison) {
    let mut attacks: Vec<&str> = Vec::new();
    for row in &comparison.variants {
        let own = &row.figures;
        for attack in own.stopped_attacks.iter().chain(&own.open) {
            if !attacks.contains(&attack.as_str()) {
                attacks.push(attack);
            }
        }
    }
    if attacks.is_empty() {
        return;
    }
    let explanation = "Stopped: no receiver took a message that its sender did not send, of the \
                       streams that the attack was after. Reached: one did.";
    page.section("attacks", "Attacks that each variant stops", explanation);
    page.put(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Attacks by variant\">\
         <table class=\"matrix\">\n<thead><tr><th scope=\"col\">variant</th>",
    );
    for attack in &attacks {
        let (name, what) = attack.split_once(": ").unwrap_or((attack, ""));
        page.put(format_args!(
            "<th scope=\"col\">{}<br /><span>{}</span></th>",
            Escaped(name),
            Escaped(what)
        ));
    }
    page.put("</tr></thead>\n<tbody>\n");
    for row in &comparison.variants {
        page.put(format_args!(
            "<tr><th scope=\"row\">{}</th>",
            Escaped(&name(row))
        ));
        let own = &row.figures;
        for attack in &attacks {
            let is_in = |list: &[String]| list.iter().any(|one| one == attack);
            page.put(match (is_in(&own.open), is_in(&own.stopped_attacks)) {
                (true, _) => "<td class=\"cell taken\"><b>\u{2717} reached</b></td>",
                (_, true) => "<td class=\"cell refused\"><b>\u{2713} stopped</b></td>",
                _ => "<td class=\"cell\">\u{2013} not run</td>",
            });
        }
        page.put("</tr>\n");
    }
    page.put("</tbody></table></div>\n");
    page.end_section();
}

/// Lists the requirements that variants miss, each with the variants.
fn requirements(page: &mut Page, comparison: &Comparison) {
    let all = comparison
        .variants
        .iter()
        .map(|row| row.figures.requirements);
    if all.max().unwrap_or(0) == 0 {
        return;
    }
    page.section("requirements", "Requirements that each variant misses", "");
    let rows = comparison.variants.iter().map(|row| {
        let own = &row.figures;
        let missed = match own.missed.is_empty() {
            true => "\u{2713} none".to_owned(),
            false => format!("\u{2717} {}", grouped(&own.missed)),
        };
        let met = format!("{} of {}", own.met, own.requirements);
        vec![name(row), met, missed]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    page.sheet(
        &Sheet {
            caption: "Missed requirements by variant",
            headers: &["variant", "met", "missed"],
            numbers: 1..2,
            folded: false,
        },
        &rows,
    );
    page.end_section();
}

/// Names requirements, those of one kind together: `latency A, B and 3 more; bus load body`.
fn grouped(missed: &[String]) -> String {
    const SHOWN_MAX: usize = 6;
    let mut kinds: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for one in missed {
        let (kind, of) = one.rsplit_once(' ').unwrap_or((one, ""));
        kinds.entry(kind).or_default().push(of);
    }
    let kinds = kinds.iter().map(|(kind, of)| {
        let first = of.iter().take(SHOWN_MAX).copied().collect::<Vec<_>>();
        let first = format!("{kind} {}", first.join(", "));
        match of.len().saturating_sub(SHOWN_MAX) {
            0 => first.trim_end().to_owned(),
            more => format!("{first} and {more} more"),
        }
    });
    kinds.collect::<Vec<_>>().join("; ")
}

/// Says which variants have the figures of others, and which cannot be made.
fn rest(page: &mut Page, comparison: &Comparison) {
    let same = comparison
        .variants
        .iter()
        .filter(|row| !row.same.is_empty());
    let same: Vec<Vec<String>> = same.map(|row| vec![name(row), titles(&row.same)]).collect();
    let impossible = comparison.impossible.iter();
    let impossible: Vec<Vec<String>> = impossible
        .map(|one| vec![one.reason.clone(), titles(&one.variants)])
        .collect();
    if same.is_empty() && impossible.is_empty() {
        return;
    }
    page.section("rest", "Other variants", "");
    for (caption, headers, rows) in [
        ("With the same figures", ["variant", "the same"], &same),
        ("Not possible", ["because", "variants"], &impossible),
    ] {
        if !rows.is_empty() {
            page.sheet(
                &Sheet {
                    caption,
                    headers: &headers,
                    numbers: 0..0,
                    folded: false,
                },
                rows,
            );
        }
    }
    if let Some(sentence) = comparison.on_ideal_boards() {
        page.note(sentence);
    }
    page.end_section();
}
