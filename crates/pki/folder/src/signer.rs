//! A station that signs payloads, with the header that the profile of their application demands.

use std::fmt;

use waywarden_ecverify::Point;
use waywarden_v2x_keys::{KeyStore, NonceForm};
use waywarden_v2x_pki::Seeds;
use waywarden_v2x_security::Profiles;
use waywarden_v2x_signing::{
    Credential, PayloadToSign, SignError, SignerForm, SigningOptions, UnsignedMessage, sign,
    wire_key,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi103097::check_message;
use waywarden_v2x_wire::ieee1609dot2::{
    Duration, EncryptionKey, HeaderInfo, Ieee1609Dot2Data, Psid, ThreeDLocation, Time64,
};
use zeroize::Zeroizing;

use crate::permission::show_psid;

/// A credential with its key store, and chance for nonces.
pub struct PayloadSigner<S> {
    store: S,
    credential: Credential,
    seeds: Seeds,
}

/// Header and form of a message to sign.
#[derive(Clone, Debug)]
pub struct MessageForm {
    /// The application.
    pub psid: Psid,
    /// Generation location.
    pub location: Option<ThreeDLocation>,
    /// Time until the message expires.
    pub lifetime: Option<Duration>,
    /// Public key for the header, to which answers are encrypted.
    pub answer_key: Option<Point>,
    /// The form in which the message names its signer.
    pub signer: SignerForm,
    /// The form of the signature's r.
    pub nonce: NonceForm,
}

/// Reason why a payload is not signed.
#[derive(Clone, Debug)]
pub enum SigningFault {
    /// The profile demands a generation location, and there is none.
    NoLocation(Psid),
    /// The profile demands an expiry time, and there is none.
    NoExpiry(Psid),
    /// The message deviates from the profile: the deviations in words.
    Deviations(Psid, Vec<String>),
    /// It cannot be signed, or the certificate does not permit it.
    Signing(SignError),
}

impl fmt::Display for SigningFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLocation(psid) => write!(
                formatter,
                "generationLocation: the profile of {} demands it",
                show_psid(*psid)
            ),
            Self::NoExpiry(psid) => write!(
                formatter,
                "expiryTime: the profile of {} demands it",
                show_psid(*psid)
            ),
            Self::Deviations(psid, all) => write!(
                formatter,
                "the profile of {} (ETSI TS 103 097): {}; nothing was signed",
                show_psid(*psid),
                all.join(", ")
            ),
            Self::Signing(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for SigningFault {}

impl MessageForm {
    /// Checks that the header has the fields which the application's profile requires.
    ///
    /// # Errors
    /// [`SigningFault::NoLocation`] and [`SigningFault::NoExpiry`].
    pub fn check(&self) -> Result<(), SigningFault> {
        let profile = *Profiles::default().of(self.psid);
        if profile.needs_generation_location && self.location.is_none() {
            return Err(SigningFault::NoLocation(self.psid));
        }
        if profile.needs_expiry_time && self.lifetime.is_none() {
            return Err(SigningFault::NoExpiry(self.psid));
        }
        Ok(())
    }

    /// Checks that a signed message follows the European profile of its application.
    ///
    /// # Errors
    /// [`SigningFault::Deviations`].
    pub fn check_signed(&self, signed: &[u8]) -> Result<(), SigningFault> {
        if Profiles::default().of(self.psid).message_profile.is_none() {
            return Ok(());
        }
        let mut deviations = Vec::new();
        match parse::<Ieee1609Dot2Data<'_>>(signed) {
            Ok(data) => check_message(&data, &mut |deviation| {
                deviations.push(deviation.to_string());
            }),
            Err(error) => deviations.push(error.to_string()),
        }
        match deviations.is_empty() {
            true => Ok(()),
            false => Err(SigningFault::Deviations(self.psid, deviations)),
        }
    }
}

impl<S: KeyStore> PayloadSigner<S> {
    /// Takes a credential with the store of its key.
    pub fn new(store: S, credential: Credential, seeds: Seeds) -> Self {
        Self {
            store,
            credential,
            seeds,
        }
    }

    /// Returns the credential.
    pub fn credential(&self) -> &Credential {
        &self.credential
    }

    /// Signs a payload that is made at this time. The profile of the application is checked by
    /// [`MessageForm::check`] before and [`MessageForm::check_signed`] after it.
    ///
    /// # Errors
    /// [`SigningFault::Signing`]: never is anything signed that the certificate does not permit.
    pub fn sign(
        &mut self,
        payload: &[u8],
        form: &MessageForm,
        made: Time64,
    ) -> Result<Zeroizing<Vec<u8>>, SigningFault> {
        let expires = |lifetime: Duration| Time64(made.0.saturating_add(lifetime.microseconds()));
        let answer_key = form.answer_key.as_ref().and_then(|key| wire_key(key).ok());
        let header = HeaderInfo {
            encryption_key: answer_key.map(EncryptionKey::Public),
            generation_time: Some(made),
            expiry_time: form.lifetime.map(expires),
            generation_location: form.location,
            ..HeaderInfo::new(form.psid)
        };
        let message = UnsignedMessage {
            payload: PayloadToSign::Data(payload),
            header,
        };
        let entropy = self.seeds.next();
        let curve = self.credential.curve();
        let signing = SigningOptions {
            signer: form.signer,
            form: form.nonce,
            nonce: self.store.capabilities(curve).nonce(&entropy),
        };
        let signed = sign(&mut self.store, &self.credential, &message, &signing);
        signed.map(Zeroizing::new).map_err(SigningFault::Signing)
    }
}
