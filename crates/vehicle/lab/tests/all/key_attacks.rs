//! The attacks on the exchange of keys in examples/attacks/keys/: each succeeds as published and
//! fails against the other profiles, which `profile` alone tells apart.

mod examples;
mod key_frames;
mod mistakes;

use std::path::PathBuf;

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../examples/attacks/keys")
}

fn text(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs a vehicle, once the profile of its keys is another one.
fn report(name: &str, text: &str, profile: &str) -> Report {
    let published = "profile = \"as-published\"\n";
    assert_eq!(text.matches(published).count(), 1, "{name}");
    let text = text.replace(published, &format!("profile = \"{profile}\"\n"));
    let file = VehicleFile::parse(name, &text).unwrap_or_else(|errors| panic!("{errors}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    Report::new(&file, 0, &outcome)
}

/// Two buses in classic CAN, where a share has four frames.
const CLASSIC: &str = "\
[vehicle]
name = 'car'
duration = '500ms'
[[bus]]
name = 'front'
bitrate = '500k'
[[bus]]
name = 'rear'
bitrate = '500k'
[[ecu]]
name = 'orchestrator'
ports = ['front']
[[ecu]]
name = 'lights'
ports = ['rear']
[[ecu]]
name = 'gateway'
ports = ['front', 'rear']
[[keys]]
name = 'drive'
orchestrator = 'orchestrator'
members = ['lights']
buses = ['front', 'rear']
gateway = 'gateway'
profile = 'as-published'
";
