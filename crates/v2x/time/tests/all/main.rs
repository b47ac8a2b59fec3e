//! Tests of the sources of time and position.

mod clock;
mod clock_property;
mod dead_reckoning;
mod gpsd;
mod system_clock;
