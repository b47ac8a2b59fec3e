//! The part of an ECU in an exchange: it acts, listens, or notes who takes part.

use super::Party;
use crate::exchange::{Part, Side, acting_for};
use crate::identifier::GroupHeader;
use crate::plan::Scheme;
use crate::settings::GroupSettings;
use crate::suite::GroupSuite;
use waywarden_key_roles::Address;

impl<S: GroupSuite> Party<'_, S> {
    /// Returns what this ECU does in an exchange; none if it has no business with it.
    pub(crate) fn part_in(&self, header: &GroupHeader, settings: &GroupSettings) -> Option<Part> {
        let plan = &settings.plan;
        let (first, second) = plan.children(header.result)?;
        let stand_in = plan.orchestrator();
        let named_right = |planned: Address, named: Address| {
            named == planned || (named == stand_in && plan.is_physical(planned))
        };
        if !named_right(first, header.first) || !named_right(second, header.second) {
            return None;
        }
        let acting = |named| acting_for(settings, named, &self.excluded);
        let (a, b) = (acting(header.first), acting(header.second));
        if a == self.me {
            return Some(Part::Active(Side::A));
        }
        if b == self.me && header.second != Address::NONE {
            return Some(Part::Active(Side::B));
        }
        let belongs = |named| named != stand_in && plan.is_below(self.me, named);
        let followed = match self.me == stand_in {
            true => self.follows(header.result, settings),
            false => !self.excluded.contains(self.me),
        };
        if followed && belongs(header.first) && self.secrets.get(header.first).is_some() {
            return Some(Part::Passive(Side::A));
        }
        if followed && belongs(header.second) {
            return Some(Part::Passive(Side::B));
        }
        if followed && belongs(header.first) {
            return Some(Part::Passive(Side::A));
        }
        let changes =
            [(first, header.first), (second, header.second)]
                .iter()
                .any(|&(planned, named)| {
                    planned != stand_in
                        && plan.is_physical(planned)
                        && self.excluded.contains(planned) != (named == stand_in)
                });
        let symmetric = plan.scheme() == Scheme::SymmetricDistribution;
        ((changes || symmetric) && self.me != stand_in).then_some(Part::Witness)
    }

    /// Returns true if the orchestrator listens to a merge: on the way up from one ECU, which gives
    /// it the group key, and from every ECU it stands in for.
    fn follows(&self, result: Address, settings: &GroupSettings) -> bool {
        let plan = &settings.plan;
        if plan.scheme() == Scheme::TreeWithoutOrchestrator && plan.is_below(self.me, result) {
            return true;
        }
        let present = plan.ecus().find(|&ecu| !self.excluded.contains(ecu));
        let stood_in = plan.ecus().filter(|&ecu| self.excluded.contains(ecu));
        present
            .into_iter()
            .chain(stood_in)
            .any(|ecu| plan.is_below(ecu, result))
    }
}
