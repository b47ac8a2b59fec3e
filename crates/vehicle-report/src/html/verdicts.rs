//! The verdicts: what was required, what the run showed, and why it fell short.

use super::Source;
use super::markup::{Page, escaped};
use super::tables::{Table, table};
use crate::require::Verdict;

/// How many missed requirements are told in full, and how many met ones are shown unfolded.
const SHOWN_MAX: usize = 6;

pub(super) fn section(page: &mut Page, source: &Source<'_>) {
    let all = &source.report.requirements;
    let missed = all.iter().filter(|verdict| !verdict.met).count();
    page.section("requirements", "Requirements", "");
    let (class, sign, text) = match (all.len(), missed) {
        (0, _) => (
            "none",
            "\u{2013}",
            "The vehicle file states no requirements.".to_owned(),
        ),
        (all, 0) => (
            "met",
            "\u{2713}",
            format!("All {all} requirements are met."),
        ),
        (all, missed) => (
            "missed",
            "\u{2717}",
            format!("{missed} of {all} requirements are missed."),
        ),
    };
    page.put(format_args!(
        "<p class=\"verdict {class}\"><span aria-hidden=\"true\">{sign}</span> {text}</p>\n"
    ));
    if missed > 0 {
        page.put("<ul class=\"missed-list\">\n");
        all.iter()
            .filter(|verdict| !verdict.met)
            .take(SHOWN_MAX)
            .for_each(|one| tell(page, one));
        page.put("</ul>\n");
    }
    if missed > SHOWN_MAX {
        let rows = rows(all.iter().filter(|verdict| !verdict.met).skip(SHOWN_MAX));
        let caption = format!("{} more missed", rows.len());
        let headers = ["requirement", "required", "measured", "place", "cause"];
        table(
            page,
            Table {
                caption: &caption,
                headers: &headers,
                numbers: 1..3,
                folded: true,
            },
            &rows,
        );
    }
    let met = rows(all.iter().filter(|verdict| verdict.met));
    if !met.is_empty() {
        let folded = met.len() > SHOWN_MAX;
        let caption = format!("{} met", met.len());
        let headers = ["requirement", "required", "measured", "place"];
        table(
            page,
            Table {
                caption: &caption,
                headers: &headers,
                numbers: 1..3,
                folded,
            },
            &met,
        );
    }
    page.end_section();
}

fn tell(page: &mut Page, verdict: &Verdict) {
    page.put(format_args!(
        "<li><p><b>{}</b> <span class=\"bad\">{}</span> measured, {} required</p>\n",
        escaped(&verdict.title),
        escaped(&verdict.measured_text),
        escaped(&verdict.required_text)
    ));
    if let Some(cause) = &verdict.cause {
        page.put(format_args!("<p>{}</p>\n", escaped(cause)));
    }
    page.put(format_args!(
        "<p class=\"place\">{}</p></li>\n",
        escaped(&verdict.place)
    ));
}

fn rows<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> Vec<Vec<String>> {
    let row = |verdict: &Verdict| {
        let Verdict {
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
