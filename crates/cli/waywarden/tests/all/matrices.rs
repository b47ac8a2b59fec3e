//! Message matrices of other formats than DBC, wherever a command takes one.

use std::fs;
use std::path::Path;

use crate::support::{json, waywarden, workspace};

const KCD: &str = "<NetworkDefinition><Node id=\"1\" name=\"A\"/><Node id=\"2\" name=\"B\"/><Bus \
                   name=\"Drive\"><Message id=\"0x10\" name=\"Speed\" length=\"4\" \
                   interval=\"10\"><Producer><NodeRef id=\"1\"/></Producer><Signal name=\"S\" offset=\"0\"><Consumer>\
                   <NodeRef id=\"2\"/></Consumer></Signal></Message></Bus></NetworkDefinition>";

const SYM: &str =
    "FormatVersion=6.0 // x\n{SEND}\n[Speed]\nID=010h\nLen=4\nCycleTime=10\nnothing\n";

fn import(matrix: &Path, to: &Path) -> String {
    let mut command = waywarden();
    command.args(["bus", "import", "--assume", "100ms", "-o"]);
    let output = command.arg(to).arg(matrix).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    complaint
}

#[test]
fn system_description_becomes_a_vehicle_that_run_judges() {
    let folder = tempfile::tempdir().unwrap();
    let car = folder.path().join("car.toml");
    let complaint = import(&workspace().join("examples/system.arxml"), &car);
    assert!(!complaint.contains("skipped"), "{complaint}");
    let mut run = waywarden();
    run.args(["run", "--duration", "500ms", "--format", "json"]);
    let report = json(run.arg(&car));
    let text = report.to_string();
    assert!(
        text.contains("secoc-1") && text.contains("secoc-2"),
        "{text}"
    );
    let mut bound = waywarden();
    bound.args(["bus", "bound", "--no-simulate"]);
    let output = bound
        .arg(workspace().join("examples/system.arxml"))
        .output();
    let output = output.unwrap();
    let rows = String::from_utf8_lossy(&output.stdout);
    assert!(rows.contains("WheelSpeeds"), "{rows}");
}

#[test]
fn format_is_detected_by_content_whatever_the_name_and_the_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let arxml = fs::read_to_string(workspace().join("examples/system.arxml")).unwrap();
    let wide: Vec<u8> = [0xFEFF_u16]
        .into_iter()
        .chain(arxml.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    for (name, bytes, label) in [
        ("a.dbc", KCD.as_bytes(), "a KCD file: 1 messages"),
        ("b.txt", SYM.as_bytes(), "a SYM file: 1 messages"),
        ("c", wide.as_slice(), "an ARXML file: 6 messages"),
    ] {
        let (matrix, car) = (folder.path().join(name), folder.path().join("car.toml"));
        fs::write(&matrix, bytes).unwrap();
        let _ = fs::remove_file(&car);
        let complaint = import(&matrix, &car);
        assert!(
            fs::read_to_string(&car).unwrap().contains(label),
            "{name}: {complaint}"
        );
        let is_reported = complaint.contains("b.txt:7: `nothing` is skipped: no statement");
        assert_eq!(is_reported, name == "b.txt", "{complaint}");
        let mut bound = waywarden();
        bound.args(["bus", "bound", "--no-simulate"]).arg(&matrix);
        let output = bound.output().unwrap();
        let rows = String::from_utf8_lossy(&output.stdout);
        assert!(rows.contains("Speed"), "{name}: {rows}");
    }
}

#[test]
fn broken_matrix_is_refused_with_its_line_and_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    for (text, part) in [
        ("<AUTOSAR>\n<A>\n</AUTOSAR>", "x:3: no well-formed XML: "),
        ("<AUTOSAR/>", "x:1: AUTOSAR: no CAN-CLUSTER"),
        (
            "<NetworkDefinition>\n</NetworkDefinition>",
            "x:1: NetworkDefinition: no Bus",
        ),
        ("<other/>", "export its messages as DBC"),
        (
            "FormatVersion=6.0\n{SEND}\n",
            "has no message to import; a message is `[name]`",
        ),
    ] {
        let file = folder.path().join("x");
        fs::write(&file, text).unwrap();
        let mut command = waywarden();
        let output = command.args(["bus", "import"]).arg(&file).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}: {complaint}");
        assert!(complaint.contains(part), "{text}: {complaint}");
    }
}

/// Tables of authentication name the messages of any matrix.
#[test]
fn names_of_tables_come_from_a_system_description() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let config = write(
        "auth.toml",
        "[[authentication]]\nscheme = \"secoc\"\nprofile = \"autosar-1\"\nprotect = \
         [\"BrakeRequest\"]\nkey = \"00112233445566778899AABBCCDDEEFF\"\n",
    );
    let log = write("a.log", "(1.0) c 121#01020304\n");
    let mut command = waywarden();
    command.args(["auth", "protect", "--config"]).arg(&config);
    command
        .arg("--dbc")
        .arg(workspace().join("examples/system.arxml"));
    let output = command.arg(&log).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    let protected = String::from_utf8_lossy(&output.stdout);
    assert!(
        protected.contains("121#01020304") && protected.len() > 25,
        "{protected}"
    );
}

/// Runs `bus convert` to a DBC file, and returns its exit code and what it reports.
fn convert(matrix: &Path, to: &Path, more: &[&str]) -> (Option<i32>, String) {
    let mut command = waywarden();
    command.args(["bus", "convert"]).arg(matrix).arg(to);
    let output = command.args(more).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), complaint)
}

#[test]
fn matrices_of_every_format_become_dbc_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.kcd"), KCD).unwrap();
    fs::write(path("b.sym"), SYM).unwrap();
    let examples = workspace().join("examples");
    let (arxml, dbc) = (examples.join("system.arxml"), examples.join("matrix.dbc"));
    for (matrix, more, loss) in [
        (path("a.kcd"), &[][..], "from KCD"),
        (path("b.sym"), &[], "b.sym:7: `nothing` is skipped"),
        (arxml.clone(), &["--bus", "Chassis"], "secured by SecOC"),
        (dbc.clone(), &["--strict"], ""),
    ] {
        let (code, complaint) = convert(&matrix, &path("out.dbc"), more);
        assert_eq!(code, Some(0), "{complaint}");
        assert!(complaint.contains(loss), "{complaint}");
        assert_eq!(complaint.is_empty(), loss.is_empty(), "{complaint}");
        let again = import(&path("out.dbc"), &path("car.toml"));
        assert!(!again.contains("skipped"), "{again}");
        fs::remove_file(path("car.toml")).unwrap();
    }
    let (code, complaint) = convert(&arxml, &path("other.dbc"), &[]);
    assert_eq!(code, Some(2));
    let part = "has 2 buses, and a DBC file has one; choose with --bus: Chassis, Truck";
    assert!(complaint.contains(part), "{complaint}");
    assert!(!path("other.dbc").exists());
}

/// A comment of any length may stand before the root element, and UTF-16 needs no mark.
#[test]
fn long_comments_and_unmarked_utf_16_hide_no_matrix() {
    let folder = tempfile::tempdir().unwrap();
    let arxml = fs::read_to_string(workspace().join("examples/system.arxml")).unwrap();
    let comment = format!("<!--{}-->\n<AUTOSAR", "c".repeat(5_000));
    let commented = arxml.replacen("<AUTOSAR", &comment, 1).into_bytes();
    let wide: Vec<u8> = arxml.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, bytes) in [("commented", commented), ("wide", wide)] {
        let (matrix, car) = (
            folder.path().join(name),
            folder.path().join(format!("{name}.toml")),
        );
        fs::write(&matrix, bytes).unwrap();
        import(&matrix, &car);
    }
}

#[test]
fn bus_of_one_ecu_gets_another_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let (matrix, car) = (folder.path().join("a.dbc"), folder.path().join("car.toml"));
    let text = "VERSION \"\"\nBS_:\nBU_: A\nBO_ 16 M: 8 A\n";
    fs::write(&matrix, text).unwrap();
    let complaint = import(&matrix, &car);
    let part = "bus main has one ECU only, whose frames nothing would acknowledge";
    assert!(complaint.contains(part), "{complaint}");
    let mut run = waywarden();
    run.args(["run", "--duration", "1s", "--format", "json"]);
    let report = json(run.arg(&car)).to_string();
    assert!(report.contains("acknowledging-ecu"), "{report}");
}
