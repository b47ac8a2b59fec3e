//! The 29-bit identifiers of the protocol: what a frame carries, from whom, to whom, and which part
//! of it.
//!
//! `Choice:` the testbed of \[LASAN\] has two ECUs and no identifiers to speak of; the authors'
//! simulator numbers its messages, and no ECUs. Here the identifier says all that a receiver has to
//! know before it looks at the data, so that messages of many ECUs can be under way at a time. From
//! the top: the priority bit, 0xB in bits 27 to 24 (group keys leave it free), four bits of the
//! kind, four of the part, eight each of source and target.

use waywarden_can::{ExtendedId, Frame, Id};

use waywarden_key_roles::Address;

/// Everybody, as a target.
pub const EVERYBODY: Address = Address::NONE;

/// What an ECU says in a hello: that it lacks the start-up message.
pub(super) const LACKS_STARTUP: u8 = 0;
/// The security module's key, too.
pub(super) const LACKS_KEY: u8 = 1;
/// Nothing but its turn, and it has no key of any stream: it has been off.
pub(super) const LACKS_TURN: u8 = 2;
/// Nothing but its turn, and it has keys of streams: it was not off since its last session.
pub(super) const GOES_OVER: u8 = 3;

/// Bits 27 to 24 of every identifier of the protocol.
const PROTOCOL: u32 = 0xB;

const LOWEST: ExtendedId = match ExtendedId::new(0) {
    Ok(id) => id,
    Err(_) => unreachable!(),
};

/// What a message is. Which of them a profile has, and how long they are, says
/// [`Lengths`](super::Lengths).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An ECU says what it lacks: the start-up message, the security module's key, or its turn.
    Hello,
    /// The security module's certificate, or its key alone, for everybody.
    ModuleCertificate,
    /// The signed start-up message, for everybody.
    Startup,
    /// An ECU's turn, with the security module's nonce.
    Invite,
    /// An ECU's certificate, or its key alone.
    Certificate,
    /// An ECU's part in the key agreement, with its proof where it signs.
    Register,
    /// The security module's answer to the ECU's offer (`as-published`).
    Answer,
    /// The security module's own offer, where the agreement is a key encapsulation
    /// (`as-published`).
    ModuleOffer,
    /// The ECU's answer to that (`as-published`).
    FinalAnswer,
    /// The security module's proof that it has the key.
    ModuleConfirmation,
    /// The ECU's proof that it has the key.
    EcuConfirmation,
    /// An ECU asks for the key of a stream that it wants to send.
    Request,
    /// The key of a stream, for its sender or one of its receivers.
    Grant,
    /// A stream is refused to its sender, or taken away from an ECU that has its key.
    Deny,
    /// An ECU has what it was granted or denied, or the security module has its confirmation.
    Acknowledge,
    /// The security module lacks a session with an ECU: the epoch that it is in, for everybody.
    Beacon,
}

const KINDS: [Kind; 16] = [
    Kind::Hello,
    Kind::ModuleCertificate,
    Kind::Startup,
    Kind::Invite,
    Kind::Certificate,
    Kind::Register,
    Kind::Answer,
    Kind::ModuleOffer,
    Kind::FinalAnswer,
    Kind::ModuleConfirmation,
    Kind::EcuConfirmation,
    Kind::Request,
    Kind::Grant,
    Kind::Deny,
    Kind::Acknowledge,
    Kind::Beacon,
];

impl Kind {
    /// Every kind, in the order of their codes.
    pub const ALL: &'static [Kind] = &KINDS;

    /// Returns the name in traces and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Hello => "hello",
            Kind::ModuleCertificate => "module-certificate",
            Kind::Startup => "startup",
            Kind::Invite => "invite",
            Kind::Certificate => "certificate",
            Kind::Register => "register",
            Kind::Answer => "answer",
            Kind::ModuleOffer => "module-offer",
            Kind::FinalAnswer => "final-answer",
            Kind::ModuleConfirmation => "module-confirmation",
            Kind::EcuConfirmation => "ecu-confirmation",
            Kind::Request => "request",
            Kind::Grant => "grant",
            Kind::Deny => "deny",
            Kind::Acknowledge => "acknowledge",
            Kind::Beacon => "beacon",
        }
    }

    /// Whether the security module sends it once for all ECUs: what \[LASAN\] calls amortized.
    ///
    /// The paper also counts the security module's offer so, although it sends one to each ECU.
    #[must_use]
    pub const fn is_broadcast(self) -> bool {
        matches!(self, Kind::ModuleCertificate | Kind::Startup)
    }
}

/// Which message a frame belongs to, and how urgent it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Header {
    /// The message gives way to application traffic.
    pub gives_way: bool,
    /// What it is.
    pub kind: Kind,
    /// Who sends it, allegedly.
    pub source: Address,
    /// Whom it is for; [`EVERYBODY`] with the kinds that are broadcast.
    pub target: Address,
}

impl Header {
    /// Returns the identifier of a frame with this part; only its four low bits count.
    #[must_use]
    pub fn identifier(&self, part: u8) -> Id {
        let raw = u32::from(self.gives_way) << 28
            | PROTOCOL << 24
            | (self.kind as u32) << 20
            | u32::from(part & 0xF) << 16
            | u32::from(self.source.0) << 8
            | u32::from(self.target.0);
        // 29 bits by construction (1 + 4 + 4 + 4 + 8 + 8), so the other arm is never taken.
        ExtendedId::new(raw).map_or(Id::Extended(LOWEST), Id::Extended)
    }

    /// Reads a frame's identifier: its header and part; none if it is not one of the protocol's.
    #[must_use]
    pub fn of(frame: &Frame) -> Option<(Header, u8)> {
        let Id::Extended(id) = frame.id() else {
            return None;
        };
        let [top, middle, source, target] = id.raw().to_be_bytes();
        let kind = KINDS.get(usize::from(middle >> 4)).copied();
        let header = Header {
            gives_way: top & 0x10 != 0,
            kind: kind.filter(|_| u32::from(top & 0xF) == PROTOCOL)?,
            source: Address(source),
            target: Address(target),
        };
        Some((header, middle & 0xF))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_read_as_they_were_made() {
        for (at, &kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(at, kind as usize);
            for (gives_way, part) in [(false, 0), (true, 15), (false, 7)] {
                let (source, target) = (Address(0x0B), Address(0xC1));
                let header = Header {
                    gives_way,
                    kind,
                    source,
                    target,
                };
                let frame = Frame::classic(header.identifier(part), &[]).unwrap();
                assert_eq!(Header::of(&frame), Some((header, part)));
            }
        }
    }

    #[test]
    fn fields_lie_where_the_page_says() {
        let header = Header {
            gives_way: true,
            kind: Kind::Register,
            source: Address(0x12),
            target: Address(0xFE),
        };
        assert_eq!(header.identifier(3).raw(), 0x1B53_12FE);
    }

    #[test]
    fn other_identifiers_are_none_of_the_protocol() {
        let standard = Frame::classic(Id::standard(0x123).unwrap(), &[]).unwrap();
        assert_eq!(Header::of(&standard), None);
        for raw in [0x0A53_12FE, 0x0C53_12FE, 0x0553_12FE] {
            let frame = Frame::classic(Id::extended(raw).unwrap(), &[]).unwrap();
            assert_eq!(Header::of(&frame), None, "{raw:08X}");
        }
    }
}
