//! A link of `waywarden-v2x-link`: what comes over it has no origin that is known.

use std::io;
use std::time::Duration;

use super::StationLink;
use crate::frame::{EthernetFrame, SenderOrigin};

/// A link between programs: UDP multicast, or raw Ethernet.
pub struct WireLink(Box<dyn waywarden_v2x_link::FrameLink>);

impl WireLink {
    /// Takes a link that is open.
    #[must_use]
    pub fn new(link: Box<dyn waywarden_v2x_link::FrameLink>) -> Self {
        Self(link)
    }
}

impl StationLink for WireLink {
    fn receive(&mut self, within: Duration, take: &mut dyn FnMut(EthernetFrame)) -> io::Result<()> {
        let taken = self.0.receive(within, &mut |bytes| {
            take(EthernetFrame {
                bytes: bytes.into(),
                origin: SenderOrigin::Unknown,
            });
        });
        taken.map(drop)
    }

    fn send(&mut self, frame: &EthernetFrame) -> io::Result<()> {
        self.0.send(&frame.bytes)
    }

    fn set_port(&mut self, port: u16) -> io::Result<()> {
        self.0.set_port(port)
    }

    fn lost(&self) -> u64 {
        self.0.counts().lost()
    }
}
