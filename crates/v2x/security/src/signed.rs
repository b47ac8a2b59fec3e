//! Signed data of a message, in canonical form and as it came, and its signature.

use waywarden_ecverify::{Curve, EncodedSignature, Job, JobKey, Point, SenderId, Verdict};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, SignedData, SignerIdentifier};

use crate::canonical::header_key_lies;
use crate::chain::Link;
use crate::forms::FormCheck;
use crate::hash::{
    DataHash, Digest, HashFunction, hash, hash_certificate, hash_for_signature,
    is_canonical_certificate,
};
use crate::holder::SignedDigest;
use crate::jobs::SignatureJobs;
use crate::key::{hash_of, sender, signature_on};
use crate::result::{Reason, Refusal, ResultCode};
use crate::store::Verified;

/// The signed data of a message, and its signature.
pub(crate) struct Signed<'d, 'm> {
    data: &'d SignedData<'m>,
    function: HashFunction,
    pub(crate) signature: EncodedSignature<'m>,
    omitted: Option<&'d [u8]>,
    pub(crate) hashed: Option<DataHash<'d>>,
}

impl<'d, 'm> Signed<'d, 'm> {
    pub(crate) fn of(
        data: &'d SignedData<'m>,
        curve: Curve,
        external: Option<&'d [u8]>,
    ) -> Result<Self, Refusal> {
        let wrong =
            |field, why| Refusal::message(ResultCode::CryptoVerificationFailure, field, why);
        if !header_key_lies(data.tbs_data.header_info.encryption_key.as_ref()) {
            let why = "an uncompressed point that does not lie on its curve";
            return Err(wrong("encryptionKey", why));
        }
        let function = HashFunction::of(data.hash_id).filter(|own| *own == hash_of(curve));
        let function = function.ok_or_else(|| wrong("hashId", "another hash than the key's"))?;
        let signature = signature_on(curve, &data.signature)
            .ok_or_else(|| wrong("signature", "of another curve than the signer's key"))?;
        let omitted = match (data.tbs_data.payload.omitted, external) {
            (None, _) => None,
            (Some(_), Some(omitted)) => Some(omitted),
            (Some(_), None) => {
                return Err(Refusal::message(
                    ResultCode::InternalConsistencyNoExtDataHashProvided,
                    "omitted",
                    "the receiver has no data for it",
                ));
            }
        };
        Ok(Self {
            data,
            function,
            signature,
            omitted,
            hashed: None,
        })
    }

    /// Returns the signed digests: over the hashes of the data and of the signer's certificate, in
    /// canonical form and, where that differs, as they came.
    pub(crate) fn digest(
        &self,
        signer: Option<(&Certificate<'_>, &Digest)>,
    ) -> Result<SignedDigest, Refusal> {
        let tbs = &self.data.tbs_data;
        let code = ResultCode::ParsingInvalidInput;
        let unwritten = |_| Refusal::message(code, "tbsData", "not to be written");
        let own = match self.omitted {
            None => DataHash::given_or_new(self.hashed, self.function, tbs),
            Some(omitted) => DataHash::with_omitted(self.function, tbs, omitted),
        };
        let own = own.map_err(unwritten)?;
        // A certificate is called by its hash, mostly of the same function. A key without one is
        // hashed as nothing \[1609.2 §5.3.1\].
        let above = match signer {
            None => hash(self.function, &[]),
            Some((_, known)) if known.as_bytes().len() == self.function.bytes() => *known,
            Some((signer, _)) => hash_certificate(self.function, signer).map_err(unwritten)?,
        };
        let canonical = hash_for_signature(self.function, own.canonical(), &above);
        let signer = signer.map(|(signer, _)| signer);
        let is_canonical = own.is_canonical() && signer.is_none_or(is_canonical_certificate);
        let as_is = (self.omitted.is_none() && !is_canonical).then(|| {
            let signer = signer.and_then(Certificate::bytes).unwrap_or(&[]);
            let above = hash(self.function, signer);
            hash_for_signature(self.function, own.as_it_came(), &above)
        });
        Ok(SignedDigest { canonical, as_is })
    }
}

/// Verifies the signature of a message under a key that the caller knows to be the signer's, and
/// nothing else: no chain, no permission, no time. Where keys are known and certificates are not,
/// that tells whether messages are whole.
///
/// # Errors
/// [`ResultCode::CryptoVerificationFailure`], and what cannot be read or hashed.
pub fn verify_signature(
    data: &SignedData<'_>,
    signer: &Certificate<'_>,
    key: &Point,
    external_data: Option<&[u8]>,
) -> Result<(), Refusal> {
    let check = SignatureCheck::new(data, signer, key, external_data)?;
    let encoded = check.key();
    check
        .check
        .verify(key.curve(), encoded)
        .map_err(wrong_signature)
}

/// Verifies the signature of a message under a certificate that was verified, and nothing else, as
/// [`verify_signature`] does.
///
/// # Errors
/// [`ResultCode::CryptoVerificationFailure`], and what cannot be read or hashed.
pub fn verify_signature_by(data: &SignedData<'_>, signer: &Verified) -> Result<(), Refusal> {
    let Some(key) = signer.public_key() else {
        let code = ResultCode::CryptoVerificationFailure;
        let why = "no key can be rebuilt from it";
        return Err(Refusal::certificate(
            code,
            signer.id(),
            "verifyKeyIndicator",
            why,
        ));
    };
    verify_signature(data, &signer.view()?, &key, None)
}

/// Verifies the signature of a message whose signer has no certificate, under a key that the caller
/// knows from elsewhere: from the payload, where the message proves possession of it, or from a
/// registration \[1609.2 §6.3.4, `self`\].
///
/// # Errors
/// [`ResultCode::CryptoVerificationFailure`], also for a signer that is named otherwise.
pub fn verify_own_signature(data: &SignedData<'_>, key: &Point) -> Result<(), Refusal> {
    if !matches!(data.signer, SignerIdentifier::OwnKey(_)) {
        let code = ResultCode::CryptoVerificationFailure;
        return Err(Refusal::message(code, "signer", "another one than `self`"));
    }
    let signed = Signed::of(data, key.curve(), None)?;
    let check = FormCheck::new(signed.digest(None)?, signed.signature);
    let verified = check.verify(key.curve(), JobKey::Explicit(key.uncompressed()));
    verified.map_err(wrong_signature)
}

fn wrong_signature(refusal: waywarden_ecverify::SignatureRefusal) -> Refusal {
    Refusal {
        code: ResultCode::CryptoVerificationFailure,
        certificate: None,
        field: "signature",
        reason: Reason::Signature(refusal),
    }
}

/// The jobs of [`verify_signature`] for the arithmetic, so that those of many messages can be
/// verified together.
#[derive(Debug)]
pub struct SignatureCheck<'a> {
    check: FormCheck<'a>,
    key: &'a Point,
    sender: SenderId,
}

impl<'a> SignatureCheck<'a> {
    /// Finds what is signed.
    ///
    /// # Errors
    /// What cannot be read or hashed, and a signature of another curve than the key's.
    pub fn new(
        data: &SignedData<'a>,
        signer: &Certificate<'_>,
        key: &'a Point,
        external_data: Option<&[u8]>,
    ) -> Result<Self, Refusal> {
        let signed = Signed::of(data, key.curve(), external_data)?;
        let link = Link::new(*signer)?;
        let digest = signed.digest(Some((signer, &link.digest)))?;
        Ok(Self {
            check: FormCheck::new(digest, signed.signature),
            key,
            sender: sender(link.id()),
        })
    }

    fn key(&self) -> JobKey<'a> {
        JobKey::Explicit(self.key.uncompressed())
    }

    /// Returns true if the signature is valid; `None` while a job is left.
    #[must_use]
    pub fn is_valid(&self) -> Option<bool> {
        self.check.decided().map(|decided| decided.is_ok())
    }
}

impl SignatureJobs for SignatureCheck<'_> {
    fn job(&self) -> Option<Job<'_>> {
        let curve = self.key.curve();
        self.check.job(curve, self.key(), Some(self.sender))
    }

    fn record(&mut self, verdict: Verdict) {
        self.check.record(verdict);
    }
}
