//! The Perfetto JSON against the rules of the Trace Event Format, item by item.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, Write};

use serde_json::Value;
use waywarden_can_sim::clock::Time;
use waywarden_vehicle_file::Window;
use waywarden_vehicle_trace::{Event, Fact, TraceSink};
use waywarden_work::Duration;

use crate::under_fire::{CAR, lowered, outcome, parse};

type Track = (u64, u64);

fn trace() -> Vec<u8> {
    let lowered = lowered(&parse(CAR));
    let mut sink = lowered.perfetto(Vec::new(), None);
    outcome(lowered, &mut sink);
    sink.finish().unwrap()
}

fn items(text: &[u8]) -> Vec<Value> {
    let whole: Value = serde_json::from_slice(text).expect("whole JSON");
    assert_eq!(whole["displayTimeUnit"], "ns");
    whole["traceEvents"].as_array().unwrap().clone()
}

fn of_phase<'a>(items: &'a [Value], phase: &'a str) -> impl Iterator<Item = &'a Value> {
    items.iter().filter(move |item| item["ph"] == phase)
}

fn track(item: &Value) -> Track {
    (item["pid"].as_u64().unwrap(), item["tid"].as_u64().unwrap())
}

fn time(item: &Value, key: &str) -> f64 {
    let time = item[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} of {item}"));
    assert!(time.is_finite() && time >= 0.0, "{key} of {item}");
    time
}

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
            // A counter is told by its name, a row of instants by its track.
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
    let mut count = |at: Time, event: &Event<'_>| {
        let kind = match event {
            Event::Sent { .. } => "sent",
            Event::Error { .. } => "error",
            Event::Interfered { .. } => "strike",
            Event::Counters { .. } => "counters",
            Event::Boot { .. } => "boot",
            Event::Noted { remark, .. } if matches!(remark.fact, Fact::Suppressed { .. }) => {
                "suppressed"
            }
            Event::Worked { .. } => "work",
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
    // A flag is an instant too, so the errors are told by their place.
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

/// The items of the whole run that belong into a window, in microseconds; of counters, those in it.
fn expected(whole: &[Value], phase: &str, (from, until): (f64, f64)) -> Vec<Value> {
    let inside = |ts: f64| from <= ts && ts < until;
    let belongs = |item: &&Value| match phase {
        "X" => {
            let ts = time(item, "ts");
            ts < until && ts + time(item, "dur") >= from
        }
        // An arrow is there if both its ends are.
        "s" | "f" => {
            let mut ends = whole
                .iter()
                .filter(|end| end["cat"] == "way" && end["id"] == item["id"]);
            ends.all(|end| inside(time(end, "ts")))
        }
        _ => inside(time(item, "ts")),
    };
    of_phase(whole, phase)
        .filter(belongs)
        .map(without_id)
        .collect()
}

/// An arrow's number says how many there were before it.
fn without_id(item: &Value) -> Value {
    let mut item = item.clone();
    item.as_object_mut().unwrap().remove("id");
    item
}

#[test]
fn a_window_shows_what_the_whole_run_has_in_it_and_nothing_else() {
    let whole = items(&trace());
    for (from_ms, until_ms) in [(0, 100), (150, 250), (400, 450), (580, 600)] {
        let window = Window {
            from: Duration::from_millis(from_ms),
            until: Some(Duration::from_millis(until_ms)),
        };
        let lowered = lowered(&parse(CAR));
        let mut sink = lowered.perfetto(Vec::new(), Some(&window));
        outcome(lowered, &mut sink);
        let text = sink.finish().unwrap();
        let part = items(&text);
        let (from, until) = (from_ms as f64 * 1e3, until_ms as f64 * 1e3);
        for phase in ["X", "i", "s", "f"] {
            let shown: Vec<Value> = of_phase(&part, phase).map(without_id).collect();
            let expected = expected(&whole, phase, (from, until));
            assert!(
                shown == expected,
                "{phase} between {from_ms} and {until_ms} ms"
            );
        }
        assert!(of_phase(&part, "X").count() > 10 && of_phase(&part, "s").count() > 5);
        counters_go_on(&whole, &part, (from, until));
        // No track without an item.
        let used: BTreeSet<Track> = of_phase(&part, "X")
            .chain(of_phase(&part, "i"))
            .map(track)
            .collect();
        let named: BTreeSet<Track> = of_phase(&part, "M")
            .filter(|item| item["name"] == "thread_name")
            .map(track)
            .collect();
        assert_eq!(named, used);
    }
}

/// Each counter begins with the value it had, and goes on as in the whole run.
fn counters_go_on(whole: &[Value], part: &[Value], (from, until): (f64, f64)) {
    let mut by_name: BTreeMap<(Track, &str), Vec<&Value>> = BTreeMap::new();
    for item in of_phase(whole, "C") {
        let name = (track(item), item["name"].as_str().unwrap());
        by_name.entry(name).or_default().push(item);
    }
    let mut count = 0;
    for ((track_of, name), steps) in by_name {
        let at = steps.partition_point(|item| time(item, "ts") < from);
        let before = at.checked_sub(1).map(|last| (from, &steps[last]["args"]));
        let inside = steps[at..]
            .iter()
            .map(|item| (time(item, "ts"), &item["args"]))
            .take_while(|(ts, _)| *ts < until);
        // A step at the very beginning takes the place of the value before it.
        let replaced = steps.get(at).is_some_and(|item| time(item, "ts") == from);
        let expected: Vec<(f64, &Value)> = before
            .filter(|_| !replaced)
            .into_iter()
            .chain(inside)
            .collect();
        let shown: Vec<(f64, &Value)> = of_phase(part, "C")
            .filter(|item| track(item) == track_of && item["name"] == name)
            .map(|item| (time(item, "ts"), &item["args"]))
            .collect();
        assert_eq!(shown, expected, "{name} of {track_of:?}");
        count += shown.len();
    }
    assert_eq!(of_phase(part, "C").count(), count);
}

#[test]
fn a_window_behind_the_end_is_an_empty_trace() {
    let window = Window {
        from: Duration::from_millis(5_000),
        until: None,
    };
    let lowered = lowered(&parse(CAR));
    let mut sink = lowered.perfetto(Vec::new(), Some(&window));
    outcome(lowered, &mut sink);
    let items = items(&sink.finish().unwrap());
    assert_eq!(items.len(), of_phase(&items, "M").count());
}

#[test]
fn the_same_run_gives_the_same_text() {
    assert!(trace() == trace());
}

/// Keeps what is written where it survives the sink.
#[derive(Clone, Default)]
struct Shared(std::rc::Rc<std::cell::RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_trace_that_breaks_off_is_whole_json() {
    let out = Shared::default();
    let lowered = lowered(&parse(CAR));
    let mut sink = lowered.perfetto(out.clone(), None);
    let mut left = 5_000_u32;
    let mut some = |at: Time, event: &Event<'_>| {
        if left > 0 {
            left -= 1;
            sink.record(at, event);
        }
    };
    outcome(lowered, &mut some);
    drop(sink);
    assert!(items(&out.0.borrow()).len() > 1_000);
    let lowered = crate::under_fire::lowered(&parse(CAR));
    assert_eq!(
        of_phase(
            &items(&lowered.perfetto(Vec::new(), None).finish().unwrap()),
            "X"
        )
        .count(),
        0
    );
}

/// Refuses everything after some bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self
            .0
            .checked_sub(bytes.len())
            .ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported_at_the_end() {
    let lowered = lowered(&parse(CAR));
    let mut sink = lowered.perfetto(Full(10_000), None);
    outcome(lowered, &mut sink);
    assert_eq!(
        sink.finish().err().unwrap().kind(),
        io::ErrorKind::StorageFull
    );
}
