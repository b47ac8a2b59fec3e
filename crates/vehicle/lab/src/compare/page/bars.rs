//! Load, latency and start-up of variants as bars.

use waywarden_report_page::{BarPart, BarRow, BarRows, Escaped, Page, short};
use waywarden_vehicle_file::formatting::{percent, span};

use super::{latency, names, start_up};
use crate::compare::Comparison;

/// Limit on drawn variants; the table has all.
const DRAWN_MAX: usize = 24;

/// End of the latency axis, as a share of the deadline: later is late all the same.
pub(super) const SHARE_MAX: f64 = 2.0;

/// Draws load, latency and start-up, a bar for each variant.
pub(super) fn section(page: &mut Page, comparison: &Comparison) {
    let explanation = "What each variant costs. A dashed line is the deadline; bars of latency end \
                       at twice the deadline.";
    page.section("costs", "Load, latency and start-up", explanation);
    page.put("<div class=\"grid\">\n");
    let drawn = || comparison.variants.iter().take(DRAWN_MAX);
    figure(
        page,
        ("Load of the busiest bus", "c1"),
        drawn().map(|row| {
            let own = &row.figures;
            let figure = format!("{} ({})", percent(own.load), own.busiest_bus);
            (names(row), Some(own.load * 100.0), figure, false)
        }),
        None,
        |value| format!("{} %", short(value)),
    );
    figure(
        page,
        ("Worst latency as a share of its deadline", "c3"),
        drawn().map(|row| {
            let share = row.figures.worst_share;
            let is_late = share.is_none_or(|share| share > 1.0);
            let length = share.map(|share| share.min(SHARE_MAX) * 100.0);
            (names(row), length, latency(row), is_late)
        }),
        Some((100.0, "the deadline")),
        |value| format!("{} %", short(value)),
    );
    figure(
        page,
        ("Time until streams and keys are up", "c4"),
        drawn().map(|row| {
            let up = row.figures.start_up_ms;
            (names(row), up, start_up(row), up.is_none())
        }),
        None,
        span,
    );
    page.put("</div>\n");
    let left_out = comparison.variants.len().saturating_sub(DRAWN_MAX);
    if left_out > 0 {
        page.note(&format!(
            "{left_out} variants of lower rank are in the table alone."
        ));
    }
    page.end_section();
}

/// Draws bars, each with its name, its detail, its length and its figure in words.
pub(crate) fn figure(
    page: &mut Page,
    (title, class): (&str, &'static str),
    bars: impl Iterator<Item = ([String; 2], Option<f64>, String, bool)>,
    bound: Option<(f64, &str)>,
    label: impl Fn(f64) -> String,
) {
    let rows = bars.map(|([name, detail], length, figure, is_bad)| BarRow {
        parts: length
            .map(|length| BarPart {
                class,
                length,
                tip: format!("{name}: {figure}"),
            })
            .into_iter()
            .collect(),
        name,
        detail,
        figure,
        is_bad,
        bounds: bound
            .map(|(at, what)| (at, what.to_owned()))
            .into_iter()
            .collect(),
    });
    let rows: Vec<BarRow> = rows.collect();
    let first = rows
        .iter()
        .take(3)
        .map(|row| format!("{}: {}", row.name, row.figure));
    let description = format!("{}.", first.collect::<Vec<_>>().join("; "));
    page.put(format_args!(
        "<figure>\n<figcaption><b>{}</b></figcaption>\n",
        Escaped(title)
    ));
    page.rows(
        &BarRows {
            title,
            description: &description,
            rows,
        },
        label,
    );
    page.put("</figure>\n");
}
