//! The identity of messages: what the words of a frame's handle mean in a simulated vehicle.
//!
//! A message instance is named when its sender's software releases it. An attacker that sends a
//! frame of it again, changes one or makes one up adds its own name: its place among the attackers
//! of the vehicle file, which interferers follow.

use waywarden_can::{Frame, MessageHandle};

/// One instance of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId {
    /// The stream, by its place in the vehicle file.
    pub stream: usize,
    /// The instance, counted from 0 over all boots of the sender.
    pub number: u32,
    /// The boot of the sender that released it, counted from 1; later ones than 65,535 as that.
    pub boot: u16,
}

/// The hand of an attacker in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tampering {
    /// The attacker sent a frame again that it had heard, or carried it to another bus.
    Replayed,
    /// The attacker changed it on its way.
    Modified,
    /// The attacker made it up.
    Forged,
}

/// An attacker's hand in a frame, and whose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TamperedBy {
    /// The kind of tampering.
    pub how: Tampering,
    /// The attacker, by its place among the attackers of the vehicle file; interferers follow.
    pub attacker: usize,
}

/// The meaning of a handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageIdentity {
    /// The message that the frame carries; of a replayed or modified one its original.
    pub message: Option<MessageId>,
    /// The attacker that sent the frame or changed it; none for the sender's own.
    pub tampered: Option<TamperedBy>,
}

impl MessageId {
    /// Returns the handle of the sender's own frames of this message.
    #[must_use]
    pub fn handle(self) -> MessageHandle {
        MessageIdentity {
            message: Some(self),
            tampered: None,
        }
        .handle()
    }
}

impl MessageIdentity {
    /// Returns the meaning of a handle.
    #[must_use]
    pub const fn of(handle: MessageHandle) -> Self {
        let [places, boot, number] = handle.words();
        let (stream, attacker) = (places & 0xFFFF, places >> 16);
        let how = match boot >> 16 {
            1 => Some(Tampering::Replayed),
            2 => Some(Tampering::Modified),
            3 => Some(Tampering::Forged),
            _ => None,
        };
        MessageIdentity {
            message: match stream {
                0 => None,
                stream => Some(MessageId {
                    stream: stream as usize - 1,
                    number,
                    boot: boot as u16,
                }),
            },
            tampered: match how {
                None => None,
                Some(how) => Some(TamperedBy {
                    how,
                    attacker: attacker as usize,
                }),
            },
        }
    }

    /// Returns the handle with this meaning. Streams from the 65,536th on have none.
    #[must_use]
    pub fn handle(self) -> MessageHandle {
        let stream = self.message.map_or(0, |message| message.stream as u32 + 1);
        let number = self.message.map_or(0, |message| message.number);
        let boot = self.message.map_or(0, |message| u32::from(message.boot));
        let how = self.tampered.map_or(0, |by| match by.how {
            Tampering::Replayed => 1,
            Tampering::Modified => 2,
            Tampering::Forged => 3,
        });
        let attacker = self.tampered.map_or(0, |by| by.attacker as u32);
        MessageHandle::new([stream & 0xFFFF | attacker << 16, boot | how << 16, number])
    }

    /// Returns the message, if the frame is its sender's own.
    #[must_use]
    pub const fn genuine(&self) -> Option<MessageId> {
        match self.tampered {
            None => self.message,
            Some(_) => None,
        }
    }

    /// Returns the identity of the same frame once an attacker has sent it: a heard one is
    /// replayed, all others are forged. One that an attacker has changed stays so.
    #[must_use]
    pub const fn sent_by(self, attacker: usize) -> Self {
        let how = match (self.message, self.tampered) {
            (None, _) => Tampering::Forged,
            (
                _,
                Some(TamperedBy {
                    how: Tampering::Modified,
                    ..
                }),
            ) => Tampering::Modified,
            _ => Tampering::Replayed,
        };
        self.with(how, attacker)
    }

    /// Returns the identity of the same frame once an attacker has done this to it.
    #[must_use]
    pub const fn with(self, how: Tampering, attacker: usize) -> Self {
        MessageIdentity {
            message: self.message,
            tampered: Some(TamperedBy { how, attacker }),
        }
    }
}

/// Returns a frame as one that an attacker sends, see [`MessageIdentity::sent_by`].
#[must_use]
pub fn sent_by(attacker: usize, frame: Frame) -> Frame {
    let identity = MessageIdentity::of(frame.message());
    frame.with_message(identity.sent_by(attacker).handle())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: MessageId = MessageId {
        stream: 65_534,
        number: u32::MAX,
        boot: u16::MAX,
    };

    #[test]
    fn a_handle_has_the_meaning_that_it_was_made_of() {
        let hands = [Tampering::Replayed, Tampering::Modified, Tampering::Forged];
        let hands = hands.map(|how| Some(TamperedBy { how, attacker: 511 }));
        for tampered in hands.into_iter().chain([None]) {
            for message in [Some(MESSAGE), None] {
                let identity = MessageIdentity { message, tampered };
                assert_eq!(MessageIdentity::of(identity.handle()), identity);
            }
        }
        assert_eq!(MessageHandle::NONE, MessageIdentity::default().handle());
    }

    #[test]
    fn what_an_attacker_sends_is_its_own_and_names_its_original() {
        let replayed = MessageIdentity::of(MESSAGE.handle()).sent_by(3);
        assert_eq!(replayed.message, Some(MESSAGE));
        let by = |how, attacker| Some(TamperedBy { how, attacker });
        assert_eq!(replayed.tampered, by(Tampering::Replayed, 3));
        assert_eq!(replayed.genuine(), None);
        let forged = MessageIdentity::default().sent_by(0);
        assert_eq!(forged.tampered, by(Tampering::Forged, 0));
        let changed = MessageIdentity::of(MESSAGE.handle()).with(Tampering::Modified, 1);
        assert_eq!(changed.sent_by(2).tampered, by(Tampering::Modified, 2));
    }
}
