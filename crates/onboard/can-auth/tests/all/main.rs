//! Authentication on CAN: attacks, disturbed runs by seed, hostile bytes, sizes.

mod attacks;
mod bench;
mod fire;
mod frames;
mod fuzz;
mod secoc;
mod size;
