//! The top of the page: the decision, the missed requirements, and the main figures.

mod latency;

use std::collections::BTreeSet;

use super::PageInput;
use waywarden_report_page::{Escaped, Page, Standing, Tile};
use waywarden_vehicle_file::formatting::{count, percent, short, span};
use waywarden_vehicle_report::report::{AttackerAction, BusRow, EcuRow};
use waywarden_vehicle_report::require::{Requirement, RequirementVerdict};

/// Limit on missed requirements at the top; the table of requirements has all.
const MISSED_MAX: usize = 5;

pub(super) fn header(page: &mut Page, source: &PageInput<'_>) {
    let (file, report) = (source.file, source.report);
    page.put(format_args!(
        "<header>\n<h1>{}</h1>\n",
        Escaped(&report.vehicle)
    ));
    if !file.description.is_empty() {
        page.put(format_args!(
            "<p class=\"lead\">{}</p>\n",
            Escaped(&file.description)
        ));
    }
    decision(page, &report.requirements);
    facts(page, source);
    if let Some(offsets) = source.report.offsets_text() {
        page.note(&offsets);
    }
    page.tiles(&tiles(source));
    missed(page, &report.requirements);
    page.put("</header>\n");
}

fn decision(page: &mut Page, all: &[RequirementVerdict]) {
    let met = all.iter().filter(|verdict| verdict.met).count();
    let (standing, words) = match (all.len(), met) {
        (0, _) => (
            Standing::Neutral,
            "The vehicle file states no requirements.".to_owned(),
        ),
        (all, met) if met == all => (
            Standing::Good,
            format!("Met: {met} of {all} requirements are met."),
        ),
        (all, met) => (
            Standing::Bad,
            format!(
                "Missed: {} of {all} requirements are missed; {met} are met.",
                all - met
            ),
        ),
    };
    page.verdict(standing, &words);
}

fn facts(page: &mut Page, source: &PageInput<'_>) {
    let (file, report) = (source.file, source.report);
    let start_up = report.start_up_ms;
    let start_up = start_up.map_or("not by the end".to_owned(), |ms| {
        format!("after {ms:.3} ms")
    });
    let keys = match (report.is_keyed(), report.keys_ms) {
        (false, _) => String::new(),
        (true, None) => " Not all keys were in place by the end.".to_owned(),
        (true, Some(keys)) => format!(" All keys were in place after {keys:.3} ms."),
    };
    page.put(format_args!(
        "<p class=\"facts\">{} s simulated with seed {}, by Waywarden {}: {}, {}, {}. Every stream \
         had reached all its receivers {start_up}.{keys}</p>\n",
        short(report.duration_ms / 1e3),
        report.seed,
        env!("CARGO_PKG_VERSION"),
        buses(file.buses.len()),
        count(file.ecus.len() as u64, "ECU"),
        count(file.streams.len() as u64, "stream"),
    ));
}

fn buses(number: usize) -> String {
    match number {
        1 => "1 bus".to_owned(),
        several => format!("{several} buses"),
    }
}

/// Lists the missed requirements: each with its measured value, bound and cause.
fn missed(page: &mut Page, all: &[RequirementVerdict]) {
    let missed: Vec<&RequirementVerdict> = all.iter().filter(|verdict| !verdict.met).collect();
    if missed.is_empty() {
        return;
    }
    page.put("<ul class=\"missed\">\n");
    for one in diverse(&missed).into_iter().take(MISSED_MAX) {
        let because = match one.cause {
            Some(_) => "; missed because:",
            None => "",
        };
        page.put(format_args!(
            "<li><b>{}</b> <span>measured</span> <b class=\"bad\">{}</b><span>, required \
             {}{because}</span> <span>{}</span>",
            Escaped(&one.title),
            Escaped(&one.measured_text),
            Escaped(&one.required_text),
            Escaped(one.cause.as_deref().unwrap_or_default())
        ));
        page.put(format_args!(
            " <span class=\"place\">{}</span>",
            Escaped(&one.place)
        ));
        if let Some(message) = &one.explain {
            let file = one.place.split(':').next().unwrap_or_default();
            page.put(format_args!(
                " <code>waywarden run {} --explain {}</code>",
                Escaped(file),
                Escaped(message)
            ));
        }
        page.put("</li>\n");
    }
    page.put("</ul>\n");
    if missed.len() > MISSED_MAX {
        let more = missed.len() - MISSED_MAX;
        page.note(&format!(
            "{more} more are missed: the table of requirements has all."
        ));
    }
}

/// Puts the worst one of each kind, such as latency or bus load, before the others.
fn diverse<'a>(missed: &[&'a RequirementVerdict]) -> Vec<&'a RequirementVerdict> {
    let mut missed = missed.to_vec();
    missed.sort_by(|a, b| overrun(b).total_cmp(&overrun(a)));
    let mut seen = BTreeSet::new();
    let (mut first, rest): (Vec<_>, Vec<_>) = missed
        .into_iter()
        .partition(|one| seen.insert(one.requirement));
    first.sort_by_key(|one| one.requirement);
    first.extend(rest);
    first
}

/// Returns the factor by which a bound was missed; infinite if nothing was measured, or was lost.
fn overrun(verdict: &RequirementVerdict) -> f64 {
    match verdict.measured {
        Some(measured) if verdict.instances_lost == 0 => measured / verdict.required.max(1e-9),
        _ => f64::INFINITY,
    }
}

fn tiles(source: &PageInput<'_>) -> Vec<Tile> {
    let tiles = [
        bus_load(source),
        cpu_load(source),
        latency::tile(source),
        first_authentic(source),
        attacks(source),
    ];
    tiles.into_iter().flatten().collect()
}

/// Takes the one that is farthest beyond its limit, or else the highest load.
fn worst_load<'a, R>(
    rows: &'a [R],
    load: impl Fn(&R) -> f64,
    limit: impl Fn(usize) -> Option<f64>,
) -> Option<(&'a R, Option<f64>)> {
    let rows = rows.iter().enumerate();
    let rows = rows.map(|(at, row)| (row, limit(at)));
    let rank = |(row, limit): &(&'a R, Option<f64>)| {
        let is_missed = limit.is_some_and(|limit| load(row) > limit);
        (is_missed, load(row))
    };
    rows.reduce(|most, one| {
        let ((a, most_load), (b, load)) = (rank(&most), rank(&one));
        match (b, load) > (a, most_load) {
            true => one,
            false => most,
        }
    })
}

fn bus_load(source: &PageInput<'_>) -> Option<Tile> {
    let limits = &source.file.require.bus_load;
    let limit = |at: usize| {
        let own = limits.iter().find(|(bus, _)| bus.0 == at);
        own.map(|(_, limit)| limit.value)
    };
    let (row, limit): (&BusRow, _) = worst_load(&source.report.buses, |row| row.load, limit)?;
    let peak = percent(row.peak_load);
    let mut by_purpose = source.report.security_load.iter();
    let by_purpose = by_purpose.find(|one| one.bus == row.bus && one.other > 0.0);
    let without = by_purpose.map_or(String::new(), |one| {
        format!("; {} without attackers and replays", percent(one.after()))
    });
    Some(Tile {
        label: "Worst bus load".to_owned(),
        value: percent(row.load),
        detail: format!(
            "{} over the whole run{}; {peak} in the busiest 100 ms{without}",
            row.bus,
            of(limit)
        ),
        standing: standing(row.load, limit),
    })
}

fn cpu_load(source: &PageInput<'_>) -> Option<Tile> {
    let limits = &source.file.require.cpu_load;
    let limit = |at: usize| {
        let own = limits.iter().find(|(ecu, _)| ecu.0 == at);
        own.map(|(_, limit)| limit.value)
    };
    let load = |row: &EcuRow| row.receive_load + row.send_load + row.crypto_load;
    let (row, limit) = worst_load(&source.report.ecus, load, limit)?;
    let peak = percent(row.peak_load);
    Some(Tile {
        label: "Worst processor load".to_owned(),
        value: percent(load(row)),
        detail: format!(
            "{} over the whole run{}; {peak} in the busiest 100 ms{}",
            row.ecu,
            of(limit),
            ideal(source)
        ),
        standing: standing(load(row), limit),
    })
}

fn of(limit: Option<f64>) -> String {
    limit.map_or(", no limit required".to_owned(), |limit| {
        format!(", limit {}", percent(limit))
    })
}

fn standing(value: f64, limit: Option<f64>) -> Standing {
    match limit {
        None => Standing::Neutral,
        Some(limit) if value <= limit => Standing::Good,
        Some(_) => Standing::Bad,
    }
}

/// Says of a figure that computing has no share in it.
fn ideal(source: &PageInput<'_>) -> &'static str {
    let report = source.report;
    match report.ideal_ecus.len() {
        0 => "",
        ideal if ideal == source.file.ecus.len() => "; computing takes no time (board ideal)",
        _ => "; computing takes no time on some ECUs (board ideal)",
    }
}

/// The last of the first authentic messages after power-on.
fn first_authentic(source: &PageInput<'_>) -> Option<Tile> {
    let rows = source.report.first_authentic.iter();
    let time = |ms: Option<f64>| ms.unwrap_or(f64::INFINITY);
    let last = rows.reduce(
        |most, one| match time(one.power_on_ms) > time(most.power_on_ms) {
            true => one,
            false => most,
        },
    );
    let label = "First authentic messages".to_owned();
    let Some(last) = last else {
        return Some(Tile {
            label,
            value: "none".to_owned(),
            detail: "no stream is authenticated".to_owned(),
            standing: Standing::Neutral,
        });
    };
    let mut asked = source.report.requirements.iter();
    let is_asked =
        |one: &&RequirementVerdict| one.requirement == Requirement::FirstAuthenticMessage;
    let is_met = asked.clone().filter(is_asked).all(|one| one.met);
    let is_any = asked.any(|one| is_asked(&one));
    Some(Tile {
        label,
        value: last.power_on_ms.map_or("not by the end".to_owned(), span),
        detail: format!(
            "after power-on; the last: {} at {}",
            last.stream, last.power_on_ecu
        ),
        standing: match (is_any, is_met) {
            _ if last.power_on_ms.is_none() => Standing::Bad,
            (false, _) => Standing::Neutral,
            (true, true) => Standing::Good,
            (true, false) => Standing::Bad,
        },
    })
}

/// The attacks after which an ECU had taken something that was not genuine.
fn attacks(source: &PageInput<'_>) -> Option<Tile> {
    let all = source.report.attacks.iter();
    let all = all.filter(|row| row.action != AttackerAction::Fault && row.actions > 0);
    let denying = all.clone().filter(|row| row.denies_service()).count();
    let all = all.filter(|row| !row.denies_service());
    let number = all.clone().count();
    let reached = all.filter(|row| row.taken + row.key_deceptions > 0);
    let reached: Vec<&str> = reached.map(|row| row.name.as_str()).collect();
    let (value, detail, standing) = match (number, reached.len()) {
        (0, _) => (
            "none".to_owned(),
            "nothing was forged".to_owned(),
            Standing::Neutral,
        ),
        (all, 0) => (
            format!("0 of {all}"),
            "no ECU took a forged message or key".to_owned(),
            Standing::Good,
        ),
        (all, some) => (format!("{some} of {all}"), named(&reached), Standing::Bad),
    };
    let detail = match denying {
        0 => detail,
        some => format!("{detail}; {some} more drop, destroy or delay messages"),
    };
    Some(Tile {
        label: "Forgeries that reached an ECU".to_owned(),
        value,
        detail,
        standing,
    })
}

/// Names the first three.
pub(super) fn named(names: &[&str]) -> String {
    let first = names.iter().take(3).copied().collect::<Vec<_>>();
    match names.len().saturating_sub(3) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
