//! Shared code of the tests of ECU images: known answers, and the node that the library of an image
//! makes of a record on this machine.
//!
//! A development dependency only, as `waywarden-testkit` is. It is no part of that, so that other
//! tests do without the crates that it needs.

mod known_answers;
mod node;

pub use known_answers::{KnownAnswers, KnownFrame, KnownParty, by_stream, frame_text};
pub use node::{RecordNode, lasan_node};
