//! The master secret on its way to each ECU [GKE §III-C3].

use super::Orchestrator;
use crate::identifier::{GroupHeader, Step};
use crate::settings::{GroupDirectory, GroupProfile};
use crate::suite::GroupSuite;
use crate::transcript;
use waywarden_key_roles::Address;
use waywarden_key_suites::Secret;
use waywarden_key_suites::symmetric::encrypt_ctr;

/// A distribution under way.
pub(super) struct Distribution {
    master: Secret,
    signature: [u8; 64],
    freshness: u64,
    announced: bool,
    /// The next ECU, in order of address.
    next: usize,
    /// The encrypted payloads for this ECU that are not yet sent.
    sealed: Option<(GroupHeader, [u8; 64], [u8; 64])>,
}

impl<S: GroupSuite, D: GroupDirectory> Orchestrator<'_, S, D> {
    /// Takes one step of the distribution; returns whether there was one to take.
    pub(super) fn distribute(&mut self) -> bool {
        if self.party.secrets.get(Address::NONE).is_some() && self.distribution.is_none() {
            return false;
        }
        let Some(mut distribution) = self.distribution.take() else {
            return self.begin_distribution();
        };
        if !distribution.announced {
            distribution.announced = true;
            self.announce(distribution.freshness);
        } else if let Some((header, signature, master)) = distribution.sealed.take() {
            self.party
                .outbox
                .push(Step::MasterSignature, header, signature);
            self.party.outbox.push(Step::MasterSecret, header, master);
        } else if let Some(sealed) = self.seal_next(&mut distribution) {
            distribution.sealed = Some(sealed);
        } else {
            return self.end_distribution(&distribution);
        }
        self.distribution = Some(distribution);
        true
    }

    fn announce(&mut self, freshness: u64) {
        let settings = self.directory.settings();
        if settings.profile == GroupProfile::Hardened {
            let mut payload = [0; 64];
            payload[..8].copy_from_slice(&freshness.to_be_bytes());
            let header = GroupHeader {
                gives_way: self.gives_way,
                ..transcript::whole_group(settings)
            };
            self.party.outbox.push(Step::Freshness, header, payload);
        }
    }

    fn begin_distribution(&mut self) -> bool {
        let plan = &self.directory.settings().plan;
        let Some(digest) = self.shares.digest(plan, &self.party.excluded) else {
            return false;
        };
        let published = self.directory.settings().profile.is_as_published();
        let freshness = match published {
            true => Some(0),
            false => self.next_freshness(),
        };
        let Some(freshness) = freshness else {
            return false;
        };
        let settings = self.directory.settings();
        let master = self.party.entropy.draw();
        let message = transcript::master(
            self.party.suite.identifier(),
            settings,
            freshness,
            &master,
            &digest,
        );
        let key = &self.party.signing_key;
        let signature =
            self.party
                .suite
                .sign(&mut self.party.worker.meter, key, message.as_bytes());
        self.distribution = Some(Distribution {
            master,
            signature,
            freshness,
            announced: false,
            next: 0,
            sealed: None,
        });
        true
    }

    /// Encrypts for the next ECU that takes part; none after the last.
    fn seal_next(
        &mut self,
        distribution: &mut Distribution,
    ) -> Option<(GroupHeader, [u8; 64], [u8; 64])> {
        let settings = self.directory.settings();
        let plan = &settings.plan;
        let excluded = &self.party.excluded;
        let (index, ecu) = plan
            .ecus()
            .enumerate()
            .skip(distribution.next)
            .find(|(_, ecu)| !excluded.contains(*ecu))?;
        distribution.next = index + 1;
        let channel = self.ecus.get(index)?.channel.as_ref()?;
        let freshness = distribution.freshness;
        let block = |step| transcript::counter_block(settings.profile, step, freshness);
        let (mut signature, mut master) = (distribution.signature, [0; 64]);
        let meter = &mut self.party.worker.meter;
        encrypt_ctr(
            meter,
            channel,
            &block(Step::MasterSignature),
            &mut signature,
        );
        master[..32].copy_from_slice(distribution.master.as_bytes());
        encrypt_ctr(
            meter,
            channel,
            &block(Step::MasterSecret),
            &mut master[..32],
        );
        let header = GroupHeader {
            gives_way: self.gives_way,
            first: plan.orchestrator(),
            second: ecu,
            result: plan.parent(ecu),
        };
        Some((header, signature, master))
    }

    fn end_distribution(&mut self, distribution: &Distribution) -> bool {
        let plan = &self.directory.settings().plan;
        let Some(digest) = self.shares.digest(plan, &self.party.excluded) else {
            return false;
        };
        let meter = &mut self.party.worker.meter;
        let secret = transcript::symmetric_secret(&distribution.master, &digest, meter);
        self.party.secrets.keep(Address::NONE, secret);
        self.party.root_freshness = distribution.freshness;
        if self.directory.settings().profile.is_as_published() {
            self.confirm();
        }
        true
    }
}
