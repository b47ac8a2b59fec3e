//! The end of an agreement at a member: the orchestrator proves the key, the member takes it into
//! use and acknowledges (`hardened`).

use waywarden_can::Frame;
use waywarden_work::Duration;

use super::Member;
use crate::group::event::Event;
use crate::group::identifier::{Address, Header, Step};
use crate::group::inbox::Inbox;
use crate::group::settings::Directory;
use crate::group::transcript;
use crate::suite::{PublicKey, Secret, Suite};

/// The orchestrator's proof that it holds the key of an epoch, as it came in.
#[derive(Clone, Copy)]
pub(super) struct Proof {
    header: Header,
    epoch: u64,
    tag: [u8; 16],
}

impl<S, D, const E: usize, const X: usize> Member<S, D, E, X>
where
    S: Suite<PublicKey = PublicKey, Signature = [u8; 64]>,
    D: Directory,
{
    /// The orchestrator proves that it holds the key of an epoch.
    pub(super) fn take_finish(&mut self, header: Header, frame: &Frame) {
        let settings = self.directory.settings();
        // A proof of which a frame was lost must not make every later one begin in its middle.
        let pause = Duration::from_nanos(settings.timing.answer.as_nanos() / 2);
        if self.now.since(self.finish_at) > pause {
            self.finish = Inbox::new(settings.transport, Step::Finish);
        }
        self.finish_at = self.now;
        if self.finish.push(frame.data()).is_none() {
            self.finish = Inbox::new(settings.transport, Step::Finish);
            return;
        }
        let Some(payload) = self.finish.take::<24>() else {
            return;
        };
        self.finish = Inbox::new(settings.transport, Step::Finish);
        let (Some(epoch), Some(&tag)) = (payload.first_chunk(), payload.last_chunk::<16>()) else {
            return;
        };
        let epoch = u64::from_be_bytes(*epoch);
        if epoch < self.epoch || header.first != settings.plan.orchestrator() {
            return;
        }
        let proof = Proof { header, epoch, tag };
        if !self.believe(&proof) {
            self.early = Some(proof);
        }
    }

    /// Takes the key that a proof is about into use; returns whether the proof is right for the
    /// secret that this member has.
    fn believe(&mut self, proof: &Proof) -> bool {
        let settings = self.directory.settings();
        let (orchestrator, root) = (settings.plan.orchestrator(), settings.plan.root());
        let Some(secret) = self.party.secrets.get(root) else {
            return false;
        };
        let key = transcript::traffic_key(settings, root, secret);
        let epoch = proof.epoch;
        // Whoever holds the key can prove it, but not for an epoch of its choice.
        let signed = epoch == self.party.root_freshness;
        if !signed || !transcript::proves(&key, orchestrator, epoch, &proof.tag) {
            return false;
        }
        if epoch > self.epoch {
            (self.epoch, self.retain) = (epoch, Some(epoch));
            self.events.push(Event::Confirmed { epoch });
        }
        if proof.header.second == Address::NONE {
            self.acknowledge(&key, proof.header);
        }
        (self.key, self.report_at, self.reports) = (Some(key), None, 0);
        (self.early, self.party.fell_behind) = (None, false);
        true
    }

    /// The group's secret has come about: what was proven before may be just that.
    pub(super) fn reconsider(&mut self) {
        if let Some(proof) = self.early {
            let _: bool = self.believe(&proof);
        }
    }

    /// Nothing is under way any more that could bring what was proven: this member missed it,
    /// unless it was older than what it has.
    pub(super) fn give_up_early(&mut self) {
        let busy = !self.party.is_free() || !self.party.is_at_rest() || self.delivered.is_some();
        if busy {
            return;
        }
        if let Some(proof) = self.early.take()
            && proof.epoch >= self.party.root_freshness
        {
            self.miss(proof.epoch);
        }
    }

    fn acknowledge(&mut self, key: &Secret, header: Header) {
        let tag = transcript::proof::<8>(key, self.party.me, self.epoch);
        let mut payload = [0; 64];
        payload[..8].copy_from_slice(&tag);
        let header = Header {
            first: self.party.me,
            ..header
        };
        self.party.outbox.push(Step::Acknowledge, header, payload);
    }
}
