//! LASAN on a simulated bus: security module, ECUs, attackers, faults.

mod network;
mod suites;
