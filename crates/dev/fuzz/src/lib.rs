//! Entry points for fuzzers of key protocols and of readers of V2X ([`v2x`], [`messages`]): any
//! bytes, no panic, bounded work, and the laws that must hold.
//!
//! Three ECUs and the one in charge of them live with genuine cryptography, frame by frame, so
//! that every state is reached. The bytes say what goes wrong at the one under test: frames lost,
//! received twice, changed, replayed or made up; frames taken back; late work, a full controller,
//! time that jumps, resets, and what its application wants of it. Held after every input: a role
//! stops within 4096 outputs, never waits for the end of time, has the frames of one message under
//! way at most, and keeps the laws of its protocol: see [`group_keys`] and [`lasan`].
//!
//! The world and what disturbs it are the same for every protocol; a protocol adds its roles, its
//! forged messages and its laws. For development only: no published crate has any of this.
#![forbid(unsafe_code)]

mod disturbance;
pub mod group_keys;
pub mod lasan;
pub mod messages;
mod ring;
mod seen;
mod source;
pub mod v2x;
mod world;

pub use seen::Seen;
