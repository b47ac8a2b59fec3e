//! `waywarden bus` on real logs, on frames, and on what is none.

use std::fs;

use crate::support::{corpus, json, waywarden};

#[test]
fn every_row_of_the_frame_table_is_exact() {
    let Some(table) = corpus("can/frame_bits.csv") else {
        return;
    };
    let checked = json(
        waywarden()
            .args(["bus", "bits", "--format", "json", "--csv"])
            .arg(&table),
    );
    assert_eq!(checked["rows"], 4_500);
    assert_eq!(checked["mismatches"], 0);
}

#[test]
fn a_wrong_answer_in_a_frame_table_is_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("frames.csv");
    // 47 + 8 bits without intermission and stuffing: 44 + 8 + stuff bits; 99 is wrong.
    fs::write(
        &table,
        "kind,ext,id,brs,esi,data,nominal_bits\nclassic,0,555,0,0,55,99\n",
    )
    .unwrap();
    let output = waywarden()
        .args(["bus", "bits", "--csv"])
        .arg(&table)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("frames.csv:2") && text.contains("nominal_bits 99"),
        "{text}"
    );
}

#[test]
fn a_frame_is_explained_bit_by_bit() {
    let explained = json(waywarden().args(["bus", "bits", "123#11223344", "--format", "json"]));
    let bits = explained["bits"].as_array().unwrap();
    let nominal = explained["nominal_bits"].as_u64().unwrap();
    assert_eq!(bits.len() as u64, nominal);
    assert_eq!(bits[0]["field"], "SOF");
    assert_eq!(
        explained["duration_us"].as_f64().unwrap(),
        nominal as f64 * 2.0
    );
}

#[test]
fn the_load_of_the_real_logs_is_exact() {
    for (log, frames, ids) in [
        ("can/logs/css-94c49784.log.gz", 84_730, 89),
        ("can/logs/savvycan-candump.log.gz", 12_974, 180),
    ] {
        let Some(path) = corpus(log) else { return };
        let mut command = waywarden();
        command
            .args(["bus", "load", "--bitrate", "500k", "--format", "json"])
            .arg(&path);
        let load = json(&mut command);
        assert_eq!(
            (&load["frames"], &load["ids"]),
            (&frames.into(), &ids.into()),
            "{log}"
        );
        // The load follows from the bits of each frame, counted here by the slow, independent path.
        let expected = expected_load(&path);
        // One of the logs has two channels: only in a sum over them are the frames all there.
        let channels = load["channels"].as_array().unwrap().iter();
        let ours: f64 = channels.map(|one| one["load"].as_f64().unwrap()).sum();
        assert!(
            (ours / expected - 1.0).abs() < 1e-9,
            "{log}: {ours}, expected {expected}"
        );
    }
}

/// Bits of all frames laid out one by one, plus intermission, over the log's time at 500 kbit/s.
fn expected_load(path: &std::path::Path) -> f64 {
    use waywarden_can::bits::{FdVariant, expand};
    let file = std::io::BufReader::new(fs::File::open(path).unwrap());
    let (mut bits, mut first, mut last) = (0_u64, None, 0);
    for record in waywarden_can_log::open(file).unwrap() {
        let record = record.unwrap();
        let frame = record.entry.frame().unwrap();
        bits += expand(frame, FdVariant::Iso).bits().len() as u64 + 3;
        first.get_or_insert(record.at_ns);
        last = record.at_ns;
    }
    bits as f64 * 2e-6 / ((last - first.unwrap()) as f64 * 1e-9)
}

#[test]
fn broken_logs_name_their_place_and_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("broken.log");
    fs::write(&log, "(1.000000) can0 123#11\n(1.000100) can0 12#22\n").unwrap();
    let out = folder.path().join("out.asc");
    let output = waywarden()
        .args(["bus", "convert", "--strict"])
        .arg(&log)
        .arg(&out)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("broken.log") && text.contains('2'), "{text}");
    let left: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    assert_eq!(left, ["broken.log"]);
}

#[test]
fn a_gzip_log_that_breaks_off_is_an_error_with_its_place() {
    let Some(log) = corpus("can/logs/css-94c49784.log.gz") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.log.gz");
    let bytes = fs::read(log).unwrap();
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let output = waywarden()
        .args(["bus", "load", "--strict", "--bitrate", "500k"])
        .arg(&cut)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("cut.log.gz"), "{text}");
    assert!(
        output.stdout.is_empty(),
        "figures of half a log were printed"
    );
}

#[test]
fn what_is_no_frame_is_refused_with_what_would_be_right() {
    for (frame, remedy) in [
        ("123", "#"),
        ("8000#11", "3"),
        ("123#112233445566778899", "8"),
        ("FFFFFFFF#", "29"),
    ] {
        let output = waywarden().args(["bus", "bits", frame]).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{frame}");
        assert!(text.contains(frame.split('#').next().unwrap()), "{text}");
        assert!(text.contains(remedy), "{frame}: {text}");
    }
}

#[test]
fn a_message_matrix_becomes_a_vehicle_that_runs() {
    let Some(dbc) = corpus("can/dbc/ford_lincoln_base_pt.dbc") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let car = folder.path().join("ford.toml");
    let mut import = waywarden();
    import
        .args(["bus", "import", "--assume", "100ms", "-o"])
        .arg(&car)
        .arg(&dbc);
    import.assert().success();
    let mut run = waywarden();
    run.args(["run", "--duration", "300ms", "--format", "json"])
        .arg(&car);
    let report = json(&mut run);
    assert!(report["streams"].as_array().unwrap().len() > 100);
    assert!(report["buses"][0]["frames"].as_u64().unwrap() > 100);
}

#[test]
fn a_broken_message_matrix_names_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.dbc");
    let begin = "VERSION \"\"\nNS_ :\nBS_:\nBU_: A\n";
    for (text, place, remedy) in [
        (format!("{begin}BO_ x\n"), ":5: ", "BO_ <identifier>"),
        (
            format!("{begin}BO_ 12 m: 8 A\n SG_ broken\n"),
            ":6: ",
            "the statement is `SG_",
        ),
        (
            format!("{begin}BO_ 12 m: 8 A\n"),
            ": none of its 1 messages has a period",
            "--assume TIME",
        ),
        (
            "\u{1}\u{2} noise".to_owned(),
            ":1: ",
            "begins with `VERSION`",
        ),
        (begin.to_owned(), ": has no message", "BO_ <identifier>"),
    ] {
        fs::write(&file, text).unwrap();
        let output = waywarden().args(["bus", "import"]).arg(&file).output();
        let output = output.unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        let code = if complaint.contains("nothing is written") {
            1
        } else {
            2
        };
        assert_eq!(output.status.code(), Some(code), "{complaint}");
        assert!(
            complaint.contains(&format!("m.dbc{place}")),
            "{place}: {complaint}"
        );
        assert!(complaint.contains(remedy), "{complaint}");
    }
}

#[test]
fn messages_with_bad_identifiers_are_skipped_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("m.dbc"), folder.path().join("m.toml"));
    let mut text = "VERSION \"\"\nNS_ :\nBS_:\nBU_: A\nBO_ 12 good: 8 A\n".to_owned();
    for raw in 4_096..4_104 {
        text += &format!("BO_ {raw} bad{raw}: 8 A\n");
    }
    fs::write(&file, text).unwrap();
    let mut command = waywarden();
    command.args(["bus", "import", "--assume", "10ms", "-o"]);
    let output = command.arg(&out).arg(&file).output().unwrap();
    let report = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report}");
    for named in [
        "m.dbc:6: message bad4096 is skipped: 4096 is no identifier",
        "m.dbc: 8 parts are skipped in all",
    ] {
        assert!(report.contains(named), "{report}");
    }
    let written = fs::read_to_string(&out).unwrap();
    assert!(written.contains("name = \"good\""), "{written}");
    assert_eq!(written.matches("# Skipped: ").count(), 8, "{written}");

    let again = |option: &str| {
        let mut command = waywarden();
        command.args(["bus", "import", "--assume", "10ms", "-o"]);
        let output = command.arg(&out).arg(&file).arg(option).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, complaint) = again("--fast-cycles");
    assert_eq!(code, Some(2), "{complaint}");
    assert!(complaint.contains("--force replaces it"), "{complaint}");
    assert_eq!(again("--force").0, Some(0));
    fs::remove_file(&out).unwrap();
    let (code, complaint) = again("--strict");
    assert_eq!(code, Some(2), "{complaint}");
    assert!(complaint.contains("--strict refuses that"), "{complaint}");
    assert!(!out.exists());
    let (code, _) = again("--unflagged-as-extended");
    assert_eq!(code, Some(0));
    let written = fs::read_to_string(&out).unwrap();
    assert_eq!(written.matches("extended = true").count(), 8, "{written}");
}

/// The data phase of a frame with BRS has a bit rate that nothing else tells.
#[test]
fn load_of_frames_with_bit_rate_switch_asks_for_the_data_rate() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("fd.log");
    fs::write(
        &log,
        "(1.000000) can0 123##1001122\n(1.010000) can0 124##1001122\n",
    )
    .unwrap();
    let load = |options: &[&str]| {
        let mut command = waywarden();
        command
            .args(["bus", "load", "--bitrate", "500k"])
            .args(options);
        let output = command.arg(&log).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, complaint) = load(&[]);
    assert_eq!(code, Some(2), "{complaint}");
    assert!(complaint.contains("--data-bitrate"), "{complaint}");
    assert_eq!(load(&["--data-bitrate", "2M"]).0, Some(0));
}

#[test]
fn an_import_that_would_not_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("m.dbc"), folder.path().join("m.toml"));
    fs::write(&file, "VERSION \"\"\nNS_ :\nBS_:\nBU_: A\nBO_ 12 m: 8 A\n").unwrap();
    for option in [["--assume", "0ms"], ["--bitrate", "3"], ["--bitrate", "2M"]] {
        let mut command = waywarden();
        command.args(["bus", "import"]).arg(&file).args(option);
        let output = command.arg("-o").arg(&out).output().unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{option:?}: {complaint}");
        assert!(complaint.contains("out of range"), "{complaint}");
        assert!(complaint.contains("--bitrate"), "{complaint}");
        assert!(!out.exists());
    }
}

/// `frames` frames of one identifier, one each 200 microseconds.
fn write_log(path: &std::path::Path, frames: u64) {
    use std::fmt::Write;
    let mut text = String::new();
    for at in 0..frames {
        let micros = at * 200;
        let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
        writeln!(text, "({seconds}.{micros:06}) can0 123#1122334455667788").unwrap();
    }
    fs::write(path, text).unwrap();
}

#[test]
fn load_above_all_that_a_bus_carries_is_an_error_with_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("drive.log");
    write_log(&log, 40_000);
    for (rate, cause) in [
        ("500", "write 500k for 500 kbit/s"),
        ("125k", "give the bit rate of the recorded bus"),
    ] {
        let mut load = waywarden();
        load.args(["bus", "load", "--bitrate", rate]).arg(&log);
        let output = load.output().unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{rate}: {complaint}");
        assert!(output.stdout.is_empty(), "{rate}: figures were printed");
        let named = ["drive.log: channel can0: ", "100 %", cause];
        assert!(
            named.iter().all(|part| complaint.contains(part)),
            "{rate}: {complaint}"
        );
    }
}

#[test]
fn frames_back_to_back_are_no_overload() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("full.log");
    // 108 bits and 3 of stuffing, then 3 of intermission: 228 us at 500 kbit/s.
    let text = "(0.000000) can0 555#5555555555555555\n(0.000228) can0 555#5555555555555555\n";
    fs::write(&log, text).unwrap();
    let mut load = waywarden();
    load.args(["bus", "load", "--bitrate", "500k"]).arg(&log);
    load.assert().success();
}

/// Kept whole, the frames of this log would take 180 MB.
#[cfg(target_os = "linux")]
#[test]
fn memory_for_a_load_does_not_grow_with_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("long.log");
    write_log(&log, 800_000);
    let binary = waywarden().get_program().to_owned();
    let limited = "ulimit -v 120000; exec \"$0\" bus load --bitrate 1M --format json \"$1\"";
    let mut load = std::process::Command::new("sh");
    load.args(["-c", limited]).arg(binary).arg(&log);
    let output = load.output().unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{complaint}");
    let load: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(load["frames"], 800_000);
}
