//! The seam between an ECU and any of the protocols: one end of one stream, which is handed
//! payloads, frames and time.

use waywarden_can::{Frame, Id};
use waywarden_work::{Instant, Meter};

use crate::event::Event;
use crate::paired::{self, ProtectError};
use crate::vault::{Vault, VaultError};

/// A message on its way: what may leave at once, and what must wait until its tag is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Leaves while the tag is computed.
    pub ahead: Option<Frame>,
    /// Has the tag in it.
    pub sealed: Frame,
}

/// The sending end of a stream.
pub trait Protect {
    /// Whether messages that an application sends under this identifier are this stream's.
    fn covers(&self, id: Id) -> bool;

    /// Protects a message.
    ///
    /// # Errors
    /// [`ProtectError`]; then nothing changed.
    fn protect(
        &mut self,
        payload: &[u8],
        vault: &mut impl Vault,
        meter: &mut Meter,
    ) -> Result<Message, ProtectError>;

    /// Takes any frame; returns whether there may be something to say to it.
    fn hear(&mut self, frame: &Frame) -> bool {
        let _ = frame;
        false
    }

    /// Returns the next frame it has to say, in order; what it took is in the meter.
    ///
    /// # Errors
    /// [`ProtectError`]; then it is not said.
    fn outgoing(
        &mut self,
        now: Instant,
        vault: &mut impl Vault,
        meter: &mut Meter,
    ) -> Result<Option<Frame>, ProtectError> {
        let _ = (now, vault, meter);
        Ok(None)
    }

    /// When [`Protect::outgoing`] has something next.
    fn wish(&self) -> Option<Instant> {
        None
    }
}

/// A receiving end of a stream.
pub trait Check {
    /// Takes any frame. One of this stream may bring an event.
    ///
    /// # Errors
    /// [`VaultError`]; then nothing changed.
    fn accept(
        &mut self,
        now: Instant,
        frame: &Frame,
        vault: &mut impl Vault,
        meter: &mut Meter,
    ) -> Result<Option<Event>, VaultError>;

    /// Whether a frame is of this stream, in any way.
    fn knows(&self, frame: &Frame) -> bool;

    /// Returns the next frame it has to say.
    fn outgoing(&mut self, now: Instant) -> Option<Frame> {
        let _ = now;
        None
    }

    /// Returns what did not come in time; to be called until there is nothing.
    fn expire(&mut self, now: Instant) -> Option<Event> {
        let _ = now;
        None
    }

    /// When [`Check::outgoing`] or [`Check::expire`] has something next.
    fn wish(&self) -> Option<Instant> {
        None
    }
}

impl Protect for paired::Sender {
    fn covers(&self, id: Id) -> bool {
        id == Id::Standard(self.connection().id())
    }

    fn protect(
        &mut self,
        payload: &[u8],
        vault: &mut impl Vault,
        meter: &mut Meter,
    ) -> Result<Message, ProtectError> {
        let message = self.protect(payload, vault, meter)?;
        Ok(Message {
            ahead: Some(message.data),
            sealed: message.tag,
        })
    }

    fn hear(&mut self, frame: &Frame) -> bool {
        self.hear(frame)
    }

    fn outgoing(
        &mut self,
        now: Instant,
        vault: &mut impl Vault,
        meter: &mut Meter,
    ) -> Result<Option<Frame>, ProtectError> {
        self.outgoing(now, vault, meter)
    }

    fn wish(&self) -> Option<Instant> {
        self.wish()
    }
}

impl Check for paired::Receiver {
    fn accept(
        &mut self,
        now: Instant,
        frame: &Frame,
        vault: &mut impl Vault,
        meter: &mut Meter,
    ) -> Result<Option<Event>, VaultError> {
        self.accept(now, frame, vault, meter)
    }

    fn knows(&self, frame: &Frame) -> bool {
        self.knows(frame)
    }

    fn outgoing(&mut self, now: Instant) -> Option<Frame> {
        self.outgoing(now)
    }

    fn expire(&mut self, now: Instant) -> Option<Event> {
        self.expire(now)
    }

    fn wish(&self) -> Option<Instant> {
        self.wish()
    }
}
