//! Tests of the security service.

mod statuses;
