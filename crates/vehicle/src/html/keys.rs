//! Groups that agree on keys: when each ECU had its first one, and what it took.

use super::Source;
use super::markup::Page;
use super::tables::{Table, report_rows, table};
use crate::report::{PartyRow, StepRow};

pub(super) fn section(page: &mut Page, source: &Source<'_>) {
    let groups = &source.report.keys;
    if groups.is_empty() {
        return;
    }
    let explanation = "When all ECUs of a group had their first key, counted from power-on and \
                       from the orchestrator's beginning; frames are counted on each bus that \
                       carries them. The time line has a scene for each group's first key.";
    page.section("keys", "Group keys", explanation);
    report_rows(page, "Groups", false, groups);
    for group in groups {
        let parties: &[PartyRow] = &group.ecus;
        let caption = format!("ECUs of group {}: {}", group.group, parties.len());
        report_rows(page, &caption, true, parties);
        let cells = |row: &StepRow| vec![row.step.to_owned(), row.frames.to_string()];
        let rows: Vec<Vec<String>> = group.steps.iter().map(cells).collect();
        table(
            page,
            Table {
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
