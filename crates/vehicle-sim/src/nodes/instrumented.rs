//! An ECU of a vehicle with what the bus does not see of it: which messages of its streams leave
//! and which never do, its program, and the attackers that run code there.

use std::collections::VecDeque;

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports, Token};
use waywarden_can_auth::event::Payload;
use waywarden_ecu::{Ecu, Forwarded, Guard, Role, Route, StreamState, Withheld};
use waywarden_work::{Duration, Instant};

use super::application::{Application, IntrusionRound};
use super::key_role::{CheckedMessage, KeyRole, LeavingMessage};
use waywarden_vehicle_trace::{ATTACKER_TOKENS, Fact, Facts, SentMessage, is_attackers_token};

/// The ECU itself.
pub type VehicleEcu = Ecu<
    Vec<StreamState>,
    Vec<Route>,
    Vec<Forwarded>,
    Vec<Role<Box<dyn KeyRole>>>,
    Box<dyn KeyRole>,
>;

/// An ECU that reports what waits in it and what leaves it.
pub struct InstrumentedEcu {
    ecu: VehicleEcu,
    /// By role: whether the ECU's streams wait for its first key.
    awaited: Vec<bool>,
    streams: Vec<OwnStream>,
    /// How many instances of all streams never left, as far as that was reported.
    reported: u64,
    application: Application,
    /// What an attacker sends next, past everything else.
    intruded: VecDeque<(Port, Frame)>,
    tokens: u32,
    facts: Facts,
}

/// A stream that the ECU sends, and what was reported of it.
struct OwnStream {
    /// Its place in the vehicle file.
    at: usize,
    skipped: u64,
    withheld: u64,
}

impl InstrumentedEcu {
    /// Lets an ECU report; `streams` are those that it sends, by their places in the vehicle file,
    /// and `awaited` says of each role whether the streams wait for its first key.
    #[must_use]
    pub fn new(
        mut ecu: VehicleEcu,
        awaited: Vec<bool>,
        streams: impl IntoIterator<Item = usize>,
        application: Application,
        facts: Facts,
    ) -> Self {
        let streams = streams.into_iter().map(|at| OwnStream {
            at,
            skipped: 0,
            withheld: 0,
        });
        if awaited.contains(&true) {
            ecu.hold_streams();
        }
        InstrumentedEcu {
            ecu,
            awaited,
            streams: streams.collect(),
            reported: 0,
            application,
            intruded: VecDeque::new(),
            tokens: 0,
            facts,
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

    /// Reports the instances that never left.
    fn report_kept_back(&mut self) {
        self.reported = self.kept_back();
        let states = self.ecu.streams().states().iter();
        for (own, state) in self.streams.iter_mut().zip(states) {
            let stream = own.at;
            // The role that guards the stream could not protect it: no key, or nothing retained
            // or announced yet.
            let withheld = state.unauthorised() + state.unready();
            if withheld > own.withheld {
                let instances = withheld - own.withheld;
                self.facts.push(Fact::Withheld { stream, instances });
            }
            own.withheld = withheld;
            let since_boot = state.skipped();
            if since_boot > own.skipped {
                let instances = since_boot - own.skipped;
                self.facts.push(Fact::Skipped {
                    stream,
                    instances,
                    since_boot,
                });
            }
            own.skipped = since_boot;
        }
    }

    fn kept_back(&self) -> u64 {
        let streams = self.ecu.streams();
        streams.skipped() + streams.unauthorised() + streams.unready()
    }

    /// Reports the message that leaves with a frame, if one does.
    fn report_sent(&mut self, port: Port, frame: &Frame) {
        let roles = self.ecu.roles_mut().iter_mut();
        let mut by_role = roles.filter_map(|role| role.events_mut().sent());
        let sent = by_role.next().or_else(|| {
            let stream = self.application.sent_as_it_is(port, frame)?;
            let own = Some((Payload::new(frame.data()), self.application.cause()));
            Some(LeavingMessage { stream, own })
        });
        if let Some(LeavingMessage { stream, own }) = sent {
            let waited = self.ecu.waited();
            self.facts.push_ahead(Fact::MessageSent(SentMessage {
                stream,
                own,
                waited,
            }));
        }
    }
}

impl InstrumentedEcu {
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
        for role in self.ecu.roles_mut() {
            role.events_mut().caused_by(cause);
        }
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
            let made = made.flatten().map(|frame| (port, frame));
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
            self.application.hear(port, frame);
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
        if let Some(stream) = self.application.forged(port, &frame) {
            self.facts.push_ahead(Fact::MessageSent(SentMessage {
                stream,
                own: None,
                waited: Duration::ZERO,
            }));
        }
        self.tokens = self.tokens.wrapping_add(1);
        let token = Token(ATTACKER_TOKENS | self.tokens & !ATTACKER_TOKENS);
        Some(Output::Transmit { port, token, frame })
    }
}

impl Node for InstrumentedEcu {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Sent { token, .. } | Input::Withdrawn { token, .. }
                if is_attackers_token(token) =>
            {
                return;
            }
            Input::Frame { port, frame } => self.application.hear(port, frame),
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
            // The streams have a wish of their own now.
            output = self.ecu.poll(now, room);
        }
        if self.kept_back() != self.reported {
            self.report_kept_back();
        }
        match output {
            Output::Transmit { port, frame, .. } => {
                self.report_sent(port, &frame);
                if let Some(port) = self.application.announced(&frame) {
                    let frame = &frame;
                    self.ecu.handle(now, Input::Frame { port, frame });
                }
                output
            }
            Output::Idle(wish) => {
                let application = self.application.wish();
                Output::Idle(wish.into_iter().chain(application).min())
            }
            output => output,
        }
    }
}
