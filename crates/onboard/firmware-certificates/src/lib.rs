//! Implicit certificates on one microcontroller, the issuer's side and the station's: the seven
//! operations of \[ECQV-CITS Table I\] on P-256, in the order of the paper's Figure 1, each between
//! two gates.
//!
//! A gate is a request to wait. The host counts the instructions from gate to gate: the operation
//! alone, not the making of its inputs. Keys and nonces come from the seed of the boot, so that one
//! seed gives the same results on each machine.
#![no_std]
#![forbid(unsafe_code)]

mod contents;
mod flow;
mod gates;

pub use self::flow::{OPERATIONS, run};
