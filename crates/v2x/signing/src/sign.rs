//! Messages signed \[1609.2 §5.2.2, §6.3.4\].

use alloc::vec::Vec;

use waywarden_ecverify::Curve;
use waywarden_v2x_keys::{KeyHandle, KeyStore, Nonce, NonceForm};
use waywarden_v2x_security::hash::{
    Digest, HashFunction, hash, hash_canonical, hash_for_signature,
};
use waywarden_v2x_wire::coer::{NestedEncoding, Null, Raw, SequenceOf, UnknownAdditions, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashAlgorithm, HashedData, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data,
    PayloadParts, SignedData, SignedDataPayload, SignerIdentifier, ToBeSignedData, Version3,
};

use crate::credential::{Credential, hash_of};
use crate::error::SignError;
use crate::written::written;

/// The payload of a signed message.
#[derive(Clone, Copy, Debug)]
pub enum PayloadToSign<'m> {
    /// The data of an application, which travels in the message as it is.
    Data(&'m [u8]),
    /// Secured data of this standard in the message: encrypted, or signed by someone else.
    Secured(&'m Ieee1609Dot2Data<'m>),
    /// The hash of data that travels elsewhere.
    Hash(HashedData<'m>),
}

/// A message to sign.
#[derive(Clone, Copy, Debug)]
pub struct UnsignedMessage<'m> {
    /// Payload of the message.
    pub payload: PayloadToSign<'m>,
    /// The header; its application must be one that the signer's certificate permits.
    pub header: HeaderInfo<'m>,
}

/// The form in which a message names its signer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignerForm {
    /// By the hash of the certificate: 9 bytes. Receivers have to know the certificate.
    Digest,
    /// By the certificate.
    Certificate,
    /// By the certificate and those above it, but for the trust anchor.
    Chain,
}

/// Options of signing.
#[derive(Clone, Copy)]
pub struct SigningOptions<'e> {
    /// Form in which the message names its signer.
    pub signer: SignerForm,
    /// Form in which the signature gives R.
    pub form: NonceForm,
    /// Source of the nonce.
    pub nonce: Nonce<'e>,
}

/// Signs a message; returns it encoded as `Ieee1609Dot2Data`.
///
/// # Errors
/// What the certificate does not permit, what cannot be written, and what the store says.
pub fn sign<S: KeyStore + ?Sized>(
    store: &mut S,
    credential: &Credential,
    message: &UnsignedMessage<'_>,
    options: &SigningOptions<'_>,
) -> Result<Vec<u8>, SignError> {
    credential.check(&message.header)?;
    sign_unchecked(store, credential, message, options)
}

/// Signs a message whatever the certificate permits, for tests of receivers: an application, a time
/// or a place outside of the certificate, which receivers have to refuse.
///
/// # Errors
/// What cannot be written, and what the store says.
pub fn sign_unchecked<S: KeyStore + ?Sized>(
    store: &mut S,
    credential: &Credential,
    message: &UnsignedMessage<'_>,
    options: &SigningOptions<'_>,
) -> Result<Vec<u8>, SignError> {
    let unreadable = |_| SignError::Message("the signer's certificate cannot be read");
    let chain: Vec<Certificate<'_>> = match options.signer {
        SignerForm::Digest => Vec::new(),
        SignerForm::Certificate => {
            let own = credential.certificate().view();
            [own]
                .into_iter()
                .collect::<Result<_, _>>()
                .map_err(unreadable)?
        }
        SignerForm::Chain => {
            let above = credential.certificate().chain();
            let above = above.filter(|one| one.issuer().is_some());
            let chain = above.map(|one| parse(one.bytes()));
            chain.collect::<Result<_, _>>().map_err(unreadable)?
        }
    };
    let signer = match options.signer {
        SignerForm::Digest => SignerIdentifier::Digest(credential.id()),
        _ => {
            let list = SequenceOf::new(&chain);
            SignerIdentifier::Certificate(list.ok_or(SignError::Message("no certificate"))?)
        }
    };
    // The signer's certificate is hashed with the function of the signature's curve, which is that
    // of its name but for implicit certificates.
    let function = hash_of(credential.curve());
    let digest = if credential.digest().as_bytes().len() == function.bytes() {
        *credential.digest()
    } else {
        let own = credential.certificate().view().map_err(unreadable)?;
        waywarden_v2x_security::hash::hash_certificate(function, &own)?
    };
    let key = (credential.key(), credential.curve());
    sign_under(store, key, message, signer, &digest, options)
}

/// Signs a message with a key that has no certificate: its public key stands in the payload, as in
/// a request for a certificate \[1609.2 §6.3.4, `self`\].
///
/// # Errors
/// What cannot be written, and what the store says.
pub fn sign_for_oneself<S: KeyStore + ?Sized>(
    store: &mut S,
    key: KeyHandle,
    message: &UnsignedMessage<'_>,
    options: &SigningOptions<'_>,
) -> Result<Vec<u8>, SignError> {
    let curve = store.public_key(key)?.curve();
    let nothing = hash(hash_of(curve), &[]);
    let signer = SignerIdentifier::OwnKey(Null);
    sign_under(store, (key, curve), message, signer, &nothing, options)
}

fn sign_under<S: KeyStore + ?Sized>(
    store: &mut S,
    (key, curve): (KeyHandle, Curve),
    message: &UnsignedMessage<'_>,
    signer: SignerIdentifier<'_>,
    signer_digest: &Digest,
    options: &SigningOptions<'_>,
) -> Result<Vec<u8>, SignError> {
    let function = hash_of(curve);
    let plain;
    let (data, external_hash) = match message.payload {
        PayloadToSign::Data(bytes) => {
            plain = Ieee1609Dot2Data {
                version: Version3,
                content: Ieee1609Dot2Content::Unsecured(bytes),
            };
            (Some(NestedEncoding::Value(&plain)), None)
        }
        PayloadToSign::Secured(data) => (Some(NestedEncoding::Value(data)), None),
        PayloadToSign::Hash(hash) => (None, Some(hash)),
    };
    let payload = SignedDataPayload::new(PayloadParts {
        data,
        external_hash,
        omitted: None,
        unknown: UnknownAdditions::default(),
    });
    let tbs = ToBeSignedData {
        payload: payload.ok_or(SignError::Message("the payload is neither data nor a hash"))?,
        header_info: message.header,
    };
    let own = hash_canonical(function, &tbs)?;
    let digest = hash_for_signature(function, &own, signer_digest);
    let signature = store.sign(key, digest.as_bytes(), options.nonce, options.form)?;
    let data = Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Signed(SignedData {
            hash_id: algorithm_of(function),
            tbs_data: Raw::new(tbs),
            signer,
            signature: signature.wire(),
        }),
    };
    Ok(written(&data)?)
}

fn algorithm_of(function: HashFunction) -> HashAlgorithm {
    match function {
        HashFunction::Sha256 => HashAlgorithm::Sha256,
        HashFunction::Sha384 => HashAlgorithm::Sha384,
    }
}
