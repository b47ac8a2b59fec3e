//! The emulated board's pipe as the link.

use waywarden_firmware_link::{Answer, Request};
use waywarden_firmware_port::Pipe;

use crate::Link;

impl Link for Pipe {
    fn exchange(&mut self, request: &Request<'_>) -> Answer<'_> {
        Pipe::exchange(self, request)
    }

    fn instructions(&mut self) -> u64 {
        Pipe::instructions(self)
    }

    fn pause(&mut self) -> bool {
        Pipe::pause(self)
    }

    fn resume(&mut self) {
        Pipe::resume(self);
    }
}
