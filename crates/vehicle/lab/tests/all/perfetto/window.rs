//! A trace of a window of time.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use waywarden_vehicle_file::Window;
use waywarden_work::Duration;

use super::{Track, items, of_phase, time, trace, track};
use crate::under_fire::{CAR, lowered, outcome, parse};

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
