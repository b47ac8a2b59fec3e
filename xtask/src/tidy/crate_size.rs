//! One person understands a crate in a week: at most 12,000 lines without its tests. Prints the
//! sizes of all crates, too (`cargo xtask sizes`).

use super::Finding;
use super::size::{self, FileSize, PackageSize};
use super::tree::Tree;

/// Above this a crate is refused.
const LINES_MAX: usize = 12_000;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    judge(&size::packages(tree))
}

fn judge(packages: &[PackageSize]) -> Vec<Finding> {
    let large = packages.iter().filter(|package| package.lines > LINES_MAX);
    large
        .map(|package| {
            let wrong = format!(
                "crate `{}` has {} lines without its tests",
                package.name, package.lines
            );
            let right = format!("at most {LINES_MAX}: split it at a seam");
            Finding::error(&package.longest.path, 1, wrong, right)
        })
        .collect()
}

/// Writes the sizes of the crates, and the files above [`super::length::LINES_MAX`], for people.
pub(super) fn table(tree: &Tree) -> String {
    let mut text = format!(
        "{:<20} {:>7} {:>6}  longest file\n",
        "crate", "lines", "files"
    );
    for package in size::packages(tree) {
        text += &format!(
            "{:<20} {:>7} {:>6}  {} {}\n",
            package.name, package.lines, package.files, package.longest.lines, package.longest.path
        );
    }
    let long = long_files(tree);
    text += &format!(
        "\nfiles above {} lines: {}\n",
        super::length::LINES_MAX,
        long.len()
    );
    for file in long {
        let kind = if file.test { " (test)" } else { "" };
        text += &format!("{:>7} {}{kind}\n", file.lines, file.path);
    }
    text
}

/// Writes the same for programs, as JSON.
pub(super) fn json(tree: &Tree) -> String {
    let sizes = serde_json::json!({
        "crates": size::packages(tree),
        "longFiles": long_files(tree),
    });
    format!("{sizes:#}\n")
}

/// The files with too many lines, the longest first.
fn long_files(tree: &Tree) -> Vec<FileSize> {
    let mut long = size::files(tree);
    long.retain(|file| file.lines > super::length::LINES_MAX);
    long.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.path.cmp(&b.path)));
    long
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree_with(lines: usize) -> Tree {
        let text = "//! x\n".repeat(lines / 40);
        let files: Vec<String> = (0..40)
            .map(|file| format!("crates/can/can/src/{file}.rs"))
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|path| (&**path, &*text)).collect();
        Tree::of(&files)
    }

    #[test]
    fn large_packages_are_found() {
        assert_eq!(judge(&size::packages(&tree_with(12_000))), []);
        let found = judge(&size::packages(&tree_with(12_040)));
        assert_eq!(found.len(), 1);
        assert!(
            found[0].wrong.contains("`can/can` has 12040"),
            "{}",
            found[0]
        );
    }

    #[test]
    fn sizes_are_printed() {
        let tree = Tree::of(&[
            ("crates/can/can/src/lib.rs", &"//! x\n".repeat(401)),
            ("crates/can/can/tests/all/main.rs", &"//! x\n".repeat(402)),
        ]);
        let table = table(&tree);
        let row = "can/can                  401      1  401 crates/can/can/src/lib.rs\n";
        assert!(table.contains(row), "{table}");
        let long =
            "\nfiles above 400 lines: 2\n    402 crates/can/can/tests/all/main.rs (test)\n    401 ";
        assert!(table.contains(long), "{table}");
        let json: serde_json::Value = serde_json::from_str(&json(&tree)).unwrap();
        assert_eq!(json["crates"][0]["lines"], 401);
        assert_eq!(json["longFiles"][0]["test"], true);
    }
}
