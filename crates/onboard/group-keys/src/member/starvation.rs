//! A member that is ordered into one agreement after another and gets no key says so itself: its
//! reports ask the orchestrator, its owner learns of it by an event.

use super::Member;
use crate::event::GroupRoleEvent;
use crate::settings::GroupDirectory;
use crate::suite::GroupSuite;
use waywarden_key_roles::Address;

/// The agreements in a row without a key that count as starvation. An absent neighbour costs less:
/// it is excluded after three orders, and the fourth is without it.
pub(super) const STARVED_AFTER: u32 = 8;

impl<S: GroupSuite, D: GroupDirectory> Member<'_, S, D> {
    /// A signed order for a logical ECU has come. That of the lowest one of this ECU begins a new
    /// agreement.
    pub(super) fn count_order(&mut self, result: Address) {
        if self.directory.settings().plan.parent(self.party.me) == result {
            self.count_beginning();
        }
    }

    /// An agreement of this ECU begins again; the last ones may have come to no key.
    pub(super) fn count_beginning(&mut self) {
        let renewals = self.keyless;
        if renewals > 0 && renewals.is_multiple_of(STARVED_AFTER) {
            self.events.push(GroupRoleEvent::Starved { renewals });
        }
        self.keyless = renewals.saturating_add(1);
    }
}
