//! The 29-bit identifiers of the protocol: what a frame is and whose, in its identifier
//! [GKE Fig. 10].
//!
//! From the top: one reserved bit, four of the step, eight each of the addresses of both
//! participants and of the logical ECU that results. `Choice:` the reserved bit is the priority:
//! with 0 the frames of a start-up win against most application traffic, with 1 those of a renewal
//! while driving lose to it.

use waywarden_can::{ExtendedId, Frame, Id};
use waywarden_key_roles::{Address, Transport};

const LOWEST: ExtendedId = match ExtendedId::new(0) {
    Ok(id) => id,
    Err(_) => unreachable!(),
};

/// What a frame carries. Steps 1 to 5 are the paper's; the others are `Choice:` entries of
/// `docs/protocols/gke.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The freshness of the orchestration that follows: 8 bytes (`hardened`).
    Freshness,
    /// The orchestrator's signature over an exchange to be done: 64 bytes.
    Orchestration,
    /// The share of the first participant: 32 bytes.
    ShareA,
    /// The share of the second participant: 32 bytes.
    ShareB,
    /// The encrypted signature of the first participant: 64 bytes.
    ConfirmationA,
    /// The encrypted signature of the second participant: 64 bytes.
    ConfirmationB,
    /// The orchestrator's encrypted signature over the master secret: 64 bytes (symmetric scheme).
    MasterSignature,
    /// The encrypted master secret: 32 bytes (symmetric scheme).
    MasterSecret,
    /// The orchestrator's proof that it holds the group key of an epoch: 24 bytes (`hardened`).
    Finish,
    /// A member's proof of the same: 8 bytes (`hardened`).
    Acknowledge,
    /// One signature that starts the whole fixed tree: 64 bytes.
    Start,
    /// The orchestrator's signature over the proof before it: 64 bytes (`hardened`).
    End,
    /// What a member that lacks a secret has to say about that: 1 byte (`hardened`).
    Report,
}

const STEPS: [(Step, u8, usize); 13] = [
    (Step::Freshness, 0x0, 8),
    (Step::Orchestration, 0x1, 64),
    (Step::ShareA, 0x2, 32),
    (Step::ShareB, 0x3, 32),
    (Step::ConfirmationA, 0x4, 64),
    (Step::ConfirmationB, 0x5, 64),
    (Step::MasterSignature, 0x6, 64),
    (Step::MasterSecret, 0x7, 32),
    (Step::Finish, 0x8, 24),
    (Step::Acknowledge, 0x9, 8),
    (Step::Start, 0xA, 64),
    // 0xB is LASAN's.
    (Step::End, 0xC, 64),
    (Step::Report, 0xF, 1),
];

impl Step {
    /// Every step, in the order of their codes.
    pub const ALL: [Step; STEPS.len()] = {
        let mut all = [Step::Freshness; STEPS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = STEPS[at].0;
            at += 1;
        }
        all
    };

    /// Returns the name in traces, tables and vehicle files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Step::Freshness => "freshness",
            Step::Orchestration => "orchestration",
            Step::ShareA => "share-a",
            Step::ShareB => "share-b",
            Step::ConfirmationA => "confirmation-a",
            Step::ConfirmationB => "confirmation-b",
            Step::MasterSignature => "master-signature",
            Step::MasterSecret => "master-secret",
            Step::Finish => "finish",
            Step::Acknowledge => "acknowledge",
            Step::Start => "start",
            Step::End => "end",
            Step::Report => "report",
        }
    }

    /// Returns the four bits of the step.
    #[must_use]
    pub fn code(self) -> u8 {
        self.entry().1
    }

    /// Returns the length of the payload in bytes, above zero.
    #[must_use]
    pub fn payload_length(self) -> usize {
        self.entry().2
    }

    /// Returns how many frames the payload takes.
    #[must_use]
    pub fn frame_count(self, transport: Transport) -> usize {
        transport.cut().frame_count(self.payload_length())
    }

    /// Whether frames of this step show that the orchestrator is on the way to a key.
    pub(super) fn is_progress(self) -> bool {
        !matches!(
            self,
            Step::Finish | Step::End | Step::Acknowledge | Step::Report
        )
    }

    fn entry(self) -> &'static (Step, u8, usize) {
        // Every variant is in the table, in order, which a test holds.
        &STEPS[self as usize]
    }

    pub(super) fn from_code(code: u8) -> Option<Self> {
        let entry = STEPS.iter().find(|(_, at, _)| *at == code)?;
        Some(entry.0)
    }
}

/// Which exchange a frame belongs to, and how urgent it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Header {
    /// The reserved bit: this exchange gives way to application traffic.
    pub gives_way: bool,
    /// The first participant, physical or logical.
    pub first: Address,
    /// The second participant; [`Address::NONE`] if the first one is only promoted to the next
    /// level.
    pub second: Address,
    /// The logical ECU that results.
    pub result: Address,
}

impl Header {
    /// Returns the identifier of a frame [GKE Fig. 10].
    #[must_use]
    pub fn identifier(&self, step: Step) -> Id {
        let raw = u32::from(self.gives_way) << 28
            | u32::from(step.code()) << 24
            | u32::from(self.first.0) << 16
            | u32::from(self.second.0) << 8
            | u32::from(self.result.0);
        // 29 bits by construction (1 + 4 + 8 + 8 + 8), so the other arm is never taken.
        ExtendedId::new(raw).map_or(Id::Extended(LOWEST), Id::Extended)
    }

    /// Makes frame `index` of a payload; none after the last.
    pub(super) fn frame(
        &self,
        transport: Transport,
        step: Step,
        payload: &[u8],
        index: usize,
    ) -> Option<Frame> {
        let field = transport.cut().segment(payload, index)?;
        let id = self.identifier(step);
        let frame = match transport {
            Transport::Classic => Frame::classic(id, &field),
            Transport::Fd => Frame::fd(id, &field),
        };
        frame.ok()
    }

    /// Reads the identifier of a frame of this transport; none if it is not the protocol's.
    pub(super) fn read(transport: Transport, frame: &Frame) -> Option<(Step, Header)> {
        let carried = matches!(transport, Transport::Fd) == frame.is_fd();
        Header::of(frame).filter(|_| carried)
    }

    /// Reads a frame's identifier; none if it is not one of the protocol's.
    #[must_use]
    pub fn of(frame: &Frame) -> Option<(Step, Header)> {
        let Id::Extended(id) = frame.id() else {
            return None;
        };
        let [top, first, second, result] = id.raw().to_be_bytes();
        let header = Header {
            gives_way: top & 0x10 != 0,
            first: Address(first),
            second: Address(second),
            result: Address(result),
        };
        Step::from_code(top & 0xF).map(|step| (step, header))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(raw: u32) -> Frame {
        Frame::classic(Id::extended(raw).unwrap(), &[]).unwrap()
    }

    #[test]
    fn fields_lie_where_figure_10_has_them() {
        let header = Header {
            gives_way: false,
            first: Address(0x0B),
            second: Address(0x0C),
            result: Address(0x0D),
        };
        assert_eq!(header.identifier(Step::ShareB).raw(), 0x030B_0C0D);
        let late = Header {
            gives_way: true,
            ..header
        };
        assert_eq!(late.identifier(Step::Orchestration).raw(), 0x110B_0C0D);
        assert_eq!(
            Header::of(&frame(0x110B_0C0D)),
            Some((Step::Orchestration, late))
        );
    }

    #[test]
    fn every_step_finds_its_entry_and_its_code_again() {
        for (at, &(step, code, length)) in STEPS.iter().enumerate() {
            assert_eq!(step as usize, at);
            assert_eq!((step.code(), step.payload_length()), (code, length));
            assert_eq!(Step::from_code(code), Some(step));
        }
    }

    #[test]
    fn other_identifiers_are_nobodys() {
        assert_eq!(Header::of(&frame(0x0D00_0000)), None);
        let standard = Frame::classic(Id::standard(0x123).unwrap(), &[]).unwrap();
        assert_eq!(Header::of(&standard), None);
    }
}
