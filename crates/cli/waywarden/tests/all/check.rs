//! `waywarden check`: all that is wrong with a file, its kinds, warnings, and exit codes.

use std::fs;
use std::path::{Path, PathBuf};

use waywarden_testkit::{elf_image, has_program};

use crate::support::{rows, waywarden, workspace};

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

/// A vehicle with two ECUs, and what is added to it.
fn vehicle(more: &str) -> String {
    format!(
        "[vehicle]\nname = 'small'\nduration = '1s'\n[[bus]]\nname = 'one'\nbitrate = '500k'\n\
         [[ecu]]\nname = 'a'\nports = ['one']\nsends = [{{ name = 'S', id = 0x100, length = 2, \
         period = '10ms', receivers = ['b'] }}]\n[[ecu]]\nname = 'b'\nports = ['one']\n{more}"
    )
}

#[test]
fn every_example_is_fine() {
    let examples = fs::read_dir(workspace().join("examples")).unwrap();
    let examples = examples.map(|entry| entry.unwrap().path());
    let examples: Vec<PathBuf> = examples
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    assert!(examples.len() > 8);
    let output = waywarden().arg("check").args(&examples).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.lines().count(), examples.len(), "{text}");
    assert!(text.lines().all(|line| line.contains(": ok, ")), "{text}");
    assert!(text.contains("compact-car with 3 buses, 22 ECUs and 127 streams"));
    assert!(
        text.contains("auth.toml: ok, 1 authentication table"),
        "{text}"
    );
}

#[test]
fn all_errors_of_all_files_are_listed_with_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let good = written(folder.path(), "good.toml", &vehicle(""));
    let two = vehicle("[[stream]]\nname = 'T'\nid = 0x900\nsender = 'c'\nlength = 2\n");
    let two = written(folder.path(), "two.toml", &two);
    let torn = written(folder.path(), "torn.toml", "[vehicle\nname = 'x'\n");
    let missing = folder.path().join("missing.toml");
    let mut command = waywarden();
    command.arg("check").args([&two, &good, &torn, &missing]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    for expected in [
        "two.toml:14:1: ",
        "two.toml:16:6: ",
        "torn.toml:1:",
        "missing.toml: No such",
    ] {
        assert!(errors.contains(expected), "{expected}: {errors}");
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.starts_with(&format!("{}: ok, small with", good.display())),
        "{text}"
    );

    // The same for programs: line and column as numbers.
    command.args(["--format", "json"]);
    let files = rows(&mut command);
    assert_eq!(files[0]["ok"], false);
    assert_eq!(files[0]["errors"][0]["line"], 14, "{files}");
    assert_eq!(files[1]["ok"], true);
    assert_eq!(files[2]["errors"][0]["line"], 1, "{files}");
    assert!(files[3]["errors"][0]["line"].is_null(), "{files}");
}

/// Faults that appear only when a simulation is made: a board without a figure, a board that is not
/// there.
#[test]
fn what_a_run_would_refuse_is_an_error_here() {
    let folder = tempfile::tempdir().unwrap();
    let group = "[[keys]]\nname = 'all'\norchestrator = 'a'\nsuite = 'p256'\n";
    let slow = vehicle(group).replace("name = 'b'\n", "name = 'b'\nboard = 'slow.toml'\n");
    let two = slow.replace("name = 'a'\n", "name = 'a'\nboard = 'other.toml'\n");
    let two = written(folder.path(), "two.toml", &two);
    let output = waywarden().arg("check").arg(&two).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        errors.contains("slow.toml") && errors.contains("other.toml"),
        "{errors}"
    );
    let slow = written(folder.path(), "car.toml", &slow);
    let check = || {
        let output = waywarden().arg("check").arg(&slow).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let errors = check();
    assert!(
        errors.contains("car.toml:") && errors.contains("slow.toml"),
        "{errors}"
    );
    let board = "title = 'Slow'\n[characteristics]\narchitecture = 'a'\ncores = 1\n\
                 clock = '1 MHz'\nassumed = 'x'\n[[figure]]\noperation = 'tag'\n\
                 algorithm = 'chaskey'\ncycles = 5\nassumed = 'a guess'\n";
    let board = written(folder.path(), "slow.toml", board);
    let errors = check();
    assert!(
        errors.contains("car.toml:") && errors.contains("p256"),
        "{errors}"
    );
    let mut command = waywarden();
    let files = rows(command.args(["check", "--format", "json"]).arg(&board));
    assert_eq!(files[0]["kind"], "board");
    assert_eq!(files[0]["summary"], "a board, Slow");
}

#[test]
fn warnings_are_no_errors_unless_strict() {
    let folder = tempfile::tempdir().unwrap();
    let late = "[[attacker]]\nkind = 'flood'\nbus = 'one'\nfrom = '5s'\nuntil = '6s'\n";
    let late = written(folder.path(), "late.toml", &vehicle(late));
    let check = |strict: &[&str]| {
        let output = waywarden().arg("check").args(strict).arg(&late).output();
        let output = output.unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            errors.contains("warning: ") && errors.contains("late.toml:"),
            "{errors}"
        );
        output.status.code()
    };
    assert_eq!(check(&[]), Some(0));
    assert_eq!(check(&["--strict"]), Some(1));
}

#[test]
fn a_file_for_another_command_is_sent_there() {
    let files = [
        (
            "crates/cli/waywarden/src/init/pki.toml",
            "waywarden pki init",
        ),
        (
            "crates/cli/waywarden/src/init/station.toml",
            "--check-config",
        ),
        ("examples/v2x/pki.toml", "waywarden pki init"),
        ("examples/service/service.toml", "--check-config"),
        (
            "examples/traffic/roundabout/scenario.toml",
            "waywarden traffic run",
        ),
    ];
    for (file, command) in files {
        let output = waywarden()
            .arg("check")
            .arg(workspace().join(file))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(errors.contains(command), "{errors}");
    }
}

/// Images that are none for their ECU are refused without the emulator, by `check` and `run`.
#[test]
fn images_that_are_none_for_their_ecu_are_refused_by_their_notes() {
    let folder = tempfile::tempdir().unwrap();
    let image = "firmware = 'b.elf'\nclock = '80MHz'\n";
    let file = written(folder.path(), "car.toml", &vehicle(image));
    for (words, reason) in [
        (
            "link=2 machine=mps2-an386 record=3",
            "car.toml:14:12: ECU b has `firmware`, and its image is for vatiCAN or LeiA, where \
             this ECU has SecOC with keys in place: use secoc.elf",
        ),
        (
            "link=2 machine=mps2-an386 purpose=a V2X receiver",
            "car.toml:14:12: ECU b has `firmware`, and its image is a V2X receiver and no ECU: use \
             secoc.elf",
        ),
        (
            "link=2 machine=mps2-an505 record=1",
            "b.elf: it is built for mps2-an505; write",
        ),
        (
            "machine=mps2-an386",
            "b.elf: byte 100: its note .note.waywarden: ",
        ),
    ] {
        fs::write(folder.path().join("b.elf"), elf_image(0, Some(words))).unwrap();
        // A run looks for the emulator first.
        let commands = ["check", "run"].into_iter();
        let commands = commands.take(1 + usize::from(has_program("qemu-system-arm")));
        for command in commands {
            let output = waywarden().arg(command).arg(&file).output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{command}: {errors}");
            assert!(
                errors.contains("car.toml:14:12: ") && errors.contains(reason),
                "{errors}"
            );
        }
    }
    for words in [None, Some("link=2 machine=mps2-an386 record=1")] {
        fs::write(folder.path().join("b.elf"), elf_image(0, words)).unwrap();
        let output = waywarden().arg("check").arg(&file).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
}

#[test]
fn an_ecu_that_starts_after_the_end_of_the_run_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let warnings = |start: &str| {
        let file = written(folder.path(), "late.toml", &vehicle(start));
        let output = waywarden().arg("check").arg(&file).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let late = warnings("start = '1s'\n");
    assert!(
        late.contains("late.toml:14:9: this is to be at 1 s"),
        "{late}"
    );
    assert_eq!(warnings("start = '999ms'\n"), "");
}
