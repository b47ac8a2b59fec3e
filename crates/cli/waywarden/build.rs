//! Finds the commit that the command is built from, for `--version`.

use std::path::Path;
use std::process::Command;

fn main() {
    let commit = git(&["rev-parse", "--short=12", "HEAD"]);
    let is_changed = git(&["status", "--porcelain", "--untracked-files=no"]);
    // A released source has no history; who packs it may say what it is.
    println!("cargo:rerun-if-env-changed=WAYWARDEN_COMMIT");
    let named = std::env::var("WAYWARDEN_COMMIT").ok().or(commit);
    let dirty = is_changed.is_some_and(|changes| !changes.is_empty());
    let text = match named {
        Some(commit) if dirty => format!(" ({commit}, changed)"),
        Some(commit) => format!(" ({commit})"),
        None => String::new(),
    };
    println!("cargo:rustc-env=WAYWARDEN_COMMIT_TEXT={text}");
    // Where the branch that is checked out and its newest commit are written.
    if let Some(folder) = git(&["rev-parse", "--absolute-git-dir"]) {
        let log = Path::new(&folder).join("logs/HEAD");
        if log.is_file() {
            println!("cargo:rerun-if-changed={}", log.display());
        }
    }
}

/// Runs git in this folder; none if there is none, or no history.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
