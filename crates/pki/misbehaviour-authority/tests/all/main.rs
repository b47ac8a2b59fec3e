//! Tests of the misbehaviour authority.

mod bounds;
mod liars;
mod reports;
mod rule;
