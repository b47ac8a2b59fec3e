//! Payloads that ECUs send to each other under the keys of their streams: receivers take each sent
//! payload once, while its window is open, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use waywarden_can::Frame;
use waywarden_can::node::Port;
use waywarden_lasan::{AuthenticationSuite, ProtectedOutcome, StreamId};

use super::INSIDER;
use super::delivery::{Delivery, identifier, millis};
use crate::lab::Lab;
use crate::network::stream_of;

/// Payloads that were sent and taken: numbers, each used once.
#[derive(Default)]
pub(super) struct Data {
    next: u64,
    sent: BTreeMap<u64, StreamId>,
    taken: BTreeSet<(u8, u64)>,
}

impl Data {
    /// Has each ECU that can send a frame.
    pub(super) fn send<S: AuthenticationSuite>(&mut self, lab: &Lab<S>) {
        for sender in 1..=INSIDER {
            self.next += 1;
            let frame = Frame::fd(identifier(sender), &self.next.to_be_bytes()).unwrap();
            let mut role = lab.ecus[usize::from(sender) - 1].borrow_mut();
            if role.send(Port(0), &frame).is_ok() {
                self.sent.insert(self.next, stream_of(sender));
            }
        }
    }

    /// Asserts that what has come may be taken.
    pub(super) fn take<S: AuthenticationSuite>(&mut self, lab: &Lab<S>, delivery: &Delivery) {
        for receiver in 1..=INSIDER {
            let mut role = lab.ecus[usize::from(receiver) - 1].borrow_mut();
            let Some(ProtectedOutcome::Authentic {
                stream, payload, ..
            }) = role.received()
            else {
                continue;
            };
            let number = u64::from_be_bytes(*payload.first_chunk().unwrap());
            let from = self.sent.get(&number);
            assert_eq!(from, Some(&stream), "nobody has sent {number}");
            assert!(self.taken.insert((receiver, number)), "{number} twice");
            let mut senders = 1..=INSIDER;
            let sender = senders.find(|&one| stream_of(one) == stream).unwrap();
            let now = millis(lab);
            assert!(
                delivery.is_open(sender, now),
                "{delivery:?}: heard at {now}"
            );
        }
    }

    /// Returns the number of frames that were taken.
    pub(super) fn count(&self) -> usize {
        self.taken.len()
    }
}
