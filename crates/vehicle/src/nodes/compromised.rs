//! A gateway in an attacker's hands: its own node goes on, but what it forwards is tampered with.

use std::collections::BTreeSet;

use waywarden_can::node::{Input, Node, Output, Ports};
use waywarden_can::{Format, Frame};
use waywarden_can_sim::controller::acceptance_key;
use waywarden_can_sim::notes::Notes;
use waywarden_can_sim::random::Random;
use waywarden_work::Instant;

use crate::file::{Change, Edit};

/// The kind of the remark about a frame that was dropped.
pub const SUPPRESSED: &str = "suppressed";

/// The kind of the remark about a frame that was changed.
pub const MODIFIED: &str = "modified";

/// What is done to frames on their way out.
#[derive(Clone, Debug)]
pub struct Tampering {
    /// The attacker's name, for the trace.
    pub name: String,
    /// The identifiers it is after.
    pub ids: BTreeSet<u32>,
    /// What becomes of a frame; `None` drops it.
    pub change: Option<Change>,
    /// Which share of the frames it touches.
    pub probability: f64,
    /// When it begins, on the gateway's clock.
    pub from: Instant,
    /// When it ends.
    pub until: Instant,
}

/// A node with attackers between it and its controllers.
pub struct Compromised {
    inner: Box<dyn Node>,
    tampering: Vec<Tampering>,
    random: Random,
    notes: Notes,
}

impl Compromised {
    /// Puts attackers around a node; they act in the order given.
    #[must_use]
    pub fn new(inner: Box<dyn Node>, tampering: Vec<Tampering>, seed: u64, notes: Notes) -> Self {
        Compromised {
            inner,
            tampering,
            random: Random::new(seed),
            notes,
        }
    }

    /// Returns what is left of a frame.
    fn tamper(&mut self, now: Instant, mut frame: Frame) -> Option<Frame> {
        for attack in &self.tampering {
            let active = attack.from <= now && now < attack.until;
            if !active || !attack.ids.contains(&acceptance_key(frame.id())) {
                continue;
            }
            if !self.random.chance(attack.probability) {
                continue;
            }
            match attack.change.as_ref().map(|change| changed(&frame, change)) {
                None => {
                    let text = format!("{frame} dropped");
                    self.notes.push(SUPPRESSED, &attack.name, text);
                    return None;
                }
                Some(new) => {
                    let text = format!("{frame} made into {new}");
                    self.notes.push(MODIFIED, &attack.name, text);
                    frame = new;
                }
            }
        }
        Some(frame)
    }
}

impl Node for Compromised {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.inner.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        // Each turn takes a frame off the inner node, whose queues are bounded.
        loop {
            match self.inner.poll(now, room) {
                Output::Transmit { port, token, frame } => match self.tamper(now, frame) {
                    Some(frame) => return Output::Transmit { port, token, frame },
                    // The gateway's own software believes that the frame went out.
                    None => self.inner.handle(now, Input::Sent { port, token }),
                },
                other => return other,
            }
        }
    }
}

fn changed(frame: &Frame, change: &Change) -> Frame {
    let mut data = frame.data().to_vec();
    let (bytes, xor) = match &change.edit {
        Edit::Set(bytes) => (bytes, false),
        Edit::Xor(bytes) => (bytes, true),
    };
    for (to, byte) in data.iter_mut().skip(change.at).zip(bytes) {
        *to = if xor { *to ^ byte } else { *byte };
    }
    let changed = match frame.format() {
        Format::Classic => Frame::classic(frame.id(), &data),
        Format::Remote => return *frame,
        Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } => Frame::fd_with(frame.id(), &data, bit_rate_switch, error_state_indicator),
    };
    // The length is the frame's own, so the new frame can always be made.
    changed.unwrap_or(*frame)
}
