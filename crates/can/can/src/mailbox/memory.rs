//! CAN controllers in memory: nodes on a bus without hardware, for tests on any machine.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use waywarden_work::{Duration, Instant};

use super::Device;
use crate::frame::Frame;
use crate::node::{Retained, Slot};

/// A CAN controller in memory, whose clock you set and whose queues you read and fill.
///
/// # Example
/// ```
/// use waywarden_can::mailbox::{Device, MemoryDevice, deliver};
/// use waywarden_can::{Frame, Id};
///
/// let mut devices = [MemoryDevice::default(), MemoryDevice::default()];
/// devices[0].send(&Frame::classic(Id::standard(0x123)?, b"hello")?);
/// let [(sender, frame)] = deliver(&mut devices)[..] else {
///     panic!("one frame was sent");
/// };
/// assert_eq!((sender, devices[1].receive()), (0, Some(frame)));
/// assert!(devices[0].is_sent());
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryDevice {
    /// The time since power-on.
    pub now: Instant,
    /// The frame to send, until the bus has acknowledged it.
    pub mailbox: Option<Frame>,
    /// The receive queue, the oldest frame first.
    pub received: VecDeque<Frame>,
    /// The values that survive a loss of power, by slot.
    pub stored: Vec<(Slot, Retained)>,
}

impl MemoryDevice {
    /// Lets time pass.
    pub fn wait(&mut self, time: Duration) {
        self.now += time;
    }
}

/// # Panics
/// [`send`](Device::send) panics if the mailbox is full: [`Mailbox`](super::Mailbox) never does
/// that.
impl Device for MemoryDevice {
    fn now(&self) -> Instant {
        self.now
    }

    fn receive(&mut self) -> Option<Frame> {
        self.received.pop_front()
    }

    fn send(&mut self, frame: &Frame) {
        let earlier = self.mailbox.replace(*frame);
        assert!(earlier.is_none(), "the mailbox is full");
    }

    fn is_sent(&self) -> bool {
        self.mailbox.is_none()
    }

    fn store(&mut self, slot: Slot, value: &Retained) {
        self.stored.retain(|(at, _)| *at != slot);
        self.stored.push((slot, *value));
    }
}

/// Acknowledges the frame in each mailbox and puts it into the receive queues of all other devices:
/// a bus on which frames take no time. Returns the frames, each with its sender's place.
pub fn deliver(devices: &mut [MemoryDevice]) -> Vec<(usize, Frame)> {
    let mailboxes = devices.iter_mut().enumerate();
    let sent: Vec<_> = mailboxes
        .filter_map(|(at, device)| Some((at, device.mailbox.take()?)))
        .collect();
    for (sender, frame) in &sent {
        let others = devices.iter_mut().enumerate();
        for (_, device) in others.filter(|(at, _)| at != sender) {
            device.received.push_back(*frame);
        }
    }
    sent
}
