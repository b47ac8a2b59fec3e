//! Tests of the security service.

mod clients;
mod clock;
mod clock_property;
mod config;
mod engine;
mod gpsd;
mod gpsd_real;
mod http;
mod leap_file;
mod metrics;
mod protocol;
mod recording;
mod reference;
mod reports;
mod server;
mod statuses;
mod stub;
mod support;
mod system_clock;
