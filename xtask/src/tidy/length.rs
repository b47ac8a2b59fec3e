//! A file is read in one sitting: 400 lines are the aim, 800 the wall. Tests of more than 150 lines
//! stand in a sibling file.

use super::Finding;
use super::tree::Tree;

/// Above this a file is pointed out.
const AIM: usize = 400;
/// Above this a file is refused.
const WALL: usize = 800;
/// Above this, tests inside a file are refused.
const TESTS: usize = 150;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.sources() {
        // The last line break ends a line, it does not begin one.
        let lines =
            source.code.len() - usize::from(source.code.last().is_some_and(String::is_empty));
        let tests = source.test.iter().filter(|test| **test).count();
        if lines > WALL {
            let right = format!("at most {WALL}: split it by concern");
            findings.push(Finding::error(
                &file.path,
                lines,
                format!("{lines} lines"),
                right,
            ));
        } else if lines - tests.min(lines) > AIM {
            let right = format!("{AIM} is the aim");
            findings.push(Finding::warning(
                &file.path,
                lines,
                format!("{lines} lines"),
                right,
            ));
        }
        if tests > TESTS && tests < lines {
            let wrong = format!("{tests} lines of tests inside the file");
            let right = format!("above {TESTS} they stand in a sibling `tests.rs`");
            let first = source.test.iter().position(|test| *test).unwrap_or(0) + 1;
            findings.push(Finding::error(&file.path, first, wrong, right));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::Severity;
    use super::*;

    fn judged(text: &str) -> Vec<Severity> {
        let findings = check(&Tree::of(&[("crates/can/src/a.rs", text)]));
        findings
            .into_iter()
            .map(|finding| finding.severity)
            .collect()
    }

    #[test]
    fn long_files_are_found() {
        assert_eq!(judged(&"//! x\n".repeat(400)), []);
        assert_eq!(judged(&"//! x\n".repeat(401)), [Severity::Warning]);
        assert_eq!(judged(&"//! x\n".repeat(801)), [Severity::Error]);
    }

    #[test]
    fn long_tests_inside_are_found() {
        let tests = format!(
            "fn f() {{}}\n#[cfg(test)]\nmod tests {{\n{}}}\n",
            "// x\n".repeat(150)
        );
        assert_eq!(judged(&tests), [Severity::Error]);
    }
}
