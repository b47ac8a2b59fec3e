//! The 29-bit identifiers of the protocol: what a frame is and whose, in its identifier
//! [GKE Fig. 10].
//!
//! From the top: one reserved bit, four of the step, eight each of the addresses of both
//! participants and of the logical ECU that results. `Choice:` the reserved bit is the priority:
//! with 0 the frames of a start-up win against most application traffic, with 1 those of a renewal
//! while driving lose to it. `Choice:` a vehicle whose own identifiers are in the way gives the
//! group another [`IdentifierPlan`]: the same fields in fewer bits. What is signed keeps the form
//! of the figure.

use waywarden_can::{ExtendedId, Frame, Id};
use waywarden_key_roles::{Address, Fields, FixedBits, IdPattern, IdentifierPlan, Transport};

use super::plan::GroupPlan;
use super::settings::GroupSettings;

/// The identifiers of the paper: all 29 bits are fields [GKE Fig. 10].
pub const IDENTIFIERS: IdentifierPlan = match IdentifierPlan::extended(FixedBits::NONE) {
    Ok(plan) => plan,
    Err(_) => unreachable!(),
};

/// Bits of a step.
const STEP_BITS: u32 = 4;

const LOWEST: ExtendedId = match ExtendedId::new(0) {
    Ok(id) => id,
    Err(_) => unreachable!(),
};

/// The content of a frame. Steps 1 to 5 are the paper's; the others are `Choice:` entries of
/// `docs/protocols/gke.md` in the repository.
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
    /// A member's report of a secret that it lacks: 1 byte (`hardened`).
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

    /// Returns true if frames of this step show progress of the orchestrator towards a key.
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

/// The exchange to which a frame belongs, and its urgency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupHeader {
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

impl GroupHeader {
    /// Returns the identifier of a frame as in the paper [GKE Fig. 10]: what is signed, whatever
    /// the plan of the bus.
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

    /// Returns the identifier of a frame under a plan; none if its bits do not hold the addresses.
    #[must_use]
    pub fn identifier_in(&self, plan: &IdentifierPlan, step: Step) -> Option<Id> {
        plan.identifier(&Fields::<STEP_BITS, 3> {
            gives_way: self.gives_way,
            code: step.code(),
            addresses: [self.first, self.second, self.result],
        })
    }

    /// Makes frame `index` of a payload; none after the last.
    pub(super) fn frame(
        &self,
        settings: &GroupSettings,
        step: Step,
        payload: &[u8],
        index: usize,
    ) -> Option<Frame> {
        let field = settings.transport.cut().segment(payload, index)?;
        let id = self.identifier_in(&settings.identifiers, step)?;
        let frame = match settings.transport {
            Transport::Classic => Frame::classic(id, &field),
            Transport::Fd => Frame::fd(id, &field),
        };
        frame.ok()
    }

    /// Reads a frame of a group that goes by these settings; none if no ECU of the group takes it
    /// for one of the group's.
    #[must_use]
    pub fn read(settings: &GroupSettings, frame: &Frame) -> Option<(Step, GroupHeader)> {
        let carried = matches!(settings.transport, Transport::Fd) == frame.is_fd();
        let read = GroupHeader::of_in(&settings.identifiers, frame.id())?;
        (carried && read.1.is_of(&settings.plan)).then_some(read)
    }

    /// Reads an identifier of the paper's form, with whatever addresses; none if it has no step of
    /// the protocol. Of a bus with other frames, ask a [`GroupFrameReader`].
    #[must_use]
    pub fn of(frame: &Frame) -> Option<(Step, GroupHeader)> {
        GroupHeader::of_in(&IDENTIFIERS, frame.id())
    }

    fn of_in(plan: &IdentifierPlan, id: Id) -> Option<(Step, GroupHeader)> {
        let fields = plan.fields::<STEP_BITS, 3>(id)?;
        let [first, second, result] = fields.addresses;
        let header = GroupHeader {
            gives_way: fields.gives_way,
            first,
            second,
            result,
        };
        Some((Step::from_code(fields.code)?, header))
    }

    /// Returns true if a group with this plan has frames of this header.
    fn is_of(&self, plan: &GroupPlan) -> bool {
        let addresses = [self.first, self.second, self.result];
        let mut places = addresses.into_iter().enumerate();
        places.all(|(place, address)| is_named(plan, place, address))
    }
}

/// Returns true if a frame of a group can have an address as its first participant (0), its second
/// (1), or its result (2): the second may be none, and so is the result of the symmetric scheme,
/// which has no root.
fn is_named(plan: &GroupPlan, place: usize, address: Address) -> bool {
    match place {
        0 => plan.is_known(address),
        1 => address == Address::NONE || plan.is_known(address),
        _ => address == plan.root() || plan.children(address).is_some(),
    }
}

/// Tells the frames of a group from all others on its buses: by the bits that its identifiers have
/// in common, by step, and by the addresses of its physical and logical ECUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupFrameReader {
    plan: GroupPlan,
    transport: Transport,
    identifiers: IdentifierPlan,
}

impl GroupFrameReader {
    /// Reads the frames of a group with this plan.
    #[must_use]
    pub const fn new(plan: GroupPlan, transport: Transport, identifiers: IdentifierPlan) -> Self {
        GroupFrameReader {
            plan,
            transport,
            identifiers,
        }
    }

    /// Returns the plan again.
    #[must_use]
    pub fn into_plan(self) -> GroupPlan {
        self.plan
    }

    /// Reads a frame; none if no ECU of the group takes it for one of the group's.
    #[must_use]
    pub fn read(&self, frame: &Frame) -> Option<(Step, GroupHeader)> {
        let carried = matches!(self.transport, Transport::Fd) == frame.is_fd();
        self.header(frame.id()).filter(|_| carried)
    }

    /// Returns true for an identifier that a frame of the group may have.
    #[must_use]
    pub fn covers(&self, id: Id) -> bool {
        self.header(id).is_some()
    }

    /// Returns true if a frame of the group may have an identifier of this pattern.
    #[must_use]
    pub fn meets(&self, pattern: &IdPattern) -> bool {
        // Each bit is of one field, so that fields can be looked at one by one.
        let meets = |code, addresses| {
            let own = self.identifiers.pattern_of::<STEP_BITS, 3>(code, addresses);
            own.is_some_and(|own| own.meets(pattern))
        };
        let of_place = |place: usize| {
            let named = (0..=u8::MAX).map(Address);
            let mut named = named.filter(|&address| is_named(&self.plan, place, address));
            named.any(|address| {
                let mut addresses = [None; 3];
                addresses[place] = Some(address);
                meets(None, addresses)
            })
        };
        let mut steps = Step::ALL.into_iter();
        steps.any(|step| meets(Some(step.code()), [None; 3])) && (0..3).all(of_place)
    }

    /// Returns patterns that cover all identifiers of the group's frames, one for each step; none
    /// if the identifiers have too few bits for the addresses.
    pub fn patterns(&self) -> impl Iterator<Item = IdPattern> + use<> {
        let identifiers = self.identifiers;
        let pattern =
            move |step: Step| identifiers.pattern_of::<STEP_BITS, 3>(Some(step.code()), [None; 3]);
        Step::ALL.into_iter().filter_map(pattern)
    }

    /// Returns how many bits the identifiers have to leave to the fields, and how many they leave.
    #[must_use]
    pub fn bits(&self) -> (u32, u32) {
        let highest = self.plan.highest();
        let needed = IdentifierPlan::needed_bits::<STEP_BITS, 3>(highest);
        (needed, self.identifiers.free_bits())
    }

    fn header(&self, id: Id) -> Option<(Step, GroupHeader)> {
        let read = GroupHeader::of_in(&self.identifiers, id)?;
        read.1.is_of(&self.plan).then_some(read)
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
        let header = GroupHeader {
            gives_way: false,
            first: Address(0x0B),
            second: Address(0x0C),
            result: Address(0x0D),
        };
        assert_eq!(header.identifier(Step::ShareB).raw(), 0x030B_0C0D);
        let late = GroupHeader {
            gives_way: true,
            ..header
        };
        assert_eq!(late.identifier(Step::Orchestration).raw(), 0x110B_0C0D);
        assert_eq!(
            GroupHeader::of(&frame(0x110B_0C0D)),
            Some((Step::Orchestration, late))
        );
    }

    #[test]
    fn application_frames_of_j1939_are_not_read() {
        let place = |address| crate::PlannedEcu {
            address: Address(address),
            rank: 0,
        };
        let plan = GroupPlan::new(
            crate::Scheme::TreeWithOrchestrator,
            crate::OddLevel::Skipped,
            Address(1),
            &[place(2), place(3)],
        );
        let reader = GroupFrameReader::new(plan.unwrap(), Transport::Classic, IDENTIFIERS);
        // EEC1, CCVS1 and DM1 have steps of the protocol, and addresses of no ECU of the group.
        for raw in [0x0CF0_0400, 0x18FE_F100, 0x18FE_CA00] {
            assert!(GroupHeader::of(&frame(raw)).is_some());
            assert_eq!(reader.read(&frame(raw)), None, "{raw:08X}");
        }
        // An exchange of ECU 2 with the orchestrator; a report of ECU 2.
        for raw in [0x0102_0104, 0x0F02_0006] {
            assert!(reader.read(&frame(raw)).is_some());
        }
        // TSC1 has no first participant; then a result that is no logical ECU, and none.
        for raw in [0x0C00_0003, 0x0102_0107, 0x0102_0103, 0x0102_0100] {
            assert_eq!(reader.read(&frame(raw)), None, "{raw:08X}");
        }
        let fd = Frame::fd(Id::extended(0x0102_0104).unwrap(), &[]).unwrap();
        assert_eq!(reader.read(&fd), None);
        assert!(reader.covers(fd.id()));
        assert_eq!(reader.bits(), (14, 29));
        let pattern = |value, mask| IdPattern {
            is_extended: true,
            value,
            mask,
        };
        assert!(reader.meets(&pattern(0x0102_0104, 0x1FFF_FFFF)));
        assert!(reader.meets(&pattern(0x0102_0000, 0x1FFF_0000)));
        assert!(!reader.meets(&pattern(0x0CF0_0000, 0x1FFF_0000)));
        assert!(!reader.meets(&pattern(0x0102_0107, 0x1FFF_FFFF)));
        assert!(!reader.meets(&pattern(0x0B02_0104, 0x1FFF_FFFF)));
    }

    #[test]
    fn patterns_cover_what_is_sent() {
        let patterns = |plan| {
            let place = crate::PlannedEcu {
                address: Address(2),
                rank: 0,
            };
            let (scheme, odd) = (
                crate::Scheme::TreeWithOrchestrator,
                crate::OddLevel::Skipped,
            );
            let group = GroupPlan::new(scheme, odd, Address(1), &[place]).unwrap();
            GroupFrameReader::new(group, Transport::Fd, plan)
        };
        let plans = [
            IDENTIFIERS,
            IdentifierPlan::standard(FixedBits::NONE).unwrap(),
            IdentifierPlan::extended(FixedBits {
                base: 0x08EF_0000,
                mask: 0x0FFF_0000,
            })
            .unwrap(),
        ];
        for plan in plans {
            let reader = patterns(plan);
            for (step, gives_way) in Step::ALL.into_iter().flat_map(|s| [(s, false), (s, true)]) {
                let header = GroupHeader {
                    gives_way,
                    first: Address(2),
                    second: Address(1),
                    result: Address(3),
                };
                let id = header.identifier_in(&plan, step).unwrap();
                let covering = reader.patterns().filter(|one| one.covers(id)).count();
                assert_eq!(covering, 1, "{id}");
                assert_eq!(
                    reader.read(&Frame::fd(id, &[]).unwrap()),
                    Some((step, header))
                );
            }
        }
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
    fn other_identifiers_belong_to_no_step() {
        assert_eq!(GroupHeader::of(&frame(0x0D00_0000)), None);
        let standard = Frame::classic(Id::standard(0x123).unwrap(), &[]).unwrap();
        assert_eq!(GroupHeader::of(&standard), None);
    }
}
