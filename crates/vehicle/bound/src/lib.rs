//! Worst-case response times of a vehicle's streams by analysis: release at the sender, queues,
//! buses, gateways, processors, message authentication.
//!
//! [`covered()`] leaves out what no bound covers and says what that was; [`bounds`] does the
//! analysis of the rest. It goes from hop to hop with inherited jitter until nothing grows any
//! more.
//! `docs/bus-bound.md` says what is covered. It simulates nothing and reads no files.
#![forbid(unsafe_code)]

mod confinement;
mod covered;
mod cpu;
mod hops;
mod key_traffic;
mod keys;
mod solve;
mod streams;
mod timing;
mod tries;

pub use covered::{Assumption, Covered, covered, without_security};
pub use hops::DeriveError;
pub use key_traffic::{KEY_ATTEMPTS, KeyPace, KeyTraffic};
pub use solve::{BoundOptions, StreamBound, bounds};
pub use streams::stream_bounds;
pub use timing::shortest_frame;
