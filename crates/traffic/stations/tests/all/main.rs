//! Runs of the traffic lab in which vehicles have the stack.

mod awareness;
mod detection;
mod support;
mod verdicts;
