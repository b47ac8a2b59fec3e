//! Every command that README.md and docs/ print runs as it is printed, in a copy of `examples/`,
//! ends with the exit code that the page states, and leaves nothing outside `target/`.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use assert_cmd::cargo::cargo_bin;

use crate::support::workspace;

/// Commands that this test does not run, and why.
const SKIPPED: &[(&str, &str)] = &[
    (
        "make demo",
        "builds a release; `waywarden demo` has tests of its own",
    ),
    ("make test", "runs this test"),
    (
        "waywarden demo ",
        "has tests of its own, which take as long",
    ),
    (
        "alias ",
        "names the command of a release build; the test has its own",
    ),
    (
        "tshark ",
        "runs until it is ended, and needs the right to capture",
    ),
    (
        "waywarden station --message cam ",
        "runs until it is ended; tests of its own start several",
    ),
    (
        "waywarden station --service ",
        "needs a service; `serve::stations` has both",
    ),
    (
        "waywarden serve service.toml ",
        "runs until it is ended; `serve` has tests of its own",
    ),
    ("ip link ", "needs an administrator and a CAN interface"),
    ("python3 -m venv ", "installs SUMO, half a gigabyte"),
    (
        "waywarden traffic sweep ",
        "needs SUMO; `traffic_sweep` has a stand-in for it",
    ),
    (
        "waywarden compare examples/compact-car.toml ",
        "59 variants take many minutes in a test build",
    ),
];

/// The pages that print commands, so that a page of which none is found any more is noticed.
const PAGES: &[&str] = &[
    "README.md",
    "docs/README.md",
    "docs/auth.md",
    "docs/boards.md",
    "docs/bus-bound.md",
    "docs/check.md",
    "docs/compare.md",
    "docs/keys.md",
    "docs/linux.md",
    "docs/papers.md",
    "docs/pki.md",
    "docs/pseudonyms.md",
    "docs/schedule.md",
    "docs/service.md",
    "docs/start-up.md",
    "docs/station-link.md",
    "docs/stations.md",
    "docs/traffic-radio.md",
    "docs/traffic-scenarios.md",
    "docs/v2x-tutorial.md",
    "docs/verify.md",
];

/// A command of a page, with the exit code that stands behind it.
#[derive(Debug, PartialEq, Eq)]
struct Printed {
    command: String,
    code: i32,
}

/// Returns the commands of a page: the lines of blocks that are marked `sh`, and of blocks that
/// are marked `console` those behind a prompt.
fn commands(page: &str) -> Vec<Printed> {
    let mut block = None;
    let mut found = Vec::new();
    for line in page.lines() {
        if let Some(mark) = line.strip_prefix("```") {
            block = match block {
                None => Some(mark),
                Some(_) => None,
            };
            continue;
        }
        let command = match block {
            Some("sh") => Some(line),
            Some("console") => line.strip_prefix("$ "),
            _ => None,
        };
        found.extend(command.and_then(printed));
    }
    found
}

/// Parts a command from its remark, which stands behind blanks: a single # is part of a frame.
fn printed(line: &str) -> Option<Printed> {
    let (command, remark) = line.split_once("  #").unwrap_or((line, ""));
    let code = remark
        .split_once("exit code ")
        .map_or("0", |(_, rest)| rest);
    let digits: String = code.chars().take_while(char::is_ascii_digit).collect();
    let command = format!("{} ", command.trim());
    (command != " ").then(|| Printed {
        command,
        code: digits.parse().expect("an exit code"),
    })
}

fn is_skipped(command: &str) -> bool {
    SKIPPED.iter().any(|(start, _)| command.starts_with(start))
}

/// Names every file below a folder, save below its `target/`.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut open = vec![folder.to_owned()];
    let mut found = BTreeSet::new();
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true if path != folder.join("target") => open.push(path),
                true => {}
                false => {
                    found.insert(path);
                }
            }
        }
    }
    found
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &target),
            false => {
                fs::copy(&path, &target).unwrap();
            }
        }
    }
}

/// The address at which pages have a server listen. Tests take any free port in its place.
const ADDRESS: &str = "127.0.0.1:8102";

/// A server that a page starts in another terminal.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(command: &mut Command) -> Self {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://");
        let address = address.expect("an address").to_owned();
        Self { child, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the commands of a page one after the other, as a reader does.
fn run(page: &str) {
    let mut server: Option<Server> = None;
    let folder = tempfile::tempdir().unwrap();
    copy(
        &workspace().join("examples"),
        &folder.path().join("examples"),
    );
    fs::create_dir(folder.path().join("target")).unwrap();
    let before = files(folder.path());
    let ours = cargo_bin("waywarden");
    let mut places = vec![ours.parent().unwrap().to_owned()];
    places.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let places = std::env::join_paths(places).unwrap();
    let text = fs::read_to_string(workspace().join(page)).unwrap();
    for Printed { command, code } in commands(&text) {
        if is_skipped(&command) {
            continue;
        }
        assert!(command.starts_with("waywarden "), "{page}: {command}");
        let shell = |command: &str| {
            let mut shell = Command::new("sh");
            shell.args(["-c", command]).current_dir(folder.path());
            shell.env("PATH", &places);
            shell
        };
        if command.starts_with("waywarden pki serve ") {
            let free = command.replace(ADDRESS, "127.0.0.1:0");
            server = Some(Server::start(&mut shell(&format!("exec {free}"))));
            continue;
        }
        let address = server.as_ref().map_or(ADDRESS, |server| &server.address);
        let output = shell(&command.replace(ADDRESS, address)).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{page}: {command}: {complaint}"
        );
        assert_eq!(
            files(folder.path()),
            before,
            "{page}: {command} leaves files behind"
        );
    }
}

#[test]
fn the_commands_of_the_index_run() {
    run("README.md");
    run("docs/README.md");
}

#[test]
fn the_commands_about_logs_and_v2x_run() {
    run("docs/auth.md");
    run("docs/linux.md");
    run("docs/schedule.md");
    run("docs/verify.md");
}

#[test]
fn the_commands_about_certificates_run() {
    run("docs/pki.md");
    run("docs/pseudonyms.md");
    run("docs/service.md");
    run("docs/v2x-tutorial.md");
}

#[test]
fn the_commands_about_stations_run() {
    run("docs/stations.md");
    run("docs/station-link.md");
}

#[test]
fn the_commands_about_keys_run() {
    run("docs/keys.md");
}

#[test]
fn the_commands_about_boards_run() {
    run("docs/boards.md");
}

#[test]
fn the_commands_about_papers_run() {
    run("docs/papers.md");
}

#[test]
fn the_commands_about_bounds_run() {
    run("docs/bus-bound.md");
}

#[test]
fn the_commands_about_comparisons_run() {
    run("docs/compare.md");
}

#[test]
fn the_commands_about_checking_files_run() {
    run("docs/check.md");
}

#[test]
fn the_commands_about_start_up_run() {
    run("docs/start-up.md");
}

#[test]
fn every_page_with_commands_is_run_and_every_exception_is_used() {
    let mut with_commands = Vec::new();
    let mut all = Vec::new();
    let pages = files(&workspace().join("docs"));
    for path in pages.iter().chain([&workspace().join("README.md")]) {
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        // A block without a mark would be skipped.
        let bare = text.contains("```\nwaywarden ") || text.contains("```\n$ ");
        assert!(!bare, "{}: mark the block as sh", path.display());
        let found = commands(&text);
        if !found.is_empty() {
            let name = path.strip_prefix(workspace()).unwrap();
            with_commands.push(name.display().to_string());
        }
        all.extend(found);
    }
    with_commands.sort();
    assert_eq!(with_commands, PAGES);
    for (start, _) in SKIPPED {
        let is_used = all.iter().any(|one| one.command.starts_with(start));
        assert!(is_used, "no page prints {start:?} any more");
    }
}

#[test]
fn a_command_is_parted_from_its_remark_and_exit_code() {
    let page =
        "`a`\n```sh\nx 1#2   # why; exit code 1\n\n```\n```\nno\n```\n```console\n$ y\nz\n```\n";
    let printed = |command: &str, code| Printed {
        command: command.to_owned(),
        code,
    };
    assert_eq!(commands(page), [printed("x 1#2 ", 1), printed("y ", 0)]);
}
