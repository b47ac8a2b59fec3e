//! Tests of the roles of a public key infrastructure.

mod distribution;
mod end_to_end;
