//! A holder's request, as a registration authority takes it.

use waywarden_ecverify::{Job, JobKey, Point, verify};
use waywarden_v2x_keys::butterfly::{ExpansionFunction, Purpose};
use waywarden_v2x_security::hash::{HashFunction, hash, hash_certificate, hash_for_signature};
use waywarden_v2x_security::{Verifier, may_request, signature_on};
use waywarden_v2x_signing::{Recipient, hash_of};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, CertificateType, Ieee1609Dot2Content, Ieee1609Dot2Data,
    SignerIdentifier, Time32, ToBeSignedCertificate, VerificationKeyIndicator,
};
use waywarden_v2x_wire::ieee1609dot2dot1::{
    AdditionalParams, ButterflyExpansion, EeRaCertRequest, EeRaInterfacePdu, ScmsContent, ScmsPdu,
    SignedCertificateRequest,
};
use zeroize::Zeroizing;

use super::error::PseudonymError;
use super::issuing::check_same;
use super::message::{microseconds, verification_point, wrong};

/// A request may say that it was made so many seconds after the authority's time: clocks differ.
const AHEAD_MAX: u32 = 300;

/// A request that was verified.
pub(super) struct ReceivedRequest {
    /// The request itself, decrypted.
    request: Zeroizing<Vec<u8>>,
    caterpillars: [Point; 2],
    expansions: [ExpansionFunction; 2],
}

impl ReceivedRequest {
    /// Checks a request that was decrypted: by a signer whose issuer `verifier` knows.
    pub(super) fn new(
        opened: &[u8],
        verifier: &Verifier,
        now: Time32,
    ) -> Result<Self, PseudonymError> {
        let Ieee1609Dot2Content::SignedCertificateRequest(inner) =
            parse::<Ieee1609Dot2Data<'_>>(opened)?.content
        else {
            return Err(wrong("content", "signedCertificateRequest"));
        };
        let inner: SignedCertificateRequest<'_> = parse(inner)?;
        let bytes = inner.request.bytes().unwrap_or(&[]);
        let request = cert_request(&inner.request)?;
        if request.generation_time.0 > now.0.saturating_add(AHEAD_MAX) {
            return Err(wrong("generationTime", "not in the future"));
        }
        let enrolment = verified_signer(&inner, bytes, verifier, now)?;
        let enrolment: Certificate<'_> = parse(&enrolment)?;
        may_request(&enrolment.to_be_signed, &request.tbs_cert)?;
        Self::of(&request, bytes)
    }

    /// Takes a request for butterfly certificates, and refuses others.
    fn of(request: &EeRaCertRequest<'_>, bytes: &[u8]) -> Result<Self, PseudonymError> {
        let asked = &request.tbs_cert;
        check_same(asked)?;
        if request.kind != CertificateType::Implicit {
            return Err(wrong("type", "implicit"));
        }
        if !matches!(asked.id, CertificateId::None(_)) {
            return Err(wrong("id", "none"));
        }
        let VerificationKeyIndicator::VerificationKey(key) = &asked.verify_key_indicator else {
            return Err(wrong("verifyKeyIndicator", "a caterpillar key"));
        };
        let signing = verification_point(key);
        let signing = signing.ok_or(wrong(
            "verifyKeyIndicator",
            "a point of a curve of 256 bits",
        ))?;
        let Some(AdditionalParams::Original(params)) = &request.additional_params else {
            return Err(wrong("additionalParams", "original"));
        };
        let encryption = *Recipient::response_key(&params.encryption_key)?.public_key();
        let ButterflyExpansion::Aes128(by) = params.signing_expansion;
        let ButterflyExpansion::Aes128(encryption_by) = params.encryption_expansion;
        Ok(Self {
            request: Zeroizing::new(bytes.to_vec()),
            caterpillars: [signing, encryption],
            expansions: [
                ExpansionFunction::new(Purpose::Signing, by),
                ExpansionFunction::new(Purpose::Encryption, encryption_by),
            ],
        })
    }

    /// The caterpillar keys, for signing and for encryption.
    pub(super) fn caterpillars(&self) -> &[Point; 2] {
        &self.caterpillars
    }

    /// Returns the functions that expand the caterpillar keys, for signing and for encryption.
    pub(super) fn expansions(&self) -> &[ExpansionFunction; 2] {
        &self.expansions
    }

    /// Returns the requested contents of the certificates.
    pub(super) fn contents(&self) -> Result<ToBeSignedCertificate<'_>, PseudonymError> {
        let pdu: ScmsPdu<'_> = parse(&self.request)?;
        Ok(cert_request(&pdu)?.tbs_cert)
    }
}

/// Verifies the signer of a request, whose certificate it returns, and the signature.
fn verified_signer(
    request: &SignedCertificateRequest<'_>,
    bytes: &[u8],
    verifier: &Verifier,
    now: Time32,
) -> Result<Vec<u8>, PseudonymError> {
    let SignerIdentifier::Certificate(signer) = &request.signer else {
        return Err(wrong("signer", "an enrolment certificate"));
    };
    let mut certificates = signer.iter();
    let own = certificates.next().transpose()?;
    let own = own.filter(|_| certificates.next().is_none());
    let own = own.and_then(|own| own.bytes());
    let own = own.ok_or(wrong("signer", "one enrolment certificate"))?;
    let verified = verifier.verify_certificate(own);
    let verified = verified.map_err(PseudonymError::Refused)?;
    let (start, end) = verified.validity();
    if !(start..end).contains(&microseconds(now)) {
        return Err(wrong(
            "signer",
            "an enrolment certificate that is valid now",
        ));
    }
    let key = verified.public_key();
    let key = key.ok_or(wrong("signer", "a certificate with a key"))?;
    let function = hash_of(key.curve());
    if HashFunction::of(request.hash_algorithm) != Some(function) {
        return Err(wrong("hashAlgorithmId", "that of the signer's curve"));
    }
    let of_signer = hash_certificate(function, &verified.view()?)?;
    let digest = hash_for_signature(function, &hash(function, bytes), &of_signer);
    let signature = signature_on(key.curve(), &request.signature);
    let verdict = verify(&Job {
        curve: key.curve(),
        digest: digest.as_bytes(),
        signature: signature.ok_or(wrong("signature", "of the signer's curve"))?,
        key: JobKey::Explicit(key.uncompressed()),
        sender: None,
    });
    match verdict {
        Ok(()) => Ok(own.to_vec()),
        Err(_) => Err(wrong("signature", "the signer's")),
    }
}

fn cert_request<'a>(pdu: &ScmsPdu<'a>) -> Result<EeRaCertRequest<'a>, PseudonymError> {
    match pdu.content {
        ScmsContent::EeRa(EeRaInterfacePdu::CertRequest(request)) => Ok(request),
        _ => Err(wrong("content", "eeRaCertRequest")),
    }
}
