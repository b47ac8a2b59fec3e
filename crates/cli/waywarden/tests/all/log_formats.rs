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
