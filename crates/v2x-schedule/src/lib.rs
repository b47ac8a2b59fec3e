//! In which order messages are verified where there are more of them than time
//! \[ECQV-CITS §VI\].
//!
//! A [`Policy`] orders by what a message claims: its class, its position, its deadline. What comes
//! from outside of an area is verified later, not dropped. A [`Queue`] keeps the messages within
//! [`Bounds`], shares them fairly between senders, and counts every drop by its cause. Claims are
//! not verified: a false one buys an earlier turn, within these bounds.
//!
//! The policy `safety` chooses by what a message is worth to safety applications that it reaches in
//! time, and by what became of the messages of its sender, which [`Queue::learn`] tells it.
//!
//! ```
//! use waywarden_v2x_schedule::{
//!     Bounds, Ego, Features, MessageClass, Policy, Queue, Sender,
//! };
//! use waywarden_v2x_wire::ieee1609dot2::{Latitude, Longitude, Time64, TwoDLocation};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let at = |latitude, longitude| TwoDLocation {
//!     latitude: Latitude(latitude),
//!     longitude: Longitude(longitude),
//! };
//! // Warnings first, then what is within 150 m, each in the order of arrival.
//! let policy: Policy = "class,circle:150m".parse()?;
//! let mut queue = Queue::new(policy, Bounds::DEFAULT);
//! // In Modena, heading east.
//! queue.set_ego(Ego::new(at(446_470_000, 109_250_000), Some(9_000)));
//!
//! let now = Time64(700_000_000_000_000);
//! let cam = |latitude, sender| Features {
//!     position: Some(at(latitude, 109_250_000)),
//!     class: MessageClass::Awareness,
//!     deadline: None,
//!     sender: Sender::Link([2, 0, 0, 0, 0, sender]),
//!     generated: None,
//! };
//! // One degree of latitude is 111 km, so these are 500 m and 100 m away. For received bytes,
//! // `Features::of` reads all of this from what `detect` finds in them.
//! assert_eq!(queue.push("far", &cam(446_515_000, 1), now), None);
//! assert_eq!(queue.push("near", &cam(446_479_000, 2), now), None);
//! assert_eq!(queue.pop(now), Some("near"));
//! assert_eq!(queue.pop(now), Some("far"));
//! assert_eq!(queue.pop(now), None);
//! # Ok(())
//! # }
//! ```
#![no_std]
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
pub use area::{Area, Ego};
pub use bounds::{Bounds, Counters, DropCause, Dropped};
pub use class::MessageClass;
pub use features::{Features, Sender};
pub use policy::{CRITERIA_MAX, Criterion, Policy, Zone};
pub use position::{ClaimedPosition, PositionSource, position_of};
pub use queue::Queue;
pub use text::PolicyError;
