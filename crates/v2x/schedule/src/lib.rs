#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! A [`Policy`] orders, a [`Queue`] keeps messages within [`Bounds`]; [`Queue::learn`] takes the
//! results of their verification. The order follows \[ECQV-CITS §VI\].
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod application;
mod area;
mod bounds;
mod class;
mod credit;
mod features;
mod plan;
mod planner;
mod policy;
mod position;
mod queue;
mod share;
mod text;

pub use application::{SAFETY_APPLICATIONS, SafetyApplication};
pub use area::{Ego, ReceiverArea};
pub use bounds::{Bounds, DropCause, Dropped, QueueCounters};
pub use class::MessageClass;
pub use features::{ClaimedSender, Features};
pub use policy::{CRITERIA_MAX, Criterion, Policy, Zone};
pub use position::{ClaimedPosition, PositionSource, position_of};
pub use queue::Queue;
pub use text::PolicyError;
