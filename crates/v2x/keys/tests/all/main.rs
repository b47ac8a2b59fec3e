//! Tests of the keys of V2X.

#[cfg(feature = "aws-lc")]
mod aws_lc;
mod butterfly;
mod camp;
mod ecqv;
mod edges;
mod handles;
mod memory;
mod nonces;
mod opaque;
mod paper;
mod real_keys;
mod rfc6979;
mod round_trips;
mod support;
mod wycheproof;
