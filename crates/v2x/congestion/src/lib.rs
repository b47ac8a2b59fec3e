//! Congestion control of V2X stations: when a station may send on a channel that is busy, and with
//! what power.
//!
//! | type | what it decides | source |
//! |---|---|---|
//! | [`ReactiveControl`] | the least time between two frames, by states | \[TS 102 687 annex A\] |
//! | [`AdaptiveControl`] | the share of time for own frames (LIMERIC) | \[TS 102 687 §5.4\] |
//! | [`ChannelControl`] | either of them behind a gate, for one station | \[TS 102 687 annex B\] |
//! | [`SafetyControl`] | rate and power of basic safety messages | \[J2945/1 §6.3.8\] |
//!
//! A radio measures [`BusyRatio`]s with a [`BusyMeter`]; stations share theirs in the
//! [`DccMcoField`] of a packet, and [`NeighbourRatios`] sums up what they hear. Times are in
//! microseconds of one clock that the caller chooses. The README has each parameter with its
//! sources.
//!
//! ```text
//! radio busy -> BusyMeter -> BusyRatio -> ChannelControl::measured -> opens_at_us -> a frame
//!                               |                    ^
//!                               v                    |
//!                          DccMcoField ~~air~~> NeighbourRatios
//! ```
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod adaptive;
mod busy_ratio;
mod channel_control;
mod gate;
mod neighbours;
mod reactive;
mod safety;

pub use adaptive::{ADAPTATION_US, AdaptiveControl, AdaptiveParameters, DualAlpha};
pub use busy_ratio::{BusyMeter, BusyRatio, MEASUREMENT_US, airtime_us};
pub use channel_control::{Algorithm, ChannelControl};
pub use gate::{GATE_LEAST_US, GATE_MOST_US, Gate};
pub use neighbours::{DccMcoField, NeighbourRatios};
pub use reactive::{ReactiveControl, ReactiveTable};
pub use safety::{SafetyControl, SafetyParameters};
