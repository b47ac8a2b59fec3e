//! The C functions of FMI 3.0 co-simulation for a bus simulation unit that `waywarden fmu` wrote.
//!
//! [`waywarden_vehicle_fmu`] is the unit; here are its instances, with the modes of [FMI 3.0 §4.2]
//! that say which function may be called.
//!
//! # Pointers
//!
//! An instance is null, which is refused, or came from [`life::fmi3InstantiateCoSimulation`] and
//! was not freed; one thread at a time calls functions of it. Another pointer is null, which is
//! refused where it is needed, or points to as many values as the number beside it says. Texts end
//! with a zero byte. Bytes that [`values::fmi3GetBinary`] returns are valid up to the next call
//! that ends the event or the instance.
#![allow(unsafe_code)]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]
#![allow(non_snake_case)]

pub mod clocks;
mod instance;
pub mod life;
mod log;
mod pointers;
mod resources;
pub mod status;
pub mod step;
pub mod unsupported;
pub mod values;
