//! Tests of the roles of a public key infrastructure.

mod end_to_end;
