//! The part of an ECU in its network: it asks for keys, or it is the security module and begins its
//! epochs. What happens goes to the simulation.

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_ecu::Guard;
use waywarden_firmware_ecu::{Board, LAB};
use waywarden_firmware_link::{GrantedKeyRecord, LasanParties, LasanReport, Link, Request};
use waywarden_lasan::{
    AddressSet, LasanEcu, LasanFrameReader, LasanSuite, ModuleEvent, PartyDirectory, SecurityModule,
};
use waywarden_session_keys::Timetable;
use waywarden_work::{Duration, Instant};

use crate::grants::Grants;

/// The order to begin an epoch.
#[derive(Clone, Copy)]
pub(crate) struct Begin;

/// The orders to a security module.
pub(crate) type Epochs = Timetable<[(Instant, Begin); 1], Begin>;

/// A part in the network, with its role.
// There is one, and no allocator to put the larger variant elsewhere.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Part<'a, S: LasanSuite> {
    Ecu {
        role: LasanEcu<'a, S, &'a LasanParties>,
        /// The keys that follow granted ones.
        keys: &'a [GrantedKeyRecord],
        grants: &'a Grants,
    },
    Module {
        role: SecurityModule<'a, S, &'a LasanParties>,
        epochs: Epochs,
        /// The ECUs that were authenticated in this epoch.
        authenticated: AddressSet,
    },
}

/// The part of an ECU in its network.
pub struct Party<'a, L, S: LasanSuite> {
    part: Part<'a, S>,
    frames: LasanFrameReader,
    /// The time that an authentication takes at most.
    authentication: Duration,
    board: &'a Board<L>,
}

impl<'a, L: Link, S: LasanSuite> Party<'a, L, S> {
    pub(crate) fn new(part: Part<'a, S>, parties: &LasanParties, board: &'a Board<L>) -> Self {
        Party {
            part,
            frames: parties.frames(),
            authentication: parties.settings().timing.authentication,
            board,
        }
    }

    fn report(&self, report: LasanReport) {
        if !LAB {
            return;
        }
        self.board.uncounted(|| {
            let mut bytes = [0; LasanReport::LENGTH_MAX];
            match report.encode(&mut bytes) {
                Ok(length) => self.board.report(&Request::Authorized(&bytes[..length])),
                Err(error) => panic!("a report: {error}"),
            }
        });
    }

    /// Begins epochs whose time has come.
    fn begin(&mut self, now: Instant) {
        let Part::Module { role, epochs, .. } = &mut self.part else {
            return;
        };
        while let Some(Begin) = epochs.due(now) {
            // Until the epoch has begun: it has to be kept first.
            epochs.hold();
            role.start();
        }
    }

    /// Takes what has happened. An epoch is under way as long as one ECU after the other is
    /// authenticated.
    fn listen(&mut self, now: Instant) {
        while let Some(event) = self.part.event(now, self.authentication) {
            self.report(event);
        }
    }
}

impl<S: LasanSuite> Part<'_, S> {
    /// Takes the oldest event and does what follows from it.
    fn event(&mut self, now: Instant, authentication: Duration) -> Option<LasanReport> {
        match self {
            Part::Ecu { role, keys, grants } => {
                let event = role.event()?;
                for key in *keys {
                    let granted = role.stream_key(key.from);
                    grants.set(key.from, granted.map(|(_, granted)| granted));
                }
                Some(LasanReport::Ecu(event))
            }
            Part::Module {
                role,
                epochs,
                authenticated,
            } => {
                let event = role.event()?;
                let goes_on = match event {
                    ModuleEvent::Started { .. } => {
                        *authenticated = AddressSet::NONE;
                        true
                    }
                    ModuleEvent::Authenticated(ecu) => {
                        let is_new = !authenticated.contains(ecu);
                        *authenticated = authenticated.with(ecu);
                        is_new
                    }
                    _ => false,
                };
                if goes_on {
                    epochs.release(now + authentication);
                }
                Some(LasanReport::Module(event))
            }
        }
    }

    fn next_order(&self) -> Option<Instant> {
        match self {
            Part::Ecu { .. } => None,
            Part::Module { epochs, .. } => epochs.next(),
        }
    }
}

impl<L: Link, S: LasanSuite> Node for Party<'_, L, S> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        match &mut self.part {
            Part::Ecu { role, .. } => role.handle(now, input),
            Part::Module { role, .. } => role.handle(now, input),
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.begin(now);
        let output = match &mut self.part {
            Part::Ecu { role, .. } => role.poll(now, room),
            Part::Module { role, .. } => role.poll(now, room),
        };
        self.listen(now);
        match output {
            Output::Idle(next_deadline) => {
                let order = self.part.next_order();
                Output::Idle(next_deadline.into_iter().chain(order).min())
            }
            output => output,
        }
    }
}

impl<L: Link, S: LasanSuite> Guard for Party<'_, L, S> {
    /// Streams are not the network's to open: their keys are for another protocol.
    fn hears(&self, _port: Port, frame: &Frame) -> bool {
        self.frames.read(frame).is_some()
    }
}
