//! Reports of nodes about messages: released, lost in an ECU, checked, taken.

use waywarden_can::MessageHandle;
use waywarden_can::node::Port;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::EcuIndex;
use waywarden_lasan::ProtectedOutcome;

use super::instances::Delivery;
use super::{Genuine, Tracker, Truth};
use crate::identity::{MessageId, MessageIdentity, TamperedBy, Tampering};
use crate::outcome::{CheckRefusal, LossPlace};
use crate::{CheckOutcome, Fact, ProtectedEvent};

/// A role that takes messages: of which stream, at which ECU, and to which bus it sends on what it
/// finds authentic. An ECU that receives a stream and verifies it for others has two.
type Place = (usize, EcuIndex, Option<usize>);

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
            Fact::Overrun { port, message } => {
                self.overrun_at_image((ecu, port), message);
                None
            }
            Fact::Suppressed {
                port, ref frame, ..
            } => {
                self.end_at_gateway(ecu, Some(port), frame.message(), LossPlace::Suppressed);
                None
            }
            Fact::HandedIn {
                stream,
                passes_to,
                message,
            } => {
                let number = genuine_of(stream, message)?;
                let own = self.streams.get_mut(stream)?;
                let taker = own.way.taker(ecu.0, passes_to)?;
                own.checking(number, taker, at);
                None
            }
            Fact::Checked {
                stream,
                passes_to,
                outcome,
                message,
                ..
            } => self.checked(at, (stream, ecu, passes_to), outcome, message),
            Fact::Discarded {
                stream,
                passes_to,
                message,
            } => {
                let place = (stream, ecu, passes_to);
                self.refuse(place, message, CheckRefusal::TagWithoutData);
                None
            }
            Fact::Taken {
                stream, ref frame, ..
            } => Some(self.deliver(at, (stream, ecu, None), frame.message())),
            Fact::Protected {
                stream,
                event,
                message,
            } => self.protected(at, (stream, ecu), event, message),
            _ => None,
        }
    }

    /// Ends a message for which the mailbox of an image had no room.
    fn overrun_at_image(&mut self, (ecu, port): (EcuIndex, Port), message: MessageHandle) {
        let message = MessageIdentity::of(message).genuine();
        if let (Some(bus), Some(message)) = (self.bus_of(ecu, port), message)
            && let Some(own) = self.streams.get_mut(message.stream)
        {
            own.overrun_at_image(message.number, ecu.0, bus);
        }
    }

    /// Returns the bus of an ECU's port.
    fn bus_of(&self, ecu: EcuIndex, port: Port) -> Option<usize> {
        let ports = self.ports.get(ecu.0)?;
        ports.get(usize::from(port.0)).copied()
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
        let MessageIdentity { message, tampered } = MessageIdentity::of(frame);
        // An attacker in the gateway may have changed the sender's own frame before.
        let changes_here = |by: TamperedBy| self.changes_in.get(by.attacker) == Some(&Some(ecu.0));
        let is_of_sender = tampered.is_none_or(changes_here);
        let Some(message) = message.filter(|_| is_of_sender) else {
            return;
        };
        let bus = port.and_then(|port| self.bus_of(ecu, port));
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
        place: Place,
        outcome: CheckOutcome,
        message: MessageHandle,
    ) -> Option<Truth> {
        match outcome {
            CheckOutcome::Authentic(_) => Some(self.deliver(at, place, message)),
            CheckOutcome::Refused(why) => self.refuse(place, message, why),
            CheckOutcome::Resynced => None,
        }
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
                let handed_in = Fact::HandedIn {
                    stream,
                    passes_to: None,
                    message,
                };
                return self.note(at, ecu, &handed_in);
            }
            ProtectedEvent::Opened(ProtectedOutcome::Authentic { .. }) => {
                return Some(self.deliver(at, (stream, ecu, None), message));
            }
            ProtectedEvent::Unsent => return None,
            ProtectedEvent::NoRoom => CheckRefusal::NoRoom,
            ProtectedEvent::WithoutKey | ProtectedEvent::TooLate => CheckRefusal::NotReady,
            ProtectedEvent::Opened(ProtectedOutcome::Replay(_)) => CheckRefusal::Replay,
            ProtectedEvent::Opened(ProtectedOutcome::UnknownKey(_)) => CheckRefusal::UnknownKey,
            ProtectedEvent::Opened(_) => CheckRefusal::WrongTag,
        };
        self.refuse((stream, ecu, None), message, why)
    }

    /// Takes note that an ECU's check did not let a message pass; returns the truth if it was not
    /// its sender's, or had been delivered before.
    fn refuse(
        &mut self,
        (stream, ecu, passes_to): Place,
        message: MessageHandle,
        why: CheckRefusal,
    ) -> Option<Truth> {
        let by = MessageIdentity::of(message).tampered;
        if by.is_some() {
            return Some(Truth::Forged { by });
        }
        let number = genuine_of(stream, message)?;
        let own = self.streams.get_mut(stream)?;
        let taker = own.way.taker(ecu.0, passes_to)?;
        let is_again = own.takers[taker].is_delivered(number);
        own.refuse(number, taker, why);
        is_again.then_some(Truth::Forged { by: None })
    }

    /// Takes note that an ECU takes a message as one of this stream.
    fn deliver(&mut self, at: Time, (stream, ecu, passes_to): Place, of: MessageHandle) -> Truth {
        let identity = MessageIdentity::of(of);
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
        let Some(taker) = own.way.taker(ecu.0, passes_to) else {
            return forged;
        };
        let is_for_itself = passes_to.is_none();
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
    let message = MessageIdentity::of(handle).genuine()?;
    (message.stream == stream).then_some(message.number)
}
