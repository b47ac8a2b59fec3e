//! LASAN on a simulated bus: security module, ECUs, attackers, faults; hostile bytes, sizes.

mod access;
mod any_suite;
mod attacks;
mod compact;
mod expiry;
mod fire;
mod held_back;
mod lab;
mod lifecycle;
mod many;
mod middle;
mod network;
mod paced;
mod renewing;
mod replacing;
mod size;
mod storm;
mod suites;
mod windows;
