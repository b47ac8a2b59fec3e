//! A station's messages, each by its application's profile.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_security::Verifier;
use waywarden_v2x_security::{Accepted, Refusal, store::Verified};
use waywarden_v2x_wire::coer::{NestedEncoding, SequenceOf};
use waywarden_v2x_wire::etsi103097::{MessageProfile, its_aid};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HeaderInfo, Psid, ThreeDLocation, Time64};

use crate::credential::Credential;
use crate::distribution::{CertificateDistribution, MessageAdditions};
use crate::error::SignError;
use crate::profile::{CertificateExchange, CertificateRule, SendingProfile};
use crate::seed::Seed;
use crate::sign::{PayloadToSign, SignerForm, SigningOptions, UnsignedMessage, sign};

/// A message that an application wants to send.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'m> {
    /// Application of the message.
    pub psid: Psid,
    /// Payload of the message.
    pub payload: &'m [u8],
    /// Position of the station; `None` if it is not known.
    pub location: Option<ThreeDLocation>,
}

/// Options of one message, in place of those of its application's profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SendingOptions {
    /// Form in which the message names its signer.
    pub signer: Option<SignerForm>,
    /// Time until the message expires, in microseconds.
    pub lifetime: Option<u64>,
}

/// Signs a station's messages: which header fields they have, and when they carry the certificate,
/// is the profile's to say and the receivers' to ask.
#[derive(Clone, Debug)]
pub struct MessageSigner {
    credential: Credential,
    distribution: CertificateDistribution,
    profiles: BTreeMap<Psid, SendingProfile>,
    /// Time at which a message of each application carried the certificate last.
    certificate_sent: BTreeMap<Psid, Time64>,
}

impl MessageSigner {
    /// Signs with this credential.
    #[must_use]
    pub fn new(credential: Credential) -> Self {
        let sender = Self {
            credential,
            distribution: CertificateDistribution::default(),
            profiles: BTreeMap::new(),
            certificate_sent: BTreeMap::new(),
        };
        sender.with_distribution(CertificateDistribution::default())
    }

    /// Asks for and gives certificates so.
    #[must_use]
    pub fn with_distribution(mut self, distribution: CertificateDistribution) -> Self {
        self.distribution = distribution;
        self.signs_with_credential();
        self
    }

    /// Sends an application's messages so, in place of [`SendingProfile::of`].
    #[must_use]
    pub fn with_profile(mut self, psid: Psid, profile: SendingProfile) -> Self {
        self.profiles.insert(psid, profile);
        self
    }

    /// Returns with what it signs.
    #[must_use]
    pub fn credential(&self) -> &Credential {
        &self.credential
    }

    /// Signs with another credential from now on: its certificate goes into the next message.
    pub fn change_credential(&mut self, credential: Credential) {
        self.credential = credential;
        self.certificate_sent.clear();
        self.signs_with_credential();
    }

    fn signs_with_credential(&mut self) {
        let own = [self.credential.certificate()].into_iter().collect();
        self.distribution.set_own(own);
    }

    /// Takes note of a received message; see [`CertificateDistribution::observe`].
    pub fn observe(
        &mut self,
        verifier: &mut Verifier,
        message: &[u8],
        verdict: Result<&Accepted<'_>, &Refusal>,
        (now, seed): (Time64, &Seed),
    ) -> Option<Arc<Verified>> {
        self.distribution
            .observe(verifier, message, verdict, (now, seed))
    }

    /// Returns the certificate distribution, for answers that are messages of their own.
    pub fn distribution(&mut self) -> &mut CertificateDistribution {
        &mut self.distribution
    }

    /// Signs a message, made now.
    ///
    /// # Errors
    /// [`SignError::Missing`] for a location that the profile demands; as in [`sign`].
    pub fn send<S: KeyStore + ?Sized>(
        &mut self,
        store: &mut S,
        statement: &Statement<'_>,
        now: Time64,
        seed: &Seed,
    ) -> Result<Vec<u8>, SignError> {
        self.send_with(store, statement, SendingOptions::default(), (now, seed))
    }

    /// Signs a message, made now, that deviates from its application's profile as the options say.
    ///
    /// # Errors
    /// As in [`send`](Self::send), and [`SignError::Message`] for a signer that receivers refuse by
    /// ETSI TS 103 097: a chain of several certificates, or the hash of one in a DENM.
    pub fn send_with<S: KeyStore + ?Sized>(
        &mut self,
        store: &mut S,
        statement: &Statement<'_>,
        options: SendingOptions,
        made: (Time64, &Seed),
    ) -> Result<Vec<u8>, SignError> {
        // It is there again when this returns.
        let mut distribution = core::mem::take(&mut self.distribution);
        let own = self.credential.id();
        let signed = self.send_sharing(store, statement, options, made, |now, exchange, is_due| {
            distribution.take(own, now, exchange, is_due)
        });
        self.distribution = distribution;
        signed
    }

    /// Does what [`send_with`](Self::send_with) does for a station with several senders, which
    /// share what is asked and answered: `take` calls [`CertificateDistribution::take`] of theirs,
    /// at most once.
    ///
    /// # Errors
    /// As in [`send_with`](Self::send_with).
    pub fn send_sharing<S: KeyStore + ?Sized>(
        &mut self,
        store: &mut S,
        statement: &Statement<'_>,
        options: SendingOptions,
        (now, seed): (Time64, &Seed),
        take: impl FnOnce(Time64, CertificateExchange, bool) -> MessageAdditions,
    ) -> Result<Vec<u8>, SignError> {
        let psid = statement.psid;
        let profile = self.profiles.get(&psid).copied();
        let profile = profile.unwrap_or_else(|| SendingProfile::of(psid));
        let profile = SendingProfile {
            lifetime: options.lifetime.or(profile.lifetime),
            ..profile
        };
        let header = header(statement, &profile, now)?;
        self.credential.check(&header)?;
        if let Some(signer) = options.signer {
            check_signer(&self.credential, psid, signer)?;
        }
        let own_is_due = match (profile.certificate, self.certificate_sent.get(&psid)) {
            (CertificateRule::Always, _) | (_, None) => true,
            (CertificateRule::Every(period), Some(sent)) => now.0 >= sent.0.saturating_add(period),
        };
        let additions = take(now, profile.exchange, own_is_due);
        let signer = options
            .signer
            .unwrap_or(match additions.with_own_certificate {
                true => SignerForm::Certificate,
                false => SignerForm::Digest,
            });
        let certificate = additions.certificate.as_ref();
        let view: Option<Certificate<'_>> = certificate.and_then(|one| one.view().ok());
        let header = HeaderInfo {
            inline_p2pcd_request: match (profile.exchange, &additions.requests[..]) {
                (CertificateExchange::Inline, requests @ [_, ..]) => SequenceOf::new(requests),
                _ => None,
            },
            p2pcd_learning_request: match profile.exchange {
                CertificateExchange::Separate => additions.requests.first().copied(),
                _ => None,
            },
            requested_certificate: view.as_ref().map(NestedEncoding::Value),
            ..header
        };
        let message = UnsignedMessage {
            payload: PayloadToSign::Data(statement.payload),
            header,
        };
        let entropy = seed.derive("signature", 0);
        let options = SigningOptions {
            signer,
            form: profile.form,
            nonce: store.capabilities(self.credential.curve()).nonce(&entropy),
        };
        let signed = sign(store, &self.credential, &message, &options)?;
        if signer != SignerForm::Digest {
            self.certificate_sent.insert(psid, now);
        }
        Ok(signed)
    }
}

/// Checks that receivers take a signer so named \[TS 103 097 §5.2, §7.1.2\].
fn check_signer(credential: &Credential, psid: Psid, signer: SignerForm) -> Result<(), SignError> {
    let profile = MessageProfile::of(psid);
    let is_european = profile != MessageProfile::Other || its_aid::EUROPEAN.contains(&psid);
    match signer {
        SignerForm::Digest if profile == MessageProfile::Denm => Err(SignError::Message(
            "signer: a DENM names it by its certificate (ETSI TS 103 097); send `certificate`",
        )),
        SignerForm::Chain if is_european && chain_length(credential) > 1 => {
            Err(SignError::Message(
                "signer: messages of this application have exactly one certificate (ETSI TS 103 \
                 097); send `certificate`",
            ))
        }
        _ => Ok(()),
    }
}

/// Returns the number of certificates of a chain in a message: all but the trust anchor.
fn chain_length(credential: &Credential) -> usize {
    let chain = credential.certificate().chain();
    chain.filter(|one| one.issuer().is_some()).count()
}

fn header(
    statement: &Statement<'_>,
    profile: &SendingProfile,
    now: Time64,
) -> Result<HeaderInfo<'static>, SignError> {
    let generation_location = match (profile.with_location, statement.location) {
        (false, _) => None,
        (true, None) => return Err(SignError::Missing("generationLocation")),
        (true, location) => location,
    };
    Ok(HeaderInfo {
        generation_time: Some(now),
        generation_location,
        expiry_time: profile
            .lifetime
            .map(|lifetime| Time64(now.0.saturating_add(lifetime))),
        ..HeaderInfo::new(statement.psid)
    })
}
