//! A gateway in an attacker's hands: its own node goes on, but what it forwards is tampered with.

use std::collections::{BTreeMap, BTreeSet};

use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_can::{FdFlags, Format, Frame};
use waywarden_can_sim::controller::acceptance_key;
use waywarden_can_sim::random::Random;
use waywarden_work::Instant;

use super::key_frames::KeyFrameMatcher;
use waywarden_vehicle_file::{Edit, PayloadChange};
use waywarden_vehicle_trace::{self as trace, Fact, Facts, MessageIdentity};

/// Changes to frames on their way out.
#[derive(Clone, Debug)]
pub struct FrameTampering {
    /// The attacker, by its place in the vehicle file.
    pub attacker: usize,
    /// The frames it is after.
    pub target: TamperingTarget,
    /// Change of a frame; `None` drops it.
    pub change: Option<PayloadChange>,
    /// Share of the frames that it touches, from 0 to 1.
    pub probability: f64,
    /// Start of its actions, on the gateway's clock.
    pub from: Instant,
    /// End of its actions, on the gateway's clock.
    pub until: Instant,
}

/// The frames that tampering is after.
#[derive(Clone, Debug)]
pub enum TamperingTarget {
    /// Those with these identifiers.
    Ids(BTreeSet<u32>),
    /// Those of a key protocol, by the ports on which they leave.
    Keys(BTreeMap<Port, KeyFrameMatcher>),
}

impl TamperingTarget {
    /// Returns where in its message a frame begins, in bytes, if it is one of these.
    fn next(&mut self, port: Port, frame: &Frame) -> Option<usize> {
        match self {
            TamperingTarget::Ids(ids) => ids.contains(&acceptance_key(frame.id())).then_some(0),
            TamperingTarget::Keys(ports) => ports.get_mut(&port)?.next(frame),
        }
    }
}

/// A node with attackers between it and its controllers.
pub struct Compromised {
    inner: Box<dyn Node + Send>,
    tampering: Vec<FrameTampering>,
    random: Random,
    facts: Facts,
}

impl Compromised {
    /// Puts attackers around a node; they act in the order given.
    #[must_use]
    pub fn new(
        inner: Box<dyn Node + Send>,
        tampering: Vec<FrameTampering>,
        seed: u64,
        facts: Facts,
    ) -> Self {
        Compromised {
            inner,
            tampering,
            random: Random::new(seed),
            facts,
        }
    }

    /// Returns what is left of a frame.
    fn tamper(&mut self, now: Instant, port: Port, mut frame: Frame) -> Option<Frame> {
        for attack in &mut self.tampering {
            if now < attack.from || attack.until <= now {
                continue;
            }
            let Some(place) = attack.target.next(port, &frame) else {
                continue;
            };
            if !self.random.chance(attack.probability) {
                continue;
            }
            let change = attack.change.as_ref();
            match change.map(|change| changed(&frame, change, place)) {
                None => {
                    let attacker = attack.attacker;
                    self.facts.push(Fact::Suppressed {
                        attacker,
                        port,
                        frame,
                    });
                    return None;
                }
                // The bytes are in another frame of the message.
                Some(new) if new == frame => {}
                Some(changed) => {
                    let attacker = attack.attacker;
                    let identity = MessageIdentity::of(frame.message());
                    let identity = identity.with(trace::Tampering::Modified, attacker);
                    let changed = changed.with_message(identity.handle());
                    self.facts.push(Fact::Modified {
                        attacker,
                        frame,
                        changed,
                    });
                    frame = changed;
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
                Output::Transmit { port, token, frame } => match self.tamper(now, port, frame) {
                    Some(frame) => return Output::Transmit { port, token, frame },
                    // The gateway's own software believes that the frame went out.
                    None => self.inner.handle(now, Input::Sent { port, token }),
                },
                other => return other,
            }
        }
    }
}

/// Returns a frame with a change, whose first byte is the one at this place in its message.
fn changed(frame: &Frame, change: &PayloadChange, place: usize) -> Frame {
    let mut data = frame.data().to_vec();
    let (bytes, xor) = match &change.edit {
        Edit::Set(bytes) => (bytes, false),
        Edit::Xor(bytes) => (bytes, true),
    };
    let already = place.saturating_sub(change.at).min(bytes.len());
    let first = change.at.saturating_sub(place);
    for (to, byte) in data.iter_mut().skip(first).zip(&bytes[already..]) {
        *to = if xor { *to ^ byte } else { *byte };
    }
    let changed = match frame.format() {
        Format::Classic => Frame::classic(frame.id(), &data),
        Format::Remote => return *frame,
        Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } => Frame::fd_with(
            frame.id(),
            &data,
            FdFlags {
                bit_rate_switch,
                error_state_indicator,
            },
        ),
    };
    // The length is the frame's own, so the new frame can always be made.
    changed.unwrap_or(*frame)
}
