//! Drives a [`waywarden_can::node::Node`] over Linux' SocketCAN, classic and FD.
//!
//! [`Driver`] keeps the contract of the `Node` seam. It meets the world through two small traits,
//! [`CanLink`] (one CAN interface) and [`Host`] (the clock, and waiting), so that the contract is
//! tested without a kernel that has CAN: [`memory`] is a bus in memory under a clock that is
//! moved by hand. `socket` has the real ones; it exists on Linux alone. What a node retains goes
//! through a [`RetainedStore`].
//!
//! What is not here: bit timing, bringing an interface up, acceptance filters, more than one
//! thread. Read the contract in `waywarden_can::node` first, then `docs/linux.md`.
#![forbid(unsafe_code)]

pub mod driver;
pub mod error;
pub mod image;
pub mod link;
pub mod memory;
mod port;
#[cfg(target_os = "linux")]
pub mod socket;
pub mod store;

pub use driver::{Driver, DriverStatistics};
pub use error::{CanLinkError, DriverError, OpenError, StoreError};
pub use link::{CanLink, Host};
pub use port::Depth;
#[cfg(target_os = "linux")]
pub use socket::{Interface, SocketLink, SystemHost};
pub use store::{DirectoryStore, RetainedStore, Volatile};
