//! The requirements one by one: the bound, the measured value, and the cause of a miss.

use super::PageInput;
use waywarden_report_page::{Page, Sheet};
use waywarden_vehicle_report::require::RequirementVerdict;

/// Tables of more rows are folded: those at the top have been read.
const SHOWN_MAX: usize = 8;

pub(super) fn section(page: &mut Page, source: &PageInput<'_>) {
    let all = &source.report.requirements;
    if all.is_empty() {
        return;
    }
    page.section("requirements", "Requirements", "");
    let missed = rows(all.iter().filter(|verdict| !verdict.met));
    if !missed.is_empty() {
        let caption = format!("Missed: {}", missed.len());
        let headers = ["requirement", "required", "measured", "place", "because"];
        page.sheet(
            &Sheet {
                caption: &caption,
                headers: &headers,
                numbers: 1..2,
                folded: missed.len() > SHOWN_MAX,
            },
            &missed,
        );
    }
    let met = rows(all.iter().filter(|verdict| verdict.met));
    if !met.is_empty() {
        let caption = format!("Met: {}", met.len());
        let headers = ["requirement", "required", "measured", "place"];
        page.sheet(
            &Sheet {
                caption: &caption,
                headers: &headers,
                numbers: 1..2,
                folded: met.len() > SHOWN_MAX,
            },
            &met,
        );
    }
    page.end_section();
}

fn rows<'a>(verdicts: impl Iterator<Item = &'a RequirementVerdict>) -> Vec<Vec<String>> {
    let row = |verdict: &RequirementVerdict| {
        let RequirementVerdict {
            title,
            required_text,
            measured_text,
            place,
            cause,
            ..
        } = verdict;
        let cells = [title, required_text, measured_text, place]
            .into_iter()
            .chain(cause);
        cells.cloned().collect()
    };
    verdicts.map(row).collect()
}
