//! Files that are missing, are no files, or are of another kind than the command reads: the error
//! names the kind, the place that names the file, and the remedy.

use std::fs;
use std::path::Path;

use crate::support::waywarden;

const VEHICLE: &str = "\
[vehicle]
name = \"small\"

[[bus]]
name = \"main\"
bitrate = \"500k\"

[[ecu]]
name = \"engine\"
ports = [\"main\"]

[[ecu]]
name = \"cluster\"
ports = [\"main\"]

[[stream]]
name = \"Speed\"
id = 0x280
sender = \"engine\"
receivers = [\"cluster\"]
length = 8
period = \"10ms\"
";

const DBC: &str = "VERSION \"\"\n\nNS_ :\n\nBS_:\n\nBU_: Engine\n\nBO_ 256 Speed: 8 Engine\n";
const LOG: &str = "(1.0) can0 123#11\n(2.0) can0 123#22\n";
const TABLES: &str = "\
[[authentication]]
scheme = \"secoc\"
profile = \"autosar-1\"
protect = [0x120]
key = \"000102030405060708090a0b0c0d0e0f\"
";

/// Runs a command in a folder that must refuse its input; returns what it says.
fn refused(folder: &Path, arguments: &str) -> String {
    let mut command = waywarden();
    command.current_dir(folder).args(arguments.split(' '));
    let output = command.assert().code(2).get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("car.toml", VEHICLE),
        ("matrix.dbc", DBC),
        ("drive.log", LOG),
        ("auth.toml", TABLES),
        ("empty", ""),
        ("page.html", "<!DOCTYPE html>\n<html></html>\n"),
        ("run.json", "{\n  \"schema\": \"waywarden/run/1\"\n}\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::create_dir(folder.path().join("logs")).unwrap();
    folder
}

#[test]
fn file_of_another_kind_is_named_as_what_it_is() {
    let folder = folder();
    for (arguments, expected) in [
        (
            "run matrix.dbc",
            "this is a DBC message matrix, not a vehicle file; `waywarden bus import",
        ),
        ("compare matrix.dbc", "this is a DBC message matrix"),
        ("check matrix.dbc", "this is a DBC message matrix"),
        ("start-up matrix.dbc", "this is a DBC message matrix"),
        (
            "run drive.log",
            "this is a candump log, not a vehicle file; `waywarden bus load drive.log",
        ),
        ("bus bound drive.log", "this is a candump log"),
        (
            "bus import drive.log",
            "this is a candump log, not a message matrix",
        ),
        (
            "bus import car.toml",
            "this is a vehicle file, not a message matrix",
        ),
        (
            "bus load car.toml --bitrate 500k",
            "`waywarden run car.toml --log bus.log` writes a log",
        ),
        (
            "auth check matrix.dbc --config auth.toml",
            "this is a DBC message matrix, not a bus log",
        ),
        (
            "auth check drive.log --config matrix.dbc",
            "give it with --dbc",
        ),
        (
            "run auth.toml",
            "this is a file of authentication tables, not a vehicle file",
        ),
        ("run page.html", "this is an HTML page"),
        ("run run.json", "this is JSON that `waywarden run` printed"),
        ("run empty", "the file is empty; `waywarden init`"),
    ] {
        let text = refused(folder.path(), arguments);
        assert!(text.contains(expected), "{arguments}: {text}");
        assert_eq!(text.trim_end().lines().count(), 1, "{arguments}: {text}");
    }
}

#[test]
fn missing_path_is_explained() {
    let folder = folder();
    for (arguments, expected) in [
        ("run cra.toml", "did you mean car.toml?"),
        (
            "bus load drvie.log --bitrate 500k",
            "did you mean drive.log?",
        ),
        ("run cars/car.toml", "there is no folder cars"),
        (
            "run car.toml --html out/page.html",
            "there is no folder out",
        ),
        ("run car.toml --html logs", "give the name of a file in it"),
        ("run logs", "give the name of a file in it"),
        (
            "bus load logs --bitrate 500k",
            "give the name of a file in it",
        ),
        (
            "bus import matrix.dbc --log nothing.log",
            "correct the path; it begins at",
        ),
    ] {
        let text = refused(folder.path(), arguments);
        assert!(text.contains(expected), "{arguments}: {text}");
        assert!(!text.contains("os error"), "{arguments}: {text}");
    }
}

#[test]
fn place_that_names_a_file_is_in_the_error_of_that_file() {
    let folder = folder();
    fs::write(folder.path().join("board.toml"), LOG).unwrap();
    for (board, expected) in [
        (
            "./none.toml",
            "car2.toml:10:9: ./none.toml: No such file or directory; the path is",
        ),
        (
            "./board.toml",
            "car2.toml:10:9: ./board.toml: this is a candump log, not a board file",
        ),
        ("./logs/", "car2.toml:10:9: ./logs/: "),
    ] {
        let with = format!("name = \"engine\"\nboard = \"{board}\"");
        let text = VEHICLE.replace("name = \"engine\"", &with);
        fs::write(folder.path().join("car2.toml"), text).unwrap();
        for command in ["run car2.toml", "check car2.toml"] {
            let text = refused(folder.path(), command);
            assert!(text.contains(expected), "{command}: {text}");
        }
    }
}

#[test]
fn figures_of_ideal_boards_say_that_computing_takes_no_time() {
    let folder = folder();
    let said = "computing takes no time: every ECU has the board `ideal`";
    let output = |arguments: &str| {
        let mut command = waywarden();
        command
            .current_dir(folder.path())
            .args(arguments.split(' '));
        let output = command.assert().success().get_output().clone();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(output("run car.toml --duration 100ms").contains(said));
    assert!(output("bus bound car.toml").contains(said));
    assert!(output("run car.toml --duration 100ms --html -").contains("computing takes no time"));
    let json = output("run car.toml --duration 100ms --format json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["ideal_ecus"], serde_json::json!(["engine", "cluster"]));
    assert!(json["ideal_text"].as_str().unwrap().starts_with(said));
    let real = VEHICLE.replace(
        "ports = [\"main\"]",
        "ports = [\"main\"]\nboard = \"tc297\"",
    );
    fs::write(folder.path().join("car.toml"), real).unwrap();
    assert!(!output("run car.toml --duration 100ms").contains("takes no time"));
}
