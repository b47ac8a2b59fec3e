//! The tour in README.md runs as it is printed.

use std::fs;

use crate::support::{waywarden, workspace};

#[test]
fn every_line_of_the_tour_runs() {
    let readme = fs::read_to_string(workspace().join("README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let outputs = format!("{}/", folder.path().display());
    let mut lines = 0;
    for line in readme.lines() {
        let Some(words) = line.strip_prefix("waywarden ") else {
            continue;
        };
        // Behind two blanks, a remark; a single # is part of a frame.
        let words = words.split_once("  #").map_or(words, |(words, _)| words);
        let arguments = words
            .split_whitespace()
            .map(|word| word.replacen("target/", &outputs, 1));
        let output = waywarden().args(arguments).output().unwrap();
        let expected = match line.contains("exit code 1") {
            true => 1,
            false => 0,
        };
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(expected), "{line}: {complaint}");
        lines += 1;
    }
    assert_eq!(lines, 16);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
}
