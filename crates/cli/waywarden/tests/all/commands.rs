//! Every command that README.md and docs/ print runs as it is printed, in a copy of `examples/`,
//! ends with the exit code and the output that the page states, and leaves nothing outside
//! `target/`. A page says in the line before a block why it is not run.
#![cfg(unix)]

mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

use assert_cmd::cargo::cargo_bin;

use crate::support::workspace;
use page::{commands, is_shown};

/// The pages that print commands, in groups that are tests of their own.
const PAGES: &[(&str, &[&str])] = &[
    (
        "bounds",
        &[
            "docs/bus-bound.md",
            "docs/bus-errors.md",
            "docs/bus-model.md",
            "docs/can-bits.md",
        ],
    ),
    ("boards", &["docs/boards.md"]),
    (
        "certificates",
        &[
            "docs/misbehaviour-reports.md",
            "docs/pki.md",
            "docs/pseudonyms.md",
            "docs/scms-lists.md",
            "docs/service.md",
        ],
    ),
    ("comparisons", &["docs/compare.md", "docs/fit.md"]),
    ("index", &["README.md", "docs/README.md"]),
    (
        "keys",
        &[
            "docs/keys.md",
            "docs/protocols/gke.md",
            "docs/protocols/lasan.md",
        ],
    ),
    (
        "logs and V2X",
        &[
            "docs/auth.md",
            "docs/embedding.md",
            "docs/log-formats.md",
            "docs/messages.md",
            "docs/misbehaviour.md",
            "docs/protocols/1609dot2.md",
            "docs/protocols/v2x-lower-layers.md",
            "docs/schedule.md",
            "docs/verify.md",
        ],
    ),
    ("papers", &["docs/papers.md"]),
    (
        "protocols",
        &[
            "docs/protocols/secoc.md",
            "docs/protocols/vatican-leia.md",
            "docs/protocols/vulcan-bench.md",
            "docs/protocols/wave-sec.md",
        ],
    ),
    ("start-up", &["docs/start-up.md"]),
    (
        "stations",
        &[
            "docs/road.md",
            "docs/stations.md",
            "docs/traffic-radio.md",
            "docs/traffic-scenarios.md",
            "docs/traffic-stations.md",
            "docs/vehicle-tracks.md",
            "docs/wireshark.md",
        ],
    ),
    (
        "tutorials",
        &[
            "docs/tutorial-log.md",
            "docs/tutorial-vehicle.md",
            "docs/v2x-tutorial.md",
        ],
    ),
    (
        "vehicle files",
        &[
            "docs/check.md",
            "docs/ci.md",
            "docs/data.md",
            "docs/trace.md",
            "docs/vehicle-file.md",
        ],
    ),
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
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// The address at which pages have a server listen. Tests take any free port in its place.
const ADDRESS: &str = "127.0.0.1:8102";

/// Programs that a command may begin with: ours, and those that every system has for its files.
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

/// The output of commands that several pages have, each run once.
static SHARED: Mutex<BTreeMap<String, Arc<OnceLock<Output>>>> = Mutex::new(BTreeMap::new());

/// Runs a command once for all pages, if it reads and writes nothing of those before it on its
/// page: what those leave behind is in `target/`.
fn run_once(command: &str, run: impl Fn() -> Output) -> Output {
    if command.contains("target/") || !command.starts_with("waywarden ") {
        return run();
    }
    let shared = SHARED
        .lock()
        .unwrap()
        .entry(command.to_owned())
        .or_default()
        .clone();
    shared.get_or_init(run).clone()
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
        let command = command.replace(ADDRESS, address);
        let output = run_once(&command, || shell(&command).output().unwrap());
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

/// Runs the commands of each page of a group.
fn run_all(group: &str) {
    let found = PAGES.iter().find(|(name, _)| *name == group);
    let (_, pages) = found.expect("a group");
    pages.iter().for_each(|page| run(page));
}

#[test]
fn the_commands_about_bounds_run() {
    run_all("bounds");
}

#[test]
fn the_commands_about_boards_run() {
    run_all("boards");
}

#[test]
fn the_commands_about_certificates_run() {
    run_all("certificates");
}

#[test]
fn the_commands_about_comparisons_run() {
    run_all("comparisons");
}

#[test]
fn the_commands_about_index_run() {
    run_all("index");
}

#[test]
fn the_commands_about_keys_run() {
    run_all("keys");
}

#[test]
fn the_commands_about_logs_and_v2x_run() {
    run_all("logs and V2X");
}

#[test]
fn the_commands_about_papers_run() {
    run_all("papers");
}

#[test]
fn the_commands_about_protocols_run() {
    run_all("protocols");
}

#[test]
fn the_commands_about_start_up_run() {
    run_all("start-up");
}

#[test]
fn the_commands_about_stations_run() {
    run_all("stations");
}

#[test]
fn the_commands_about_tutorials_run() {
    run_all("tutorials");
}

#[test]
fn the_commands_about_vehicle_files_run() {
    run_all("vehicle files");
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
    let mut run: Vec<&str> = PAGES
        .iter()
        .flat_map(|(_, pages)| *pages)
        .copied()
        .collect();
    run.sort_unstable();
    assert_eq!(with_commands, run);
}
