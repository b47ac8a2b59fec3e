//! A [`Member`] on another maker's CAN driver: no `std`, no allocator, no library of ours below it.
//! `cargo xtask no-std` links this file as it stands; `foreign_driver/tests.rs` runs it.
#![no_std]

#[cfg(test)]
#[path = "foreign_driver/tests.rs"]
mod tests;

use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Token};
use waywarden_can::{Frame, Id};
use waywarden_group_keys::{Address, Identity, Member, MemberArrays, Network};
use waywarden_key_suites::{FourQ, PublicKey, Secret};
use waywarden_work::Instant;

/// What a vendor's driver offers: one mailbox to send from, frames received without error, a
/// monotonic clock, and a page of memory that survives a reset.
pub trait Device {
    /// Nanoseconds since power-on; never goes back.
    fn clock(&self) -> u64;
    /// The next frame from the receive queue: its 29-bit identifier, its data, and how many.
    fn receive(&mut self) -> Option<(u32, [u8; 64], usize)>;
    /// Puts a CAN FD frame into the mailbox, which is empty.
    fn send(&mut self, identifier: u32, data: &[u8]);
    /// Whether what was put into the mailbox has been acknowledged on the bus.
    fn is_sent(&self) -> bool;
    /// Writes, and returns only when the bytes would survive a power cut.
    fn store(&mut self, slot: u8, bytes: &[u8; 32]);
}

/// Settings and public keys of two ECUs and the orchestrator, made once and kept for good.
pub type Known = &'static Network<[(Address, PublicKey); 3]>;

/// The only controller of this ECU.
const PORT: Port = Port(0);

/// The role, and all that a driver has to remember for it.
pub struct Station {
    role: Member<'static, FourQ, Known>,
    /// What is in the mailbox: answered once, when it was sent.
    sending: Option<Token>,
    due: Option<Instant>,
}

impl Station {
    /// Starts the role in memory that is its own for good. The seed must be fresh at each start,
    /// the rest is this ECU's configuration.
    #[must_use]
    pub fn new(
        boot: &Boot<'_>,
        identity: Identity<FourQ>,
        known: Known,
        memory: &'static mut MemberArrays<FourQ>,
    ) -> Self {
        Station {
            role: Member::new(boot, identity, known, memory.storage()),
            sending: None,
            due: Some(boot.now),
        }
    }

    /// The group key and its epoch, once the orchestrator has proven it.
    #[must_use]
    pub fn key(&self) -> Option<(u64, &Secret)> {
        self.role.group_key()
    }

    /// Does whatever there is to do; call it after each interrupt, and at least every millisecond.
    pub fn serve(&mut self, device: &mut dyn Device) {
        let now = Instant::from_nanos(device.clock());
        // A role commits what it sent at `Sent`, so this is told only after the acknowledgement.
        if let Some(token) = self.sending.take_if(|_| device.is_sent()) {
            self.feed(now, Input::Sent { port: PORT, token }, device);
        }
        // No more at once than a receive queue holds, so that a flood cannot keep the loop here.
        for _ in 0..64 {
            let Some((identifier, data, length)) = device.receive() else {
                break;
            };
            let field = data.get(..length).unwrap_or(&[]);
            let frame = Id::extended(identifier).map(|id| Frame::fd(id, field));
            // What is no protocol's the role ignores by itself.
            if let Ok(Ok(frame)) = &frame {
                self.feed(now, Input::Frame { port: PORT, frame }, device);
            }
        }
        // Late is allowed, early is not.
        if self.due.is_some_and(|due| due <= now) {
            self.feed(now, Input::Timeout, device);
        }
    }

    /// One input, then polls until `Idle`; nothing else in between.
    fn feed(&mut self, now: Instant, input: Input<'_>, device: &mut dyn Device) {
        let mut next = Some(input);
        let (mut done, mut kept) = (None, None);
        while let Some(input) = next.take() {
            self.role.handle(now, input);
            loop {
                // A full mailbox is no room: the role keeps the frame and offers it again.
                let room = match self.sending {
                    Some(_) => Ports::NONE,
                    None => Ports::NONE.with(PORT),
                };
                match self.role.poll(now, room) {
                    Output::Transmit { token, frame, .. } => {
                        device.send(frame.id().raw(), frame.data());
                        self.sending = Some(token);
                    }
                    // It has been computed already, here and now: answered at once.
                    Output::Work { ticket, .. } => done = Some(ticket),
                    Output::Retain { slot, value } => {
                        device.store(slot.0, &value);
                        kept = Some(slot);
                    }
                    Output::Idle(due) => break self.due = due,
                    _ => {}
                }
            }
            // The answers are inputs, too, and wait for `Idle` like all others.
            next = match (done.take(), kept) {
                (Some(ticket), _) => Some(Input::Done(ticket)),
                (None, _) => kept.take().map(Input::Retained),
            };
        }
    }
}
