//! Tests of vehicle files: every kind of error with its place and remedy, defaults, routes, and
//! hostile text.

mod defaults;
mod disturbances;
mod grammar;
mod mistakes;
mod reference;
mod routes;
mod schema;
mod v2x;
mod writer;

use super::*;

/// Two buses, a gateway, and an ECU on each: `{0}` is appended.
const CAR: &str = r#"
[vehicle]
name = "car"
[[bus]]
name = "fast"
bitrate = "500k"
data_bitrate = "2M"
[[bus]]
name = "slow"
bitrate = "125k"
[[ecu]]
name = "gateway"
ports = ["fast", "slow"]
[[ecu]]
name = "engine"
ports = ["fast"]
[[ecu]]
name = "cluster"
ports = ["slow"]
"#;

const SPEED: &str = r#"
[[stream]]
name = "speed"
id = 0x1A0
sender = "engine"
format = "classic"
length = 8
period = "10ms"
receivers = ["gateway"]
"#;

const ROUTE: &str = r#"
[[route]]
gateway = "gateway"
from = "fast"
to = "slow"
streams = "all"
"#;

fn parse(parts: &[&str]) -> Result<VehicleFile, FileErrors> {
    let text = parts.concat();
    let read = VehicleFile::parse("car.toml", &text);
    schema::agree(&text, &read);
    read
}

fn good(parts: &[&str]) -> VehicleFile {
    parse(parts).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The errors of a file, without the `car.toml:` in front.
fn errors(parts: &[&str]) -> Vec<String> {
    let errors = parse(parts).expect_err("a broken file");
    let lines = errors.to_string();
    lines
        .lines()
        .map(|line| line.trim_start_matches("car.toml:").to_owned())
        .collect()
}

/// The one error of a file, without its place.
fn error(parts: &[&str]) -> String {
    let found = errors(parts);
    assert_eq!(found.len(), 1, "{found:#?}");
    let mut split = found[0].splitn(3, ':');
    split.nth(2).unwrap_or_default().trim().to_owned()
}
