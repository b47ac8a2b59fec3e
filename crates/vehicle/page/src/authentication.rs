//! Authenticated messages: their outcomes at every ECU that checks, and the values of displays.

use super::PageInput;
use super::tables::report_rows;
use waywarden_report_page::{Page, Sheet};
use waywarden_vehicle_report::report::CheckRow;

pub(super) fn section(page: &mut Page, source: &PageInput<'_>) {
    let report = source.report;
    let is_empty = report.authentication.is_empty() && report.first_authentic.is_empty();
    if is_empty && report.displays.is_empty() {
        return;
    }
    let explanation = "A message counts as forged if it was taken though its sender did not send \
                       it, or sent it only once and it came again: that is known to the run, not \
                       to a protocol.";
    page.section("messages", "Authentic messages", explanation);
    if !report.authentication.is_empty() {
        report_rows(page, "Authentication", false, &report.authentication);
    }
    for one in &report.authentication {
        let checks: &[CheckRow] = &one.checks;
        let caption = format!("Checks of {}: {}", one.authentication, checks.len());
        report_rows(page, &caption, true, checks);
    }
    if !report.first_authentic.is_empty() {
        let streams = report.first_authentic.len();
        let caption = format!("First authentic messages of streams: {streams}");
        report_rows(page, &caption, true, &report.first_authentic);
    }
    if !report.displays.is_empty() {
        report_rows(page, "Displays", false, &report.displays);
    }
    for display in &report.displays {
        let cells = display.changes.iter();
        let cells = cells.map(|one| vec![format!("{:.3}", one.at_ms), one.shows.clone()]);
        let rows: Vec<Vec<String>> = cells.collect();
        let caption = format!("{} {}: {} changes", display.ecu, display.module, rows.len());
        page.sheet(
            &Sheet {
                caption: &caption,
                headers: &["ms", "what it shows"],
                numbers: 0..1,
                folded: true,
            },
            &rows,
        );
    }
    page.end_section();
}
