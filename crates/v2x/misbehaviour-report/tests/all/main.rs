//! Tests of misbehaviour reports.

mod layout;
mod support;
