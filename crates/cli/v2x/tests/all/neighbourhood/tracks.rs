//! `waywarden station --position track:FILE`: stations are where the file says.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::station;

/// Start of virtual time: 2026-06-01T08:00:00Z, in the time of messages.
const BEGIN_MICROS: u64 = 707_385_605_000_000;

/// 11.12 m/s to the north, for eight seconds; a second car stands beside from the third second on.
fn position(vehicle: &str, seconds: f64) -> (f64, f64) {
    match vehicle {
        "moving" => (48.1 + 1e-4 * seconds, 11.5),
        _ => (48.1005, 11.5001),
    }
}

fn each(mut line: impl FnMut(&str, u32, f64, f64)) {
    for second in 0..=8 {
        for (vehicle, begin, end) in [("moving", 0, 8), ("standing", 3, 6)] {
            if (begin..=end).contains(&second) {
                let (latitude, longitude) = position(vehicle, f64::from(second));
                line(vehicle, second, latitude, longitude);
            }
        }
    }
}

fn csv() -> String {
    let mut text = "vehicle;time;latitude;longitude\n".to_owned();
    each(|vehicle, second, latitude, longitude| {
        text += &format!("{vehicle};{second};{latitude};{longitude}\n");
    });
    text
}

fn sumo() -> String {
    let mut text = "<fcd-export>\n".to_owned();
    let mut last = None;
    each(|vehicle, second, latitude, longitude| {
        if last.replace(second).is_some_and(|last| last != second) {
            text += "</timestep>\n";
        }
        if !text.ends_with("/>\n") {
            text += &format!("<timestep time=\"{second}.00\">\n");
        }
        text += &format!("<vehicle id=\"{vehicle}\" x=\"{longitude}\" y=\"{latitude}\"/>\n");
    });
    text + "</timestep>\n</fcd-export>\n"
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn source(path: &Path) -> String {
    format!("track:{}", path.display())
}

fn events(path: &Path, more: &[&str]) -> Vec<Value> {
    let source = source(path);
    let options = ["--position", &source, "--virtual-time", "--format", "json"];
    let (code, out, errors) = station(&[&options[..], more].concat());
    assert_eq!((code, &errors[..]), (0, ""));
    let events = out.lines().map(serde_json::from_str);
    events.map(Result::unwrap).collect()
}

#[test]
fn stations_say_the_positions_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("track.csv", csv()), ("trace.xml", sumo())] {
        let path = written(folder.path(), name, &text);
        let events = events(&path, &["--stations", "2"]);
        let heard = events.iter().filter(|event| event["event"] == "heard");
        let mut counts = [0, 0];
        for event in heard {
            let micros = event["time_us"].as_u64().unwrap() - BEGIN_MICROS;
            let receiver = event["station"].as_u64().unwrap();
            let sender = ["standing", "moving"][receiver as usize];
            let (latitude, longitude) = position(sender, micros as f64 / 1e6);
            let off = |name: &str, from: f64| (event[name].as_f64().unwrap() - from).abs();
            // A message takes half a millisecond, in which the car moves by 6 mm.
            assert!(off("latitude_degrees", latitude) < 3e-7, "{name}: {event}");
            assert!(
                off("longitude_degrees", longitude) < 2e-7,
                "{name}: {event}"
            );
            let speed = if sender == "moving" { 11.12 } else { 0.0 };
            assert!(
                off("speed_metres_per_second", speed) < 0.02,
                "{name}: {event}"
            );
            counts[receiver as usize] += 1;
        }
        // The one that stands sends each second for three seconds; the other one each 4 m and
        // 300 ms, from which steps make 360 ms or so, for as long as the first one hears it.
        assert!((3..=4).contains(&counts[0]), "{name}: {counts:?}");
        assert!((10..=18).contains(&counts[1]), "{name}: {counts:?}");
        let stops: Vec<_> = events
            .iter()
            .filter(|event| event["event"] == "impaired")
            .map(|event| {
                (
                    event["station"].as_u64().unwrap(),
                    event["reason"].as_str().unwrap(),
                )
            })
            .collect();
        let unknown = "the position is not known";
        // The run ends with the last vehicle: what leaves before says so.
        assert_eq!(stops, [(1, unknown)], "{name}");
        let sent = |station: u64| {
            let sent = events.iter().filter(|event| event["event"] == "sent");
            let own = sent.filter(|event| event["station"] == station);
            let times = own.map(|event| event["time_us"].as_u64().unwrap() - BEGIN_MICROS);
            times.collect::<Vec<_>>()
        };
        assert!(
            sent(1)
                .iter()
                .all(|time| (3_000_000..=6_020_000).contains(time))
        );
        assert!(sent(0).iter().all(|time| *time <= 8_000_000));
    }
}

#[test]
fn hostile_stations_and_longer_runs_go_with_tracks() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "track.csv", &csv());
    let attack = ["--attack", "forged,displaced", "--duration", "10s"];
    let events = events(&path, &attack);
    let is_refused = |event: &&Value| event["event"] == "heard" && event["result"] != "success";
    assert!(events.iter().filter(is_refused).count() > 10);
    let impaired = events.iter().filter(|event| event["event"] == "impaired");
    assert_eq!(impaired.count(), 1);
}

#[test]
fn what_is_no_track_is_refused_with_file_line_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let whole = csv();
    for (text, more, said) in [
        ("hello\n".to_owned(), &[][..], "line 1: neither GPX"),
        (
            whole.replace(";11.5\n", ";x\n"),
            &["--strict"],
            "line 2: longitude=\"x\"",
        ),
        (
            whole,
            &["--stations", "3"],
            "--stations 3: it has 2 vehicles",
        ),
        (
            sumo().replace("\"11.5\"", "\"5011.5\""),
            &[],
            "--fcd-output.geo",
        ),
    ] {
        let path = written(folder.path(), "broken", &text);
        let source = source(&path);
        let options = ["--position", &source, "--virtual-time"];
        let (code, out, errors) = station(&[&options[..], more].concat());
        assert_eq!((code, &out[..]), (2, ""), "{errors}");
        assert!(
            errors.contains("broken: ") && errors.contains(said),
            "{errors}"
        );
    }
    for (options, said) in [
        (&["--position", "track:no-such-file"][..], "no-such-file"),
        (&["--origin", "48,11"], "--origin: it is for"),
        (&["--virtual-time"], "it takes --duration"),
    ] {
        let (code, _, errors) = station(options);
        assert_eq!(code, 2, "{errors}");
        assert!(errors.contains(said), "{errors}");
    }
}

#[test]
fn faults_of_a_recording_are_counted_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let text = csv()
        .replace("moving;3;", "moving;3x;")
        .replace("time;", "t;");
    let source = source(&written(folder.path(), "log", &text));
    let options = [
        "--position",
        &source,
        "--virtual-time",
        "--columns",
        "time=t",
    ];
    let (code, _, errors) = station(&options);
    assert_eq!(code, 0, "{errors}");
    for said in [
        "1 damaged: skipped; the first: line 5: time=\"3x\"",
        "12 positions taken",
    ] {
        assert!(errors.contains(said), "{errors}");
    }
    let (_, out, _) = station(&[&options[..], &["--format", "json"]].concat());
    let last: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(last["recording"]["positions"], 12);
    let fault = &last["recording"]["faults"][0];
    let figures = ["kind", "is_fault", "count", "first"].map(|name| fault[name].clone());
    let expected: [Value; 4] = ["damaged".into(), true.into(), 1.into(), "line-5".into()];
    assert_eq!(figures, expected, "{fault}");
}

#[test]
fn metres_of_a_trace_are_placed_by_an_origin() {
    let folder = tempfile::tempdir().unwrap();
    let text = "timestep_time;vehicle_id;vehicle_x;vehicle_y;vehicle_speed;vehicle_angle\n\
                0;a;1000;2000;0;0\n0;b;0;0;0;0\n1;a;1000;2000;0;0\n1;b;0;0;0;0\n\
                2;a;1000;2000;0;0\n2;b;0;0;0;0\n";
    let path = written(folder.path(), "fcd.csv", text);
    let events = events(&path, &["--stations", "2", "--origin", "48.0,11.0"]);
    let heard = events.iter().filter(|event| event["event"] == "heard");
    let of_a: Vec<_> = heard.filter(|event| event["station"] == 1).collect();
    assert!(!of_a.is_empty());
    for event in of_a {
        // A degree at 48 degrees north is 111,200 m long and 74,630 m wide.
        let off = |name: &str, from: f64| (event[name].as_f64().unwrap() - from).abs();
        assert!(
            off("latitude_degrees", 48.0 + 2_000.0 / 111_200.0) < 1e-5,
            "{event}"
        );
        assert!(
            off("longitude_degrees", 11.0 + 1_000.0 / 74_630.0) < 1e-5,
            "{event}"
        );
    }
}
