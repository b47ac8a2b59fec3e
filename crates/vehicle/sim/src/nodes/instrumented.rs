//! An ECU of a vehicle with what the bus does not see of it: its program, and the attackers that
//! run code there.

use std::collections::VecDeque;

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports, Token};
use waywarden_ecu::{Ecu, EcuRole, ForwardedFrame, GatewayRoute, Guard, StreamState, Withheld};
use waywarden_work::Instant;

use super::application::{Application, IntrusionRound};
use super::key_role::{CheckedMessage, KeyRole};
use super::message_names::MessageNames;

/// The bits of a token that neither an ECU of the vehicle nor a role has: a frame with them is that
/// of an attacker that runs code on the ECU.
const ATTACKER_TOKENS: u32 = 0xF << 28;

/// The ECU itself.
pub type VehicleEcu = Ecu<
    Vec<StreamState>,
    Vec<GatewayRoute>,
    Vec<ForwardedFrame>,
    Vec<EcuRole<Box<dyn KeyRole>>>,
    Box<dyn KeyRole>,
    MessageNames,
>;

/// An ECU that reports what waits in it and what leaves it.
pub struct InstrumentedEcu {
    ecu: VehicleEcu,
    /// By role: true if the ECU's streams wait for its first key.
    awaited: Vec<bool>,
    application: Application,
    /// Frames that an attacker sends next, ahead of all roles and streams.
    intruded: VecDeque<(Port, Frame)>,
    tokens: u32,
}

impl InstrumentedEcu {
    /// Gives an ECU its program; `awaited` says of each role whether the streams wait for its first
    /// key.
    #[must_use]
    pub fn new(mut ecu: VehicleEcu, awaited: Vec<bool>, application: Application) -> Self {
        if awaited.contains(&true) {
            ecu.hold_streams();
        }
        InstrumentedEcu {
            ecu,
            awaited,
            application,
            intruded: VecDeque::new(),
            tokens: 0,
        }
    }

    /// Hands on what the roles checked, and lets the streams go when the last awaited key is
    /// there; true if it did.
    fn follow_roles(&mut self, now: Instant) -> bool {
        let mut has_new_key = false;
        let roles = self.ecu.roles_mut().iter_mut().zip(&mut self.awaited);
        for (role, awaited) in roles {
            if *awaited && role.node().has_key() {
                *awaited = false;
                has_new_key = true;
            }
            while let Some(message) = role.events_mut().checked() {
                match message {
                    CheckedMessage::Accepted(stream, payload) => {
                        self.application.accept(stream, &payload);
                    }
                    CheckedMessage::Refused(stream) => self.application.refuse(stream),
                }
            }
        }
        let released = has_new_key && !self.awaited.contains(&true);
        if released {
            self.ecu.release_streams(now);
        }
        released
    }

    /// Has the program do what is due, and the attacker what it can.
    fn run_application(&mut self, now: Instant) {
        if self.application.is_passive() {
            return;
        }
        let payloads = self.application.tick(now);
        for (id, payload) in payloads {
            self.ecu.streams_mut().set_payload(id, payload);
        }
        let cause = self.application.cause();
        self.ecu.observer_mut().caused_by(cause);
        let Some(actions) = self.application.intrude(now) else {
            return;
        };
        let IntrusionRound {
            messages,
            others,
            mut sent,
            received,
        } = actions;
        for (port, frame) in others {
            let roles = self.ecu.roles_mut().iter_mut();
            let made = roles.map(|role| role.node_mut().impersonate(port, &frame));
            let named = |made: Frame| (port, made.with_message(frame.message()));
            let made = made.flatten().map(named);
            sent.extend(made);
        }
        for (port, frame) in messages {
            let mut roles = self.ecu.roles_mut().iter_mut();
            if let Some(role) = roles.find(|role| role.node().guards(frame.id())) {
                // What it has no keys for it cannot have protected.
                let _: Result<(), Withheld> = role.node_mut().forge(port, &frame);
            }
        }
        for (port, frame) in received {
            let frame = &frame;
            self.application.receive(port, frame);
            self.ecu.handle(now, Input::Frame { port, frame });
        }
        // One round at a time: what found no room is not made up for.
        self.intruded = sent.into();
    }

    /// Takes the attacker's next frame for a port with room.
    fn intruded(&mut self, room: Ports) -> Option<Output> {
        let mut waiting = self.intruded.iter();
        let at = waiting.position(|(port, _)| room.contains(*port))?;
        let (port, frame) = self.intruded.remove(at)?;
        self.tokens = self.tokens.wrapping_add(1);
        let token = Token(ATTACKER_TOKENS | self.tokens & !ATTACKER_TOKENS);
        Some(Output::Transmit { port, token, frame })
    }
}

impl Node for InstrumentedEcu {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Sent { token, .. } | Input::Withdrawn { token, .. }
                if token.0 & ATTACKER_TOKENS == ATTACKER_TOKENS =>
            {
                return;
            }
            Input::Frame { port, frame } => self.application.receive(port, frame),
            _ => {}
        }
        self.ecu.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.run_application(now);
        if let Some(output) = self.intruded(room) {
            return output;
        }
        let mut output = self.ecu.poll(now, room);
        let released = self.follow_roles(now);
        if released && matches!(output, Output::Idle(_)) {
            // The streams have a deadline of their own now.
            output = self.ecu.poll(now, room);
        }
        match output {
            Output::Transmit { frame, .. } => {
                if let Some(port) = self.application.announced(&frame) {
                    let frame = &frame;
                    self.ecu.handle(now, Input::Frame { port, frame });
                }
                output
            }
            Output::Idle(next_deadline) => {
                let application = self.application.next_deadline();
                Output::Idle(next_deadline.into_iter().chain(application).min())
            }
            output => output,
        }
    }
}
