//! Renewals: one begins when all have the key before it, so that it takes the key from no ECU
//! that is still computing it.

use waywarden_work::{Duration, Instant};

use super::Orchestrator;
use super::finish::Finish;
use crate::event::GroupRoleEvent;
use crate::plan::Excluded;
use crate::settings::GroupDirectory;
use crate::suite::GroupSuite;

/// Number of exchanges that an ECU may be behind those with a key, besides one for each level: the
/// one that it computes, and one for its part in others' exchanges.
const BEHIND: u64 = 2;

impl<S: GroupSuite, D: GroupDirectory> Orchestrator<'_, S, D> {
    /// Has a new group key agreed on as soon as all ECUs have acknowledged the one before
    /// ([`GroupRoleEvent::Renewing`]). An ECU that has not within the time of an exchange for each
    /// level of the tree is left out of the new key until it reports. As published nothing is
    /// acknowledged: there the renewal waits until all exchanges are through.
    pub fn renew_when_acknowledged(&mut self, gives_way: bool) {
        self.renewal = Some(gives_way);
    }

    /// Begins the renewal that waits, once it may.
    pub(super) fn renew_if_due(&mut self, now: Instant) {
        let Some(gives_way) = self.renewal.filter(|_| self.may_renew(now)) else {
            return;
        };
        if let Finish::Proven { acknowledged, .. } = self.finish {
            self.exclude_missing(&acknowledged);
        }
        self.renewal = None;
        self.events.push(GroupRoleEvent::Renewing);
        self.renew(gives_way);
    }

    fn may_renew(&self, now: Instant) -> bool {
        if !self.started || !self.merges.all_formed() {
            return false;
        }
        if self.directory.settings().profile.is_as_published() {
            return true;
        }
        match &self.finish {
            Finish::Proven { acknowledged, .. } => {
                self.missing(acknowledged) == 0 || now >= self.given_up_at()
            }
            _ => false,
        }
    }

    fn exclude_missing(&mut self, acknowledged: &Excluded) {
        for index in 0..self.ecus.len() {
            let ecu = self.directory.settings().plan.ecus().nth(index);
            let present = ecu.filter(|&ecu| !self.party.excluded.contains(ecu));
            if let Some(ecu) = present.filter(|&ecu| !acknowledged.contains(ecu)) {
                self.events.push(GroupRoleEvent::Unresponsive(ecu));
                self.exclude(ecu);
            }
        }
    }

    /// Returns the time until which it waits for acknowledgements of the key in use.
    fn given_up_at(&self) -> Instant {
        let levels = self.merges.iter().map(|merge| u64::from(merge.level) + 1);
        let exchanges = levels.max().unwrap_or(1) + BEHIND;
        let patience: Duration = self.directory.settings().timing.exchange.times(exchanges);
        self.proven_at + patience
    }

    /// Returns the time at which a waiting renewal may begin although acknowledgements are missing.
    pub(super) fn renewal_due(&self) -> Option<Instant> {
        let waits = self.renewal.is_some() && matches!(self.finish, Finish::Proven { .. });
        waits.then(|| self.given_up_at())
    }
}
