//! The seam to the simulation, in one place.

pub(crate) use waywarden_vehicle_resources::{
    FirmwareImage, ImageFault, ImageNote, ImageRole, RunningImage,
};
