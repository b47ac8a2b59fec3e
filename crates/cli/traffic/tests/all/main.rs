//! The command traffic: what it prints, its exit codes, and what it leaves behind.

mod support;
mod traffic;
mod traffic_sweep;
