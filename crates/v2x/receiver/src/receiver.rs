//! A verifier that many threads share, with the rules by which it judges.

use waywarden_v2x_input::certificates::{SignerKeys, Trust};
use waywarden_v2x_security::profile::CRL_PSID;
use waywarden_v2x_security::{
    AppliedCrl, CrlRefusal, IncomingMessage, MessageSource, ReceptionContext, SignatureJobs,
    Verifier,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data, Time64};

use crate::expansion::{Expander, ExpansionObserver, NoObserver};
use crate::judge::hash_of_long;
use crate::known::Knowledge;
use crate::rules::Rules;
use crate::settings::ReceiverSettings;
use crate::signatures::SharedSignatures;

/// Judges records, from any number of threads at a time.
///
/// Signatures are verified with no lock held. What is known is locked to be changed for messages
/// whose signatures are valid only, and for no longer than it takes to compare and remember: bytes
/// without a valid signature never hold that lock.
pub struct Receiver {
    rules: Rules,
    pub(crate) known: Knowledge,
    signatures: SharedSignatures,
    pub(crate) expander: Expander,
    threads: usize,
}

impl Receiver {
    /// Creates a receiver with a verifier of [`ReceiverSettings::verifier`], into which the trust
    /// was loaded.
    #[must_use]
    pub fn new(
        settings: &ReceiverSettings,
        verifier: Verifier,
        trust: Trust,
        keys: SignerKeys,
    ) -> Self {
        Self {
            rules: Rules {
                trust,
                keys: keys.keys,
                at: settings.at,
                udp_ports: settings.udp_ports.clone(),
                checks_payloads: settings.checks_payloads,
            },
            known: Knowledge::new(verifier),
            signatures: SharedSignatures::new(settings.threads, settings.capacity.table_bytes),
            expander: Expander::new(settings.threads, Box::new(NoObserver)),
            threads: settings.threads.max(1),
        }
    }

    /// Shows the progress of expansions of revocation lists.
    #[must_use]
    pub fn with_observer(mut self, observer: impl ExpansionObserver + 'static) -> Self {
        self.expander = Expander::new(self.threads, Box::new(observer));
        self
    }

    /// Returns the rules by which it judges.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns notes on the revocation lists that were expanded.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.expander.notes()
    }

    /// Returns the number of certificates of messages, and of messages, that it remembers.
    #[must_use]
    pub fn remembered(&self) -> (usize, usize) {
        self.known
            .read(|verifier| (verifier.store().held(), verifier.replays().len()))
    }

    /// Verifies a signed revocation list, and revokes what it says. What is known is locked only
    /// for a list whose signatures are valid.
    ///
    /// # Errors
    /// [`CrlRefusal`]; no revocation is changed then.
    pub fn apply_crl(&self, list: &[u8], now: Time64) -> Result<AppliedCrl, CrlRefusal> {
        let data_hash = match parse::<Ieee1609Dot2Data<'_>>(list).map(|data| data.content) {
            Ok(Ieee1609Dot2Content::Signed(signed)) => hash_of_long(list, &signed)?,
            // Its faults are found below.
            _ => None,
        };
        let context = ReceptionContext {
            source: MessageSource::File,
            psid: Some(CRL_PSID),
            data_hash,
            ..ReceptionContext::at(now)
        };
        let received = IncomingMessage {
            message: list,
            context,
        };
        let ahead = |verifier: &Verifier| verifier.look_ahead(received, false);
        let mut ahead = [self.known.read(ahead)];
        self.verify_signatures(&mut ahead);
        match ahead[0].refusal() {
            Some(refusal) => Err(refusal.into()),
            None => self
                .known
                .write(|verifier| verifier.apply_crl(list, &context)),
        }
    }

    /// Forgets messages that are too old to come again.
    pub fn forget_old(&self, now: Time64) {
        self.known.write(|verifier| verifier.forget_old(now));
    }

    /// Returns the number of threads that verify at a time with tables of their own.
    #[must_use]
    pub const fn threads(&self) -> usize {
        self.threads
    }

    pub(crate) fn verify_signatures<J: SignatureJobs>(&self, items: &mut [J]) {
        self.signatures.verify(items);
    }
}
