//! Key protocols: time of each ECU's first key or authentication, and its cost.

use super::PageInput;
use super::tables::report_rows;
use waywarden_report_page::{Page, Sheet};
use waywarden_vehicle_report::report::{
    AuthenticatedRow, CarriedRow, KindRow, MergedRow, ModuleBootRow, PartyRow, ProtectedRow,
    StepRow, SubgroupRow,
};

pub(super) fn section(page: &mut Page, source: &PageInput<'_>) {
    let groups = &source.report.groups;
    if groups.is_empty() {
        return;
    }
    let explanation = "When all ECUs of a group had their first key, counted from power-on and \
                       from the orchestrator's beginning; frames are counted on each bus that \
                       carries them. The time line has a window for each group's first key.";
    page.section("keys", "Group keys", explanation);
    report_rows(page, "Groups", false, groups);
    for group in groups {
        let networks: &[MergedRow] = &group.networks;
        if !networks.is_empty() {
            let caption = format!("Networks of group {}: {}", group.group, networks.len());
            report_rows(page, &caption, false, networks);
        }
        let subgroups: &[SubgroupRow] = &group.subgroups;
        let caption = format!("Subgroups of group {}: {}", group.group, subgroups.len());
        report_rows(page, &caption, true, subgroups);
        let parties: &[PartyRow] = &group.ecus;
        let caption = format!("ECUs of group {}: {}", group.group, parties.len());
        report_rows(page, &caption, true, parties);
        let cells = |row: &StepRow| vec![row.step.to_owned(), row.frames.to_string()];
        let rows: Vec<Vec<String>> = group.steps.iter().map(cells).collect();
        page.sheet(
            &Sheet {
                caption: &format!("Frames of group {}: {}", group.group, group.frames),
                headers: &["step", "frames"],
                numbers: 1..2,
                folded: true,
            },
            &rows,
        );
    }
    page.end_section();
}

/// Writes the section on security modules: authentications, protected streams, and the outcomes of
/// forged frames.
pub(super) fn authorization(page: &mut Page, source: &PageInput<'_>) {
    let networks = &source.report.security_modules;
    if networks.is_empty() {
        return;
    }
    let explanation = "All are authorized when every ECU is authenticated and has the keys of the \
                       streams whose windows have begun by then. Bytes for all are those of messages \
                       that all hears. Frames stopped had a wrong tag, were replayed or \
                       were under an unknown key; their receivers refused them. Those without key \
                       came while their receiver had none of the stream, and those without room \
                       while as many as it keeps waited to be opened.";
    page.section(
        "authorization",
        "Authentication and authorization",
        explanation,
    );
    report_rows(page, "Security modules", false, networks);
    for network in networks {
        let ecus: &[AuthenticatedRow] = &network.ecus;
        let caption = format!("ECUs of {}: {}", network.network, ecus.len());
        report_rows(page, &caption, true, ecus);
        let lives: &[ModuleBootRow] = &network.boots;
        if lives.len() > 1 {
            let caption = format!("Boots of the security module of {}", network.network);
            report_rows(page, &caption, false, lives);
        }
        let streams: &[ProtectedRow] = &network.streams;
        let caption = format!(
            "Protected streams of {}: {}",
            network.network,
            streams.len()
        );
        report_rows(page, &caption, true, streams);
        let cells = |row: &KindRow| {
            let CarriedRow {
                frames,
                bytes,
                bus_ms,
            } = row.carried;
            let whom = if row.amortised { "all" } else { "one" };
            let (frames, bytes) = (frames.to_string(), bytes.to_string());
            vec![
                row.kind.to_owned(),
                whom.to_owned(),
                frames,
                bytes,
                format!("{bus_ms:.3}"),
            ]
        };
        let rows: Vec<Vec<String>> = network.kinds.iter().map(cells).collect();
        page.sheet(
            &Sheet {
                caption: &format!(
                    "Messages of {}: {}",
                    network.network, network.messages.frames
                ),
                headers: &["message", "for", "frames", "bytes", "bus ms"],
                numbers: 2..5,
                folded: true,
            },
            &rows,
        );
    }
    page.end_section();
}
