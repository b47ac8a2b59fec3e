//! Mistakes in vehicle files that a helpful reader names at their place, once, and in few words.

mod authentication;
mod tables;
mod values;

use waywarden_vehicle_file::VehicleFile;

const CAR: &str = "\
[vehicle]
name = 'car'
[[bus]]
name = 'b'
bitrate = '500k'
[[ecu]]
name = 'A'
ports = ['b']
start = '5ms'
sends = [ { name = 'm', id = 0x100, length = 8, period = '10ms' } ]
";

/// Everything that is said about a file, or nothing.
fn complaints(text: &str) -> Vec<String> {
    match VehicleFile::parse("car.toml", text) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.to_string().lines().map(str::to_owned).collect(),
    }
}

fn with(more: &str) -> String {
    format!("{CAR}{more}")
}
