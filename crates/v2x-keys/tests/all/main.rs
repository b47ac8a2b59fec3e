//! Tests of the keys of V2X.

mod handles;
mod memory;
mod nonces;
mod opaque;
mod round_trips;
mod support;
