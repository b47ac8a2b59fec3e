//! Statements of a received message about certificates.

use waywarden_v2x_security::hash::{Digest, HashFunction, certificate_digest, hash};
use waywarden_v2x_security::{
    Accepted, PreparedCertificate, Reason, Refusal, ResultCode, Verifier,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashedId8, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, IssuerIdentifier,
    SignerIdentifier,
};

use crate::profile::{CertificateExchange, SendingProfile};

/// Statements of a received message about certificates, read without any state, so that no lock is
/// held for it. Linear in the message.
#[derive(Clone, Debug)]
pub struct Observation<'m> {
    pub(super) header: HeaderInfo<'m>,
    /// The certificate that the message lacks.
    pub(super) missing: Option<HashedId8>,
    /// True if the signer's certificate came for the first time.
    pub(super) is_new: bool,
    pub(super) brought: Option<OfferedCertificate<'m>>,
}

impl<'m> Observation<'m> {
    /// Reads a message that was accepted or refused; `None` if it is no signed message.
    #[must_use]
    pub fn of(message: &'m [u8], verdict: Result<&Accepted<'_>, &Refusal>) -> Option<Self> {
        let message: Ieee1609Dot2Data<'m> = parse(message).ok()?;
        let Ieee1609Dot2Content::Signed(data) = message.content else {
            return None;
        };
        let header = data.tbs_data.header_info;
        let brought = header.requested_certificate.as_ref();
        let brought = brought.and_then(|one| one.view().ok());
        Some(Self {
            header,
            missing: verdict
                .err()
                .and_then(|refusal| missing(refusal, &data.signer)),
            is_new: verdict.is_ok_and(|accepted| accepted.signer_is_new),
            brought: brought.and_then(|one| OfferedCertificate::of(&one)),
        })
    }

    /// Takes what a receiver found that is simulated without a verifier: the header of a message,
    /// the certificate that it lacks, and whether it brought its signer's for the first time. A
    /// certificate that it gives to others is not looked at.
    #[must_use]
    pub fn simulated(header: HeaderInfo<'m>, missing: Option<HashedId8>, is_new: bool) -> Self {
        Self {
            header,
            missing,
            is_new,
            brought: None,
        }
    }

    /// Returns true if the sender may be new and lack the certificate of this station
    /// \[TS 103 097 §7.1.1\].
    pub(super) fn is_of_unknown_station(&self) -> bool {
        let asks_in_header =
            SendingProfile::of(self.header.psid).exchange == CertificateExchange::Inline;
        (self.is_new || self.missing.is_some()) && asks_in_header
    }
}

/// Finds the certificate that a refused message lacks.
fn missing(refusal: &Refusal, signer: &SignerIdentifier<'_>) -> Option<HashedId8> {
    match (refusal.code, signer) {
        (ResultCode::ParsingCertificateNotFound, SignerIdentifier::Digest(id)) => Some(*id),
        (
            ResultCode::ChainNotEnoughInformationToConstructChain,
            SignerIdentifier::Certificate(chain),
        ) => chain.iter().flatten().last().and_then(|last| issuer(&last)),
        _ => None,
    }
}

/// Returns the identifier of a certificate's issuer.
fn issuer(certificate: &Certificate<'_>) -> Option<HashedId8> {
    match certificate.issuer {
        IssuerIdentifier::Sha256AndDigest(id) | IssuerIdentifier::Sha384AndDigest(id) => Some(id),
        IssuerIdentifier::SelfIssued(_) | IssuerIdentifier::Sm3AndDigest(_) => None,
    }
}

/// A certificate that another station gives.
#[derive(Clone, Debug)]
pub struct OfferedCertificate<'m> {
    pub(super) bytes: &'m [u8],
    pub(super) digest: Digest,
    /// Hash of the bytes as they came, signature included. The digest of a certificate leaves parts
    /// out: forged bytes with the digest of a genuine certificate must not be taken for it.
    pub(super) whole: Digest,
}

impl<'m> OfferedCertificate<'m> {
    pub(super) fn of(certificate: &Certificate<'m>) -> Option<Self> {
        let bytes = certificate.bytes()?;
        Some(Self {
            bytes,
            digest: certificate_digest(certificate)?,
            whole: hash(HashFunction::Sha256, bytes),
        })
    }

    pub(super) fn id(&self) -> HashedId8 {
        self.digest.id_8()
    }

    /// Prepares the certificate, so that its signature can be verified with no lock held. No
    /// signature is verified here.
    ///
    /// `Choice:` an implicit certificate is not learnt, unless the verifier's
    /// [`Limits`](waywarden_v2x_security::Limits) allow `unknown_implicit_issuers`: it has no
    /// signature, so that a stranger could make any number of them.
    ///
    /// # Errors
    /// As in [`Verifier::prepare_certificate`].
    pub fn prepare(&self, verifier: &Verifier) -> Result<PreparedCertificate<'m>, Refusal> {
        let prepared = verifier.prepare_certificate(self.bytes)?;
        if prepared.is_known_or_signed() || verifier.limits().unknown_implicit_issuers {
            return Ok(prepared);
        }
        Err(Refusal {
            code: ResultCode::ChainNotEnoughInformationToConstructChain,
            certificate: Some(self.id()),
            field: "requestedCertificate",
            reason: Reason::Words("an implicit certificate that came alone is not learnt"),
        })
    }
}

/// Outcome of an offered certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferOutcome {
    /// The verifier knows it.
    Learnt,
    /// Its signature is wrong. The same bytes are not verified again.
    Wrong,
    /// It was refused for another reason, which may pass: its issuer is not known, or a list is
    /// overdue.
    Undecided,
}

impl<T> From<&Result<T, Refusal>> for OfferOutcome {
    fn from(learnt: &Result<T, Refusal>) -> Self {
        match learnt {
            Ok(_) => Self::Learnt,
            Err(refusal) if refusal.code == ResultCode::CryptoVerificationFailure => Self::Wrong,
            Err(_) => Self::Undecided,
        }
    }
}
