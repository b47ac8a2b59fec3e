//! Files that a vehicle file names, as values: board files, logs, ECU images.
//!
//! Nothing here opens a file: [`needed`] says which ones a vehicle file names, and [`gather()`] has
//! the caller open each once.
#![forbid(unsafe_code)]

mod files;
mod gather;
mod image;

pub use files::{LOG_FRAMES_MAX, LoadedLog, Needed, Resources, needed};
pub use gather::{Loaded, gather};
pub use image::{FirmwareImage, ImageFault, ImageNote, ImageRole, RunningImage};
