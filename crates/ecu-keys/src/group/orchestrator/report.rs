//! Reports of members: they are not authenticated, so each may only cost a bounded number of
//! exchanges.

use waywarden_can::Frame;
use waywarden_work::{Duration, Instant};

use super::Orchestrator;
use super::finish::Finish;
use crate::group::identifier::{Address, Header};
use crate::group::member::{FELL_BEHIND, LACKS_SHARES};
use crate::group::settings::{Directory, Profile};
use crate::suite::{PublicKey, Suite};

/// How many reports of members may cause exchanges in a row, and in how many parts of the time to
/// answer one more is allowed: reports must not keep the bus busy.
const REPORTS_MAX: u8 = 64;
const REPORTS_PER_ANSWER: u64 = 16;

/// How many reports of one ECU may change what is done before a key is proven: an attacker who
/// reports without end in its name must not keep everybody from a key.
const REPORTS_UNSETTLED: u8 = 16;

/// After how many of them everything is done from the beginning when the ECU is taken in again, and
/// after how many times that it was taken in and had to be left out before it had a key.
const REPORTS_IN_VAIN: u8 = 6;
const INCLUDED_IN_VAIN: u8 = 2;

/// What was heard of reports, and what they may still cause.
pub(super) struct Reports<const E: usize> {
    /// How many have caused something and are not yet forgotten.
    spent: u8,
    since: Instant,
    /// How often each ECU had something formed again since it last acknowledged a key.
    insists: [u8; E],
    /// How many reports of each ECU were heard since a key was last proven.
    heard: [u8; E],
}

impl<const E: usize> Reports<E> {
    pub(super) const fn new(now: Instant) -> Self {
        Reports {
            spent: 0,
            since: now,
            insists: [0; E],
            heard: [0; E],
        }
    }

    /// An ECU, by its place in the order of addresses, has acknowledged a key.
    pub(super) fn acknowledged(&mut self, index: usize) {
        if let Some(times) = self.insists.get_mut(index) {
            *times = 0;
        }
    }

    /// A key is proven.
    pub(super) fn settled(&mut self) {
        self.heard = [0; E];
    }

    /// Has something formed again for an ECU; returns how often that was done before.
    fn insist(&mut self, index: usize) -> u8 {
        let Some(times) = self.insists.get_mut(index) else {
            return 0;
        };
        let before = *times;
        *times = times.saturating_add(1);
        before
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

    /// Hears an ECU's report; returns how many that makes, none if this one changes nothing.
    fn hear(&mut self, index: usize, settled: bool) -> Option<u8> {
        let times = self.heard.get_mut(index)?;
        let patient = settled || *times < REPORTS_UNSETTLED;
        if self.spent >= REPORTS_MAX || !patient {
            return None;
        }
        *times = times.saturating_add(1);
        Some(*times)
    }
}

impl<S, D, const E: usize, const L: usize, const X: usize> Orchestrator<S, D, E, L, X>
where
    S: Suite<PublicKey = PublicKey, Signature = [u8; 64]>,
    D: Directory,
{
    /// A member lacks a secret.
    pub(super) fn take_report(&mut self, now: Instant, header: Header, frame: &Frame) {
        let settings = self.directory.settings();
        let (plan, ecu, lacks) = (&settings.plan, header.first, header.result);
        let index = plan.ecus().position(|at| at == ecu);
        let Some(index) = index.filter(|_| !self.removed.contains(ecu)) else {
            return;
        };
        if settings.profile == Profile::AsPublished || !self.started {
            return;
        }
        self.reports.refill(now, settings.timing.answer);
        let settled = matches!(self.finish, Finish::Proven { .. });
        let Some(times) = self.reports.hear(index, settled) else {
            return;
        };
        let says = |what: u8| frame.data().first().is_some_and(|said| said & what != 0);
        if says(FELL_BEHIND) {
            let exchange = settings.timing.exchange;
            self.haste.fell_behind(self.epoch, exchange);
        }
        if self.party.excluded.contains(ecu) {
            self.reports.spent += 1;
            self.include(ecu);
            let before = self.reports.insist(index);
            if times >= REPORTS_IN_VAIN || before >= INCLUDED_IN_VAIN {
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
        let insists = self.reports.insists.get_mut(index).filter(|_| formed);
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
