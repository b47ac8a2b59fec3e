//! The symmetric scheme's second half: the master secret, and the shares the group key is bound to
//! [GKE §III-C3].

use zeroize::Zeroizing;

use super::identifier::Step;
use super::inbox::Inbox;
use super::plan::{Excluded, GroupPlan};
use super::settings::{GroupDirectory, GroupSettings};
use super::storage::SharesPlace;
use super::suite::GroupSuite;
use super::transcript;
use waywarden_key_roles::Address;
use waywarden_key_roles::Storage;
use waywarden_key_suites::symmetric::{decrypt_ctr, sha256};
use waywarden_key_suites::{Meter, RecordedOperations, Secret};

/// The shares of each ECU's exchange with the orchestrator, hashed.
pub(super) struct Shares<'a>(Storage<'a, SharesPlace>);

impl<'a> Shares<'a> {
    pub(super) fn new(mut places: Storage<'a, SharesPlace>) -> Self {
        places.clear();
        Shares(places)
    }

    /// Notes the shares of the exchange that formed `leaf`, or that they are being exchanged again.
    pub(super) fn note(&mut self, plan: &GroupPlan, leaf: Address, shares: Option<[[u8; 32]; 2]>) {
        let Some((ecu, _)) = plan.children(leaf) else {
            return;
        };
        let index = plan.ecus().position(|at| at == ecu);
        if let Some(place) = index.and_then(|index| self.0.get_mut(index)) {
            let mut meter = RecordedOperations::new();
            *place = shares.map(|[first, second]| sha256(&mut meter, &[&first, &second]));
        }
    }

    /// Returns the hash over the shares of all ECUs that take part; none if some are missing.
    pub(super) fn digest(&self, plan: &GroupPlan, excluded: &Excluded) -> Option<[u8; 32]> {
        let mut digest = [0; 32];
        let mut meter = RecordedOperations::new();
        for (index, ecu) in plan.ecus().enumerate() {
            if excluded.contains(ecu) {
                continue;
            }
            let share = self.0.get(index)?.as_ref()?;
            digest = sha256(&mut meter, &[&digest, &[ecu.0], share]);
            while meter.pop().is_some() {}
        }
        Some(digest)
    }
}

/// The payloads of a distribution that a member receives.
pub(super) struct Delivery {
    signature: Inbox,
    secret: Inbox,
    pub(super) freshness: u64,
}

/// Reason for refusing a master secret.
pub(super) enum Refused {
    Incomplete,
    Wrong,
}

impl Delivery {
    pub(super) fn new(settings: &GroupSettings, freshness: u64) -> Self {
        Delivery {
            signature: Inbox::new(settings.transport, Step::MasterSignature),
            secret: Inbox::new(settings.transport, Step::MasterSecret),
            freshness,
        }
    }

    pub(super) fn take(&mut self, step: Step, data: &[u8]) {
        match step {
            Step::MasterSignature => self.signature.push(data),
            _ => self.secret.push(data),
        };
    }

    /// Opens a delivery that is complete; returns the secret of the group.
    pub(super) fn open<S: GroupSuite, D: GroupDirectory>(
        &self,
        suite: &S,
        directory: &D,
        channel: &[u8; 16],
        digest: Option<[u8; 32]>,
        meter: &mut impl Meter,
    ) -> Result<Secret, Refused> {
        let (Some(mut signature), Some(bytes)) =
            (self.signature.take::<64>(), self.secret.take::<32>())
        else {
            return Err(Refused::Incomplete);
        };
        let mut bytes = Zeroizing::new(bytes);
        let settings = directory.settings();
        let orchestrator = settings.plan.orchestrator();
        let key = directory.public_key(orchestrator).ok_or(Refused::Wrong)?;
        let block = |step| transcript::counter_block(settings.profile, step, self.freshness);
        decrypt_ctr(
            meter,
            channel,
            &block(Step::MasterSignature),
            &mut signature,
        );
        decrypt_ctr(meter, channel, &block(Step::MasterSecret), &mut *bytes);
        let (master, digest) = (Secret::from_bytes(*bytes), digest.ok_or(Refused::Wrong)?);
        let message = transcript::master(
            suite.identifier(),
            settings,
            self.freshness,
            &master,
            &digest,
        );
        let verified = suite.verify(meter, key, message.as_bytes(), &signature);
        verified.map_err(|_| Refused::Wrong)?;
        Ok(transcript::symmetric_secret(&master, &digest, meter))
    }
}
