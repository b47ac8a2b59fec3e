//! Verdicts on a log as JUnit XML: a test case for each stream.

use waywarden_can_auth_log::{CheckSummary, StreamCounts};
use waywarden_command_line::junit::{JunitCase, JunitResult, JunitSuite};

/// Returns the streams; frames of no stream fail if they are to be authentic as well.
pub(super) fn suite(summary: &CheckSummary, no_unknown: bool) -> JunitSuite {
    let cases = summary.streams.iter().map(|one| case(one, no_unknown));
    JunitSuite {
        name: "waywarden auth check",
        cases: cases.collect(),
    }
}

fn case(counts: &StreamCounts, no_unknown: bool) -> JunitCase {
    let unknown = if no_unknown { counts.unknown } else { 0 };
    let refused = [
        (counts.wrong_tag, "wrong tag"),
        (counts.replay, "replay"),
        (counts.missing, "missing"),
        (counts.tag_without_data, "tag without data"),
        (counts.out_of_step, "out of step"),
        (unknown, "unknown id"),
    ];
    let refused = refused.iter().filter(|(number, _)| *number > 0);
    let words: Vec<String> = refused
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    let found = format!("{} of {} frames authentic", counts.authentic, counts.frames);
    JunitCase {
        class: counts.channel.clone(),
        name: counts.stream.clone(),
        result: match words.is_empty() {
            true => JunitResult::Passed(found),
            false => JunitResult::Failed {
                message: words.join(", "),
                detail: format!("{}: {found}", counts.protocol),
            },
        },
    }
}
