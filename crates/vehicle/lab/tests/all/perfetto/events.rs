//! The items of a trace: slices, arrows, frames and counters.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use waywarden_can_sim::clock::Time;
use waywarden_vehicle_trace::{Fact, TraceSink, VehicleEvent};

use super::{Track, items, of_phase, time, trace, track};
use crate::under_fire::{CAR, lowered, outcome, parse};

/// The slices of each track: from, to.
fn slices(items: &[Value]) -> BTreeMap<Track, Vec<(f64, f64)>> {
    let mut tracks: BTreeMap<Track, Vec<(f64, f64)>> = BTreeMap::new();
    for item in of_phase(items, "X") {
        let from = time(item, "ts");
        tracks
            .entry(track(item))
            .or_default()
            .push((from, from + time(item, "dur")));
    }
    tracks
}

#[test]
fn every_item_has_what_its_phase_needs() {
    let items = items(&trace());
    let mut named = HashMap::new();
    for item in &items {
        assert!(item["name"].is_string(), "{item}");
        let phase = item["ph"].as_str().unwrap();
        match phase {
            "M" => {
                let of_process = item["name"].as_str().unwrap().starts_with("process_");
                let key = if of_process {
                    (track(item).0, 0)
                } else {
                    track(item)
                };
                let known = named.insert((key, item["name"].clone()), ());
                assert!(known.is_none(), "named twice: {item}");
                let value = if item["name"].as_str().unwrap().ends_with("_name") {
                    item["args"]["name"].is_string()
                } else {
                    item["args"]["sort_index"].is_u64()
                };
                assert!(value, "{item}");
            }
            "X" => assert!(
                time(item, "dur") >= 0.0 && item["cat"].is_string(),
                "{item}"
            ),
            "i" => assert_eq!(item["s"], "t", "{item}"),
            "C" => {
                let series = item["args"].as_object().unwrap();
                assert!(
                    !series.is_empty() && series.values().all(Value::is_number),
                    "{item}"
                );
            }
            "s" | "f" => assert!(item["id"].is_u64() && item["cat"] == "way", "{item}"),
            other => panic!("phase {other} is not written: {item}"),
        }
        if phase != "M" {
            time(item, "ts");
            let (pid, tid) = track(item);
            let name = |tid: u64, what: &str| named.contains_key(&((pid, tid), what.into()));
            assert!(
                name(0, "process_name"),
                "before its process has a name: {item}"
            );
            assert!(
                tid == 0 || name(tid, "thread_name"),
                "before its thread has a name: {item}"
            );
        }
    }
}

#[test]
fn slices_of_a_track_follow_each_other_and_nothing_goes_back() {
    let items = items(&trace());
    for (track, slices) in slices(&items) {
        for pair in slices.windows(2) {
            // Half a picosecond for the rounding of ts + dur.
            assert!(pair[0].1 <= pair[1].0 + 5e-7, "{track:?}: {pair:?} overlap");
        }
    }
    for phase in ["i", "C"] {
        let mut last: HashMap<(Track, Value), f64> = HashMap::new();
        for item in of_phase(&items, phase) {
            // A counter goes by its name, a row of instants by its track.
            let name = if phase == "C" {
                item["name"].clone()
            } else {
                Value::Null
            };
            let now = time(item, "ts");
            let before = last.insert((track(item), name), now).unwrap_or(0.0);
            assert!(before <= now, "goes back: {item}");
        }
    }
}

#[test]
fn every_arrow_leads_forward_from_a_slice_to_a_slice() {
    let items = items(&trace());
    let slices = slices(&items);
    let inside = |item: &Value| {
        let ts = time(item, "ts");
        let of_track = slices
            .get(&track(item))
            .unwrap_or_else(|| panic!("no slices: {item}"));
        let at = of_track.partition_point(|slice| slice.0 <= ts);
        assert!(at > 0 && ts <= of_track[at - 1].1, "not in a slice: {item}");
    };
    let starts: BTreeMap<u64, &Value> = of_phase(&items, "s")
        .map(|item| (item["id"].as_u64().unwrap(), item))
        .collect();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ends = 0;
    for end in of_phase(&items, "f") {
        let start = starts[&end["id"].as_u64().unwrap()];
        assert_eq!((&start["name"], &start["cat"]), (&end["name"], &end["cat"]));
        assert_eq!(end["bp"], "e");
        assert!(time(start, "ts") <= time(end, "ts"), "{start} to {end}");
        inside(start);
        inside(end);
        *kinds.entry(end["name"].as_str().unwrap()).or_default() += 1;
        ends += 1;
    }
    assert_eq!((starts.len(), of_phase(&items, "s").count()), (ends, ends));
    assert_eq!(
        kinds.keys().copied().collect::<Vec<_>>(),
        ["forward", "receive", "send"]
    );
}

#[test]
fn the_frames_are_those_of_the_trace() {
    let lowered = lowered(&parse(CAR));
    let mut sink = lowered.perfetto(Vec::new(), None);
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    let mut count = |at: Time, event: &VehicleEvent<'_>| {
        let kind = match event {
            VehicleEvent::Sent { .. } => "sent",
            VehicleEvent::Error { .. } => "error",
            VehicleEvent::Interfered { .. } => "strike",
            VehicleEvent::Counters { .. } => "counters",
            VehicleEvent::Boot { .. } => "boot",
            VehicleEvent::Noted { remark, .. }
                if matches!(remark.fact, Fact::Suppressed { .. }) =>
            {
                "suppressed"
            }
            VehicleEvent::Worked { .. } => "work",
            _ => "other",
        };
        *counted.entry(kind).or_default() += 1;
        sink.record(at, event);
    };
    outcome(lowered, &mut count);
    let items = items(&sink.finish().unwrap());
    let count = |phase: &str, has: &dyn Fn(&Value) -> bool| {
        of_phase(&items, phase).filter(|item| has(item)).count()
    };
    let named =
        |part: &'static str| move |item: &Value| item["name"].as_str().unwrap().contains(part);
    assert_eq!(
        count("X", &|item| item["args"]["outcome"] == "sent"),
        counted["sent"]
    );
    assert_eq!(count("X", &|item| item["cat"] == "work"), counted["work"]);
    // A flag is an instant too, so the errors go by their place.
    assert_eq!(
        count("i", &|item| named("error")(item)
            && item["args"]["field"].is_string()),
        counted["error"]
    );
    assert_eq!(count("i", &named("strike of unplug")), counted["strike"]);
    assert_eq!(count("i", &named("suppressed")), counted["suppressed"]);
    assert_eq!(count("i", &named("boot")), counted["boot"]);
    assert_eq!(count("C", &named("error counters")), counted["counters"]);
    let broken = count("X", &|item| item["args"]["outcome"] == "bit error");
    assert!(
        broken >= 32,
        "{broken} frames destroyed on the way to bus-off"
    );
    let names: Vec<&str> = of_phase(&items, "M")
        .filter(|item| item["name"] == "process_name")
        .map(|item| item["args"]["name"].as_str().unwrap())
        .collect();
    let want = [
        "bus drive",
        "bus comfort",
        "engine",
        "brakes",
        "gateway",
        "cluster",
        "standstill",
    ];
    assert_eq!(names, want);
    assert!(count("X", &|item| item["name"] == "0B4 EngineSpeed") > 100);
}

#[test]
fn the_load_counter_adds_up_to_the_measured_load() {
    let lowered = lowered(&parse(CAR));
    let mut sink = lowered.perfetto(Vec::new(), None);
    let outcome = outcome(lowered, &mut sink);
    let items = items(&sink.finish().unwrap());
    for (bus, figures) in outcome.measure.buses.iter().enumerate() {
        let steps: Vec<(f64, f64)> = of_phase(&items, "C")
            .filter(|item| item["name"] == "load" && item["pid"] == bus + 1)
            .map(|item| (time(item, "ts"), item["args"]["percent"].as_f64().unwrap()))
            .collect();
        let area: f64 = steps
            .windows(2)
            .map(|pair| (pair[1].0 - pair[0].0) * pair[0].1)
            .sum();
        let busy = figures.busy as f64 * 1e-6;
        assert!(steps.last().unwrap().1 == 0.0, "{steps:?}");
        assert!(
            (area / 100.0 - busy).abs() < 1e-3 * busy,
            "{} and {busy} us",
            area / 100.0
        );
    }
}
