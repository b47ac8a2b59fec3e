//! The role of a party in its group, with reports of its keys.

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_ecu::Guard;
use waywarden_firmware_ecu::{Board, LAB};
use waywarden_firmware_link::{Link, List, ORDERS_MAX, Request};
use waywarden_group_keys::{
    Address, GroupDirectory, GroupHeader, GroupRoleEvent, GroupSuite, OrchestratorCommand,
};
use waywarden_session_keys::{GroupObserver, GroupParty, GroupRole, TimedGroupRole, beginning};
use waywarden_work::Instant;

use crate::{Directory, KeysInUse};

/// The orders of an orchestrator, with their times.
pub type Orders = List<(Instant, OrchestratorCommand), ORDERS_MAX>;

/// A party that follows a timetable.
pub(crate) type TimedParty<'a, S> = TimedGroupRole<GroupParty<'a, S, &'a Directory>, Orders>;

/// A party of a group that follows its timetable. Its events go to the simulation, and its keys to
/// those that follow them.
pub struct KeyAgreement<'a, L, S: GroupSuite> {
    role: TimedParty<'a, S>,
    directory: &'a Directory,
    observer: Observer<'a, L>,
}

/// The observer of the role.
pub(crate) struct Observer<'a, L> {
    pub(crate) board: &'a Board<L>,
    pub(crate) in_use: &'a KeysInUse,
    /// The logical ECU whose key the streams follow; none for the group's own.
    pub(crate) logical: Option<Address>,
}

impl<'a, L: Link, S: GroupSuite> KeyAgreement<'a, L, S> {
    pub(crate) const fn new(
        role: TimedParty<'a, S>,
        directory: &'a Directory,
        observer: Observer<'a, L>,
    ) -> Self {
        KeyAgreement {
            role,
            directory,
            observer,
        }
    }

    /// Returns true if it has confirmed a key since the boot.
    pub const fn has_key(&self) -> bool {
        self.role.has_key()
    }
}

impl<L: Link> GroupObserver for Observer<'_, L> {
    fn begun(&mut self) {
        if LAB {
            self.board.report(&Request::GroupBegun);
        }
    }

    fn confirmed(&mut self, role: &impl GroupRole, epoch: u64) {
        self.in_use.put(role.key(self.logical));
        if LAB {
            let board = self.board;
            board.uncounted(|| {
                let key = role.key(None).map_or(0, |(_, key)| beginning(&key));
                board.report(&Request::GroupKey { epoch, key });
            });
        }
    }

    fn event(&mut self, event: GroupRoleEvent) {
        if LAB {
            self.board.report(&Request::GroupEvent(event));
        }
    }
}

impl<L: Link, S: GroupSuite> Node for KeyAgreement<'_, L, S> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.role.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.role.poll(now, room, &mut self.observer)
    }
}

impl<L: Link, S: GroupSuite> Guard for KeyAgreement<'_, L, S> {
    fn hears(&self, _port: Port, frame: &Frame) -> bool {
        GroupHeader::read(self.directory.settings(), frame).is_some()
    }
}
