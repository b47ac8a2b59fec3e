//! The seam between an ECU and any of the protocols: ends of streams, which are handed payloads,
//! frames and time.
//!
//! A sending end is [`Protect`], a receiving end [`Check`]; what of either survives a reset is
//! [`Persistent`]. All protocols have both: [`crate::paired`] and [`crate::secoc`] with an end for
//! each stream; those as published with one end for all streams of an ECU, because that is how
//! their weaknesses hang together: `VaticanSenders`, `LeiaSenders`, `LeiaReceivers` and
//! `vatican::VaticanReceiver` (feature `as-published`). [`AnySender`] and [`AnyReceiver`] are ends
//! of whichever protocol.

mod any;
#[cfg(feature = "as-published")]
mod leia;
mod paired;
mod secoc;
#[cfg(feature = "as-published")]
mod vatican;

use waywarden_can::{Frame, Id, MessageHandle, StandardId};
use waywarden_work::{Instant, Meter};

pub use self::any::{AnyReceiver, AnySender, NoEnd};
#[cfg(feature = "as-published")]
pub use self::leia::{ANSWERS, LeiaReceivers, LeiaSenders};
#[cfg(feature = "as-published")]
pub use self::vatican::VaticanSenders;
use crate::error::ProtectError;
use crate::event::FrameOutcome;
use crate::key_store::{KeyStoreError, MacKeyStore};
use crate::secoc::FreshnessState;

/// The time of an event: by the ECU's clock, and in the epochs of the car.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EcuMoment {
    /// The ECU's clock.
    pub now: Instant,
    /// The state of the ECU's freshness follower or master; [`FreshnessState::NONE`] without.
    pub freshness_state: FreshnessState,
}

/// A message on its way: what may leave at once, and what must wait until its tag is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingMessage {
    /// Leaves while the tag is computed. None where the tag is in the frame of the message.
    pub ahead: Option<Frame>,
    /// Has the tag in it.
    pub sealed: Frame,
}

/// The part of an end that survives a reset: one counter at most. The ECU keeps it, and the number
/// of the boot besides.
pub trait Persistent {
    /// Begins a boot, the `boot`th under these keys, counted from one; to be called before anything
    /// else. `counter` is what [`Persistent::retained`] last had; zero under fresh keys.
    fn begin(&mut self, boot: u32, counter: u64) {
        let _ = (boot, counter);
    }

    /// The name of its counter, if it has one that is to be kept.
    fn counter(&self) -> Option<StandardId> {
        None
    }

    /// Returns the value to be retained now, if any.
    fn to_retain(&self) -> Option<u64> {
        None
    }

    /// Takes note that a value is retained.
    fn retained(&mut self, value: u64) {
        let _ = value;
    }
}

/// A sending end, of one stream or several.
pub trait Protect: Persistent {
    /// Returns true if messages that an application sends under this identifier are this end's.
    fn covers(&self, id: Id) -> bool;

    /// Protects a message of the stream `id`, which it [covers](Protect::covers).
    ///
    /// # Errors
    /// [`ProtectError`]; then nothing changed.
    fn protect(
        &mut self,
        id: Id,
        payload: &[u8],
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<PendingMessage, ProtectError>;

    /// Returns true if a received frame takes a computation.
    fn checks(&self, frame: &Frame) -> bool {
        let _ = frame;
        false
    }

    /// Returns true if a frame has an effect; [`Protect::receive`] ignores any other.
    fn hears(&self, frame: &Frame) -> bool {
        self.checks(frame)
    }

    /// Takes any frame: there may be something to say to it, and something to tell of it.
    ///
    /// # Errors
    /// [`ProtectError`]; then there is nothing to say.
    fn receive(
        &mut self,
        frame: &Frame,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, ProtectError> {
        let _ = (frame, key_store, meter);
        Ok(None)
    }

    /// Returns the next frame it has to say, in order; what it took is in the meter.
    ///
    /// # Errors
    /// [`ProtectError`]; then it is not said.
    fn outgoing(
        &mut self,
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<Frame>, ProtectError> {
        let _ = (moment, key_store, meter);
        Ok(None)
    }

    /// Returns the time at which [`Protect::outgoing`] has something next.
    fn next_deadline(&self) -> Option<Instant> {
        None
    }
}

/// A receiving end, of one stream or several.
pub trait Check: Persistent {
    /// Takes any frame. One of its streams may bring an event.
    ///
    /// # Errors
    /// [`KeyStoreError`]; then nothing changed.
    fn accept(
        &mut self,
        frame: &Frame,
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
        meter: &mut impl Meter,
    ) -> Result<Option<FrameOutcome>, KeyStoreError>;

    /// Returns true if it does something with a frame.
    fn knows(&self, frame: &Frame) -> bool;

    /// Returns the message that the last event is about, if that is not the one of the frame that
    /// brought it: data whose tag never came, or data that another frame was taken for the tag of.
    fn about(&self) -> MessageHandle {
        MessageHandle::NONE
    }

    /// Makes a message of the stream whose frames have the identifier `id`, one that other
    /// receivers of it take: with one key for both ends no receiver can tell. For simulations of an
    /// attacker who took this ECU over. None of a stream that is not this end's, without a
    /// position, and where the key store has the key for checking alone.
    #[cfg(feature = "attacks")]
    fn impersonate(
        &self,
        id: Id,
        payload: &[u8],
        moment: &EcuMoment,
        key_store: &mut impl MacKeyStore,
    ) -> Option<PendingMessage> {
        let _ = (id, payload, moment, key_store);
        None
    }

    /// Returns the next frame it has to say. Not to leave before what was metered until then is
    /// computed.
    fn outgoing(&mut self, now: Instant) -> Option<Frame> {
        let _ = now;
        None
    }

    /// Returns what did not come in time; to be called until there is nothing.
    fn expire(&mut self, now: Instant) -> Option<FrameOutcome> {
        let _ = now;
        None
    }

    /// Returns the time at which [`Check::outgoing`] or [`Check::expire`] has something next.
    fn next_deadline(&self) -> Option<Instant> {
        None
    }
}

impl EcuMoment {
    /// A moment in a car, or of an ECU, where nothing is announced.
    #[must_use]
    pub const fn at(now: Instant) -> Self {
        EcuMoment {
            now,
            freshness_state: FreshnessState::NONE,
        }
    }
}

/// Returns the message of an attacker who goes on with `sender`; none of a stream that it does not
/// cover.
#[cfg(feature = "attacks")]
fn impersonated(
    mut sender: impl Protect,
    id: Id,
    payload: &[u8],
    moment: &EcuMoment,
    key_store: &mut impl MacKeyStore,
) -> Option<PendingMessage> {
    let meter = &mut waywarden_work::NoMeter;
    let protected = sender
        .covers(id)
        .then(|| sender.protect(id, payload, moment, key_store, meter))?;
    protected.ok()
}
