//! `--junit`: what is not as required fails by name, and the file parses.

use std::fs;

use crate::support::waywarden;

/// Runs a command with `--junit`; returns its exit code and the file.
fn junit(words: &str) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.xml");
    let mut command = waywarden();
    command
        .args(words.split_whitespace())
        .arg("--junit")
        .arg(&path);
    let output = command.output().unwrap();
    let code = output.status.code().unwrap();
    (code, fs::read_to_string(path).unwrap_or_default())
}

#[test]
fn each_requirement_finding_and_bound_is_a_test_case() {
    let (code, xml) = junit("run examples/minimal.toml");
    assert_eq!(code, 0);
    let case = "<testcase classname=\"minimal\" name=\"latency EngineSpeed\">";
    assert!(
        xml.contains("name=\"waywarden run\" tests=\"1\" failures=\"0\""),
        "{xml}"
    );
    assert!(xml.contains(case), "{xml}");

    let (code, xml) = junit("run examples/compact-car-attack.toml --duration 2s");
    assert_eq!(code, 1);
    assert!(xml.contains("<failure message=\"") && xml.contains("compact-car-attack.toml:"));

    let (code, xml) = junit("check examples/minimal.toml");
    assert_eq!(code, 0);
    assert!(
        xml.contains("classname=\"examples/minimal.toml\" name=\"file\""),
        "{xml}"
    );
    let (code, xml) = junit("check examples/matrix.dbc");
    assert_eq!(code, 2);
    assert!(xml.contains("<failure message=\""), "{xml}");

    let (code, xml) = junit("bus bound examples/minimal.toml --no-simulate");
    assert_eq!(code, 0);
    assert!(xml.contains("name=\"bound EngineSpeed on main\""), "{xml}");

    let (_, xml) = junit("auth check examples/drive.log --config examples/auth.toml");
    assert!(xml.contains("name=\"waywarden auth check\""), "{xml}");
}

#[test]
fn results_are_not_written_where_the_table_goes() {
    let mut command = waywarden();
    command.args(["run", "examples/minimal.toml", "--junit", "-"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("--junit -: standard output has the table"),
        "{error}"
    );
}
