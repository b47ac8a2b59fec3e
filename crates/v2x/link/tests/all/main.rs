//! The tests of `waywarden-v2x-link`.

mod capture;
mod faults;
mod frames;
mod isolated;
mod recorder;
mod tzsp;
mod udp;
