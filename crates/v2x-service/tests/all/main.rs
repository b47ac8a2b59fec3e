//! Tests of the security service.

mod clients;
mod engine;
mod http;
mod protocol;
mod recording;
mod reference;
mod reports;
mod server;
mod statuses;
mod stub;
mod support;
