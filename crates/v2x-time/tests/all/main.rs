//! Tests of the sources of time and position.

mod clock;
mod clock_property;
mod gpsd;
mod gpsd_client;
mod system_clock;
