//! The master secret as it comes to a member [GKE §III-C3].

use waywarden_can::Frame;

use super::Member;
use crate::distribution::{Delivery, Refused};
use crate::event::GroupRoleEvent;
use crate::exchange::ExchangeFailure;
use crate::identifier::{GroupHeader, Step};
use crate::party::is_fresh;
use crate::settings::GroupDirectory;
use crate::suite::GroupSuite;
use waywarden_key_roles::Address;
use waywarden_key_suites::Secret;

impl<S: GroupSuite, D: GroupDirectory> Member<'_, S, D> {
    pub(super) fn take_delivery(&mut self, step: Step, header: GroupHeader, frame: &Frame) {
        let settings = self.directory.settings();
        if header.second != self.party.me || header.first != settings.plan.orchestrator() {
            return;
        }
        if settings.profile.is_as_published() && self.delivery.is_none() {
            self.delivery = Some(Delivery::new(settings, 0));
        }
        if let Some(delivery) = &mut self.delivery {
            delivery.take(step, frame.data());
        }
    }

    /// Opens a delivery that is complete, once the processor is free.
    pub(super) fn open_delivery(&mut self) {
        let (Some(delivery), Some(channel)) = (&self.delivery, &self.channel) else {
            return;
        };
        let settings = self.directory.settings();
        if !is_fresh(settings.profile, delivery.freshness, self.party.freshness) {
            return;
        }
        let digest = self.shares.digest(&settings.plan, &self.party.excluded);
        let (directory, meter) = (&self.directory, &mut self.party.worker.meter);
        match delivery.open(&self.party.suite, directory, channel, digest, meter) {
            Err(Refused::Incomplete) => {}
            opened => {
                // A refused one has only alleged its freshness.
                if opened.is_ok() {
                    self.party.freshness = self.party.freshness.max(delivery.freshness);
                }
                (self.delivered, self.delivery) = (Some(opened), None);
            }
        }
    }

    /// The time of opening a delivery has passed.
    pub(super) fn accept_delivery(&mut self, opened: Result<Secret, Refused>) {
        let root = Address::NONE;
        self.refused = opened.is_err();
        if let Ok(secret) = opened {
            self.party.secrets.keep(root, secret);
            // That of the delivery: it was opened last, and nothing else was since.
            self.party.root_freshness = self.party.freshness;
            self.events.push(GroupRoleEvent::Formed(root));
            self.confirm_as_published();
            self.reconsider();
        } else {
            let failure = ExchangeFailure::Confirmation;
            let result = root;
            self.events.push(GroupRoleEvent::Failed { result, failure });
            self.report_soon();
        }
    }
}
