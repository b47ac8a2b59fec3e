//! Tests of the security service.

mod batches;
mod clients;
mod config;
mod engine;
mod exchange;
mod fairness;
mod forged;
mod gathering;
mod gpsd_real;
mod http;
mod leap_file;
mod load;
mod metrics;
mod pseudonyms;
mod recording;
mod reference;
mod server;
mod stub;
mod support;
mod watchdog;

#[path = "../../benches/load/client.rs"]
#[allow(dead_code, reason = "a part of it is needed")]
mod client;
#[path = "../../benches/load/figures.rs"]
#[allow(dead_code, reason = "a part of it is needed")]
mod figures;
#[path = "../../benches/load/forged.rs"]
#[allow(dead_code, reason = "a part of it is needed")]
mod forgery;
#[path = "../../benches/load/process.rs"]
#[allow(dead_code, reason = "a part of it is needed")]
mod process;
#[path = "../../benches/load/traffic.rs"]
#[allow(dead_code, reason = "a part of it is needed")]
mod traffic;

#[path = "../../../protocol/tests/all/values.rs"]
#[allow(dead_code, reason = "a part of it is needed")]
mod values;
