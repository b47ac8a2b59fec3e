//! Attacks by protection: number of messages that receivers accepted and refused, by receiver.

use std::collections::BTreeMap;

use super::PageInput;
use super::summary::named;
use waywarden_report_page::{Escaped, Page};
use waywarden_vehicle_file::{StreamIndex, VehicleFile};
use waywarden_vehicle_report::report::{AttackRow, AttackerAction};

/// Protection of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Protector {
    /// An authentication, by its place in the vehicle file.
    Authentication(usize),
    /// The keys that a security module grants, by its place there.
    SecurityModule(usize),
    /// No protection.
    None,
}

/// Result of an attack on the streams that a column stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Cell {
    /// It targets none of them.
    NotAimed,
    /// It never acted.
    NeverRan,
    /// Messages that receivers took and refused while it acted, by ECU.
    Met {
        taken: BTreeMap<usize, u64>,
        refused: BTreeMap<usize, u64>,
    },
}

pub(super) fn section(page: &mut Page, source: &PageInput<'_>) {
    let columns = columns(source);
    let rows: Vec<(usize, &AttackRow)> = attacks(source).collect();
    let has_keys = source.report.is_keyed();
    if rows.is_empty() || (columns.is_empty() && !has_keys) {
        return;
    }
    let explanation = "Messages of each authentication while an attack on its streams acts. Taken: \
                       receivers took messages that the sender did not send. Refused: a check \
                       refused them; genuine messages are among these where an attack spoils or \
                       delays them. An attack that drops, destroys or delays messages forges \
                       nothing, and no authentication stops it: see the latencies.";
    page.section("attack-matrix", "Attacks by protocol", explanation);
    page.put(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Attacks by protocol\">\
         <table class=\"matrix\">\n<thead><tr><th scope=\"col\">attack</th>",
    );
    for column in &columns {
        let (name, protocol) = title(source.file, *column);
        page.put(format_args!(
            "<th scope=\"col\">{}<br /><span>{}</span></th>",
            Escaped(&name),
            Escaped(&protocol)
        ));
    }
    if has_keys {
        page.put("<th scope=\"col\">exchange of keys</th>");
    }
    page.put("</tr></thead>\n<tbody>\n");
    for (at, row) in rows {
        page.put(format_args!(
            "<tr><th scope=\"row\">{}<br /><span>{}</span></th>",
            Escaped(&row.name),
            Escaped(&row.what)
        ));
        for column in &columns {
            match row.denies_service() {
                true => page.put("<td class=\"cell\">\u{2013} forges nothing</td>"),
                false => show(page, source, &cell(source, (at, row), *column)),
            }
        }
        if has_keys {
            show_keys(page, row);
        }
        page.put("</tr>\n");
    }
    page.put("</tbody></table></div>\n");
    page.end_section();
}

/// Returns attackers and interferers, with their places in the vehicle file: faults are not after
/// messages.
fn attacks<'a>(source: &PageInput<'a>) -> impl Iterator<Item = (usize, &'a AttackRow)> {
    let all = source.report.attacks.iter().enumerate();
    all.filter(|(_, row)| row.action != AttackerAction::Fault)
}

/// Returns the protections of the streams that an attack targets, in the vehicle file's order.
fn columns(source: &PageInput<'_>) -> Vec<Protector> {
    let forgeries = &source.outcome.measure.forgeries;
    let streams = 0..source.file.streams.len();
    let attacked =
        streams.filter(|at| attacks(source).any(|(attack, _)| forgeries.is_after(attack, *at)));
    let mut columns: Vec<Protector> = attacked.map(|at| protector(source.file, at)).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

fn protector(file: &VehicleFile, stream: usize) -> Protector {
    if let Some((at, _)) = file.authentication_of(StreamIndex(stream)) {
        return Protector::Authentication(at);
    }
    let mut networks = file.lasan.iter();
    let granted = networks.position(|one| one.protected.iter().any(|line| line.stream.0 == stream));
    granted.map_or(Protector::None, Protector::SecurityModule)
}

/// Returns the name of a column, and its protocol.
fn title(file: &VehicleFile, column: Protector) -> (String, String) {
    match column {
        Protector::Authentication(at) => {
            let table = &file.authentications[at];
            (table.name.value.clone(), table.protocol_name())
        }
        Protector::SecurityModule(at) => {
            let lasan = &file.lasan[at];
            let profile = lasan.profile.name();
            (lasan.name.value.clone(), format!("LASAN, {profile}"))
        }
        Protector::None => ("none".to_owned(), "not authenticated".to_owned()),
    }
}

fn cell(source: &PageInput<'_>, (at, row): (usize, &AttackRow), column: Protector) -> Cell {
    let forgeries = &source.outcome.measure.forgeries;
    let mut streams = 0..source.file.streams.len();
    let is_of = |stream: usize| protector(source.file, stream) == column;
    if !streams.any(|stream| forgeries.is_after(at, stream) && is_of(stream)) {
        return Cell::NotAimed;
    }
    if row.actions == 0 {
        return Cell::NeverRan;
    }
    let by_ecu = |counts: &BTreeMap<(String, usize, usize), u64>| {
        let mut ecus = BTreeMap::new();
        let own = counts.iter().filter(|((name, ..), _)| *name == row.name);
        for ((_, _, ecu), times) in own.filter(|((_, stream, _), _)| is_of(*stream)) {
            *ecus.entry(*ecu).or_default() += times;
        }
        ecus
    };
    Cell::Met {
        taken: by_ecu(&forgeries.by_attack),
        refused: by_ecu(&forgeries.refused_by_attack),
    }
}

fn show(page: &mut Page, source: &PageInput<'_>, cell: &Cell) {
    let (taken, refused) = match cell {
        Cell::NotAimed => return page.put("<td class=\"cell\">\u{2013} not aimed at</td>"),
        Cell::NeverRan => return page.put("<td class=\"cell\">\u{2013} never ran</td>"),
        Cell::Met { taken, refused } => (taken, refused),
    };
    let said = |sign: &str, what: &str, ecus: &BTreeMap<usize, u64>| {
        let times: u64 = ecus.values().sum();
        let names = ecus
            .keys()
            .map(|ecu| source.outcome.names.ecus[*ecu].as_str());
        let names: Vec<&str> = names.collect();
        let by = named(&names);
        format!(
            "<b>{sign} {times} {what}</b> <span>by {}</span>",
            Escaped(&by)
        )
    };
    let (class, words) = match (taken.is_empty(), refused.is_empty()) {
        (true, true) => ("cell", "<b>\u{2713} none taken</b>".to_owned()),
        (true, false) => ("cell refused", said("\u{2713}", "refused", refused)),
        (false, true) => ("cell taken", said("\u{2717}", "taken", taken)),
        (false, false) => {
            let (taken, refused) = (
                said("\u{2717}", "taken", taken),
                said("", "refused", refused),
            );
            ("cell taken", format!("{taken}<br />{refused}"))
        }
    };
    page.put(format_args!("<td class=\"{class}\">{words}</td>"));
}

/// Shows the forgeries that ECUs accepted as genuine in the exchange of keys.
fn show_keys(page: &mut Page, row: &AttackRow) {
    let said: Vec<String> = row.key_deceived.iter().map(ToString::to_string).collect();
    match row.key_deceptions {
        0 => page.put("<td class=\"cell\">\u{2713} none taken</td>"),
        times => page.put(format_args!(
            "<td class=\"cell taken\"><b>\u{2717} {times} taken</b> <span>{}</span></td>",
            Escaped(&said.join(", "))
        )),
    }
}
