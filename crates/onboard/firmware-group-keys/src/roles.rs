//! The roles of an ECU in a group, made from its record at a boot, in the order of a simulated ECU.

use waywarden_can::mailbox::PORT;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Slot};
use waywarden_can::{Frame, Id};
use waywarden_ecu::{EcuRole, Guard, SLOTS, Withheld};
use waywarden_firmware_ecu::{Board, ReportingRole};
use waywarden_firmware_link::{Link, List};
use waywarden_firmware_secoc::{Keys, SecocRole, authenticator};
use waywarden_group_keys::{GroupSuite, Member, MemberIdentity, Orchestrator, OrchestratorCommand};
use waywarden_key_suites::Secret;
use waywarden_session_keys::{GroupParty, RoleShares, TimedGroupRole, Timetable};
use waywarden_work::Instant;

use crate::agreement::Observer;
use crate::{Directory, FollowedKeys, GroupStart, KeyAgreement, KeysInUse, PartyMemory};

/// Number of items that a party keeps over a reset: an orchestrator keeps two.
const PARTY_SLOTS: usize = 2;

/// The part of an ECU in messages, protected with keys that follow the group's.
pub type MessageRole<'a, L> = SecocRole<'a, L, FollowedKeys<'a>>;

/// A role of an ECU in a group. Each is large, and stays where it is.
pub enum GroupEcuRole<'r, 'a, L, S: GroupSuite> {
    /// Agrees on keys.
    Keys(&'r mut KeyAgreement<'a, L, S>),
    /// Protects and checks messages with them.
    Messages(&'r mut MessageRole<'a, L>),
}

/// The roles of an ECU.
pub type Roles<'r, 'a, L, S> = List<EcuRole<GroupEcuRole<'r, 'a, L, S>>, 2>;

/// The slots of the role that agrees on keys, and of the one behind it.
const SLOTS_FROM: [Slot; 2] = [Slot(0), Slot(PARTY_SLOTS as u8)];

/// Makes the role that agrees on keys; the key of the group goes into `in_use`.
///
/// # Panics
/// If the group is larger than the memory.
pub fn agreement<'a, L: Link, S: GroupSuite>(
    start: &GroupStart,
    suite: S,
    directory: &'a Directory,
    memory: &'a mut PartyMemory<S>,
    (in_use, board): (&'a KeysInUse, &'a Board<L>),
) -> KeyAgreement<'a, L, S> {
    let record = &start.record;
    let (boot, slot) = RoleShares::new(&start.boot()).next(PARTY_SLOTS);
    let identity = MemberIdentity {
        address: record.address,
        ports: Ports::NONE.with(PORT),
        signing_key: suite.signing_key(&Secret::from_bytes(record.secret)),
        suite,
        slot,
    };
    let party = party(&boot, identity, directory, memory);
    let observer = Observer {
        board,
        in_use,
        logical: record
            .followed
            .as_ref()
            .and_then(|followed| followed.logical),
    };
    let role = TimedGroupRole::new(party, timetable(start), directory.settings.timing.answer);
    KeyAgreement::new(role, directory, observer)
}

/// Makes the role of messages, with its keys in `keys`, which are none yet; none of an ECU that
/// neither sends, checks nor announces with SecOC.
///
/// # Panics
/// As [`authenticator()`].
pub fn messages<'a, L: Link>(
    start: &GroupStart,
    keys: &'a mut Keys,
    in_use: &'a KeysInUse,
    board: &'a Board<L>,
) -> Option<MessageRole<'a, L>> {
    let record = &start.record;
    record.ecu.has_part().then(|| {
        let boot = start.boot();
        let mut shares = RoleShares::new(&boot);
        shares.next(PARTY_SLOTS);
        let (boot, slot) = shares.next(usize::from(SLOTS));
        let authenticator = authenticator(&boot, slot, &record.ecu, keys);
        let followed = FollowedKeys::new(in_use, record.followed.as_ref());
        ReportingRole::new(authenticator, followed, board)
    })
}

/// Puts the roles together, in the order of a simulated ECU.
pub fn roles<'r, 'a, L: Link, S: GroupSuite>(
    agreement: &'r mut KeyAgreement<'a, L, S>,
    messages: Option<&'r mut MessageRole<'a, L>>,
) -> Roles<'r, 'a, L, S> {
    let agreement = GroupEcuRole::Keys(agreement);
    let messages = messages.map(GroupEcuRole::Messages);
    let roles = core::iter::once(agreement).chain(messages);
    let ports = Ports::NONE.with(PORT);
    let placed = roles.zip(SLOTS_FROM);
    placed
        .map(|(role, slot)| EcuRole::new(role, ports, slot))
        .collect()
}

fn party<'a, S: GroupSuite>(
    boot: &Boot<'_>,
    identity: MemberIdentity<S>,
    directory: &'a Directory,
    memory: &'a mut PartyMemory<S>,
) -> GroupParty<'a, S, &'a Directory> {
    match memory {
        PartyMemory::Member(arrays) => {
            GroupParty::Member(Member::new(boot, identity, directory, arrays.storage()))
        }
        PartyMemory::Orchestrator(arrays) => {
            match Orchestrator::new(boot, identity, directory, arrays.storage()) {
                Ok(role) => GroupParty::Orchestrator(role),
                Err(error) => panic!("the orchestrator: {error}"),
            }
        }
    }
}

fn timetable(start: &GroupStart) -> Timetable<crate::Orders, OrchestratorCommand> {
    let record = &start.record;
    let renewal = |(first, period)| {
        let order = OrchestratorCommand::Renew { gives_way: true };
        (first, period, order)
    };
    Timetable::new(record.orders.clone(), record.renewal.map(renewal))
}

impl<L: Link, S: GroupSuite> Node for GroupEcuRole<'_, '_, L, S> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        match self {
            GroupEcuRole::Keys(role) => role.handle(now, input),
            GroupEcuRole::Messages(role) => role.handle(now, input),
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        match self {
            GroupEcuRole::Keys(role) => role.poll(now, room),
            GroupEcuRole::Messages(role) => role.poll(now, room),
        }
    }
}

impl<L: Link, S: GroupSuite> Guard for GroupEcuRole<'_, '_, L, S> {
    fn hears(&self, port: Port, frame: &Frame) -> bool {
        match self {
            GroupEcuRole::Keys(role) => role.hears(port, frame),
            GroupEcuRole::Messages(role) => role.hears(port, frame),
        }
    }

    fn is_stirred(&self) -> bool {
        match self {
            GroupEcuRole::Keys(role) => role.is_stirred(),
            GroupEcuRole::Messages(role) => role.is_stirred(),
        }
    }

    fn guards(&self, id: Id) -> bool {
        match self {
            GroupEcuRole::Keys(role) => role.guards(id),
            GroupEcuRole::Messages(role) => role.guards(id),
        }
    }

    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        match self {
            GroupEcuRole::Keys(role) => role.send(port, frame),
            GroupEcuRole::Messages(role) => role.send(port, frame),
        }
    }
}
