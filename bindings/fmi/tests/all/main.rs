//! The C functions as an importer calls them.
#![allow(unsafe_code)]

mod early;
mod frames;
mod hostile;
mod importer;
mod modes;
mod twenty;
