//! Runs of the traffic lab in which vehicles have the stack.

mod awareness;
mod boards;
mod detection;
mod schemes;
mod support;
mod verdicts;
