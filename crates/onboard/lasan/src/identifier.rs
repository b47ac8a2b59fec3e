//! The 29-bit identifiers of the protocol: what a frame carries, from whom, to whom, and which part
//! of it.
//!
//! `Choice:` the testbed of \[LASAN\] has two ECUs and no identifiers to speak of; the authors'
//! simulator numbers its messages, and no ECUs. Here the identifier says all that a receiver has to
//! know before it looks at the data, so that messages of many ECUs can be under way at a time. From
//! the top: the priority bit, 0xB in bits 27 to 24 (group keys leave it free), four bits of the
//! kind, four of the part, eight each of source and target. A vehicle whose own identifiers are in
//! the way gives the network another [`IdentifierPlan`]: the same fields elsewhere, or in fewer
//! bits. What is sealed keeps the form of this one.

use waywarden_can::{ExtendedId, Frame, Id};

use super::access::AddressSet;
use waywarden_key_roles::{Address, Fields, FixedBits, IdPattern, IdentifierPlan, Transport};

/// The target of a message to all.
pub const EVERY_ECU: Address = Address::NONE;

/// The value of a hello from an ECU that lacks the start-up message.
pub(super) const LACKS_STARTUP: u8 = 0;
/// The same, from one that lacks the security module's key, too.
pub(super) const LACKS_KEY: u8 = 1;
/// The same, from one that lacks only its turn and has no key of any stream: it has been off.
pub(super) const LACKS_TURN: u8 = 2;
/// The same, from one with keys of streams: it was not off since its last session.
pub(super) const GOES_OVER: u8 = 3;

/// Bits 27 to 24 of every identifier of the protocol.
const PROTOCOL: u32 = 0xB;

/// The identifiers of a network unless its plan says otherwise.
pub const IDENTIFIERS: IdentifierPlan = match IdentifierPlan::extended(FixedBits {
    base: PROTOCOL << 24,
    mask: 0xF << 24,
}) {
    Ok(plan) => plan,
    Err(_) => unreachable!(),
};

/// Bits of kind and part together.
const CODE_BITS: u32 = 8;

const LOWEST: ExtendedId = match ExtendedId::new(0) {
    Ok(id) => id,
    Err(_) => unreachable!(),
};

/// The kind of a message. [`Lengths`](super::Lengths) knows which kinds a profile has, and their
/// lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LasanKind {
    /// An ECU says what it lacks: the start-up message, the security module's key, or its turn.
    Hello,
    /// The security module's certificate, or its key alone, for all ECUs.
    ModuleCertificate,
    /// The signed start-up message, for all ECUs.
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
    /// The security module lacks a session with an ECU: the epoch that it is in, for all ECUs.
    Beacon,
}

const KINDS: [LasanKind; 16] = [
    LasanKind::Hello,
    LasanKind::ModuleCertificate,
    LasanKind::Startup,
    LasanKind::Invite,
    LasanKind::Certificate,
    LasanKind::Register,
    LasanKind::Answer,
    LasanKind::ModuleOffer,
    LasanKind::FinalAnswer,
    LasanKind::ModuleConfirmation,
    LasanKind::EcuConfirmation,
    LasanKind::Request,
    LasanKind::Grant,
    LasanKind::Deny,
    LasanKind::Acknowledge,
    LasanKind::Beacon,
];

impl LasanKind {
    /// Every kind, in the order of their codes.
    pub const ALL: &'static [LasanKind] = &KINDS;

    /// Returns the name in traces and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LasanKind::Hello => "hello",
            LasanKind::ModuleCertificate => "module-certificate",
            LasanKind::Startup => "startup",
            LasanKind::Invite => "invite",
            LasanKind::Certificate => "certificate",
            LasanKind::Register => "register",
            LasanKind::Answer => "answer",
            LasanKind::ModuleOffer => "module-offer",
            LasanKind::FinalAnswer => "final-answer",
            LasanKind::ModuleConfirmation => "module-confirmation",
            LasanKind::EcuConfirmation => "ecu-confirmation",
            LasanKind::Request => "request",
            LasanKind::Grant => "grant",
            LasanKind::Deny => "deny",
            LasanKind::Acknowledge => "acknowledge",
            LasanKind::Beacon => "beacon",
        }
    }

    /// Returns true if the security module sends it once for all ECUs: \[LASAN\] calls this
    /// amortized.
    ///
    /// The paper also counts the security module's offer so, although it sends one to each ECU.
    #[must_use]
    pub const fn is_broadcast(self) -> bool {
        matches!(self, LasanKind::ModuleCertificate | LasanKind::Startup)
    }
}

/// The message to which a frame belongs, and its urgency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LasanHeader {
    /// The message gives way to application traffic.
    pub gives_way: bool,
    /// The kind of the message.
    pub kind: LasanKind,
    /// The alleged sender.
    pub source: Address,
    /// The receiver; [`EVERY_ECU`] with the kinds that are broadcast.
    pub target: Address,
}

impl LasanHeader {
    /// Returns the identifier of a frame with this part as [`IDENTIFIERS`] has it, of which only
    /// the four low bits count: what is sealed, whatever the plan of the bus.
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

    /// Returns the identifier of a frame under a plan; none if its bits do not hold the addresses.
    #[must_use]
    pub fn identifier_in(&self, plan: &IdentifierPlan, part: u8) -> Option<Id> {
        plan.identifier(&Fields::<CODE_BITS, 2> {
            gives_way: self.gives_way,
            code: (self.kind as u8) << 4 | part & 0xF,
            addresses: [self.source, self.target],
        })
    }

    /// Reads an identifier as [`IDENTIFIERS`] has it, with whatever addresses: its header and
    /// part; none if it is not one of the protocol's. Of a bus with other frames, ask a
    /// [`LasanFrameReader`].
    #[must_use]
    pub fn of(frame: &Frame) -> Option<(LasanHeader, u8)> {
        LasanHeader::of_in(&IDENTIFIERS, frame.id())
    }

    pub(super) fn of_in(plan: &IdentifierPlan, id: Id) -> Option<(LasanHeader, u8)> {
        let fields = plan.fields::<CODE_BITS, 2>(id)?;
        let [source, target] = fields.addresses;
        let header = LasanHeader {
            gives_way: fields.gives_way,
            kind: *KINDS.get(usize::from(fields.code >> 4))?,
            source,
            target,
        };
        Some((header, fields.code & 0xF))
    }
}

/// Tells the frames of a network from all others on its buses: by the bits that its identifiers
/// have in common, and by the addresses of its parties. All messages are from the security module
/// or for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LasanFrameReader {
    security_module: Address,
    ecus: AddressSet,
    transport: Transport,
    identifiers: IdentifierPlan,
}

impl LasanFrameReader {
    /// Reads the frames of a network with these ECUs besides the security module.
    #[must_use]
    pub fn new(
        security_module: Address,
        ecus: impl IntoIterator<Item = Address>,
        transport: Transport,
        identifiers: IdentifierPlan,
    ) -> Self {
        let ecus = ecus.into_iter().filter(|ecu| *ecu != security_module);
        LasanFrameReader {
            security_module,
            ecus: ecus.fold(AddressSet::NONE, AddressSet::with),
            transport,
            identifiers,
        }
    }

    /// Reads a frame: its header and part; none if no party takes it for one of the network's.
    #[must_use]
    pub fn read(&self, frame: &Frame) -> Option<(LasanHeader, u8)> {
        let carried = matches!(self.transport, Transport::Fd) == frame.is_fd();
        self.header(frame.id()).filter(|_| carried)
    }

    /// Returns true for an identifier that a frame of the network may have.
    #[must_use]
    pub fn covers(&self, id: Id) -> bool {
        self.header(id).is_some()
    }

    /// Returns true if a frame of the network may have an identifier of this pattern.
    #[must_use]
    pub fn meets(&self, pattern: &IdPattern) -> bool {
        let module = Some(self.security_module);
        let meets = |addresses| {
            let own = self.identifiers.pattern_of::<CODE_BITS, 2>(None, addresses);
            own.is_some_and(|own| own.meets(pattern))
        };
        let ecus = (1..=u8::MAX).map(Address);
        let mut ecus = ecus.filter(|ecu| self.ecus.contains(*ecu)).map(Some);
        meets([module, Some(EVERY_ECU)])
            || ecus.any(|ecu| meets([module, ecu]) || meets([ecu, module]))
    }

    /// Returns the pattern that covers all identifiers of the network's frames.
    #[must_use]
    pub const fn pattern(&self) -> IdPattern {
        self.identifiers.pattern()
    }

    /// Returns the pattern of the frames for one target; none if the identifiers have too few bits
    /// for its address.
    #[must_use]
    pub fn pattern_to(&self, target: Address) -> Option<IdPattern> {
        let addresses = [None, Some(target)];
        self.identifiers.pattern_of::<CODE_BITS, 2>(None, addresses)
    }

    /// Returns how many bits the identifiers have to leave to the fields, and how many they leave.
    #[must_use]
    pub fn bits(&self) -> (u32, u32) {
        let mut all = (0..=u8::MAX).rev().map(Address);
        let highest = all.find(|&address| self.ecus.contains(address));
        let highest = highest.max(Some(self.security_module)).unwrap_or_default();
        let needed = IdentifierPlan::needed_bits::<CODE_BITS, 2>(highest);
        (needed, self.identifiers.free_bits())
    }

    fn header(&self, id: Id) -> Option<(LasanHeader, u8)> {
        let (header, part) = LasanHeader::of_in(&self.identifiers, id)?;
        let LasanHeader { source, target, .. } = header;
        let from_module = source == self.security_module;
        let is_known = match from_module {
            true => target == EVERY_ECU || self.ecus.contains(target),
            false => target == self.security_module && self.ecus.contains(source),
        };
        is_known.then_some((header, part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_read_as_they_were_made() {
        for (at, &kind) in LasanKind::ALL.iter().enumerate() {
            assert_eq!(at, kind as usize);
            for (gives_way, part) in [(false, 0), (true, 15), (false, 7)] {
                let (source, target) = (Address(0x0B), Address(0xC1));
                let header = LasanHeader {
                    gives_way,
                    kind,
                    source,
                    target,
                };
                let frame = Frame::classic(header.identifier(part), &[]).unwrap();
                assert_eq!(LasanHeader::of(&frame), Some((header, part)));
            }
        }
    }

    #[test]
    fn fields_lie_where_the_page_says() {
        let header = LasanHeader {
            gives_way: true,
            kind: LasanKind::Register,
            source: Address(0x12),
            target: Address(0xFE),
        };
        assert_eq!(header.identifier(3).raw(), 0x1B53_12FE);
    }

    #[test]
    fn frames_of_others_are_not_read() {
        let ecus = [Address(2), Address(127)];
        let reader = LasanFrameReader::new(Address(1), ecus, Transport::Classic, IDENTIFIERS);
        let frame = |raw| Frame::classic(Id::extended(raw).unwrap(), &[]).unwrap();
        for raw in [0x0B10_0100, 0x1B50_0201, 0x0B50_7F01, 0x0BC0_017F] {
            assert_eq!(reader.read(&frame(raw)), LasanHeader::of(&frame(raw)));
            assert!(reader.covers(frame(raw).id()));
        }
        // From or for no party, between two ECUs, from the security module to itself.
        for raw in [0x0BF0_0400, 0x0B50_0301, 0x0B50_0203, 0x0B50_0101] {
            assert!(LasanHeader::of(&frame(raw)).is_some());
            assert_eq!(reader.read(&frame(raw)), None, "{raw:08X}");
        }
        assert_eq!(reader.bits(), (23, 25));
        let pattern = |value, mask| IdPattern {
            is_extended: true,
            value,
            mask,
        };
        assert!(reader.meets(&pattern(0x1B50_0201, 0x1FFF_FFFF)));
        assert!(reader.meets(&pattern(0x0B50_0000, 0x1FFF_0000)));
        assert!(!reader.meets(&pattern(0x0B50_0301, 0x1FFF_FFFF)));
        assert!(!reader.meets(&pattern(0x0C50_0201, 0x1FFF_FFFF)));
    }

    #[test]
    fn patterns_to_a_target_cover_its_frames_alone() {
        let narrow = IdentifierPlan::extended(FixedBits {
            base: 0x08C0_0000,
            mask: 0x0FC0_0000,
        })
        .unwrap();
        for plan in [IDENTIFIERS, narrow] {
            let ecus = [Address(2), Address(3)];
            let reader = LasanFrameReader::new(Address(1), ecus, Transport::Fd, plan);
            for target in ecus {
                let header = LasanHeader {
                    gives_way: true,
                    kind: LasanKind::Grant,
                    source: Address(1),
                    target,
                };
                let id = header.identifier_in(&plan, 9).unwrap();
                let covering = ecus.map(|to| reader.pattern_to(to).unwrap().covers(id));
                assert_eq!(covering, ecus.map(|to| to == target), "{plan:X?}");
                assert!(reader.pattern().covers(id));
            }
        }
    }

    #[test]
    fn other_identifiers_are_none_of_the_protocol() {
        let standard = Frame::classic(Id::standard(0x123).unwrap(), &[]).unwrap();
        assert_eq!(LasanHeader::of(&standard), None);
        for raw in [0x0A53_12FE, 0x0C53_12FE, 0x0553_12FE] {
            let frame = Frame::classic(Id::extended(raw).unwrap(), &[]).unwrap();
            assert_eq!(LasanHeader::of(&frame), None, "{raw:08X}");
        }
    }
}
