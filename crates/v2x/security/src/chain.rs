//! Chains of certificates: from one that came with a message up to one that is known
//! \[1609.2 §5.1\].

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateType, GeographicRegion, HashedId8, IssuerIdentifier, Time64,
};

use crate::canonical::{NonceParity, misplaced_point};
use crate::hash::{Digest, HashFunction, certificate_digest};
use crate::limits::Limits;
use crate::result::{Reason, Refusal, ResultCode};
use crate::store::{CHAIN_MAX, CertificateStore, Verified};

/// A certificate that is not verified yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link<'m> {
    pub(crate) certificate: Certificate<'m>,
    pub(crate) digest: Digest,
}

impl<'m> Link<'m> {
    pub(crate) fn new(certificate: Certificate<'m>) -> Result<Self, Refusal> {
        match certificate_digest(&certificate) {
            Some(digest) => Ok(Self {
                certificate,
                digest,
            }),
            None => Err(Refusal::message(
                ResultCode::ParsingUnsupportedCriticalInformationField,
                "verifyKeyIndicator",
                "SM2 is not supported",
            )),
        }
    }

    pub(crate) fn id(&self) -> HashedId8 {
        self.digest.id_8()
    }

    /// Returns a refusal of the certificate.
    pub(crate) fn refuse(
        &self,
        code: ResultCode,
        field: &'static str,
        why: &'static str,
    ) -> Refusal {
        Refusal::certificate(code, self.id(), field, why)
    }

    /// Returns a refusal of the certificate for an unsupported part.
    pub(crate) fn unsupported(&self, why: &'static str) -> Refusal {
        self.refuse(
            ResultCode::ParsingUnsupportedCriticalInformationField,
            "issuer",
            why,
        )
    }

    /// Returns the hash function that its issuer used.
    pub(crate) fn function(&self) -> Result<HashFunction, Refusal> {
        HashFunction::of_issuer(&self.certificate.issuer)
            .ok_or_else(|| self.unsupported("SM3 is not supported"))
    }

    /// Returns by what its issuer is called; `None` if it issued itself.
    pub(crate) fn issuer(&self) -> Result<Option<HashedId8>, Refusal> {
        match self.certificate.issuer {
            IssuerIdentifier::SelfIssued(_) => Ok(None),
            IssuerIdentifier::Sha256AndDigest(id) | IssuerIdentifier::Sha384AndDigest(id) => {
                Ok(Some(id))
            }
            IssuerIdentifier::Sm3AndDigest(_) => Err(self.unsupported("SM3 is not supported")),
        }
    }
}

/// Certificates that are not verified, the first one's first, and the verified one above them.
#[derive(Debug)]
pub(crate) struct Chain<'m> {
    pub(crate) links: Vec<Link<'m>>,
    pub(crate) top: Arc<Verified>,
    /// The signer's certificate as the message brings it, where it is known: it may be in another
    /// encoding, and the message may be signed over that.
    pub(crate) presented: Option<Certificate<'m>>,
}

impl Chain<'_> {
    /// The hashes of all its certificates, from the signer's to the trust anchor's.
    pub(crate) fn digests(&self) -> impl Iterator<Item = &Digest> {
        let links = self.links.iter().map(|link| &link.digest);
        links.chain(self.top.chain().map(Verified::digest))
    }

    /// All its certificates with their hashes, from the signer's to the trust anchor's.
    pub(crate) fn certificates(
        &self,
    ) -> impl Iterator<Item = Result<(Digest, Certificate<'_>), Refusal>> {
        let links = self.links.iter();
        let links = links.map(|link| Ok((link.digest, link.certificate)));
        let known = self.top.chain();
        links.chain(known.map(|one| Ok((*one.digest(), one.view()?))))
    }

    /// Returns the trust anchor at its end.
    pub(crate) fn root(&self) -> HashedId8 {
        self.top.chain().last().unwrap_or(&self.top).id()
    }

    /// Returns by what the signer's certificate is called, and from when until when it is valid.
    pub(crate) fn signer(&self) -> (HashedId8, Time64, Time64) {
        match self.links.first() {
            Some(link) => {
                let period = link.certificate.to_be_signed.validity_period;
                (link.id(), period.start(), period.end())
            }
            None => {
                let (start, end) = self.top.validity();
                (self.top.id(), start, end)
            }
        }
    }
}

/// The certificates that a receiver knows: those of its store, and those that messages verified in
/// the same call have brought.
#[derive(Clone, Copy)]
pub(crate) struct KnownCertificates<'s> {
    pub(crate) store: &'s CertificateStore,
    /// Verified, and not in the store yet.
    pub(crate) provisional: Option<&'s BTreeMap<HashedId8, Arc<Verified>>>,
}

impl<'s> KnownCertificates<'s> {
    /// Finds a certificate by what it is called by.
    pub(crate) fn find(&self, id: HashedId8) -> Option<&'s Arc<Verified>> {
        let provisional = || self.provisional?.get(&id);
        self.store.find(id).or_else(provisional)
    }

    /// Finds the known certificate that this one is.
    fn recognize(&self, link: &Link<'_>) -> Option<&'s Arc<Verified>> {
        self.find(link.id()).filter(|known| is_same(known, link))
    }
}

/// Returns true if both certificates are the same. Their encodings may differ in parts that hashing
/// omits, if those parts of the link are correct, too.
fn is_same(known: &Verified, link: &Link<'_>) -> bool {
    if *known.digest() != link.digest {
        return false;
    }
    if link.certificate.bytes() == Some(known.bytes()) {
        return true;
    }
    let issuer = known.issuer().map(|issuer| issuer.key.curve());
    let parity = match &link.certificate.signature {
        Some(own) => NonceParity::of(own),
        None => NonceParity::Unsaid,
    };
    misplaced_point(&link.certificate.to_be_signed, issuer).is_none()
        && parity.follows_from(known.nonce_parity())
}

/// Goes from a certificate up to one that is known. `more` came with it, each the issuer of the
/// one before: no signature covers the list, so nothing else may be in it.
pub(crate) fn build<'m>(
    first: Link<'m>,
    mut more: impl Iterator<Item = Certificate<'m>>,
    known: &KnownCertificates<'_>,
    limits: &Limits,
) -> Result<Chain<'m>, Refusal> {
    if let Some(top) = known.recognize(&first).cloned() {
        check_rest(more, top.chain().skip(1))?;
        return Ok(Chain {
            links: Vec::new(),
            top,
            presented: Some(first.certificate),
        });
    }
    let mut links = alloc::vec![first];
    loop {
        let last = links[links.len() - 1];
        let Some(issuer) = last.issuer()? else {
            return Err(last.refuse(
                ResultCode::ChainEndedAtUntrustedRoot,
                "issuer",
                "it issued itself, and is no trust anchor",
            ));
        };
        if let Some(top) = known.find(issuer).cloned() {
            if usize::from(top.above()) + links.len() >= usize::from(CHAIN_MAX) {
                return Err(too_long(&last));
            }
            check_rest(more, top.chain())?;
            return Ok(Chain {
                links,
                top,
                presented: None,
            });
        }
        if links.len() >= usize::from(CHAIN_MAX) {
            return Err(too_long(&last));
        }
        let next = more.next().map(Link::new).transpose()?;
        let next = next.filter(|next| next.id() == issuer);
        let is_refused = |next: &Link<'_>| {
            let is_implicit = next.certificate.kind == CertificateType::Implicit;
            is_implicit && !limits.unknown_implicit_issuers
        };
        let reason = match next {
            Some(next) if is_refused(&next) => Reason::UnknownImplicitIssuer(issuer),
            Some(next) => {
                links.push(next);
                continue;
            }
            None => Reason::Missing(issuer),
        };
        return Err(Refusal {
            code: ResultCode::ChainNotEnoughInformationToConstructChain,
            certificate: Some(last.id()),
            field: "issuer",
            reason,
        });
    }
}

/// The certificates behind those that a chain needs are the known ones above it, in order.
fn check_rest<'m, 'k>(
    more: impl Iterator<Item = Certificate<'m>>,
    mut above: impl Iterator<Item = &'k Verified>,
) -> Result<(), Refusal> {
    for certificate in more {
        let link = Link::new(certificate)?;
        if !above.next().is_some_and(|known| is_same(known, &link)) {
            return Err(link.refuse(
                ResultCode::ParsingInvalidInput,
                "signer",
                "not the issuer of the certificate before it, as that is known",
            ));
        }
    }
    Ok(())
}

fn too_long(link: &Link<'_>) -> Refusal {
    link.refuse(
        ResultCode::ChainWasTooLongForImplementation,
        "issuer",
        "more than eight certificates",
    )
}

/// The region in which the first certificate of a chain is valid.
pub(crate) fn region<'c>(chain: &'c Chain<'_>) -> Option<GeographicRegion<'c>> {
    let own = chain
        .links
        .iter()
        .find_map(|link| link.certificate.to_be_signed.region);
    own.or_else(|| chain.top.region())
}
