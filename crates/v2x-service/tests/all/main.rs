//! Tests of the security service.

mod clients;
mod clock;
mod clock_property;
mod config;
mod engine;
mod exchange;
mod fairness;
mod gathering;
mod gpsd;
mod gpsd_real;
mod http;
mod leap_file;
mod load;
mod metrics;
mod protocol;
mod pseudonyms;
mod recording;
mod reference;
mod reports;
mod server;
mod statuses;
mod stub;
mod support;
mod system_clock;
mod watchdog;

#[path = "../../benches/load/client.rs"]
#[allow(dead_code, reason = "a part of it is needed")]
mod client;
#[path = "../../benches/load/figures.rs"]
#[allow(dead_code, reason = "a part of it is needed")]
mod figures;
#[path = "../../benches/load/process.rs"]
#[allow(dead_code, reason = "a part of it is needed")]
mod process;
#[path = "../../benches/load/traffic.rs"]
#[allow(dead_code, reason = "a part of it is needed")]
mod traffic;
