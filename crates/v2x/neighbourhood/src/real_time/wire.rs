//! A link of `waywarden-v2x-link`: what comes over it has no origin that is known.

use std::io;
use std::time::Duration;

use super::Link;
use crate::frame::{Frame, Origin};

/// A link between programs: UDP multicast, or raw Ethernet.
pub struct WireLink(Box<dyn waywarden_v2x_link::Link>);

impl WireLink {
    /// Takes a link that is open.
    #[must_use]
    pub fn new(link: Box<dyn waywarden_v2x_link::Link>) -> Self {
        Self(link)
    }
}

impl Link for WireLink {
    fn receive(&mut self, within: Duration, take: &mut dyn FnMut(Frame)) -> io::Result<()> {
        let taken = self.0.receive(within, &mut |bytes| {
            take(Frame {
                bytes: bytes.into(),
                origin: Origin::Unknown,
            });
        });
        taken.map(drop)
    }

    fn send(&mut self, frame: &Frame) -> io::Result<()> {
        self.0.send(&frame.bytes)
    }

    fn set_port(&mut self, port: u16) -> io::Result<()> {
        self.0.set_port(port)
    }

    fn lost(&self) -> u64 {
        self.0.counts().lost()
    }
}
