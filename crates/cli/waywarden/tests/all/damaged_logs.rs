//! Logs with damaged lines, objects that are no frames, and lengths other programs cannot read:
//! what a command skips or changes, it reports.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{json, waywarden, workspace};

const DAMAGED: &str = "\
(1.000000) can0 123#11
(1.000100) can0 12#22
(1.000200) can0 123#22
rubbish
(1.000300) can0 123##
(1.000400) can0 123#33
";

/// Writes a file into a folder of its own.
fn written(name: &str, content: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    (folder, path)
}

/// Runs `waywarden bus` and returns its exit code, standard output and standard error.
fn bus(arguments: &[&str], paths: &[&Path]) -> (Option<i32>, String, String) {
    let mut command = waywarden();
    let output = command.arg("bus").args(arguments).args(paths);
    let output = output.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn damaged_lines_are_skipped_unless_refused_and_each_is_reported() {
    let (folder, log) = written("drive.log", DAMAGED);
    let out = folder.path().join("out.log");
    let (code, _, complaint) = bus(&["convert", "--strict"], &[&log, &out]);
    assert_eq!(code, Some(2), "{complaint}");
    assert!(complaint.contains("drive.log:line 2: "), "{complaint}");
    assert!(complaint.contains("leave --strict out"), "{complaint}");
    assert!(!out.exists());

    let (code, summary, report) = bus(&["convert"], &[&log, &out]);
    assert_eq!(code, Some(0), "{report}");
    assert!(summary.contains("3 records"), "{summary}");
    for named in ["line 2: ", "line 4: ", "line 5: ", "3 damaged lines"] {
        assert!(report.contains(named), "{named}: {report}");
    }
    let kept = fs::read_to_string(out).unwrap();
    assert_eq!(
        kept,
        "(1.000000) can0 123#11\n(1.000200) can0 123#22\n(1.000400) can0 123#33\n"
    );
}

#[test]
fn load_and_import_skip_damaged_lines_too() {
    let (folder, log) = written("drive.log", DAMAGED);
    let options = ["load", "--bitrate", "500k", "--format", "json"];
    let strict = [&options[..], &["--strict"]].concat();
    let (code, _, complaint) = bus(&strict, &[&log]);
    assert_eq!(code, Some(2), "{complaint}");
    let mut load = waywarden();
    load.arg("bus").args(options);
    let load = json(load.arg(&log));
    assert_eq!(
        (&load["frames"], &load["skipped_lines"]),
        (&3.into(), &3.into())
    );

    let dbc = folder.path().join("m.dbc");
    let text = "VERSION \"\"\nNS_ :\nBS_:\nBU_: A\nBO_ 291 m: 1 A\n";
    fs::write(&dbc, text).unwrap();
    let log = log.to_str().unwrap();
    let (code, _, complaint) = bus(&["import", "--strict", "--log", log], &[&dbc]);
    assert_eq!(code, Some(2), "{complaint}");
    let (code, summary, report) = bus(&["import", "--log", log], &[&dbc]);
    assert_eq!(code, Some(0), "{report}");
    assert!(summary.contains("as observed"), "{summary}");
    assert!(report.contains("3 damaged lines"), "{report}");
}

#[test]
fn many_damaged_lines_are_counted_and_the_first_are_shown() {
    let text = format!(
        "(1.0) can0 123#11\n{}(2.0) can0 123#11\n",
        "rubbish\n".repeat(900)
    );
    let (folder, log) = written("drive.log", text);
    let out = folder.path().join("out.log");
    let (code, _, report) = bus(&["convert"], &[&log, &out]);
    assert_eq!(code, Some(0), "{report}");
    assert!(report.contains("900 damaged lines"), "{report}");
    assert!(report.lines().count() < 20, "{report}");
}

#[test]
fn log_that_ends_early_keeps_what_came_before() {
    use std::io::Write as _;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    let text = "(1.0) can0 123#11\n(2.0) can0 123#11\n(3.0) can0 123#11\n";
    packed.write_all(text.as_bytes()).unwrap();
    let bytes = packed.finish().unwrap();
    let (folder, log) = written("drive.log.gz", &bytes[..bytes.len() - 20]);
    let out = folder.path().join("out.log");
    assert_eq!(bus(&["convert", "--strict"], &[&log, &out]).0, Some(2));
    let (code, summary, report) = bus(&["convert"], &[&log, &out]);
    assert_eq!(code, Some(0), "{report}");
    assert!(summary.contains("2 records"), "{summary}");
    assert!(report.contains("the gzip file ends here"), "{report}");
}

#[test]
fn damage_that_changes_the_meaning_of_a_whole_log_is_never_skipped() {
    for (name, text) in [
        // The base of all numbers behind it, and no line that can be read.
        (
            "a.asc",
            "date Tue May 11 00:24:59 2021\nbase oct\n0.1 1 123 Rx d 1 11\n",
        ),
        ("b.log", "(1.0) can0 12#11\n(1.1) can0 12#22\n"),
    ] {
        let (folder, log) = written(name, text);
        let out = folder.path().join("out.log");
        let (code, _, complaint) = bus(&["convert"], &[&log, &out]);
        assert_eq!(code, Some(2), "{name}: {complaint}");
        assert!(complaint.contains(name), "{complaint}");
        assert!(!out.exists(), "{name}");
    }
}

/// A BLF file with a frame, an error frame, two CAN_OVERLOAD objects and one of an unknown type.
fn blf() -> Vec<u8> {
    let object = |kind: u32, body: &[u8]| {
        let mut bytes = b"LOBJ\x20\0\x01\0".to_vec();
        bytes.extend((32 + body.len() as u32).to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend([2, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(1_000_u64.to_le_bytes());
        bytes.extend(body);
        bytes
    };
    let frame = [&[1, 0, 0, 1, 0x23, 1, 0, 0, 0x11][..], &[0; 7]].concat();
    let objects = [
        (1, &frame[..]),
        (2, &[1, 0, 0, 0]),
        (3, &[0; 8]),
        (3, &[0; 8]),
        (4_711, &[0; 4]),
    ];
    let content: Vec<u8> = objects
        .iter()
        .flat_map(|(kind, body)| object(*kind, body))
        .collect();
    let mut bytes = b"LOGG\x90\0\0\0".to_vec();
    bytes.resize(144, 0);
    bytes.extend(b"LOBJ\x10\0\x01\0");
    bytes.extend((32 + content.len() as u32).to_le_bytes());
    bytes.extend([10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend((content.len() as u32).to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(content);
    bytes
}

#[test]
fn objects_that_are_no_frames_are_counted_and_reported_by_type() {
    let (folder, log) = written("drive.blf", blf());
    let out = folder.path().join("out.log");
    let (code, summary, report) = bus(&["convert"], &[&log, &out]);
    assert_eq!(code, Some(0), "{report}");
    assert!(summary.contains("2 records"), "{summary}");
    let named = [
        "drive.blf",
        "3 objects",
        "2 of type 3 (CAN_OVERLOAD)",
        "1 of type 4711",
    ];
    assert!(named.iter().all(|part| report.contains(part)), "{report}");
}

#[test]
fn events_of_an_asc_log_that_are_no_frames_are_counted() {
    let text = "date Tue May 11 00:24:59 2021\nbase hex timestamps absolute\n\
                0.0 Start of measurement\n0.1 1 123 Rx d 1 11\n0.3 1 123 Rx d 1 11\n\
                0.4 1 Statistic: D 1 R 0\n";
    let (_folder, log) = written("drive.asc", text);
    let mut load = waywarden();
    load.args(["bus", "load", "--bitrate", "500k", "--format", "json"]);
    let load = json(load.arg(&log));
    assert_eq!(
        (&load["skipped_events"], &load["skipped_lines"]),
        (&2.into(), &0.into())
    );
}

/// python-can takes a classic length code above 8 for a CAN FD length, and in a candump log for
/// data. Without an option the result is what every program reads, and the change is reported.
#[test]
fn length_codes_above_eight_are_written_as_eight_unless_asked_for() {
    let text = "date Thu Apr 28 10:44:52.480 am 2022\nbase hex  timestamps absolute\n\
                internal events logged\n0.1 1 180 Tx d 8 6A 00 00 00 00 00 00 00  Length = 244016\n\
                0.2 1 221 Tx d F 01 02 03 04 05 06 07 08  Length = 228016 BitCount = 117\n";
    let (folder, log) = written("drive.asc", text);
    for (name, plain, raw) in [
        (
            "out.log",
            "221#0102030405060708 T",
            "221#0102030405060708_F T",
        ),
        ("out.asc", " d 8 01 02", " d f 01 02"),
    ] {
        let out = folder.path().join(name);
        let (code, _, report) = bus(&["convert"], &[&log, &out]);
        assert_eq!(code, Some(0), "{report}");
        let kept = fs::read_to_string(&out).unwrap();
        assert!(kept.contains(plain), "{kept}");
        assert!(report.contains("1 classic frame"), "{report}");
        assert!(report.contains("--raw-dlc"), "{report}");

        let (_, _, report) = bus(&["convert", "--raw-dlc"], &[&log, &out]);
        let kept = fs::read_to_string(&out).unwrap();
        assert!(kept.contains(raw), "{kept}");
        assert!(!report.contains("length code"), "{report}");
    }
}

/// Runs any command and returns its exit code, standard output and standard error.
fn ran(arguments: &[&str], paths: &[&Path]) -> (Option<i32>, String, String) {
    let output = waywarden().args(arguments).args(paths).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (printed, complaint) = (text(output.stdout), text(output.stderr));
    (output.status.code(), printed, complaint)
}

#[test]
fn auth_skips_damaged_lines_unless_refused_and_reports_them() {
    let drive = fs::read_to_string(workspace().join("examples/drive.log")).unwrap();
    let config = workspace().join("examples/auth.toml");
    let config = config.to_str().unwrap();
    let damaged = |text: &str| text.replacen('\n', "\nrubbish\n", 3);
    let (whole_folder, whole) = written("whole.log", &drive);
    let protect = ["auth", "protect", "--config", config];
    let check = ["auth", "check", "--config", config];
    let strict =
        |command: [&'static str; 2]| [&command[..], &["--config", config, "--strict"]].concat();
    let (code, protected, _) = ran(&protect, &[&whole]);
    assert_eq!(code, Some(0));
    let (_folder, log) = written("drive.log", damaged(&drive));
    let (code, _, complaint) = ran(&strict(["auth", "protect"]), &[&log]);
    assert_eq!(code, Some(2), "{complaint}");
    assert!(complaint.contains("drive.log:line 2: "), "{complaint}");
    assert!(complaint.contains("leave --strict out"), "{complaint}");

    let (code, printed, report) = ran(&protect, &[&log]);
    assert_eq!(code, Some(0), "{report}");
    assert!(printed == protected, "another log was protected");
    assert!(report.contains("skipped 3 damaged lines"), "{report}");

    let log = whole_folder.path().join("protected.log");
    fs::write(&log, damaged(&protected)).unwrap();
    assert_eq!(ran(&strict(["auth", "check"]), &[&log]).0, Some(2));
    let (code, _, report) = ran(&check, &[&log]);
    assert_eq!(code, Some(0), "{report}");
    assert!(report.contains("skipped 3 damaged lines"), "{report}");
}

#[test]
fn a_replay_skips_damaged_lines_unless_refused_and_reports_them() {
    let car = "[vehicle]\nname = 'car'\nduration = '10ms'\n[[bus]]\nname = 'b'\n\
               bitrate = '500k'\n[[ecu]]\nname = 'A'\nports = ['b']\n\
               [[replay]]\nlog = 's.log'\nchannels = { can0 = 'b' }\n";
    let (folder, file) = written("car.toml", car);
    fs::write(folder.path().join("s.log"), DAMAGED).unwrap();
    let (code, _, complaint) = ran(&["run", "--strict"], &[&file]);
    assert_eq!(code, Some(2), "{complaint}");
    assert!(complaint.contains("s.log:line 2: "), "{complaint}");
    assert!(complaint.contains("leave --strict out"), "{complaint}");

    let skipping = ["run", "--format", "json"];
    let (code, printed, report) = ran(&skipping, &[&file]);
    assert_eq!(code, Some(0), "{report}");
    assert!(report.contains("skipped 3 damaged lines"), "{report}");
    let printed: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(printed["buses"][0]["frames"], 3);
}

#[test]
fn a_log_with_a_date_keeps_it_in_asc() {
    let asc = "date Tue May 11 12:24:59.796 pm 2021\nbase hex  timestamps absolute\n\
               Begin Triggerblock Tue May 11 12:24:59.796 pm 2021\n\
               \x20  5.250000 1  123             Rx   d 1 11\nEnd TriggerBlock\n";
    let (folder, log) = written("in.asc", asc);
    let [out, again] = ["out.asc", "again.asc"].map(|name| folder.path().join(name));
    assert_eq!(bus(&["convert"], &[&log, &out]).0, Some(0));
    assert_eq!(bus(&["convert"], &[&out, &again]).0, Some(0));
    let text = fs::read_to_string(&out).unwrap();
    assert!(
        text.starts_with("date Tue May 11 12:24:59.796 2021\n"),
        "{text}"
    );
    assert!(text.contains("\n   5.250000 1  123 "), "{text}");
    assert_eq!(fs::read_to_string(again).unwrap(), text);
}

/// A recorder that was stopped at once leaves the header alone.
#[test]
fn log_of_a_header_alone_has_no_frame_for_any_command() {
    let mut blf = vec![0; 144];
    blf[..8].copy_from_slice(b"LOGG\x90\0\0\0");
    let asc = "date Sat Nov 21 05:35:39.956 2026\nbase hex  timestamps absolute\n";
    let config = workspace().join("examples/auth.toml");
    let config = config.to_str().unwrap();
    for (name, content) in [("head.blf", blf.as_slice()), ("head.asc", asc.as_bytes())] {
        let (folder, log) = written(name, content);
        let out = folder.path().join("out.log");
        for (arguments, paths) in [
            (&["bus", "convert"][..], &[log.as_path(), &out][..]),
            (&["bus", "load", "--bitrate", "500k"], &[&log]),
            (&["auth", "check", "--config", config], &[&log]),
            (&["auth", "protect", "--config", config], &[&log]),
        ] {
            let (code, printed, complaint) = ran(arguments, paths);
            assert_eq!(
                (code, printed.as_str()),
                (Some(2), ""),
                "{arguments:?}: {complaint}"
            );
            let why = format!("{name}: the log has no frame");
            assert!(complaint.contains(&why), "{arguments:?}: {complaint}");
        }
        assert!(!out.exists());
    }
}
