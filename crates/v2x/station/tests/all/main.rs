//! Tests of what a station says and when.

mod awareness;
mod change;
mod drive;
mod events;
mod on_air;
