//! The radio: frames, propagation, errors, channel access.

mod error_rate;
mod medium;
mod propagation;
mod queue;
mod receiver;
mod settings;
mod station;

pub use error_rate::{ErrorRate, Modulation};
pub use medium::{Medium, Reception, Sink};
pub use propagation::{Place, Propagation};
pub use settings::{Access, DataRate, RadioSettings};
