//! A whole ECU as one [`Node`](waywarden_can::node::Node): periodic streams and gateway routing.
//!
//! Everything is a part with the same small life: told about inputs, asked for frames. [`Ecu`]
//! puts the parts behind one `Node`. Keys and message authentication join as further parts.
//! Nothing here allocates: storage is handed in, as a `Vec`, an array or a `&mut` slice.
#![no_std]
#![forbid(unsafe_code)]

mod ecu;
mod gateway;
mod random;
mod stream;

pub use ecu::Ecu;
pub use gateway::{Forwarded, Gateway, Matching, Route};
pub use stream::{Content, Stream, StreamFormat, StreamState, Streams};
