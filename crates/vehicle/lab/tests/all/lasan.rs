//! Vehicles whose ECUs authenticate to a security module and send protected streams.

mod attacks;
mod authentication;
mod grants;
mod mistakes;
mod report;

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::{RunOutcome, run};
use waywarden_vehicle_report::report::{NetworkRow, ProtectedRow, ReceiverRow, Report};
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::TraceSink;

/// A security module that forwards between two FD buses, with three ECUs.
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
[[ecu]]
name = "safe"
board = "m4"
ports = ["one", "two"]
[[ecu]]
name = "a"
board = "m4"
ports = ["one"]
sends = [{ name = "A", id = 0x100, length = 8, period = "10ms", receivers = ["b", "c"] }]
[[ecu]]
name = "b"
board = "m4"
ports = ["one"]
start = "40ms"
sends = [{ name = "B", id = 0x101, length = 20, period = "20ms", receivers = ["a"] }]
[[ecu]]
name = "c"
board = "m4"
ports = ["two"]
clock_ppm = 100
[[route]]
gateway = "safe"
from = "one"
to = "two"
streams = ["A"]
"#;

const KEYS: &str = "[[keys]]\nname = \"core\"\nscheme = \"lasan\"\nsecurity_module = \"safe\"\n\
                    protect = [\"A\", \"B\"]\n";

fn parse(text: &str) -> VehicleFile {
    VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn outcome(text: &str, sink: &mut dyn TraceSink) -> (VehicleFile, RunOutcome) {
    let file = parse(text);
    let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(lowered, sink, &mut |_| {}).unwrap();
    (file, outcome)
}

fn report_of(text: &str) -> Report {
    let (file, outcome) = outcome(text, &mut Discard);
    Report::new(&file, 0, &outcome)
}

/// The car on boards that compute in no time, with these keys.
fn report(keys: &str) -> Report {
    let car = CAR.replace("\"m4\"", "\"ideal\"");
    report_of(&format!("{car}{keys}"))
}

fn stream<'a>(network: &'a NetworkRow, name: &str) -> &'a ProtectedRow {
    let mut streams = network.streams.iter();
    streams.find(|row| row.stream == name).unwrap()
}

fn at<'a>(stream: &'a ProtectedRow, ecu: &str) -> &'a ReceiverRow {
    let mut receivers = stream.receivers.iter();
    receivers.find(|row| row.ecu == ecu).unwrap()
}

fn requested(report: &Report, name: &str) -> u64 {
    let mut streams = report.streams.iter();
    streams.find(|row| row.stream == name).unwrap().requested
}
