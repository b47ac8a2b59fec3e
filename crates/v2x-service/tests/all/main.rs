//! Tests of the security service.

mod engine;
mod protocol;
mod recording;
mod reports;
mod statuses;
mod support;
