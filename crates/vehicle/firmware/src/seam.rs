//! The seam to the simulation, in one place.

pub(crate) use waywarden_vehicle_file::image::{FirmwareImage, ImageFault, RunningImage};
