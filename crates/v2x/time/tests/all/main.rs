//! Tests of the sources of time and position.

mod clock;
mod clock_property;
mod dead_reckoning;
mod drive;
mod gpsd;
mod gpsd_client;
mod system_clock;
