//! What is done when an exchange comes to nothing, and without whom.

use waywarden_work::{Duration, Instant};

use super::Orchestrator;
use crate::group::event::Event;
use crate::group::exchange::{Failure, acting_for};
use crate::group::identifier::Address;
use crate::group::merges::{Merges, State};
use crate::group::settings::{Directory, Orchestration};
use crate::suite::{PublicKey, Suite};

/// How often an exchange is tried before an ECU that does not answer is left out.
pub const ATTEMPTS_MAX: u8 = 3;

impl<S, D, const E: usize, const L: usize, const X: usize> Orchestrator<S, D, E, L, X>
where
    S: Suite<PublicKey = PublicKey, Signature = [u8; 64]>,
    D: Directory,
{
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
        // It may have started anew, and only their own orders say who else is excluded.
        let excluded = self.party.excluded;
        for other in plan.ecus().filter(|&at| excluded.contains(at)) {
            self.party.close_from(plan.parent(other), plan);
            self.merges.restart_from(plan, plan.parent(other));
        }
        self.events.push(Event::Included(ecu));
        self.unfinish();
    }

    /// An exchange came to nothing: it is tried again, and after some attempts without whoever did
    /// not answer.
    pub(super) fn fail(&mut self, result: Address, failure: Failure) {
        let settings = self.directory.settings();
        let Some(merge) = self.merges.find_mut(result) else {
            return;
        };
        if !matches!(merge.state, State::Running(_)) {
            return;
        }
        self.events.push(Event::Failed { result, failure });
        self.party.close(result);
        self.party.close_fixed();
        merge.state = State::Waiting;
        merge.attempts += 1;
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
        // Whoever has said least keeps the others waiting.
        if let Some((_, ecu)) = others.min_by_key(|&(progress, _)| progress) {
            self.events.push(Event::Unresponsive(ecu));
            self.exclude(ecu);
        }
    }

    pub(super) fn time_out(&mut self, now: Instant) {
        let patience = self.patience();
        let late = |state| matches!(state, State::Running(since) if since + patience <= now);
        let next = |merges: &Merges<L>| {
            let mut late = merges.iter().filter(|merge| late(merge.state));
            late.next().map(|merge| merge.header.result)
        };
        while let Some(result) = next(&self.merges) {
            self.fail(result, Failure::Timeout);
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

    pub(super) fn patience(&self) -> Duration {
        let settings = self.directory.settings();
        let levels = match settings.orchestration {
            // All run at once, the highest as long as all levels take.
            Orchestration::Once => 8,
            _ => 1,
        };
        let nanos = settings.timing.exchange.as_nanos().saturating_mul(levels);
        Duration::from_nanos(nanos)
    }

    /// Returns when something is due without anything coming in.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let patience = self.patience();
        let running = self.merges.iter().filter_map(|merge| match merge.state {
            State::Running(since) => Some(since + patience),
            _ => None,
        });
        // While anything else is to be done, the next input brings the proof its turn.
        let formed = self.merges.all_formed();
        let quiet = self.party.outbox.is_empty() && formed;
        let proof = self.finish.due().filter(|_| quiet);
        let order = self.haste.holds(self.now).filter(|_| !formed);
        running.chain(proof).chain(order).min()
    }
}
