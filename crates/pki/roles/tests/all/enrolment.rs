//! Enrolment and authorization of ETSI's PKI: stations and both authorities, one with the other.
//! Tests whose names end in a test purpose of ETSI TS 103 525-2 cover it.

mod forge;
mod forgotten;
mod hostile_ea;
mod hostile_validation;
mod oracle;
mod properties;
mod purposes_aa;
mod purposes_ea;
mod purposes_itss;
mod request_hashes;
mod responses;
mod round_trips;
mod unlinkable;
mod world;
