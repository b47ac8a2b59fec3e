//! Names that reach outside a crate: clocks, sockets, files, threads, globals, random generators.
//! Time and seeds come in as values instead, so that a run can be repeated and a role can run on a
//! bare board.
//!
//! Binds what ships; tests are free.

use super::Finding;
use super::rust::Source;
use super::tree::Tree;
use crate::layers::{self, Environment, Package};

/// A banned name: the segments in a row that betray it, and the remedy.
type Ban = (&'static [&'static str], &'static str);

/// Banned in every crate that does no input or output.
const NO_IO: &[Ban] = &[
    (
        &["std", "time"],
        "take `now: Instant` and `Duration` of waywarden-work",
    ),
    (&["Instant", "now"], "take `now: Instant` from the caller"),
    (&["SystemTime"], "take the time from the caller"),
    (&["std", "net"], "sans-I/O: bytes in, bytes out"),
    (
        &["std", "fs"],
        "take the bytes; opening files is for layers 3 and up, with I/O",
    ),
    (&["std", "env"], "take it as a parameter"),
    (&["std", "process"], "return an error"),
    (&["thread_rng"], "take a seed"),
    (&["from_os_rng"], "take a seed"),
    (&["OsRng"], "take a seed"),
    (&["SysRng"], "take a seed"),
    (&["getrandom"], "take a seed"),
    (
        &["static", "mut"],
        "state lives in a value that the caller owns",
    ),
    (
        &["thread_local"],
        "state lives in a value that the caller owns",
    ),
];

/// Banned in the layers that must also run where there is no operating system.
const LOW_LAYERS: &[Ban] = &[(
    &["std", "thread"],
    "one caller drives a role; run several roles above",
)];

/// The highest layer in which [`LOW_LAYERS`] holds.
const LOW: u8 = 1;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.sources() {
        let Some(package) = layers::of_source(&file.path) else {
            continue;
        };
        for (line, name, right) in banned(package, &file.path, source) {
            let wrong = format!("`{name}` in `{}` (layer {})", package.name, package.layer);
            findings.push(Finding::error(&file.path, line, wrong, right));
        }
    }
    findings
}

/// Returns every use of a banned name: line, name, remedy.
fn banned(package: &Package, path: &str, source: &Source) -> Vec<(usize, String, &'static str)> {
    let mut bans: Vec<Ban> = Vec::new();
    if package.environment != Environment::Io {
        bans.extend_from_slice(NO_IO);
    }
    if package.layer <= LOW {
        bans.extend_from_slice(LOW_LAYERS);
    }
    if package.is_no_std() {
        bans.push((&["std"], "`core`; the crate is no_std"));
    }
    if package.environment == Environment::NoStd && !may_allocate(package, path) {
        bans.push((
            &["alloc"],
            "storage of a stated size; the crate has no allocator",
        ));
    }
    let mut found = Vec::new();
    for path in source
        .paths
        .iter()
        .filter(|path| !source.is_test(path.line))
    {
        let hit = bans.iter().find(|(name, _)| match name {
            // A crate's name counts where it begins a path, so `self::alloc` is not banned.
            ["std" | "alloc", ..] => starts_with(&path.segments, name),
            _ => (0..path.segments.len()).any(|at| starts_with(&path.segments[at..], name)),
        });
        if let Some((name, right)) = hit {
            found.push((path.line, name.join("::"), *right));
        }
    }
    // Names that need no path: imported words, keywords, `extern crate`.
    for (line, code) in source.shipped() {
        let words: Vec<&str> = code
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let hit = bans.iter().find(|(name, _)| match name {
            ["std" | "alloc"] => words.windows(3).any(|w| w == ["extern", "crate", name[0]]),
            ["static", "mut"] => words.windows(2).any(|w| w == *name),
            [word] => words.contains(word),
            _ => false,
        });
        if let Some((name, right)) = hit
            && !found.iter().any(|(at, ..)| *at == line)
        {
            found.push((line, name.join(" "), *right));
        }
    }
    found
}

/// Returns true if the file belongs to the part of a package that allocates if the feature is on.
fn may_allocate(package: &Package, path: &str) -> bool {
    layers::ALLOCATING.iter().any(|(name, place)| {
        let source = format!("{}/src/", package.path());
        let rest = path.strip_prefix(&source).unwrap_or("");
        *name == package.name && (rest == "lib.rs" || rest.starts_with(place))
    })
}

fn starts_with(segments: &[String], name: &[&str]) -> bool {
    segments.len() >= name.len() && name.iter().zip(segments).all(|(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(package: &str, text: &str) -> Vec<String> {
        let path = format!("{}/src/lib.rs", layers::find(package).unwrap().path());
        let findings = check(&Tree::of(&[(path.as_str(), text)]));
        findings.into_iter().map(|finding| finding.wrong).collect()
    }

    #[test]
    fn only_the_folder_that_may_allocate_does() {
        let text = "use alloc::vec::Vec;";
        let wrong = |path: &str| check(&Tree::of(&[(path, text)])).len();
        assert_eq!(wrong("crates/crypto/ecverify/src/verifier/names.rs"), 0);
        assert_eq!(wrong("crates/crypto/ecverify/src/multiply/mod.rs"), 1);
        assert_eq!(wrong("crates/crypto/fourq/src/verifier/names.rs"), 1);
    }

    #[test]
    fn each_banned_name_is_found() {
        for text in [
            "use std::time::Duration;",
            "use std::{fs, io};",
            "fn f() { let t = Instant::now(); }",
            "fn f() { let t = x::SystemTime::UNIX_EPOCH; }",
            "use std::net::TcpStream;",
            "fn f() { std::thread::sleep(d) }",
            "fn f() { std::env::var(x) }",
            "static mut X: u8 = 0;",
            "fn f() { thread_rng().next() }",
            "fn f() { OsRng.fill(b) }",
            "fn f() { getrandom::fill(b) }",
        ] {
            assert_eq!(found("boards", text).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_no_std_package_has_neither_std_nor_an_allocator() {
        assert_eq!(found("can", "use std::fmt;").len(), 1);
        assert_eq!(found("can", "extern crate std;").len(), 1);
        assert_eq!(found("ecu", "use alloc::vec::Vec;").len(), 1);
        assert!(found("v2x-security", "use alloc::vec::Vec;").is_empty());
        assert!(found("can", "use core::fmt;\nuse self::alloc::X;").is_empty());
    }

    #[test]
    fn tests_strings_and_packages_with_io_are_free() {
        assert!(found("can", "#[cfg(test)]\nmod tests {\n    use std::fs;\n}").is_empty());
        assert!(
            found(
                "boards",
                "fn f() -> &'static str { \"std::fs\" } // std::fs"
            )
            .is_empty()
        );
        assert!(found("cli", "use std::fs;").is_empty());
        assert!(found("vehicle-sim", "use std::thread;").is_empty());
        assert_eq!(found("vehicle-sim", "use std::fs;").len(), 1);
    }
}
