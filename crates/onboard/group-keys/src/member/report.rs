//! Reports: a member says what it lacks, not too often (`hardened`).

use waywarden_work::{Duration, Instant};

use super::Member;
use crate::event::GroupRoleEvent;
use crate::identifier::{GroupHeader, Step};
use crate::plan::Scheme;
use crate::settings::GroupDirectory;
use crate::suite::GroupSuite;
use waywarden_key_roles::Address;

/// Number of reports of the same lack before a member waits eight times as long between two
/// reports; it never gives up.
const REPORTS_IN_A_ROW: u8 = 8;

/// Flags of a report, besides the missing secret of the logical ECU that it names. The first, in
/// the symmetric scheme: shares of other ECUs are missing, too, so everything has to be exchanged
/// again. The second: this ECU had more work than it could keep in mind.
pub(crate) const LACKS_SHARES: u8 = 1;
pub(crate) const FELL_BEHIND: u8 = 2;

impl<S: GroupSuite, D: GroupDirectory> Member<'_, S, D> {
    /// There is a key that this member does not have.
    pub(super) fn miss(&mut self, epoch: u64) {
        if epoch > self.epoch {
            if self.report_at.is_none() || self.report_if_silent {
                self.events.push(GroupRoleEvent::Missed { epoch });
            }
            self.report_soon();
        }
    }

    /// Has a report sent as soon as the last one is answered or stays without an answer; each
    /// member a little later than the last, so that reports do not pile up.
    pub(super) fn report_soon(&mut self) {
        if self.directory.settings().profile.is_as_published() {
            return;
        }
        let turn = Duration::from_micros(u64::from(self.party.me.0) * 200);
        let soon = (self.now + turn).max(self.report_after);
        self.report_at = Some(self.report_at.map_or(soon, |at| at.min(soon)));
        self.report_if_silent = false;
    }

    /// The orchestrator is at work for this member: a report can wait.
    pub(super) fn wait_for_more(&mut self) {
        self.report_if_silent = true;
        self.hear_progress();
    }

    /// The orchestrator is at work for a member: who lacks nothing but its turn waits for it. Who
    /// is left out has no turn.
    pub(super) fn hear_progress(&mut self) {
        if self.report_if_silent && !self.party.excluded.contains(self.party.me) {
            let timing = &self.directory.settings().timing;
            let turn = Duration::from_millis(u64::from(self.party.me.0));
            let patience = timing.exchange + timing.answer + turn;
            self.report_at = self.report_at.map(|_| self.now + patience);
        }
    }

    /// Says what is missing: the lowest secret on the way up.
    pub(super) fn report(&mut self, now: Instant) {
        let settings = self.directory.settings();
        let plan = &settings.plan;
        let mut path = plan.path(self.party.me);
        let missing = path.find(|&at| self.party.secrets.get(at).is_none());
        let header = GroupHeader {
            gives_way: false,
            first: self.party.me,
            second: Address::NONE,
            result: missing.unwrap_or(plan.root()),
        };
        let symmetric = plan.scheme() == Scheme::SymmetricDistribution;
        let digest = self.shares.digest(plan, &self.party.excluded);
        let shares_missing = symmetric && missing.is_none() && (self.refused || digest.is_none());
        let mut payload = [0; 64];
        let behind = core::mem::take(&mut self.party.fell_behind);
        payload[0] = u8::from(shares_missing) * LACKS_SHARES + u8::from(behind) * FELL_BEHIND;
        self.party.outbox.push(Step::Report, header, payload);
        self.reports = self.reports.saturating_add(1);
        let patience = match self.reports {
            0..REPORTS_IN_A_ROW => 1,
            _ => 8,
        };
        let pause = settings.timing.answer.as_nanos().saturating_mul(patience);
        self.report_after = now + Duration::from_nanos(pause);
        self.report_at = Some(self.report_after);
        self.report_if_silent = false;
    }
}
