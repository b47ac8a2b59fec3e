//! Tests of the security service.

mod engine;
mod statuses;
mod support;
