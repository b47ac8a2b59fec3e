//! Tests of the security service.

mod config;
mod engine;
mod metrics;
mod http;
mod protocol;
mod recording;
mod reports;
mod statuses;
mod stub;
mod support;
