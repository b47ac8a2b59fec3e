//! The end of an agreement: the orchestrator proves that it holds the key and signs the proof, each
//! member proves that it has the key too, and later beacons tell each member that missed it
//! (`hardened`).

use waywarden_can::Frame;
use waywarden_work::Instant;

use super::Orchestrator;
use crate::event::GroupRoleEvent;
use crate::identifier::{GroupHeader, Step};
use crate::plan::Excluded;
use crate::settings::GroupDirectory;
use crate::suite::GroupSuite;
use crate::transcript;
use waywarden_key_roles::Address;

/// Number of transmissions of the proof before it is left to the beacons.
const PROOFS_MAX: u8 = 3;

/// The progress of the proof of an epoch.
#[derive(Clone, Copy)]
pub(super) enum Finish {
    /// To be signed when all logical ECUs are formed.
    Unsent,
    /// Signed, once for each epoch, and not sent before the time of signing has passed.
    Signed { epoch: u64, signature: [u8; 64] },
    /// Sent this often; acknowledgements of these ECUs have come.
    Proving {
        signature: [u8; 64],
        sent: u8,
        until: Instant,
        acknowledged: Excluded,
    },
    /// All have acknowledged, or were not waited for any longer; those that do so later count.
    Proven {
        beacon: Option<Instant>,
        acknowledged: Excluded,
    },
}

impl Finish {
    pub(super) fn due(&self) -> Option<Instant> {
        match self {
            Finish::Unsent | Finish::Signed { .. } => None,
            Finish::Proving { until, .. } => Some(*until),
            Finish::Proven { beacon, .. } => *beacon,
        }
    }
}

impl<S: GroupSuite, D: GroupDirectory> Orchestrator<'_, S, D> {
    /// Takes one step of the proof; returns whether there was one to take.
    pub(super) fn prove(&mut self, now: Instant) -> bool {
        let settings = self.directory.settings();
        if settings.profile.is_as_published() {
            return false;
        }
        match self.finish {
            Finish::Unsent => self.sign_end(),
            Finish::Signed { epoch, signature } => {
                self.epoch = epoch;
                self.confirm();
                self.proven_at = now;
                self.send_end(now, signature, 0, Excluded::default());
                true
            }
            Finish::Proving { until, .. } if until > now => false,
            Finish::Proving {
                signature,
                sent,
                acknowledged,
                ..
            } if sent < PROOFS_MAX => {
                self.send_end(now, signature, sent, acknowledged);
                true
            }
            Finish::Proving { acknowledged, .. } => {
                let members = self.missing(&acknowledged) as u8;
                let epoch = self.epoch;
                self.events
                    .push(GroupRoleEvent::Unacknowledged { epoch, members });
                self.rest(now, acknowledged);
                true
            }
            Finish::Proven {
                beacon: Some(at),
                acknowledged,
            } if at <= now => {
                let orchestrator = settings.plan.orchestrator();
                self.send_proof(orchestrator);
                self.rest(now, acknowledged);
                true
            }
            Finish::Proven { .. } => false,
        }
    }

    /// Takes the key of the root into use.
    pub(super) fn confirm(&mut self) {
        let settings = self.directory.settings();
        let root = settings.plan.root();
        let Some(secret) = self.party.secrets.get(root) else {
            return;
        };
        self.key = Some(transcript::traffic_key(settings, root, secret));
        if settings.profile.is_as_published() {
            self.epoch += 1;
        }
        let epoch = self.epoch;
        self.events.push(GroupRoleEvent::Confirmed { epoch });
    }

    /// Signs the proof of the key that all logical ECUs being formed has brought about.
    fn sign_end(&mut self) -> bool {
        let settings = self.directory.settings();
        let (orchestrator, root) = (settings.plan.orchestrator(), settings.plan.root());
        let Some(secret) = self.party.secrets.get(root) else {
            return false;
        };
        let epoch = self.party.root_freshness;
        let key = transcript::traffic_key(settings, root, secret);
        let tag = transcript::proof::<16>(&key, orchestrator, epoch);
        let message = transcript::end(self.party.suite.identifier(), settings, epoch, &tag);
        let signing_key = &self.party.signing_key;
        let signature = self.party.suite.sign(
            &mut self.party.worker.meter,
            signing_key,
            message.as_bytes(),
        );
        self.finish = Finish::Signed { epoch, signature };
        true
    }

    /// Sends the proof and the signature over it, to be acknowledged; `sent` times before.
    fn send_end(&mut self, now: Instant, signature: [u8; 64], sent: u8, acknowledged: Excluded) {
        let settings = self.directory.settings();
        let header = GroupHeader {
            gives_way: self.gives_way,
            ..transcript::whole_group(settings)
        };
        let until = now + settings.timing.answer;
        self.send_proof(Address::NONE);
        self.party.outbox.push(Step::End, header, signature);
        self.finish = Finish::Proving {
            signature,
            sent: sent + 1,
            until,
            acknowledged,
        };
    }

    fn send_proof(&mut self, second: Address) {
        let settings = self.directory.settings();
        let Some(key) = &self.key else { return };
        let orchestrator = settings.plan.orchestrator();
        let mut payload = [0; 64];
        payload[..8].copy_from_slice(&self.epoch.to_be_bytes());
        let tag = transcript::proof::<16>(key, orchestrator, self.epoch);
        payload[8..24].copy_from_slice(&tag);
        let header = GroupHeader {
            gives_way: self.gives_way,
            second,
            ..transcript::whole_group(settings)
        };
        self.party.outbox.push(Step::Finish, header, payload);
    }

    fn rest(&mut self, now: Instant, acknowledged: Excluded) {
        self.ecus.iter_mut().for_each(|ecu| ecu.reports = 0);
        let beacon = self.directory.settings().timing.beacon;
        let due = now + beacon;
        self.finish = Finish::Proven {
            beacon: (beacon.as_nanos() > 0).then_some(due),
            acknowledged,
        };
    }

    pub(super) fn missing(&self, acknowledged: &Excluded) -> usize {
        let ecus = self.directory.settings().plan.ecus();
        let present = ecus.filter(|&ecu| !self.party.excluded.contains(ecu));
        present.filter(|&ecu| !acknowledged.contains(ecu)).count()
    }

    pub(super) fn take_acknowledgement(&mut self, header: GroupHeader, frame: &Frame) {
        let (Ok(tag), Some(key)) = (<[u8; 8]>::try_from(frame.data()), &self.key) else {
            return;
        };
        let (Finish::Proving { acknowledged, .. } | Finish::Proven { acknowledged, .. }) =
            &mut self.finish
        else {
            return;
        };
        if transcript::proves(key, header.first, self.epoch, &tag) {
            acknowledged.set(header.first, true);
            let plan = &self.directory.settings().plan;
            let index = plan.ecus().position(|at| at == header.first);
            if let Some(ecu) = index.and_then(|index| self.ecus.get_mut(index)) {
                ecu.insists = 0;
            }
            let acknowledged = *acknowledged;
            let proving = matches!(self.finish, Finish::Proving { .. });
            if proving && self.missing(&acknowledged) == 0 {
                let exchange = self.directory.settings().timing.exchange;
                self.pacing.all_followed(exchange);
                self.rest(self.now, acknowledged);
            }
        }
    }
}
