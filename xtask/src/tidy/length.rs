//! A file is read in one sitting: at most 400 lines, without the tests in it. Tests of more than
//! 150 lines stand in a sibling file, of which the same is wanted.

use super::Finding;
use super::size::{self, FileSize};
use super::tree::Tree;

/// Above this a file is refused.
pub(super) const LINES_MAX: usize = 400;
/// Above this, tests inside a file are refused.
const TESTS: usize = 150;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = judge(&size::files(tree));
    findings.extend(long_tests_inside(tree));
    findings
}

fn judge(files: &[FileSize]) -> Vec<Finding> {
    let long = files.iter().filter(|file| file.lines > LINES_MAX);
    long.map(|file| {
        let wrong = format!("{} lines", file.lines);
        let right = format!("at most {LINES_MAX}: split it by concern");
        Finding::error(&file.path, LINES_MAX, wrong, right)
    })
    .collect()
}

fn long_tests_inside(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.sources() {
        let tests = source.test.iter().filter(|test| **test).count();
        if tests > TESTS && source.test.iter().any(|test| !test) {
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
    use super::*;

    fn judged(path: &str, lines: usize) -> usize {
        let text = "//! x\n".repeat(lines);
        judge(&size::files(&Tree::of(&[(path, &text)]))).len()
    }

    #[test]
    fn long_files_are_found() {
        for path in ["crates/can/src/a.rs", "crates/can/tests/all/a.rs"] {
            assert_eq!(judged(path, 400), 0);
            assert_eq!(judged(path, 401), 1);
        }
    }

    #[test]
    fn long_tests_inside_are_found() {
        let tests = format!(
            "fn f() {{}}\n#[cfg(test)]\nmod tests {{\n{}}}\n",
            "// x\n".repeat(150)
        );
        let tree = Tree::of(&[("crates/can/src/a.rs", &tests)]);
        assert_eq!(long_tests_inside(&tree).len(), 1);
    }
}
