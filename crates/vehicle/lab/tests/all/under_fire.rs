//! A small car under fire, and what it takes to run it with a sink.

use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::{Lowered, lower};
use waywarden_vehicle_lab::run::{RunOutcome, run};
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::TraceSink;

/// The car's file.
pub(crate) const CAR: &str = include_str!("under_fire/car.toml");

/// Reads a vehicle file that has no fault, but a name that is markup.
pub(crate) fn parse(text: &str) -> VehicleFile {
    VehicleFile::parse("<b>&car.toml", text).unwrap()
}

/// Returns the car ready to run.
pub(crate) fn lowered(file: &VehicleFile) -> Lowered {
    lower(file, &Resources::default(), None).unwrap()
}

/// Runs the car.
pub(crate) fn outcome(lowered: Lowered, sink: &mut dyn TraceSink) -> RunOutcome {
    run(lowered, sink, &mut |_| {}).unwrap()
}
