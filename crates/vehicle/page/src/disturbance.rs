//! Attacks, interference and faults of the vehicle file, and their effect on the run.

use super::PageInput;
use waywarden_report_page::{Page, Sheet};
use waywarden_vehicle_report::report::{AttackRow, Cells, Report};

/// An attack, interference or fault.
pub(super) struct NumberedDisturbance<'a> {
    /// Number in the plots, counted from 1.
    pub(super) number: usize,
    pub(super) row: &'a AttackRow,
    /// Its time window, as shares of the run.
    pub(super) window: (f64, f64),
}

pub(super) fn section(page: &mut Page, source: &PageInput<'_>) {
    let rows: Vec<Vec<String>> = all(source.report)
        .map(|disturbance| {
            [
                vec![disturbance.number.to_string()],
                disturbance.row.cells(),
            ]
            .concat()
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    let explanation = "Attacks, interference and faults as the vehicle file has them. The bus \
                       loads below are shaded while one acts, and carry its number.";
    page.section("disturbance", "What was done to the car", explanation);
    let headers = [&["no."], AttackRow::HEADERS].concat();
    page.sheet(
        &Sheet {
            caption: "Attacks, interference, faults",
            headers: &headers,
            numbers: 0..1,
            folded: false,
        },
        &rows,
    );
    page.end_section();
}

/// Lists attackers, then interferers, then faults, as the file has them.
pub(super) fn all(report: &Report) -> impl Iterator<Item = NumberedDisturbance<'_>> {
    let share = |ms: f64| match report.duration_ms {
        0.0 => 0.0,
        whole => (ms / whole).min(1.0),
    };
    (1..)
        .zip(&report.attacks)
        .map(move |(number, row)| NumberedDisturbance {
            number,
            row,
            window: (share(row.from_ms), share(row.until_ms)),
        })
}
