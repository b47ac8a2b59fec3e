//! The bounded table of senders.

use alloc::collections::BTreeMap;

use crate::claim::{Claim, SenderId, seconds_between};
use crate::motion::Motion;
use crate::thresholds::Thresholds;

/// Messages that make a sender established, if they took [`ESTABLISHED_US`].
const ESTABLISHED_MESSAGES: u32 = 5;
/// Time from the first to the last message of a sender that is established.
const ESTABLISHED_US: u64 = 2_000_000;
/// Time after which an established sender that is silent may lose its entry.
const SILENT_US: u64 = 5_000_000;

/// Memory of one sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sender {
    pub(crate) first_us: u64,
    pub(crate) last: Claim,
    pub(crate) motion: Motion,
    /// Messages that the sender may still send at once.
    pub(crate) allowance: f64,
    /// Time in the place of another vehicle, leaking.
    pub(crate) overlap_s: f64,
    pub(crate) evidence: f64,
    evidence_us: u64,
    messages: u32,
    established: bool,
}

impl Sender {
    pub(crate) fn new(claim: &Claim, thresholds: &Thresholds) -> Self {
        Self {
            first_us: claim.received_us,
            last: *claim,
            motion: Motion::default(),
            allowance: thresholds.burst,
            overlap_s: 0.0,
            evidence: 0.0,
            evidence_us: claim.received_us,
            messages: 0,
            established: false,
        }
    }

    /// Returns true if the sender was heard for long enough to be established.
    pub(crate) fn is_lasting(&self) -> bool {
        self.last.received_us.saturating_sub(self.first_us) >= ESTABLISHED_US
    }

    /// Adds evidence after what remains of the earlier evidence, and returns the sum.
    pub(crate) fn accuse(&mut self, added: f64, now_us: u64, thresholds: &Thresholds) -> f64 {
        let passed = seconds_between(self.evidence_us, now_us).max(0.0);
        let kept = libm::exp(-passed / thresholds.evidence_memory_s);
        let added = added.min(thresholds.evidence_of_message);
        self.evidence = (self.evidence * kept + added).min(thresholds.evidence_most);
        self.evidence_us = self.evidence_us.max(now_us);
        self.evidence
    }
}

/// A table of at most `most` senders, a quarter of them at least for newcomers.
///
/// A newcomer can push out the newcomer that was silent for longest, or an established sender that
/// was silent for [`SILENT_US`], and never an established sender that is heard. So an attacker
/// removes no established sender by a flood of names, and takes the place of one only with a name
/// that sends for as long as honest ones do. An honest newcomer loses its entry if more names than
/// a quarter of the table arrive between two of its messages.
#[derive(Clone, Debug)]
pub(crate) struct Senders {
    senders: BTreeMap<SenderId, Sender>,
    most: usize,
    established: usize,
}

impl Senders {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            senders: BTreeMap::new(),
            most: most.max(1),
            established: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.senders.len()
    }

    pub(crate) fn find(&self, id: SenderId) -> Option<&Sender> {
        self.senders.get(&id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (SenderId, &Sender)> {
        self.senders.iter().map(|(&id, sender)| (id, sender))
    }

    /// Stores a sender after a message, if need be in place of another. Does nothing if all places
    /// belong to established senders that are heard.
    pub(crate) fn store(&mut self, id: SenderId, mut sender: Sender) {
        let now_us = sender.last.received_us;
        sender.messages = sender.messages.saturating_add(1);
        let known = self.senders.contains_key(&id);
        if !known && self.senders.len() >= self.most && !self.make_room(now_us) {
            return;
        }
        let places = self.most - self.most / 4;
        if !sender.established
            && sender.is_lasting()
            && sender.messages >= ESTABLISHED_MESSAGES
            && self.established < places
        {
            sender.established = true;
            self.established += 1;
        }
        self.senders.insert(id, sender);
    }

    fn make_room(&mut self, now_us: u64) -> bool {
        let silent = |sender: &Sender| now_us.saturating_sub(sender.last.received_us) >= SILENT_US;
        let replaceable = self
            .senders
            .iter()
            .filter(|(_, sender)| !sender.established || silent(sender))
            .min_by_key(|(_, sender)| sender.last.received_us)
            .map(|(&id, sender)| (id, sender.established));
        let Some((id, established)) = replaceable else {
            return false;
        };
        self.senders.remove(&id);
        self.established -= usize::from(established);
        true
    }
}
