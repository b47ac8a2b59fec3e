//! Opening of responses, by stations and by the authorization authority.

use core::fmt;
use std::sync::Arc;

use waywarden_ecverify::Point;
use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_security::{Refusal, Verified, Verifier, verify_signature_by};
use waywarden_v2x_signing::{DecryptionKeys, Recipient};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashedId8, Ieee1609Dot2Data, Psid, SignedData, SignerIdentifier, Time64,
};

use super::message::{
    EnrolmentLimits, MessageFault, MessageKey, first_half, open, payload, read_signed,
};
use super::ssp;
use crate::contents::Contents;

/// Reason for refusing a response. `C` is the list of codes that it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseRefusal<C> {
    /// The message is not one that can be read here and now.
    Message(MessageFault),
    /// It is signed by another one than the authority that was asked.
    OtherAuthority,
    /// The authority's certificate is not valid at this time, or permits no such response.
    AuthorityNotValid,
    /// The authority's signature is wrong.
    Signature(Refusal),
    /// It answers another request.
    OtherRequest,
    /// The authority refuses: its code.
    Denied(C),
    /// The certificate does not verify.
    Certificate(Refusal),
    /// The certificate is of another issuer than the authority that was asked.
    OtherIssuer,
    /// The certificate has another key than the one that was asked for: the field.
    OtherKey(&'static str),
    /// The certificate permits this application, which was not asked for.
    OtherPermissions(Psid),
}

impl<C> From<MessageFault> for ResponseRefusal<C> {
    fn from(fault: MessageFault) -> Self {
        Self::Message(fault)
    }
}

impl<C: fmt::Debug> fmt::Display for ResponseRefusal<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(fault) => fault.fmt(f),
            Self::OtherAuthority => f.write_str("signer: not the authority that was asked"),
            Self::AuthorityNotValid => {
                f.write_str("the authority's certificate does not permit this response now")
            }
            Self::Signature(refusal) => refusal.fmt(f),
            Self::OtherRequest => f.write_str("requestHash: of another request"),
            Self::Denied(code) => write!(f, "responseCode: {code:?}"),
            Self::Certificate(refusal) => refusal.fmt(f),
            Self::OtherIssuer => f.write_str("issuer: not the authority that was asked"),
            Self::OtherKey(field) => write!(f, "{field}: not the key that was asked for"),
            Self::OtherPermissions(psid) => {
                write!(
                    f,
                    "appPermissions: application {} was not asked for",
                    psid.0
                )
            }
        }
    }
}

impl<C: fmt::Debug> core::error::Error for ResponseRefusal<C> {}

/// State of the requester that waits for a response.
#[derive(Clone)]
pub(super) struct Awaited {
    /// The key that it is encrypted under.
    pub(super) key: MessageKey,
    /// The hash of the request, of its data and of the message.
    pub(super) hashes: [[u8; 32]; 2],
    /// Authority that answers.
    pub(super) authority: Arc<Verified>,
    /// SSP bit that the authority's certificate must permit.
    pub(super) permission: u8,
}

impl Awaited {
    /// Opens a response and verifies who signed it; returns its payload.
    pub(super) fn open<S: KeyStore + ?Sized, C>(
        &self,
        store: &mut S,
        response: &[u8],
        now: Time64,
        limits: &EnrolmentLimits,
    ) -> Result<Vec<u8>, ResponseRefusal<C>> {
        let unwritten = |_| MessageFault::Content("a key that can be named");
        let keys = DecryptionKeys::new().with_symmetric_key(&self.key);
        let opened = open(store, &keys.map_err(unwritten)?, response, limits)?;
        let data: Ieee1609Dot2Data<'_> = parse(&opened.data).map_err(MessageFault::from)?;
        let signed = read_signed(&data, now, limits)?;
        if named_signer(&signed)? != self.authority.id() {
            return Err(ResponseRefusal::OtherAuthority);
        }
        if !is_valid(&self.authority, now) || !ssp::permits(&self.authority, self.permission) {
            return Err(ResponseRefusal::AuthorityNotValid);
        }
        verify_signature_by(&signed, &self.authority).map_err(ResponseRefusal::Signature)?;
        Ok(payload(&signed)?.to_vec())
    }

    /// Checks that the response is to the request.
    pub(super) fn check_hash<C>(&self, hash: &[u8; 16]) -> Result<(), ResponseRefusal<C>> {
        match self.hashes.iter().any(|own| hash == first_half(own)) {
            true => Ok(()),
            false => Err(ResponseRefusal::OtherRequest),
        }
    }

    /// Verifies the certificate of a response, whose request has this hash, and that it is the one
    /// that was asked for. Without one the response has a code.
    pub(super) fn certificate<C>(
        &self,
        verifier: &Verifier,
        (hash, issued): (&[u8; 16], Result<&Certificate<'_>, C>),
        asked: &Asked,
    ) -> Result<Arc<Verified>, ResponseRefusal<C>> {
        self.check_hash(hash)?;
        let certificate = issued.map_err(ResponseRefusal::Denied)?;
        let bytes = certificate.bytes().unwrap_or(&[]);
        let verified = verifier.verify_certificate(bytes);
        let verified = verified.map_err(ResponseRefusal::Certificate)?;
        if verified.issuer().map(|issuer| issuer.id()) != Some(self.authority.id()) {
            return Err(ResponseRefusal::OtherIssuer);
        }
        if verified.public_key() != Some(asked.key) {
            return Err(ResponseRefusal::OtherKey("verifyKeyIndicator"));
        }
        let own = &certificate.to_be_signed;
        let key = own.encryption_key.as_ref();
        let key = key.map(|key| Recipient::response_key(key).ok());
        let is_asked = match (&key, &asked.contents.encryption_key) {
            (None, None) => true,
            (Some(Some(own)), Some(asked)) => own.public_key() == asked,
            _ => false,
        };
        if !is_asked {
            return Err(ResponseRefusal::OtherKey("encryptionKey"));
        }
        let asked = &asked.contents.permissions;
        for one in own.app_permissions.iter().flatten().flatten() {
            if !asked.iter().any(|(psid, _)| *psid == one.psid) {
                return Err(ResponseRefusal::OtherPermissions(one.psid));
            }
        }
        Ok(verified)
    }
}

/// Key and contents that a certificate was requested with.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) key: Point,
    pub(super) contents: Contents,
}

/// Returns whose certificate signed data names, by its hash.
///
/// Choice: authorities and credentials are named by their hash and known beforehand, as TS 102 941
/// has it. A certificate in the message is not learnt.
pub(super) fn named_signer(signed: &SignedData<'_>) -> Result<HashedId8, MessageFault> {
    match signed.signer {
        SignerIdentifier::Digest(id) => Ok(id),
        _ => Err(MessageFault::Content("signed by a certificate's digest")),
    }
}

/// Returns true if a certificate is valid at a time.
pub(super) fn is_valid(certificate: &Verified, now: Time64) -> bool {
    let (start, end) = certificate.validity();
    start <= now && now < end
}
