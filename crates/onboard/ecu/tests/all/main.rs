//! Whole ECUs on the exact bus: keys, authenticated streams, sizes.

mod auth;
mod keys;
mod size;
