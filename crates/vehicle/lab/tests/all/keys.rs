//! Vehicles whose ECUs agree on group keys: what the file says happens on the buses, and the report
//! tells it.

mod agreement;
mod mistakes;
mod report;

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::{GroupRow, Report};
use waywarden_vehicle_resources::Resources;

/// Four ECUs and a gateway on two FD buses and a classic one.
const CAR: &str = r#"
[vehicle]
name = "car"
duration = "3s"
[[bus]]
name = "one"
bitrate = "500k"
data_bitrate = "2M"
[[bus]]
name = "two"
bitrate = "500k"
data_bitrate = "2M"
[[bus]]
name = "slow"
bitrate = "250k"
[[ecu]]
name = "gateway"
board = "tc297"
ports = ["one", "two", "slow"]
[[ecu]]
name = "a"
board = "tc297"
ports = ["one"]
sends = [{ name = "A", id = 0x100, length = 8, period = "10ms", receivers = ["b"] }]
[[ecu]]
name = "b"
board = "tc224"
ports = ["one"]
[[ecu]]
name = "c"
board = "tc297"
ports = ["two"]
start = "40ms"
[[ecu]]
name = "d"
board = "tc277"
ports = ["two", "slow"]
clock_ppm = 100
"#;

fn parse(keys: &str) -> VehicleFile {
    let text = format!("{CAR}{keys}");
    VehicleFile::parse("car.toml", &text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn errors(keys: &str) -> String {
    let text = format!("{CAR}{keys}");
    VehicleFile::parse("car.toml", &text)
        .unwrap_err()
        .to_string()
}

fn report(keys: &str) -> Report {
    let file = parse(keys);
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    Report::new(&file, 0, &outcome)
}

fn frames(group: &GroupRow, step: &str) -> u64 {
    let mut steps = group.steps.iter();
    steps
        .find(|row| row.step == step)
        .map_or(0, |row| row.frames)
}
