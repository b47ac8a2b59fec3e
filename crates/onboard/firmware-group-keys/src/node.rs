//! The node of an ECU in a group, whose streams may wait for the first key.

use waywarden_can::node::{Input, Node, Output, Ports};
use waywarden_firmware_ecu::{Board, EcuNode};
use waywarden_firmware_link::Link;
use waywarden_group_keys::GroupSuite;
use waywarden_work::Instant;

use crate::{GroupEcuRole, GroupStart, Roles};

/// The ECU; its streams are held back until its party has a key, if the record says so.
pub struct GroupNode<'r, 'a, L: Link, S: GroupSuite> {
    ecu: EcuNode<'a, L, Roles<'r, 'a, L, S>, GroupEcuRole<'r, 'a, L, S>>,
    is_held: bool,
}

/// Makes the node of a boot with its roles.
pub fn node<'r, 'a, L: Link, S: GroupSuite>(
    start: &GroupStart,
    roles: Roles<'r, 'a, L, S>,
    board: &'a Board<L>,
) -> GroupNode<'r, 'a, L, S> {
    let record = &start.record;
    let mut ecu = waywarden_firmware_ecu::node(&start.boot(), &record.ecu.streams, roles, board);
    let is_held = record.holds_streams;
    if is_held {
        ecu.hold_streams();
    }
    GroupNode { ecu, is_held }
}

impl<L: Link, S: GroupSuite> GroupNode<'_, '_, L, S> {
    /// Lets the streams go when the awaited key is there; true if it did.
    fn release(&mut self, now: Instant) -> bool {
        let roles = self.ecu.roles_mut().iter();
        let mut parties = roles.filter_map(|role| match role.node() {
            GroupEcuRole::Keys(party) => Some(party),
            GroupEcuRole::Messages(_) => None,
        });
        let is_due = self.is_held && parties.any(|party| party.has_key());
        if is_due {
            self.is_held = false;
            self.ecu.release_streams(now);
        }
        is_due
    }
}

impl<L: Link, S: GroupSuite> Node for GroupNode<'_, '_, L, S> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.ecu.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let output = self.ecu.poll(now, room);
        match output {
            // The streams have a deadline of their own now.
            Output::Idle(_) if self.release(now) => self.ecu.poll(now, room),
            output => {
                self.release(now);
                output
            }
        }
    }
}
