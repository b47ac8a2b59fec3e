//! Every command that README.md and docs/ print runs as it is printed, in a copy of `examples/`,
//! ends with the exit code and the output that the page states, and leaves nothing outside
//! `target/`. A page says in the line before a block why it is not run.
#![cfg(unix)]

mod page;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use assert_cmd::cargo::cargo_bin;

use crate::support::workspace;
use page::{commands, is_shown};

/// The pages that print commands, so that a page of which none is found any more is noticed.
const PAGES: &[&str] = &[
    "README.md",
    "docs/README.md",
    "docs/auth.md",
    "docs/boards.md",
    "docs/bus-bound.md",
    "docs/bus-errors.md",
    "docs/bus-model.md",
    "docs/check.md",
    "docs/compare.md",
    "docs/data.md",
    "docs/keys.md",
    "docs/log-formats.md",
    "docs/papers.md",
    "docs/pki.md",
    "docs/pseudonyms.md",
    "docs/schedule.md",
    "docs/service.md",
    "docs/start-up.md",
    "docs/stations.md",
    "docs/trace.md",
    "docs/traffic-radio.md",
    "docs/traffic-scenarios.md",
    "docs/tutorial-log.md",
    "docs/tutorial-vehicle.md",
    "docs/v2x-tutorial.md",
    "docs/vehicle-file.md",
    "docs/vehicle-tracks.md",
    "docs/verify.md",
];

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

/// What a command may begin with: ours, and what every system has for its files.
const PROGRAMS: &[&str] = &["waywarden ", "alias ", "grep ", "sed "];

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
    for printed in commands(&text).iter().filter(|one| one.not_run.is_none()) {
        let command = &printed.command;
        let place = format!("{page}:{}: {command}", printed.line);
        let is_ours = PROGRAMS.iter().any(|name| command.starts_with(name));
        assert!(is_ours, "{place}: not a command that a test runs");
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
        let code = output.status.code();
        assert_eq!(code, Some(printed.code), "{place}: {complaint}");
        if !printed.output.is_empty() {
            let text = String::from_utf8_lossy(&output.stdout);
            let lines: Vec<&str> = text.trim_end().lines().collect();
            let shown = printed.output.join("\n");
            let is_true = is_shown(&printed.output, &lines);
            assert!(
                is_true,
                "{place}: the page shows\n{shown}\nand it prints\n{text}"
            );
        }
        let after = files(folder.path());
        assert_eq!(after, before, "{place} leaves files behind");
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
    run("docs/log-formats.md");
    run("docs/schedule.md");
    run("docs/verify.md");
}

#[test]
fn the_commands_about_certificates_run() {
    run("docs/pki.md");
    run("docs/pseudonyms.md");
    run("docs/service.md");
}

#[test]
fn the_commands_of_the_tutorials_run() {
    run("docs/tutorial-log.md");
    run("docs/tutorial-vehicle.md");
    run("docs/v2x-tutorial.md");
}

#[test]
fn the_commands_about_stations_run() {
    run("docs/stations.md");
    run("docs/vehicle-tracks.md");
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
    run("docs/bus-errors.md");
    run("docs/bus-model.md");
}

#[test]
fn the_commands_about_comparisons_run() {
    run("docs/compare.md");
}

#[test]
fn the_commands_about_checking_files_run() {
    run("docs/check.md");
    run("docs/data.md");
    run("docs/trace.md");
    run("docs/vehicle-file.md");
}

#[test]
fn the_commands_about_start_up_run() {
    run("docs/start-up.md");
}

#[test]
fn every_page_with_commands_is_run_and_every_block_is_marked() {
    let mut with_commands = Vec::new();
    let pages = files(&workspace().join("docs"));
    for path in pages.iter().chain([&workspace().join("README.md")]) {
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let name = path.strip_prefix(workspace()).unwrap();
        let name = name.display().to_string();
        let text = fs::read_to_string(path).unwrap();
        let unmarked = page::unmarked(&text);
        let remedy = "mark the block as sh or console";
        assert!(unmarked.is_empty(), "{name}: lines {unmarked:?}: {remedy}");
        let found = commands(&text);
        if found.iter().any(|one| one.not_run.is_none()) {
            with_commands.push(name);
        }
        for one in found {
            let reason = one.not_run.as_deref();
            assert_ne!(reason, Some(""), "{}: say why it is not run", one.line);
        }
    }
    with_commands.sort();
    assert_eq!(with_commands, PAGES);
}
