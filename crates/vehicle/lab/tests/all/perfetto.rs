//! The Perfetto JSON against the rules of the Trace Event Format, item by item.

mod events;
mod output;
mod window;

use serde_json::Value;

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
