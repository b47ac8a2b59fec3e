//! Tests of the security service.

mod config;
mod engine;
mod metrics;
mod statuses;
mod support;
