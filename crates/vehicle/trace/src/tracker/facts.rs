//! What nodes report of messages: released, lost in an ECU, checked, taken.

use waywarden_can::MessageHandle;
use waywarden_can::node::Port;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::EcuIndex;
use waywarden_lasan::Received;

use super::instances::Delivery;
use super::{Genuine, Tracker, Truth};
use crate::identity::{Identity, MessageId, TamperedBy, Tampering};
use crate::outcome::{LossPlace, Refusal};
use crate::{CheckOutcome, Fact, ProtectedEvent};

impl Tracker {
    /// Follows what a node reports; returns the truth about a message that it takes.
    pub(crate) fn note(&mut self, at: Time, ecu: EcuIndex, fact: &Fact) -> Option<Truth> {
        match *fact {
            Fact::Released { message } => {
                self.streams.get_mut(message.stream)?.release(at);
                None
            }
            Fact::Sampled { message, cause } => {
                let own = self.streams.get_mut(message.stream)?;
                own.caused(message.number, cause);
                None
            }
            Fact::Skipped { message, .. } => {
                self.end_at_sender(message, LossPlace::SenderQueue);
                None
            }
            Fact::Withheld { message, .. } => {
                self.end_at_sender(message, LossPlace::Unprotected);
                None
            }
            Fact::Dropped { port, message } => {
                self.end_at_gateway(ecu, port, message, LossPlace::GatewayDropped);
                None
            }
            Fact::Suppressed {
                port, ref frame, ..
            } => {
                self.end_at_gateway(ecu, Some(port), frame.message(), LossPlace::Suppressed);
                None
            }
            Fact::HandedIn { stream, message } => {
                let number = genuine_of(stream, message)?;
                let own = self.streams.get_mut(stream)?;
                for taker in 0..own.takers.len() {
                    let place = own.way.takers[taker];
                    if place.ecu == ecu.0 && !place.is_plain {
                        own.checking(number, taker, at);
                    }
                }
                None
            }
            Fact::Checked {
                stream,
                outcome,
                message,
                ..
            } => self.checked(at, (stream, ecu), outcome, message),
            Fact::Discarded { stream, message } => {
                self.refuse((stream, ecu), message, Refusal::TagWithoutData);
                None
            }
            Fact::Taken {
                stream, ref frame, ..
            } => Some(self.deliver(at, (stream, ecu), frame.message())),
            Fact::Protected {
                stream,
                event,
                message,
            } => self.protected(at, (stream, ecu), event, message),
            _ => None,
        }
    }

    fn end_at_sender(&mut self, message: MessageId, place: LossPlace) {
        if let Some(own) = self.streams.get_mut(message.stream) {
            own.kill((message.number, 0), place.loss(false));
        }
    }

    /// Ends a message at a gateway, on its way to one port or to all.
    fn end_at_gateway(
        &mut self,
        ecu: EcuIndex,
        port: Option<Port>,
        frame: MessageHandle,
        at: LossPlace,
    ) {
        let Some(message) = Identity::of(frame).genuine() else {
            return;
        };
        let ports = self.ports.get(ecu.0);
        let bus = port.and_then(|port| ports?.get(usize::from(port.0)).copied());
        let Some(own) = self.streams.get_mut(message.stream) else {
            return;
        };
        for leg in 1..own.way.legs.len() {
            let place = own.way.legs[leg];
            if place.ecu == ecu.0 && bus.is_none_or(|bus| bus == place.bus) {
                own.kill((message.number, leg), at.loss(false));
            }
        }
    }

    fn checked(
        &mut self,
        at: Time,
        place: (usize, EcuIndex),
        outcome: CheckOutcome,
        message: MessageHandle,
    ) -> Option<Truth> {
        let why = match outcome {
            CheckOutcome::Authentic(_) => return Some(self.deliver(at, place, message)),
            CheckOutcome::Resynced => return None,
            CheckOutcome::WrongTag => Refusal::WrongTag,
            CheckOutcome::Replay => Refusal::Replay,
            CheckOutcome::Missing => Refusal::Missing,
            CheckOutcome::TagWithoutData => Refusal::TagWithoutData,
            CheckOutcome::OutOfStep => Refusal::OutOfStep,
            CheckOutcome::NoRoom => Refusal::NoRoom,
            CheckOutcome::NotReady => Refusal::NotReady,
        };
        self.refuse(place, message, why)
    }

    fn protected(
        &mut self,
        at: Time,
        (stream, ecu): (usize, EcuIndex),
        event: ProtectedEvent,
        message: MessageHandle,
    ) -> Option<Truth> {
        let why = match event {
            ProtectedEvent::Waiting => {
                self.note(at, ecu, &Fact::HandedIn { stream, message });
                return None;
            }
            ProtectedEvent::Opened(Received::Authentic { .. }) => {
                return Some(self.deliver(at, (stream, ecu), message));
            }
            ProtectedEvent::Unsent => return None,
            ProtectedEvent::NoRoom => Refusal::NoRoom,
            ProtectedEvent::WithoutKey | ProtectedEvent::TooLate => Refusal::NotReady,
            ProtectedEvent::Opened(Received::Replay(_)) => Refusal::Replay,
            ProtectedEvent::Opened(Received::UnknownKey(_)) => Refusal::UnknownKey,
            ProtectedEvent::Opened(_) => Refusal::WrongTag,
        };
        self.refuse((stream, ecu), message, why)
    }

    /// Takes note that an ECU's check did not let a message pass; returns the truth if it was not
    /// its sender's, or had been delivered before.
    fn refuse(
        &mut self,
        (stream, ecu): (usize, EcuIndex),
        message: MessageHandle,
        why: Refusal,
    ) -> Option<Truth> {
        let by = Identity::of(message).tampered;
        if by.is_some() {
            return Some(Truth::Forged { by });
        }
        let number = genuine_of(stream, message)?;
        let own = self.streams.get_mut(stream)?;
        let checks = || {
            let own_takers = own.way.takers_at(ecu.0);
            own_takers.filter(|taker| !own.way.takers[*taker].is_plain)
        };
        let awaits = |taker: &usize| !own.takers[*taker].has_ended(number);
        let taker = checks().find(awaits).or(checks().next())?;
        let is_again = own.takers[taker].is_delivered(number);
        own.refuse(number, taker, why);
        is_again.then_some(Truth::Forged { by: None })
    }

    /// Takes note that an ECU takes a message as one of this stream.
    fn deliver(&mut self, at: Time, (stream, ecu): (usize, EcuIndex), of: MessageHandle) -> Truth {
        let identity = Identity::of(of);
        let by = identity.tampered;
        let forged = Truth::Forged { by };
        let message = identity.message.filter(|message| message.stream == stream);
        let how = identity.tampered.map(|by| by.how);
        let (Some(message), None | Some(Tampering::Replayed)) = (message, how) else {
            return forged;
        };
        let Some(own) = self.streams.get_mut(stream) else {
            return forged;
        };
        // An ECU that receives a stream and verifies it for others checks each message twice.
        let own_takers = || own.way.takers_at(ecu.0);
        let awaits = |taker: &usize| !own.takers[*taker].is_delivered(message.number);
        let taker = own_takers().find(awaits).or(own_takers().next());
        let Some(taker) = taker else { return forged };
        let is_for_itself = own.way.takers[taker].passes_to.is_none();
        match own.deliver((message.number, taker), how.is_some(), at) {
            Err(attacker) => Truth::Forged {
                by: by.or(attacker.map(|attacker| TamperedBy {
                    how: Tampering::Replayed,
                    attacker,
                })),
            },
            Ok(Delivery {
                released,
                cause,
                longest,
            }) => Truth::Genuine(Genuine {
                message,
                cause,
                released,
                longest,
                is_for_itself,
            }),
        }
    }
}

/// Returns the number of the message of a stream that its sender's own frame carries.
fn genuine_of(stream: usize, handle: MessageHandle) -> Option<u32> {
    let message = Identity::of(handle).genuine()?;
    (message.stream == stream).then_some(message.number)
}
