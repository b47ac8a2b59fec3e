//! The part of an ECU in a protocol: the maker of its role at each boot, its ports, and the slots
//! that it keeps.

use waywarden_can::node::{Boot, Ports, Slot};

use crate::nodes::KeyRole;

pub(super) type MakeRole = Box<dyn Fn(&Boot<'_>, Slot) -> Box<dyn KeyRole> + Send>;

/// Makes the role of one ECU in one key protocol at each boot.
pub(super) struct Part {
    pub(super) make: MakeRole,
    pub(super) ports: Ports,
    /// Limit on the items that it keeps over a reset.
    pub(super) slots: usize,
}

impl Part {
    /// A part of a role on these ports that keeps so many things over a reset.
    pub(super) fn new(make: MakeRole, ports: Ports, slots: usize) -> Self {
        Part { make, ports, slots }
    }
}
