//! A file is read in one sitting: at most 400 lines, without the tests in it. Tests of more than
//! 150 lines stand in a sibling file, of which the same is wanted.

use super::Finding;
use super::size::{self, FileSize};
use super::tree::Tree;

/// Above this a file is refused.
pub(super) const WALL: usize = 400;
/// Above this, tests inside a file are refused.
const TESTS: usize = 150;

/// Files above the wall whose rooms are being cut: they are split on the way. The list only
/// shrinks.
const BEING_CUT: &[&str] = &[];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = judge(&size::files(tree), BEING_CUT);
    findings.extend(long_tests_inside(tree));
    findings
}

fn judge(files: &[FileSize], being_cut: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.lines > WALL) {
        if !being_cut.contains(&&*file.path) {
            let wrong = format!("{} lines", file.lines);
            let right = format!("at most {WALL}: split it by concern");
            findings.push(Finding::error(&file.path, WALL, wrong, right));
        }
    }
    for path in being_cut {
        if !files
            .iter()
            .any(|file| file.path == *path && file.lines > WALL)
        {
            let wrong = format!("{path} is not above {WALL} lines any more");
            let right = "take it off the list of files that are being cut";
            findings.push(Finding::error(file!(), 1, wrong, right));
        }
    }
    findings
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

    fn judged(path: &str, lines: usize, being_cut: &[&str]) -> usize {
        let text = "//! x\n".repeat(lines);
        judge(&size::files(&Tree::of(&[(path, &text)])), being_cut).len()
    }

    #[test]
    fn long_files_are_found() {
        for path in ["crates/can/src/a.rs", "crates/can/tests/all/a.rs"] {
            assert_eq!(judged(path, 400, &[]), 0);
            assert_eq!(judged(path, 401, &[]), 1);
        }
    }

    #[test]
    fn an_exception_holds_as_long_as_it_is_needed() {
        let path = "crates/can/src/a.rs";
        assert_eq!(judged(path, 401, &[path]), 0);
        assert_eq!(judged(path, 400, &[path]), 1);
        assert_eq!(judged(path, 400, &["crates/can/src/gone.rs"]), 1);
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
