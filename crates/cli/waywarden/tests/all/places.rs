//! Destinations of outputs: never over an input or another output, through pipes and devices, and
//! nothing half written stays when the command is stopped.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{waywarden, workspace};

/// A folder with a vehicle file and a log in it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(
        workspace().join("examples/minimal.toml"),
        folder.path().join("m.toml"),
    )
    .unwrap();
    fs::write(folder.path().join("s.log"), "(0.0) can0 123#11\n").unwrap();
    folder
}

/// Runs the command in a folder: exit code, standard output, what it complained about.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = waywarden();
    command.current_dir(folder).args(arguments);
    let output = command.timeout(Duration::from_secs(60)).output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

fn command_in(folder: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("waywarden"));
    command.current_dir(folder);
    command
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().file_name().into())
        .collect();
    names.sort();
    names
}

#[test]
fn an_output_never_takes_the_place_of_an_input() {
    let folder = folder();
    let at = folder.path();
    let name = at.file_name().unwrap().to_str().unwrap();
    let around = format!("../{name}/m.toml");
    fs::hard_link(at.join("m.toml"), at.join("hard.html")).unwrap();
    symlink("m.toml", at.join("soft.json")).unwrap();
    fs::write(
        at.join("p.dbc"),
        "VERSION \"\"\nNS_ :\nBS_:\nBU_: A\nBO_ 12 m: 8 A\n",
    )
    .unwrap();
    let car = fs::read(at.join("m.toml")).unwrap();
    let log = fs::read(at.join("s.log")).unwrap();
    let matrix = fs::read(at.join("p.dbc")).unwrap();
    let replayed = "[[replay]]\nlog = \"s.log\"\nchannels = { can0 = \"main\" }\n";
    let with_log = [
        fs::read_to_string(at.join("m.toml")).unwrap(),
        replayed.to_owned(),
    ]
    .concat();
    fs::write(at.join("replay.toml"), with_log).unwrap();
    for (arguments, input) in [
        (&["run", "m.toml", "--trace", "m.toml"][..], "m.toml"),
        (&["run", "m.toml", "--trace", &around], "m.toml"),
        (&["run", "m.toml", "--html", "hard.html"], "m.toml"),
        (&["run", "m.toml", "--perfetto", "soft.json"], "m.toml"),
        (&["run", "replay.toml", "--log", "s.log"], "s.log"),
        (
            &["bus", "convert", "s.log", "./s.log", "--to", "asc"],
            "s.log",
        ),
        (
            &["bus", "import", "p.dbc", "--assume", "10ms", "-o", "p.dbc"],
            "p.dbc",
        ),
    ] {
        let (code, _, complaint) = run(at, arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {complaint}");
        assert!(
            complaint.contains("take the place of the input") && complaint.contains(input),
            "{arguments:?}: {complaint}"
        );
    }
    assert_eq!(fs::read(at.join("m.toml")).unwrap(), car);
    assert_eq!(fs::read(at.join("s.log")).unwrap(), log);
    assert_eq!(fs::read(at.join("p.dbc")).unwrap(), matrix);
}

#[test]
fn two_outputs_have_two_places() {
    let folder = folder();
    let at = folder.path();
    symlink("a", at.join("b")).unwrap();
    let before = names(at);
    for (one, other) in [("a", "./a"), ("a", "b"), ("-", "-"), ("-", "/dev/stdout")] {
        let (code, _, complaint) = run(at, &["run", "m.toml", "--trace", one, "--html", other]);
        assert_eq!(code, Some(2), "{one} {other}: {complaint}");
        let naming = format!("{other}: is the place of the output {one} too");
        assert!(complaint.contains(&naming), "{complaint}");
        assert_eq!(names(at), before);
    }
}

#[test]
fn a_link_stays_a_link_and_its_target_is_written() {
    let folder = folder();
    let at = folder.path();
    fs::create_dir(at.join("far")).unwrap();
    symlink("far/run.html", at.join("link.html")).unwrap();
    for _ in 0..2 {
        let (code, _, complaint) = run(at, &["run", "m.toml", "--html", "link.html"]);
        assert_eq!(code, Some(0), "{complaint}");
        assert!(at.join("link.html").is_symlink());
        let page = fs::read_to_string(at.join("far/run.html")).unwrap();
        assert!(page.ends_with("</html>\n"));
        assert_eq!(names(&at.join("far")), [PathBuf::from("run.html")]);
    }
}

#[test]
fn pipes_and_devices_are_written_through() {
    let folder = folder();
    let at = folder.path();
    let pipe = at.join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || {
            let mut text = String::new();
            File::open(pipe).unwrap().read_to_string(&mut text).unwrap();
            text
        })
    };
    let (code, table, complaint) = run(at, &["run", "m.toml", "--trace", "pipe"]);
    assert_eq!(code, Some(0), "{complaint}");
    assert!(table.contains("Requirements: 1 of 1 met."));
    let piped = reader.join().unwrap();
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    let (code, printed, complaint) = run(at, &["run", "m.toml", "--trace", "/dev/stdout"]);
    assert_eq!(code, Some(0), "{complaint}");
    assert!(piped == printed && piped.lines().count() > 1_000);
    let (code, ..) = run(at, &["run", "m.toml", "--trace", "/dev/null"]);
    assert_eq!(code, Some(0));
    let (code, _, complaint) = run(at, &["run", "m.toml", "--trace", "/dev/full"]);
    assert_eq!(code, Some(2));
    assert!(
        complaint.starts_with("error: /dev/full: No space"),
        "{complaint}"
    );
    for device in ["/dev/null", "/dev/full"] {
        let kind = fs::metadata(device).unwrap().file_type();
        assert!(kind.is_char_device(), "{device}");
    }
}

#[test]
fn a_dash_is_standard_output_for_every_output() {
    let folder = folder();
    let at = folder.path();
    let before = names(at);
    let (code, page, _) = run(at, &["run", "m.toml", "--html", "-"]);
    assert_eq!(code, Some(0));
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    let (code, log, _) = run(at, &["bus", "convert", "s.log", "-", "--to", "asc"]);
    assert_eq!(code, Some(0));
    assert!(log.starts_with("date "), "{log}");
    let (code, _, complaint) = run(at, &["bus", "convert", "s.log", "-"]);
    assert_eq!(code, Some(2));
    assert!(complaint.contains("--to"), "{complaint}");
    assert_eq!(names(at), before);
}

#[test]
fn standard_output_has_one_document() {
    let folder = folder();
    let at = folder.path();
    let refused = |arguments: &[&str], parts: &[&str]| {
        let (code, printed, complaint) = run(at, arguments);
        assert_eq!((code, printed.as_str()), (Some(2), ""), "{arguments:?}");
        for part in parts {
            assert!(complaint.contains(part), "{arguments:?}: {complaint}");
        }
    };
    for command in ["run", "compare", "fit"] {
        for form in ["json", "csv"] {
            let both = format!("--format {form} and --html - are both for standard output");
            let arguments = [command, "m.toml", "--format", form, "--html", "-"];
            refused(&arguments, &[&both, "give --html the name of a file"]);
        }
    }
    // The path of one message is printed, and no file was written beside it.
    for option in ["--trace", "--log", "--perfetto", "--html"] {
        for file in ["-", "new.log"] {
            let arguments = ["run", "m.toml", "--explain", "s:1", option, file];
            refused(&arguments, &["--explain s:1 prints", "leave out", option]);
        }
    }
}

#[test]
fn nothing_half_written_stays_when_a_signal_ends_the_run() {
    use std::os::unix::process::ExitStatusExt;
    for (name, number) in [("INT", 2), ("TERM", 15)] {
        let folder = folder();
        let at = folder.path();
        let before = names(at);
        let mut child = command_in(at)
            .args(["run", "m.toml", "--duration", "24h"])
            .args(["--trace", "run.jsonl", "--html", "run.html"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while names(at).len() < before.len() + 2 {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "it does not begin"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        let kill = Command::new("kill")
            .args([format!("-{name}"), child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(number), "{status}");
        assert_eq!(names(at), before);
    }
}

#[test]
fn what_has_no_end_is_not_read_to_its_end() {
    let folder = folder();
    let at = folder.path();
    let car = fs::read_to_string(at.join("m.toml")).unwrap();
    let endless = car.replacen("[[ecu]]\n", "[[ecu]]\nboard = '/dev/zero'\n", 1);
    assert_ne!(endless, car);
    fs::write(at.join("board.toml"), endless).unwrap();
    for arguments in [
        &["run", "/dev/zero"][..],
        &["run", "board.toml"],
        &["bus", "import", "/dev/zero"],
        &["bus", "bits", "--csv", "/dev/zero"],
    ] {
        let (code, _, complaint) = run(at, arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {complaint}");
        assert!(
            complaint.contains("/dev/zero: longer than")
                || complaint.contains("/dev/zero: this is binary data"),
            "{arguments:?}: {complaint}"
        );
    }
}
