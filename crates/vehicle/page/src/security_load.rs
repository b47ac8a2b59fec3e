//! Bus load before and after security: the additions of authentication and keys to streams.

use super::PageInput;
use super::tables::report_rows;
use waywarden_report_page::{BarPart, BarRow, BarRows, Page};
use waywarden_vehicle_file::formatting::{percent, short};
use waywarden_vehicle_report::report::SecurityLoadRow;

/// Purposes of a bus's load.
const KINDS: [(&str, &str); 5] = [
    ("c1", "streams without authentication"),
    ("c3", "authenticators"),
    ("c2", "freshness announcements"),
    ("c4", "exchange of keys"),
    ("other", "attackers, replays and other frames"),
];

pub(super) fn section(page: &mut Page, source: &PageInput<'_>) {
    let rows = &source.report.security_load;
    if rows.is_empty() {
        return;
    }
    let explanation = "Load over the whole run by what frames are for. Before: each frame of a \
                       stream as it would be without authentication, computed bit by bit, stuff \
                       bits among them, from the payload that was sent (of an encrypted stream from \
                       the encrypted bytes). After: what was on the bus, without attackers and \
                       replays. Whole: with them, the load that tiles, limits and the other \
                       sections are about. The difference of before and after is what freshness and code add to frames, frames of their own \
                       for codes, questions and answers, announcements of freshness, and the \
                       exchange of keys. A dashed line is a required limit of the whole load.";
    page.section(
        "security-load",
        "Bus load before and after security",
        explanation,
    );
    page.put("<p class=\"legend\">");
    for (class, name) in KINDS {
        page.put(format_args!(
            "<span><i class=\"key {class}\"></i>{name}</span> "
        ));
    }
    page.put("</p>\n<figure>\n");
    let words = rows
        .iter()
        .map(|row| format!("{}: {}", row.bus, row.words()));
    let plot = BarRows {
        title: "Bus load before and after security",
        description: &format!("{}.", words.collect::<Vec<_>>().join("; ")),
        rows: rows
            .iter()
            .enumerate()
            .map(|one| bar(source, one))
            .collect(),
    };
    page.rows(&plot, |value| format!("{} %", short(value)));
    page.put("</figure>\n");
    report_rows(page, "Load by purpose", false, rows);
    page.end_section();
}

fn bar(source: &PageInput<'_>, (bus, row): (usize, &SecurityLoadRow)) -> BarRow {
    let loads = [
        row.before,
        row.authenticators,
        row.freshness,
        row.keys,
        row.other,
    ];
    let parts = KINDS.iter().zip(loads).map(|((class, kind), load)| {
        let tip = format!("{}: {kind}, {}", row.bus, percent(load));
        BarPart {
            class,
            length: load * 100.0,
            tip,
        }
    });
    let mut bounds = source.file.require.bus_load.iter();
    let bound = bounds.find(|(which, _)| which.0 == bus);
    let bound = bound.map(|(_, bound)| bound.value);
    BarRow {
        name: row.bus.clone(),
        figure: row.words(),
        detail: String::new(),
        is_bad: bound.is_some_and(|bound| row.whole() > bound),
        parts: parts.collect(),
        bounds: bound
            .map(|bound| (bound * 100.0, format!("limit {}", percent(bound))))
            .into_iter()
            .collect(),
    }
}
