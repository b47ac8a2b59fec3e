//! An authority that issues certificates.

use std::iter;
use std::sync::Arc;

use waywarden_ecverify::{Curve, Point};
use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_keys::ecqv::{self, Issuer};
use waywarden_v2x_keys::{KeyHandle, KeyStore, NonceForm, Signature, compressed};
use waywarden_v2x_security::hash::{
    Digest, HashFunction, hash, hash_canonical, hash_for_signature,
};
use waywarden_v2x_security::{Capacity, Refusal, Verified, Verifier};
use waywarden_v2x_signing::{Credential, hash_of, written};
use waywarden_v2x_wire::coer::{Raw, length};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateBase, CertificateType, HashAlgorithm, IssuerIdentifier,
    PublicVerificationKey, Signature as WireSignature, ToBeSignedCertificate,
    VerificationKeyIndicator, Version3,
};

use crate::contents::Contents;
use crate::error::IssueError;
use crate::seeds::Seeds;

/// Bytes that an implicit certificate has at most beyond its contents without a key: version, type,
/// issuer and reconstruction value have 45.
const BEYOND_CONTENTS: usize = 64;

/// The holder of a certificate that may issue others, and the chain above it.
pub struct Authority {
    credential: Credential,
    /// The key for implicit certificates, where there is one.
    implicit_key: Option<KeyHandle>,
    /// Knows the authority's chain: what is issued is verified with it.
    verifier: Verifier,
}

/// Adds a certificate and those above it, the trust anchor last, to what a verifier knows; returns
/// the certificate. Without one above, it is the trust anchor itself.
///
/// # Errors
/// [`Refusal`] of the first one, from the trust anchor on, that does not verify.
pub fn add_chain<'c>(
    verifier: &mut Verifier,
    certificate: &'c [u8],
    above: impl DoubleEndedIterator<Item = &'c [u8]>,
) -> Result<Arc<Verified>, Refusal> {
    let mut chain = iter::once(certificate).chain(above).rev();
    let anchor = chain.next().unwrap_or(certificate);
    let mut own = verifier.add_trust_anchor(anchor)?;
    for certificate in chain {
        own = verifier.add_certificate(certificate)?;
    }
    Ok(own)
}

/// An implicit certificate, and what its holder computes the private key from.
pub struct ImplicitCertificate {
    /// The certificate, encoded.
    pub certificate: Vec<u8>,
    /// The private key reconstruction value: for the holder alone.
    pub r: [u8; 32],
}

impl Authority {
    /// Makes a root authority: a certificate that issues itself.
    ///
    /// # Errors
    /// [`IssueError`].
    pub fn root<S: KeyStore + ?Sized>(
        store: &mut S,
        key: KeyHandle,
        contents: &Contents,
        seeds: &mut Seeds,
    ) -> Result<Self, IssueError> {
        let public = store.public_key(key)?;
        let function = hash_of(public.curve());
        let issuer = IssuerIdentifier::SelfIssued(match function {
            HashFunction::Sha256 => HashAlgorithm::Sha256,
            HashFunction::Sha384 => HashAlgorithm::Sha384,
        });
        let nothing = hash(function, &[]);
        let signer = (key, function, &nothing);
        let certificate = signed(store, signer, issuer, contents, &public, seeds)?;
        Self::new(store, key, &[&certificate])
    }

    /// Takes an authority's certificate, its key and the chain above it, the trust anchor last.
    ///
    /// # Errors
    /// [`IssueError::Refused`] for a chain that does not verify, [`IssueError::Credential`] for a
    /// key that is not the certificate's.
    pub fn new<S: KeyStore + ?Sized>(
        store: &S,
        key: KeyHandle,
        chain: &[&[u8]],
    ) -> Result<Self, IssueError> {
        let verifier = Verifier::new(Capacity::MINIMAL);
        let mut verifier = verifier.with_borders(CountryBorders::new());
        let (&certificate, above) = chain.split_first().ok_or(IssueError::Contents {
            field: "issuer",
            why: "an authority has a certificate",
        })?;
        let own = add_chain(&mut verifier, certificate, above.iter().copied())?;
        let credential = Credential::new(store, key, own)?;
        Ok(Self {
            credential,
            implicit_key: None,
            verifier,
        })
    }

    /// Issues implicit certificates, too: `key` is the private key of the same certificate, for
    /// [`Uses::ISSUE_IMPLICIT`](waywarden_v2x_keys::Uses). It may be the one that signs, if it was
    /// made for both.
    #[must_use]
    pub fn with_implicit_key(mut self, key: KeyHandle) -> Self {
        self.implicit_key = Some(key);
        self
    }

    /// Returns the certificate and the key with which it signs.
    #[must_use]
    pub fn credential(&self) -> &Credential {
        &self.credential
    }

    /// Returns the verifier that knows the authority's chain.
    #[must_use]
    pub fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    /// Issues an explicit certificate for a public key. The holder has proved that it has the
    /// private one: that is the caller's to check.
    ///
    /// # Errors
    /// [`IssueError`]; [`IssueError::Refused`] names the field that the authority's chain does not
    /// cover.
    pub fn issue<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        contents: &Contents,
        public: &Point,
        seeds: &mut Seeds,
    ) -> Result<Vec<u8>, IssueError> {
        let own = &self.credential;
        let function = own.hash_function();
        let issuer = match function {
            HashFunction::Sha256 => IssuerIdentifier::Sha256AndDigest(own.id()),
            HashFunction::Sha384 => IssuerIdentifier::Sha384AndDigest(own.id()),
        };
        let signer = (own.key(), function, own.digest());
        let certificate = signed(store, signer, issuer, contents, public, seeds)?;
        self.verifier.verify_certificate(&certificate)?;
        Ok(certificate)
    }

    /// Issues an implicit certificate for a requester's public key.
    ///
    /// # Errors
    /// As [`issue`](Self::issue); [`IssueError::Contents`] for an authority without a key for it.
    pub fn issue_implicit<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        contents: &Contents,
        request: &Point,
        seeds: &mut Seeds,
    ) -> Result<ImplicitCertificate, IssueError> {
        let issued = contents.with(|contents| self.implicit(store, contents, request, seeds))?;
        self.verifier.verify_certificate(&issued.certificate)?;
        Ok(issued)
    }

    /// Issues an implicit certificate that the caller verifies, or knows to be covered.
    pub(crate) fn implicit<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        contents: ToBeSignedCertificate<'_>,
        request: &Point,
        seeds: &mut Seeds,
    ) -> Result<ImplicitCertificate, IssueError> {
        let key = self.implicit_key.ok_or(IssueError::Contents {
            field: "type",
            why: "this authority has no key that issues implicit certificates",
        })?;
        let issuer = Issuer {
            public: store.public_key(key)?,
            digest: *self.credential.digest(),
        };
        let seed = seeds.next();
        let mut buffer = vec![0; length(&contents)? + BEYOND_CONTENTS];
        let issued = ecqv::issue(store, key, &issuer, request, contents, &seed, &mut buffer)?;
        Ok(ImplicitCertificate {
            certificate: issued.certificate.to_vec(),
            r: issued.r,
        })
    }
}

/// Makes an explicit certificate.
fn signed<S: KeyStore + ?Sized>(
    store: &mut S,
    (key, function, issuer_digest): (KeyHandle, HashFunction, &Digest),
    issuer: IssuerIdentifier,
    contents: &Contents,
    public: &Point,
    seeds: &mut Seeds,
) -> Result<Vec<u8>, IssueError> {
    let entropy = seeds.next();
    let curve = store.public_key(key)?.curve();
    contents.with(|contents| {
        let contents = ToBeSignedCertificate {
            verify_key_indicator: VerificationKeyIndicator::VerificationKey(verification_key(
                public,
            )),
            ..contents
        };
        let own = hash_canonical(function, &contents)?;
        let digest = hash_for_signature(function, &own, issuer_digest);
        let nonce = store.capabilities(curve).nonce(&entropy);
        // As an x-coordinate: certificates are hashed so, and it is what all receivers take.
        let signature: Signature = store.sign(key, digest.as_bytes(), nonce, NonceForm::XOnly)?;
        let signature: WireSignature<'_> = signature.wire();
        let certificate = Certificate::new(CertificateBase {
            version: Version3,
            kind: CertificateType::Explicit,
            issuer,
            to_be_signed: Raw::new(contents),
            signature: Some(signature),
        });
        let certificate = certificate.map_err(|why| IssueError::Contents {
            field: "certificate",
            why,
        })?;
        Ok(written(&certificate)?)
    })
}

/// Writes a public key as certificates have it.
#[must_use]
pub fn verification_key(point: &Point) -> PublicVerificationKey<'_> {
    match point.curve() {
        Curve::P256 => PublicVerificationKey::EcdsaNistP256(compressed(point)),
        Curve::BrainpoolP256r1 => PublicVerificationKey::EcdsaBrainpoolP256r1(compressed(point)),
        Curve::P384 => PublicVerificationKey::EcdsaNistP384(compressed(point)),
        Curve::BrainpoolP384r1 => PublicVerificationKey::EcdsaBrainpoolP384r1(compressed(point)),
    }
}
