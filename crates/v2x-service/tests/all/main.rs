//! Tests of the security service.

mod engine;
mod http;
mod protocol;
mod recording;
mod reports;
mod server;
mod statuses;
mod stub;
mod support;
