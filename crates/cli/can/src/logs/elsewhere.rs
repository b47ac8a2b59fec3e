//! Stands for a CAN interface on systems that have no SocketCAN.

use std::convert::Infallible;

use waywarden_can_log::Channels;
use waywarden_command_line::exit::Failure;

use super::live::Polled;

/// Exists on Linux alone.
pub struct Listener(Infallible);

impl Listener {
    /// Refuses.
    pub fn open(name: &str) -> Result<Self, Failure> {
        Err(Failure::new(format_args!(
            "--interface {name}: this system has no SocketCAN, which Linux has; pipe frames in as \
             candump writes them, with - for the log"
        )))
    }

    pub fn poll(&mut self) -> Result<Polled, Failure> {
        match self.0 {}
    }

    pub fn channels(&self) -> &Channels {
        match self.0 {}
    }

    pub fn finish(&mut self) {
        match self.0 {}
    }
}
