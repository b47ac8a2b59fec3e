//! Checked files as JUnit XML: a test case for each finding, and one for each file without any.

use waywarden_command_line::junit::{JunitCase, JunitResult, JunitSuite};

use super::document::{CheckedFile, Finding};

/// Returns the findings; warnings fail if they are taken as seriously as errors.
pub(super) fn suite(checked: &[CheckedFile], is_strict: bool) -> JunitSuite {
    JunitSuite {
        name: "waywarden check",
        cases: checked
            .iter()
            .flat_map(|one| cases(one, is_strict))
            .collect(),
    }
}

fn cases(one: &CheckedFile, is_strict: bool) -> Vec<JunitCase> {
    let errors = one.errors.iter().map(|finding| (finding, true));
    let warnings = one.warnings.iter().map(|finding| (finding, is_strict));
    let found = errors.chain(warnings).map(|(finding, fails)| JunitCase {
        class: one.file.clone(),
        name: place(finding),
        result: match fails {
            true => JunitResult::Failed {
                message: finding.message.clone(),
                detail: one.lines_of(std::slice::from_ref(finding)).collect(),
            },
            false => JunitResult::Passed(format!("warning: {}", finding.message)),
        },
    });
    // A summary is there if the file is sound, whatever warnings it has.
    let whole = one.summary.clone().map(|summary| JunitCase {
        class: one.file.clone(),
        name: "file".to_owned(),
        result: JunitResult::Passed(summary),
    });
    whole.into_iter().chain(found).collect()
}

fn place(finding: &Finding) -> String {
    match (finding.line, finding.column) {
        (Some(line), Some(column)) => format!("line {line}, column {column}"),
        _ => "file".to_owned(),
    }
}
