//! Orders: which exchange is next, its signature, its way out.

use waywarden_work::Instant;

use super::Orchestrator;
use crate::exchange::{Exchange, Part, acting_for};
use crate::identifier::{GroupHeader, Step};
use crate::member::TIMESTAMP_UNIT;
use crate::merges::State;
use crate::plan::Excluded;
use crate::settings::{GroupDirectory, GroupProfile, MergeOrder, Orchestration};
use crate::suite::GroupSuite;
use crate::transcript;
use waywarden_key_roles::Address;

/// An order that is signed and not yet sent.
pub(super) struct Signed {
    header: GroupHeader,
    step: Step,
    freshness: u64,
    signature: [u8; 64],
}

impl<S: GroupSuite, D: GroupDirectory> Orchestrator<'_, S, D> {
    /// Signs the next order, if one can be given; returns whether there was anything to do.
    pub(super) fn sign_next(&mut self, now: Instant) -> bool {
        let orchestration = self.directory.settings().orchestration;
        match orchestration {
            Orchestration::Once if self.may_start_at_once() => {
                return self.sign_start(now);
            }
            Orchestration::SignedAhead if self.is_untouched() && self.sign_ahead(now) => {
                return true;
            }
            _ => {}
        }
        if self.pacing.holds(now).is_some() {
            return false;
        }
        let Some(result) = self.next_to_order() else {
            return false;
        };
        let settings = self.directory.settings();
        let ahead = self
            .merges
            .iter()
            .position(|merge| merge.header.result == result);
        let planned = settings.plan.children(result);
        let (excluded, gives_way) = (self.party.excluded, self.gives_way);
        let before = self
            .ahead
            .get_mut(ahead.unwrap_or(usize::MAX))
            .and_then(Option::take);
        let Some(mut merge) = self.merges.find(result).copied() else {
            return false;
        };
        merge.prepare(&settings.plan, &excluded, gives_way);
        let header = merge.header;
        let unchanged = planned == Some((header.first, header.second));
        let signed = match before {
            Some((freshness, signature)) if unchanged => Signed {
                header,
                step: Step::Orchestration,
                freshness,
                signature,
            },
            _ => match self.sign(now, Step::Orchestration, header) {
                Some(signed) => {
                    // Those signed before are older than this one: no member would obey them.
                    self.ahead.clear();
                    signed
                }
                None => return false,
            },
        };
        if let Some(place) = self.merges.find_mut(result) {
            *place = merge;
        }
        self.signed = Some(signed);
        true
    }

    /// Returns true if no merge of this renewal has been ordered yet.
    fn is_untouched(&self) -> bool {
        let mut merges = self.merges.iter();
        merges.all(|merge| merge.state == State::Waiting && merge.attempts == 0)
    }

    /// Returns true if one start suffices: no ECU is excluded, and none needs pauses.
    fn may_start_at_once(&self) -> bool {
        let complete = self.party.excluded == Excluded::default();
        self.is_untouched() && complete && !self.pacing.is_slow()
    }

    /// Signs one more order ahead of its time; returns false once all are signed.
    fn sign_ahead(&mut self, now: Instant) -> bool {
        let count = self.merges.iter().count();
        let Some(at) = self.ahead[..count].iter().position(Option::is_none) else {
            return false;
        };
        let Some(mut merge) = self.merges.iter().nth(at).copied() else {
            return false;
        };
        let (excluded, gives_way) = (self.party.excluded, self.gives_way);
        merge.prepare(&self.directory.settings().plan, &excluded, gives_way);
        match self.sign(now, Step::Orchestration, merge.header) {
            Some(signed) => self.ahead[at] = Some((signed.freshness, signed.signature)),
            None => return false,
        }
        true
    }

    fn sign_start(&mut self, now: Instant) -> bool {
        let header = GroupHeader {
            gives_way: self.gives_way,
            ..transcript::whole_group(self.directory.settings())
        };
        self.signed = self.sign(now, Step::Start, header);
        self.signed.is_some()
    }

    fn sign(&mut self, now: Instant, step: Step, header: GroupHeader) -> Option<Signed> {
        let freshness = match self.directory.settings().profile.is_as_published() {
            true => now.as_nanos() / TIMESTAMP_UNIT,
            false => self.next_freshness()?,
        };
        let all = Excluded::default();
        let excluded = match step {
            Step::Start => &all,
            _ => &self.party.excluded,
        };
        let settings = self.directory.settings();
        let message = transcript::orchestration(
            self.party.suite.identifier(),
            settings,
            step,
            header,
            freshness,
            excluded,
        );
        let key = &self.party.signing_key;
        let signature =
            self.party
                .suite
                .sign(&mut self.party.worker.meter, key, message.as_bytes());
        Some(Signed {
            header,
            step,
            freshness,
            signature,
        })
    }

    /// Returns the first merge whose turn it is.
    fn next_to_order(&self) -> Option<Address> {
        let settings = self.directory.settings();
        let plan = &settings.plan;
        let ready = self.merges.iter().filter(|merge| {
            let children = plan.children(merge.header.result);
            let formed = children.is_some_and(|(first, second)| {
                self.merges.is_formed(first) && self.merges.is_formed(second)
            });
            let reached =
                settings.merge_order == MergeOrder::AsReady || self.merges.is_level_reached(merge);
            merge.state == State::Waiting && formed && reached
        });
        let mut possible = ready.filter(|merge| {
            let mut merge = **merge;
            merge.prepare(plan, &self.party.excluded, self.gives_way);
            // The orchestrator takes part in one exchange at a time.
            self.party.is_free() || self.party.part_in(&merge.header, settings).is_none()
        });
        possible.next().map(|merge| merge.header.result)
    }

    /// Sends an order that is signed, and opens the exchange if it is the orchestrator's own.
    pub(super) fn send_order(&mut self, now: Instant) {
        let Some(signed) = self.signed.take() else {
            return;
        };
        let settings = self.directory.settings();
        let Signed {
            header,
            step,
            freshness,
            signature,
        } = signed;
        let merge = self.merges.find(header.result);
        let wanted = merge.is_some_and(|at| at.state == State::Ordering && at.header == header);
        if step == Step::Orchestration && !wanted {
            // Who takes part has changed while this was being signed.
            return;
        }
        if settings.profile == GroupProfile::Hardened {
            let mut payload = [0; 64];
            payload[..8].copy_from_slice(&freshness.to_be_bytes());
            self.party.outbox.push(Step::Freshness, header, payload);
        }
        self.party.outbox.push(step, header, signature);
        if step == Step::Start {
            self.party.freshness = freshness;
            return;
        }
        self.party.forget_from(header.result, settings);
        if header.result == settings.plan.root() {
            self.party.root_freshness = freshness;
        }
        self.shares.note(&settings.plan, header.result, None);
        let alone = self.is_alone(&header);
        if let Some(part @ (Part::Active(_) | Part::Passive(_))) =
            self.party.part_in(&header, settings)
            && !alone
        {
            let exchange = Exchange::new(settings, header, part, freshness, now);
            self.party.open(exchange.ordered());
        }
    }

    /// Returns true if the orchestrator is the only one on both sides, itself or for others.
    fn is_alone(&self, header: &GroupHeader) -> bool {
        let settings = self.directory.settings();
        let alone = |named| {
            let acting = acting_for(settings, named, &self.party.excluded);
            named == Address::NONE || acting == settings.plan.orchestrator()
        };
        alone(header.first) && alone(header.second)
    }

    /// An order is out: the exchange runs.
    pub(super) fn ordered(&mut self, now: Instant, header: GroupHeader) {
        let Some(merge) = self.merges.find_mut(header.result) else {
            return;
        };
        if merge.state != State::Ordering {
            return;
        }
        merge.state = State::Running(now);
        self.pacing.ordered(now);
        if self.is_alone(&header) {
            let secret = self.party.entropy.draw();
            self.party.secrets.keep(header.result, secret);
            self.formed(header.result);
        } else if header.second == Address::NONE && !self.party.takes_part_in(header.result) {
            self.formed(header.result);
        }
    }

    /// The start of a fixed tree is out: all exchanges run.
    pub(super) fn all_ordered(&mut self, now: Instant, header: GroupHeader) {
        let settings = self.directory.settings();
        for merge in self.merges.iter_mut() {
            merge.prepare(&settings.plan, &Excluded::default(), header.gives_way);
            merge.state = State::Running(now);
            merge.fixed = true;
        }
        let freshness = self.party.freshness;
        self.party
            .begin_fixed_tree(freshness, header.gives_way, settings, now);
    }

    /// An order could not be sent: it is given again.
    pub(super) fn give_up_orders(&mut self) {
        let ordering = self
            .merges
            .iter_mut()
            .filter(|at| at.state == State::Ordering);
        for merge in ordering {
            merge.state = State::Waiting;
            self.party.close(merge.header.result);
        }
    }
}
