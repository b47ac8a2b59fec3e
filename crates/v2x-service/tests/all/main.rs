//! Tests of the security service.

mod engine;
mod protocol;
mod reports;
mod statuses;
mod support;
