//! Repetition of a failed exchange, and exclusion of the ECU that does not answer.

use waywarden_work::Instant;

use super::Orchestrator;
use crate::event::GroupRoleEvent;
use crate::exchange::{ExchangeFailure, acting_for};
use crate::merges::{Merge, Merges, State};
use crate::settings::GroupDirectory;
use crate::suite::GroupSuite;
use waywarden_key_roles::Address;

/// Number of tries of an exchange before an ECU that does not answer is left out.
pub const ATTEMPTS_MAX: u8 = 3;

impl<S: GroupSuite, D: GroupDirectory> Orchestrator<'_, S, D> {
    pub(super) fn exclude(&mut self, ecu: Address) {
        let plan = &self.directory.settings().plan;
        self.party.excluded.set(ecu, true);
        self.party.close_from(plan.parent(ecu), plan);
        self.merges.restart_from(plan, plan.parent(ecu));
        self.unfinish();
    }

    pub(super) fn include(&mut self, ecu: Address) {
        let plan = &self.directory.settings().plan;
        self.party.excluded.set(ecu, false);
        self.party.close_from(plan.parent(ecu), plan);
        self.merges.restart_from(plan, plan.parent(ecu));
        // It may have started again, and only their own orders say who else is excluded.
        let excluded = self.party.excluded;
        for other in plan.ecus().filter(|&at| excluded.contains(at)) {
            self.party.close_from(plan.parent(other), plan);
            self.merges.restart_from(plan, plan.parent(other));
        }
        self.events.push(GroupRoleEvent::Included(ecu));
        self.unfinish();
    }

    /// An exchange failed: it is tried again, and after some attempts without the ECU that did not
    /// answer.
    pub(super) fn fail(&mut self, result: Address, failure: ExchangeFailure) {
        let settings = self.directory.settings();
        let Some(merge) = self.merges.find_mut(result) else {
            return;
        };
        if !matches!(merge.state, State::Running(_)) {
            return;
        }
        self.events.push(GroupRoleEvent::Failed { result, failure });
        self.party.close(result);
        self.party.close_fixed();
        merge.state = State::Waiting;
        merge.attempts += 1;
        self.merges.recall_above(&settings.plan, result);
        let Some(merge) = self.merges.find_mut(result) else {
            return;
        };
        if merge.attempts < ATTEMPTS_MAX {
            return;
        }
        merge.attempts = 0;
        let merge = *merge;
        let acting = |named| acting_for(settings, named, &self.party.excluded);
        let others = [(0, merge.header.first), (1, merge.header.second)]
            .into_iter()
            .filter(|&(_, named)| named != Address::NONE)
            .map(|(side, named)| (merge.progress(side, settings.transport), acting(named)))
            .filter(|&(_, ecu)| ecu != settings.plan.orchestrator());
        // The ECU that has said least keeps the others waiting.
        if let Some((_, ecu)) = others.min_by_key(|&(progress, _)| progress) {
            self.events.push(GroupRoleEvent::Unresponsive(ecu));
            self.exclude(ecu);
        }
    }

    pub(super) fn time_out(&mut self, now: Instant) {
        let exchange = self.directory.settings().timing.exchange;
        let next = |merges: &Merges<'_>| {
            let late = |merge: &&Merge| merge.due(exchange).is_some_and(|due| due <= now);
            merges.iter().find(late).map(|merge| merge.header.result)
        };
        while let Some(result) = next(&self.merges) {
            self.fail(result, ExchangeFailure::Timeout);
        }
    }

    /// Gives up exchanges of its own that are no longer what it ordered.
    pub(super) fn drop_stale(&mut self) {
        let merges = &self.merges;
        self.party.keep_only(|header| {
            merges.find(header.result).is_some_and(|merge| {
                let under_way = matches!(merge.state, State::Ordering | State::Running(_));
                under_way && merge.header == *header
            })
        });
    }

    /// Returns when something is due without anything coming in.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let exchange = self.directory.settings().timing.exchange;
        let running = self.merges.iter().filter_map(|merge| merge.due(exchange));
        // While anything else is to be done, the next input brings the proof its turn.
        let formed = self.merges.all_formed();
        let quiet = self.party.outbox.is_empty() && formed;
        let proof = self.finish.due().filter(|_| quiet);
        let order = self.pacing.holds(self.now).filter(|_| !formed);
        let payload = self.party.outbox.due();
        let renewal = self.renewal_due().filter(|_| quiet);
        let due = running.chain(proof).chain(order).chain(payload);
        due.chain(renewal).min()
    }
}
