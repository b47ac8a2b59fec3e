//! Reports of members: they are not authenticated, so each may only cost a bounded number of
//! exchanges.

use waywarden_can::Frame;
use waywarden_work::{Duration, Instant};

use super::Orchestrator;
use super::finish::Finish;
use crate::identifier::GroupHeader;
use crate::member::{FELL_BEHIND, LACKS_SHARES};
use crate::record::EcuRecord;
use crate::settings::GroupDirectory;
use crate::suite::GroupSuite;
use waywarden_key_roles::Address;

/// Number of reports that may cause exchanges in a row; and of the parts of the time to answer, in
/// each of which one more may: reports must not keep the bus busy.
const REPORTS_MAX: u8 = 64;
const REPORTS_PER_ANSWER: u64 = 16;

/// Number of reports of one ECU that may change the agreement before a key is proven: an attacker
/// that reports without end in its name must not keep all others from a key.
const REPORTS_UNSETTLED: u8 = 16;

/// Number of its reports after which including an ECU again restarts the whole agreement; and
/// number of earlier inclusions without a key with the same effect.
const REPORTS_UNANSWERED: u8 = 6;
const INCLUDED_WITHOUT_SUCCESS: u8 = 2;

/// The account of reports and their remaining effect.
pub(super) struct Reports {
    /// Number of reports that have caused an exchange and are not yet forgotten.
    spent: u8,
    since: Instant,
}

impl Reports {
    pub(super) const fn new(now: Instant) -> Self {
        Reports {
            spent: 0,
            since: now,
        }
    }

    /// Lets time bring back what reports may cause.
    fn refill(&mut self, now: Instant, answer: Duration) {
        let part = answer.as_nanos() / REPORTS_PER_ANSWER;
        let refilled = now.since(self.since).as_nanos().checked_div(part);
        let refilled = refilled.unwrap_or(0).min(u64::from(REPORTS_MAX));
        if refilled > 0 {
            self.spent = self.spent.saturating_sub(refilled as u8);
            self.since = now;
        }
    }

    /// Hears a report of an ECU of which so many were heard; returns how many that makes, none if
    /// this one changes nothing.
    fn count(&self, heard: &mut u8, settled: bool) -> Option<u8> {
        let patient = settled || *heard < REPORTS_UNSETTLED;
        if self.spent >= REPORTS_MAX || !patient {
            return None;
        }
        *heard = heard.saturating_add(1);
        Some(*heard)
    }
}

impl<S: GroupSuite, D: GroupDirectory> Orchestrator<'_, S, D> {
    /// A member lacks a secret.
    pub(super) fn take_report(&mut self, now: Instant, header: GroupHeader, frame: &Frame) {
        let settings = self.directory.settings();
        let (plan, ecu, lacks) = (&settings.plan, header.first, header.result);
        let index = plan.ecus().position(|at| at == ecu);
        let Some(index) = index.filter(|_| !self.removed.contains(ecu)) else {
            return;
        };
        if settings.profile.is_as_published() || !self.started {
            return;
        }
        self.reports.refill(now, settings.timing.answer);
        let settled = matches!(self.finish, Finish::Proven { .. });
        let record = self.ecus.get_mut(index);
        let Some(times) = record.and_then(|ecu| self.reports.count(&mut ecu.reports, settled))
        else {
            return;
        };
        let says = |what: u8| frame.data().first().is_some_and(|said| said & what != 0);
        if says(FELL_BEHIND) {
            let exchange = settings.timing.exchange;
            self.pacing.fell_behind(self.epoch, exchange);
        }
        if self.party.excluded.contains(ecu) {
            self.reports.spent += 1;
            self.include(ecu);
            let before = self.ecus.get_mut(index).map_or(0, EcuRecord::insist);
            if times >= REPORTS_UNANSWERED || before >= INCLUDED_WITHOUT_SUCCESS {
                // It may have missed who takes part elsewhere: every leaf's order says so again.
                self.restart();
            }
        } else if plan.root() == Address::NONE && lacks == Address::NONE {
            // What is being exchanged, distributed or proven may be just what the member lacks.
            if !self.merges.all_formed() || !settled {
                return;
            }
            self.reports.spent += 1;
            if says(LACKS_SHARES) {
                self.merges.renew_all();
            }
            self.unfinish();
        } else if plan.is_below(ecu, lacks) && plan.children(lacks).is_some() {
            self.reports.spent += 1;
            self.renew_for(ecu, index, lacks);
        }
    }

    /// Has the secret that an ECU lacks formed again. An ECU that lacks the same after that has
    /// something else wrong: a secret further down is stale, or it missed who takes part.
    fn renew_for(&mut self, ecu: Address, index: usize, lacks: Address) {
        let plan = &self.directory.settings().plan;
        let formed = self.merges.all_formed();
        let insists = self.ecus.get_mut(index).map(|ecu| &mut ecu.insists);
        let insists = insists.filter(|_| formed);
        let renewed = match insists.as_deref() {
            Some(0) | None => self.merges.renew_from(plan, lacks),
            Some(1) => self.merges.renew_from(plan, plan.parent(ecu)),
            Some(_) => self.merges.renew_all(),
        };
        if renewed {
            if let Some(times) = insists {
                *times = times.saturating_add(1);
            }
            self.unfinish();
        }
    }
}
