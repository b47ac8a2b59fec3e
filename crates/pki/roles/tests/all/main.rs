//! Tests of the roles of a public key infrastructure, and of messages signed and encrypted in them.

mod crl;
mod distribution;
mod edges;
mod end_to_end;
mod enrolment;
mod hostile;
mod issue;
mod multi_signed_ctl;
mod nonces;
mod oracles;
mod pairs;
mod permissions;
mod pseudonym;
mod read_back;
mod support;
mod trust_list;
mod tshark;
mod validity_grid;
