//! Logs of each format through the commands, and what a format has no place for.

use std::fs;
use std::path::Path;

use crate::support::waywarden;

const GVRET: &str = "Time Stamp,ID,Extended,Dir,Bus,LEN,D1,D2,D3,D4,D5,D6,D7,D8\n\
                     -27,0000013B,false,Rx,0,2,E3,4C\n973,18DAF101,true,Tx,1,1,50\n";

/// Converts a log and returns what standard error says.
fn convert(from: &Path, to: &Path) -> String {
    let output = waywarden()
        .args(["bus", "convert", "--strict"])
        .args([from, to])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{}: {text}", to.display());
    text
}

#[test]
fn logs_go_through_each_format_and_losses_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("gvret.csv"), GVRET).unwrap();
    let expected = "(0.999973) can0 13B#E34C R\n(1.000973) can1 18DAF101#50 T\n";
    for name in ["a.log", "a.asc", "a.blf", "a.trc", "a.pcapng", "a.mf4"] {
        assert_eq!(convert(&path("gvret.csv"), &path(name)), "", "{name}");
        convert(&path(name), &path("again.log"));
        assert_eq!(
            fs::read_to_string(path("again.log")).unwrap(),
            expected,
            "{name}"
        );
    }
    let said = convert(&path("gvret.csv"), &path("a.csv"));
    let note = "note: the format has no place for: direction of 2 records, channel of 1 record; \
                pcapng keeps everything\n";
    assert_eq!(said, note);
    // A header that tells the size of the file lies at its beginning.
    let blf = fs::read(path("a.blf")).unwrap();
    assert_eq!(blf[16..24], (blf.len() as u64).to_le_bytes());
}

#[test]
fn padded_frames_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("fd.log"), "(1.0) can1 123##00102030405060708090A0B\n").unwrap();
    let said = convert(&path("fd.log"), &path("out.log"));
    assert!(said.contains("padded 1 CAN FD frame with zeros"), "{said}");
    let written = fs::read_to_string(path("out.log")).unwrap();
    assert_eq!(written, "(1.000000) can1 123##00102030405060708090A0B00\n");
}

const ASC: &str = "date Tue May 11 00:24:59.796 2021\nbase hex  timestamps absolute\n\
                   Begin Triggerblock Tue May 11 00:24:59.796 2021\n\
                   0.000100 1  123  Rx   d 1 11\nEnd TriggerBlock\n";

/// Formats without a date in their header have times since 1970; endings may be in capitals.
#[test]
fn start_of_the_measurement_goes_through_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.ASC"), ASC).unwrap();
    let expected = "(1620692699.796100) can0 123#11";
    for name in ["a.LOG", "a.BLF", "a.TRC", "a.PCAPNG", "a.MF4", "a.CSV"] {
        convert(&path("a.ASC"), &path(name));
        convert(&path(name), &path("again.log"));
        let again = fs::read_to_string(path("again.log")).unwrap();
        assert!(again.starts_with(expected), "{name}: {again}");
    }
    let matrix = "BU_: A\nBO_ 291 Engine: 1 A\n SG_ Speed : 0|8@1+ (1,0) [0|9] \"\" A\n";
    fs::write(path("m.dbc"), matrix).unwrap();
    let mut command = waywarden();
    command.args(["bus", "convert"]).arg(path("a.ASC"));
    let output = command.arg(path("s.CSV")).arg("--dbc").arg(path("m.dbc"));
    assert!(output.output().unwrap().status.success());
    let table = fs::read_to_string(path("s.CSV")).unwrap();
    assert!(
        table.contains("\n1620692699.796100000,can0,0x123,"),
        "{table}"
    );
}

#[test]
fn matrix_of_another_bus_leaves_the_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.asc"), ASC).unwrap();
    let matrix = "BU_: A\nBO_ 7 Engine: 1 A\n SG_ Speed : 0|8@1+ (1,0) [0|9] \"\" A\n";
    fs::write(path("m.dbc"), matrix).unwrap();
    fs::write(path("out.csv"), "before").unwrap();
    let mut command = waywarden();
    command.args(["bus", "convert"]).arg(path("a.asc"));
    let output = command.arg(path("out.csv")).arg("--dbc").arg(path("m.dbc"));
    let output = output.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("a message of the matrix (1 data frame of others)"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(path("out.csv")).unwrap(), "before");
}

/// Every format that can be read from a pipe is; the others say what to do.
#[test]
fn logs_are_converted_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.asc"), ASC).unwrap();
    for name in ["a.log", "a.blf", "a.trc", "a.pcapng", "a.csv", "a.mf4"] {
        convert(&path("a.asc"), &path(name));
        let mut command = waywarden();
        command.args(["bus", "convert", "-"]).arg(path("again.log"));
        command.pipe_stdin(path(name)).unwrap();
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.success(), name != "a.mf4", "{name}: {said}");
        if name == "a.mf4" {
            let why = "MF4 logs are read from a file at any place in it, not from a pipe";
            assert!(said.contains(why), "{said}");
        }
    }
}
