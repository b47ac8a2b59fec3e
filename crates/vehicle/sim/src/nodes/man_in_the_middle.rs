//! A gateway that stands between a security module and one of its ECUs and plays each to the other.

use std::collections::VecDeque;

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Token};
use waywarden_group_keys::Address;
use waywarden_lasan::EVERY_ECU;
use waywarden_work::Instant;

use super::authorization_role::{AdministrativeCommand, LasanRole};
use super::masquerade::{MakePlayed, Sessions};
use waywarden_vehicle_trace::{Fact, sent_by};

/// The tokens of the attacker's frames, which neither an ECU nor a role has.
const OWN: u32 = 0x1F << 27;

/// Limit on frames that wait; the longest message has fewer.
const WAITING_MAX: usize = 4_096;

/// Limit on outputs of a role that are taken in a row.
const TURNS_MAX: usize = 65_536;

/// Plan of a man in the middle.
#[derive(Clone)]
pub struct MiddlePlan {
    /// Makes the role that the security module is shown.
    pub as_ecu: MakePlayed,
    /// Makes the role that the ECU is shown.
    pub as_module: MakePlayed,
    /// The ECU, and the gateway's port to it.
    pub ecu: (Address, Port),
    /// The security module, and the gateway's port to it.
    pub module: (Address, Port),
    /// Start and end of its actions, on the gateway's clock.
    pub window: (Instant, Instant),
    /// Recorder of the sessions that it shares with others.
    pub sessions: Sessions,
}

/// A gateway whose attacker passes on what the security module says to all, and answers
/// everything else between it and one ECU itself.
pub struct ManInTheMiddle {
    inner: Box<dyn Node + Send>,
    plan: MiddlePlan,
    as_ecu: Box<dyn LasanRole>,
    as_module: Box<dyn LasanRole>,
    /// Frames that wait, by the port they leave on. One at a time is in a controller, so that the
    /// parts of a message stay in order.
    waiting: VecDeque<(Port, Frame)>,
    is_sending: bool,
    tokens: u32,
    /// Time at which one of the roles wants to be polled.
    next_deadline: Option<Instant>,
}

impl ManInTheMiddle {
    /// Puts the attacker around a gateway's node.
    #[must_use]
    pub fn new(inner: Box<dyn Node + Send>, plan: MiddlePlan, boot: &Boot<'_>) -> Self {
        let role = |make: &MakePlayed, salt: u8| {
            let mut seed = boot.seed;
            seed[0] ^= salt;
            make(&Boot {
                now: boot.now,
                seed,
                retained: &[],
            })
        };
        let (as_ecu, mut as_module) = (role(&plan.as_ecu, 1), role(&plan.as_module, 2));
        // Only a replacement can be refused.
        let _ = as_module.take(AdministrativeCommand::Start);
        ManInTheMiddle {
            inner,
            plan,
            as_ecu,
            as_module,
            waiting: VecDeque::new(),
            is_sending: false,
            tokens: 0,
            next_deadline: None,
        }
    }

    fn acts(&self, now: Instant) -> bool {
        let (from, until) = self.plan.window;
        from <= now && now < until
    }

    /// Takes a frame that is for one of the attacker's roles; true if the gateway does not get it.
    fn intercept(&mut self, now: Instant, port: Port, frame: &Frame) -> bool {
        let header = self.plan.sessions.frames.read(frame);
        let Some((header, _)) = header.filter(|_| self.acts(now)) else {
            return false;
        };
        let input = Input::Frame {
            port: Port(0),
            frame,
        };
        let ((ecu, to_ecu), (module, to_module)) = (self.plan.ecu, self.plan.module);
        if port == to_ecu && header.source == ecu {
            self.as_module.handle(now, input);
            return true;
        }
        if port == to_module && header.source == module {
            let is_for_all = header.target == EVERY_ECU;
            if is_for_all || header.target == ecu {
                self.as_ecu.handle(now, input);
            }
            return header.target == ecu;
        }
        false
    }

    /// Lets the attacker's roles do what they can: they compute in no time.
    fn play(&mut self, now: Instant) {
        if !self.acts(now) {
            let (from, _) = self.plan.window;
            self.next_deadline = (now < from).then_some(from);
            return;
        }
        let (to_module, to_ecu) = (self.plan.module.1, self.plan.ecu.1);
        let mut deadlines = [None; 2];
        let roles = [(&mut self.as_ecu, to_module), (&mut self.as_module, to_ecu)];
        for ((role, port), next_deadline) in roles.into_iter().zip(&mut deadlines) {
            *next_deadline = turns(role.as_mut(), now, |frame| {
                // What the security module says to all is passed on as it is.
                let header = self.plan.sessions.frames.read(frame);
                let is_for_all = header.is_some_and(|(header, _)| header.kind.is_broadcast());
                if !is_for_all && self.waiting.len() < WAITING_MAX {
                    self.waiting.push_back((port, *frame));
                }
            });
            self.plan.sessions.listen(role.as_mut());
        }
        self.next_deadline = deadlines.into_iter().flatten().min();
    }

    fn send(&mut self, room: Ports) -> Option<Output> {
        let (port, _) = *self.waiting.front()?;
        if self.is_sending || !room.contains(port) {
            return None;
        }
        let (port, frame) = self.waiting.pop_front()?;
        self.is_sending = true;
        self.tokens = self.tokens.wrapping_add(1);
        let sessions = &self.plan.sessions;
        let attacker = sessions.attacker;
        let frame = sent_by(attacker, frame);
        sessions.facts.push(Fact::Impersonated { attacker, frame });
        let token = Token(OWN | self.tokens & !OWN);
        Some(Output::Transmit { port, token, frame })
    }
}

/// Takes what a role has to say; returns when it wants to be polled again.
fn turns(role: &mut dyn LasanRole, now: Instant, mut send: impl FnMut(&Frame)) -> Option<Instant> {
    for _ in 0..TURNS_MAX {
        match role.poll(now, Ports::NONE.with(Port(0))) {
            Output::Transmit { port, token, frame } => {
                send(&frame);
                role.handle(now, Input::Sent { port, token });
            }
            Output::Withdraw { port, token } => {
                role.handle(now, Input::Withdrawn { port, token });
            }
            Output::Work { ticket, .. } => role.handle(now, Input::Done(ticket)),
            Output::Retain { slot, .. } => role.handle(now, Input::Retained(slot)),
            Output::Idle(next_deadline) => return next_deadline,
            _ => {}
        }
    }
    None
}

impl Node for ManInTheMiddle {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Sent { token, .. } | Input::Withdrawn { token, .. } if token.0 & OWN == OWN => {
                self.is_sending = false;
            }
            Input::Frame { port, frame } if self.intercept(now, port, frame) => {}
            input => self.inner.handle(now, input),
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.play(now);
        if let Some(output) = self.send(room) {
            return output;
        }
        match self.inner.poll(now, room) {
            Output::Idle(next_deadline) => {
                Output::Idle(next_deadline.into_iter().chain(self.next_deadline).min())
            }
            output => output,
        }
    }
}
