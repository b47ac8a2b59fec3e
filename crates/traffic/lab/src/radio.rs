//! The radio: frames, propagation, errors, channel access.

mod antenna;
mod buildings;
mod error_rate;
mod frame;
mod medium;
mod neighbours;
mod pair_cache;
mod place;
mod propagation;
mod queue;
mod receiver;
mod settings;
mod sink;
mod station;
mod switching;

pub use antenna::Antenna;
pub use buildings::Buildings;
pub use error_rate::{ErrorRate, Modulation};
pub use frame::{DataRate, FrameTiming, UnknownDataRate};
pub use medium::Medium;
pub use place::{PlanePoint, VehiclePosition};
pub use propagation::Propagation;
pub use settings::{Access, RadioSettings};
pub use sink::{MEASUREMENT_NS, RadioFrame, RadioReception, RadioSink};
pub use switching::ChannelSwitching;

#[cfg(test)]
mod tests;
