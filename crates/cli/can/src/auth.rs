//! Parts of `waywarden auth` that read a log: they protect its messages, or judge them.

pub mod check;
mod input;
mod plan_options;
pub mod protect;
mod remedies;
