//! A driver for roles under test: no bus, no time, no processor.

use std::vec::Vec;

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Ports};
use waywarden_work::Instant;

/// Lets a role do what it wants at once; returns the frames that it sends.
pub(crate) fn drive(node: &mut dyn Node, input: Input<'_>) -> Vec<Frame> {
    let (now, mut sent) = (Instant::ZERO, Vec::new());
    node.handle(now, input);
    loop {
        match node.poll(now, Ports::ALL) {
            Output::Transmit { port, token, frame } => {
                sent.push(frame);
                node.handle(now, Input::Sent { port, token });
            }
            Output::Work { ticket, .. } => node.handle(now, Input::Done(ticket)),
            Output::Retain { slot, .. } => node.handle(now, Input::Retained(slot)),
            _ => return sent,
        }
    }
}
