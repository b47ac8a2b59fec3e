//! The table as an HTML page, for a design review.

use waywarden_report_page::{Escaped, Head, Page, Sheet, Standing, Tile, short};
use waywarden_vehicle_file::formatting::{count, percent, span};
use waywarden_vehicle_report::report::Cells;

use super::guess::{forged_messages, guessed, mean_time};
use super::messages::MessageRow;
use super::row::CandidateRow;
use super::table::Fit;
use crate::compare::bar_figure;

/// Limit on drawn candidates; the table has all.
const DRAWN_MAX: usize = 40;

/// End of the axis of latency, as a share of the deadline: later is late all the same.
const SHARE_MAX: f64 = 2.0;

/// Writes the page.
#[must_use]
pub fn page(fit: &Fit) -> String {
    let mut page = Page::begin(&Head {
        title: &format!("{}: does SecOC fit?", fit.vehicle),
        ..Head::default()
    });
    header(&mut page, fit);
    candidates(&mut page, fit);
    costs(&mut page, fit);
    messages(&mut page, fit);
    impossible(&mut page, fit);
    assumptions(&mut page, fit);
    page.finish()
}

fn header(page: &mut Page, fit: &Fit) {
    page.put(format_args!(
        "<header>\n<h1>{}: does SecOC fit?</h1>\n",
        Escaped(&fit.vehicle)
    ));
    let best = fit.best();
    match best {
        Some(row) if row.fits => {
            page.verdict(Standing::Good, &format!("Recommended: {}.", row.candidate));
        }
        Some(row) => page.verdict(
            Standing::Bad,
            &format!("No candidate fits as asked. Nearest: {}.", row.candidate),
        ),
        None => page.verdict(Standing::Bad, "No candidate protects a message."),
    }
    page.put(format_args!(
        "<p class=\"lead\">{}</p>\n<p class=\"facts\">{} of {} to protect, {}, {} simulated \
         each, seed {}, by Waywarden {}.</p>\n",
        Escaped(&fit.conclusion_text),
        fit.to_protect,
        count(fit.messages as u64, "message"),
        count(fit.rows.len() as u64, "candidate"),
        span(fit.duration_ms),
        fit.seed,
        env!("CARGO_PKG_VERSION")
    ));
    if let Some(row) = best {
        page.tiles(&tiles(row, fit));
    }
    page.put("</header>\n");
}

/// The main figures of the recommended candidate.
fn tiles(row: &CandidateRow, fit: &Fit) -> Vec<Tile> {
    let own = &row.figures;
    let tile = |label: &str, value: String, detail: String, is_good: bool| Tile {
        label: label.to_owned(),
        value,
        detail,
        standing: match is_good {
            true => Standing::Good,
            false => Standing::Bad,
        },
    };
    let without = fit.rows.first().map_or(0.0, |row| row.figures.load);
    let bound = own.bound.as_ref();
    let bound = bound.filter(|_| own.missed.without_bound == 0);
    vec![
        tile(
            "Messages protected",
            format!("{} of {}", own.protected, own.to_protect),
            match row.misses() {
                0 => "nothing is missed newly or by more, nothing is lost".to_owned(),
                number => format!("{number} missed newly or by more, or lost"),
            },
            own.protected == own.to_protect && row.misses() == 0,
        ),
        Tile {
            standing: Standing::Neutral,
            ..tile(
                "Load of the busiest bus",
                percent(own.load),
                format!("{}, {} without codes", own.busiest_bus, percent(without)),
                true,
            )
        },
        tile(
            "Worst bound",
            bound.map_or("none".to_owned(), |one| format!("{:.3} ms", one.ms)),
            bound.map_or("not every message has one".to_owned(), |one| {
                let keys = match own.bounds_leave_out_keys {
                    true => ", without the traffic of keys",
                    false => "",
                };
                format!(
                    "{}, {} of its deadline{keys}",
                    one.stream,
                    percent(one.share)
                )
            }),
            own.missed.by_bound.is_empty(),
        ),
        tile(
            "Guessed within a year",
            guessed(row.guessed_in_a_year()),
            own.guess.as_ref().map_or(String::new(), |guess| {
                let mean = mean_time(guess.mean_seconds);
                format!(
                    "{} a second, {mean} on average",
                    forged_messages(guess.per_second)
                )
            }),
            row.guessed_in_a_year() <= fit.accepted_risk,
        ),
        Tile {
            standing: Standing::Neutral,
            ..tile(
                "Start-up",
                own.start_up_ms.map_or("not by the end".to_owned(), span),
                "from power-on until each message was received".to_owned(),
                true,
            )
        },
    ]
}

fn candidates(page: &mut Page, fit: &Fit) {
    let risk = guessed(fit.accepted_risk);
    let explanation = format!(
        "Load, simulated latency and start-up are those of a run, bounds those of the analysis. \
         Forged messages per second are those of the setting, or as many as the bus carries if \
         the attacker has all of it. Fits: protects all messages asked for; no message misses a \
         deadline that it met without codes, or one by more; no instance is refused or lost; and \
         a code is guessed within a year with a probability of {risk} at most. Rows on CAN FD are \
         judged beside the bus without codes on CAN FD."
    );
    page.section("candidates", "Candidates side by side", &explanation);
    let rows: Vec<Vec<String>> = fit.rows.iter().map(Cells::cells).collect();
    let mut headers = CandidateRow::HEADERS.to_vec();
    headers[0] = "row";
    page.sheet(
        &Sheet {
            caption: "Candidates with their figures",
            headers: &headers,
            numbers: CandidateRow::NUMBERS,
            folded: false,
        },
        &rows,
    );
    page.end_section();
}

/// Draws load and bounds, a bar for each candidate.
fn costs(page: &mut Page, fit: &Fit) {
    let explanation = "A dashed line is the deadline; bars of bounds end at twice the deadline.";
    page.section("costs", "Load and worst bound", explanation);
    page.put("<div class=\"grid\">\n");
    let drawn = || fit.rows.iter().take(DRAWN_MAX);
    let label = |value| format!("{} %", short(value));
    bar_figure(
        page,
        ("Load of the busiest bus", "c1"),
        drawn().map(|row| {
            let load = row.figures.load;
            (names(row), Some(load * 100.0), percent(load), false)
        }),
        None,
        label,
    );
    bar_figure(
        page,
        ("Worst bound as a share of its deadline", "c3"),
        drawn().map(|row| {
            let own = &row.figures;
            let bound = own.bound.as_ref().filter(|_| own.missed.without_bound == 0);
            let share = bound.map(|one| one.share);
            let length = share.map(|share| share.min(SHARE_MAX) * 100.0);
            let shown = share.map_or("no bound".to_owned(), percent);
            let is_late = share.is_none_or(|share| share > 1.0);
            (names(row), length, shown, is_late)
        }),
        Some((100.0, "the deadline")),
        label,
    );
    page.put("</div>\n");
    let left_out = fit.rows.len().saturating_sub(DRAWN_MAX);
    if left_out > 0 {
        page.note(&format!(
            "{left_out} more candidates are in the table alone."
        ));
    }
    page.end_section();
}

/// Names a candidate in two lines.
fn names(row: &CandidateRow) -> [String; 2] {
    let profile = row.profile.unwrap_or("none");
    let detail = match (row.code_bits.zip(row.freshness_bits), row.carrier) {
        (Some((code, freshness)), Some(carrier)) => {
            format!("{freshness}, {code} bits, {}", carrier.name())
        }
        _ => row.candidate.to_string(),
    };
    [format!("{}: {profile}", row.number), detail]
}

/// Lists what the recommended candidate costs each message.
fn messages(page: &mut Page, fit: &Fit) {
    let Some(row) = fit.best() else {
        return;
    };
    let explanation = format!(
        "Of row {}: {}. Lost are payload bytes that a frame could have before; periods stay as \
         they are.",
        row.number, row.candidate
    );
    page.section("messages", "Cost by message", &explanation);
    let rows: Vec<Vec<String>> = row.figures.messages.iter().map(Cells::cells).collect();
    page.sheet(
        &Sheet {
            caption: "Messages to protect",
            headers: MessageRow::HEADERS,
            numbers: MessageRow::NUMBERS,
            folded: false,
        },
        &rows,
    );
    let own = row.figures.messages.iter();
    let left_out: Vec<Vec<String>> = own
        .filter_map(|one| Some(vec![one.stream.clone(), one.reason_text.clone()?]))
        .collect();
    if !left_out.is_empty() {
        page.sheet(
            &Sheet {
                caption: "Messages without a code",
                headers: &["message", "because"],
                numbers: 0..0,
                folded: false,
            },
            &left_out,
        );
    }
    page.end_section();
}

/// Lists what cannot be, with the reason.
fn impossible(page: &mut Page, fit: &Fit) {
    if fit.impossible.is_empty() {
        return;
    }
    page.section("impossible", "Not possible", "");
    let rows = fit.impossible.iter().map(|one| {
        let candidates: Vec<String> = one.candidates.iter().map(ToString::to_string).collect();
        vec![one.reason_text.clone(), candidates.join("; ")]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    page.sheet(
        &Sheet {
            caption: "Candidates that cannot be",
            headers: &["because", "candidates"],
            numbers: 0..0,
            folded: false,
        },
        &rows,
    );
    page.end_section();
}

fn assumptions(page: &mut Page, fit: &Fit) {
    page.section("assumptions", "Assumptions", "");
    for text in fit.changes_text.iter().chain(&fit.assumptions_text) {
        page.note(text);
    }
    page.end_section();
}
