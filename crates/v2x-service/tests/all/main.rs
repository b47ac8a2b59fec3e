//! Tests of the security service.

mod clients;
mod config;
mod engine;
mod http;
mod metrics;
mod protocol;
mod recording;
mod reference;
mod reports;
mod server;
mod statuses;
mod stub;
mod support;
