//! Chains of certificates: from one that came with a message up to one that is known, and what must
//! hold between each and its issuer \[1609.2 §5.1\].

use alloc::sync::Arc;
use alloc::vec::Vec;

use waywarden_ecverify::{Curve, EncodedPoint, Key, Point};
use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, GeographicRegion, HashedId8, IssuerIdentifier, PsidGroupPermissions,
    SubjectPermissions, Time64, ValidityPeriod, VerificationKeyIndicator,
};

use crate::hash::{
    Digest, HashFunction, certificate_digest, hash, hash_canonical, hash_for_signature,
    is_canonical,
};
use crate::key::{ImplicitKey, SignerKey, hash_of, verification_key};
use crate::permission::{PermissionFault, consistent, well_formed};
use crate::region::is_within;
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

    /// Says what is wrong with it.
    pub(crate) fn refuse(
        &self,
        code: ResultCode,
        field: &'static str,
        why: &'static str,
    ) -> Refusal {
        Refusal::certificate(code, self.id(), field, why)
    }

    /// Says what in it is not supported.
    fn unsupported(&self, why: &'static str) -> Refusal {
        self.refuse(
            ResultCode::ParsingUnsupportedCriticalInformationField,
            "issuer",
            why,
        )
    }

    /// Returns the hash function that its issuer used.
    fn function(&self) -> Result<HashFunction, Refusal> {
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
}

impl Chain<'_> {
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

/// Goes from a certificate up to one that is known. `more` came with it, each the issuer of the
/// one before; others are not looked at.
pub(crate) fn build<'m>(
    first: Link<'m>,
    more: impl Iterator<Item = Certificate<'m>>,
    store: &CertificateStore,
) -> Result<Chain<'m>, Refusal> {
    let known = |link: &Link<'_>| {
        let found = store.find(link.id());
        // Its own bytes, not only its hash: another form of its signature has the same hash, and
        // was not looked at.
        found
            .filter(|found| link.certificate.bytes() == Some(found.bytes()))
            .cloned()
    };
    if let Some(top) = known(&first) {
        let links = Vec::new();
        return Ok(Chain { links, top });
    }
    let mut links = alloc::vec![first];
    let mut more = more;
    loop {
        let last = links[links.len() - 1];
        let Some(issuer) = last.issuer()? else {
            return Err(last.refuse(
                ResultCode::ChainEndedAtUntrustedRoot,
                "issuer",
                "it issued itself, and is no trust anchor",
            ));
        };
        if let Some(top) = store.find(issuer).cloned() {
            return match usize::from(top.above()) + links.len() < usize::from(CHAIN_MAX) {
                true => Ok(Chain { links, top }),
                false => Err(too_long(&last)),
            };
        }
        if links.len() >= usize::from(CHAIN_MAX) {
            return Err(too_long(&last));
        }
        let next = more.next().map(Link::new).transpose()?;
        match next.filter(|next| next.id() == issuer) {
            Some(next) => links.push(next),
            None => {
                return Err(Refusal {
                    code: ResultCode::ChainNotEnoughInformationToConstructChain,
                    certificate: Some(last.id()),
                    field: "issuer",
                    reason: Reason::Missing(issuer),
                });
            }
        }
    }
}

fn too_long(link: &Link<'_>) -> Refusal {
    link.refuse(
        ResultCode::ChainWasTooLongForImplementation,
        "issuer",
        "more than eight certificates",
    )
}

/// So many permissions of one kind, and so many applications in groups together, a certificate may
/// have; the standard asks for eight \[1609.2 §6.4.8\].
const PERMISSIONS_MAX: usize = 256;

/// A certificate has no more permissions than are looked through.
pub(crate) fn check_size(link: &Link<'_>) -> Result<(), Refusal> {
    let own = &link.certificate.to_be_signed;
    let ranges = |groups: Option<SequenceOf<'_, PsidGroupPermissions<'_>>>| {
        let groups = groups
            .into_iter()
            .flat_map(|groups| groups.iter().flatten());
        let sizes = groups.map(|group| match group.subject {
            SubjectPermissions::Explicit(ranges) => 1 + ranges.len(),
            SubjectPermissions::All(_) => 1,
        });
        // Not all are looked at where there are too many.
        sizes.take(PERMISSIONS_MAX + 1).sum::<usize>()
    };
    let app = own
        .app_permissions
        .map_or(0, |permissions| permissions.len());
    let most = app
        .max(ranges(own.cert_issue_permissions))
        .max(ranges(own.cert_request_permissions));
    match most <= PERMISSIONS_MAX {
        true => Ok(()),
        false => Err(link.refuse(
            ResultCode::ParsingUnsupportedCriticalInformationField,
            "appPermissions",
            "more than 256 permissions",
        )),
    }
}

/// Holds each certificate of a chain against all that are above it.
pub(crate) fn check(chain: &Chain<'_>) -> Result<(), Refusal> {
    chain.links.iter().try_for_each(check_size)?;
    for (at, link) in chain.links.iter().enumerate() {
        let own = &link.certificate.to_be_signed;
        if let Err(fault) = well_formed(own) {
            return Err(permission_refusal(link, fault));
        }
        let above = chain.links[at + 1..].iter();
        let links = above.map(|link| link.certificate);
        let known = chain.top.chain().map(|one| Ok(one.view()?));
        let all = links.map(Ok).chain(known);
        check_against(link, all)?;
    }
    Ok(())
}

fn check_against<'c>(
    link: &Link<'_>,
    above: impl Iterator<Item = Result<Certificate<'c>, Refusal>>,
) -> Result<(), Refusal> {
    let own = &link.certificate.to_be_signed;
    let mut region = None;
    for (at, issuer) in above.enumerate() {
        let issuer = issuer?;
        let issuer = &*issuer.to_be_signed;
        if at == 0 {
            check_times(link, own.validity_period, issuer.validity_period)?;
        }
        // At most as many as a chain has.
        consistent(own, issuer, at as u8 + 1).map_err(|fault| permission_refusal(link, fault))?;
        region = region.or(issuer.region);
        if let (Some(inner), Some(outer)) = (&own.region, &region)
            && !is_within(inner, outer)
        {
            return Err(link.refuse(
                ResultCode::ChainInconsistentChainPermissions,
                "region",
                "not certain to be in the issuer's region",
            ));
        }
    }
    Ok(())
}

fn check_times(
    link: &Link<'_>,
    own: ValidityPeriod,
    issuer: ValidityPeriod,
) -> Result<(), Refusal> {
    if own.start() < issuer.start() {
        return Err(link.refuse(
            ResultCode::ChainInconsistentStartTimes,
            "validityPeriod",
            "valid earlier than its issuer",
        ));
    }
    if own.end() > issuer.end() {
        return Err(link.refuse(
            ResultCode::ChainInconsistentExpiryTimes,
            "validityPeriod",
            "valid longer than its issuer",
        ));
    }
    Ok(())
}

fn permission_refusal(link: &Link<'_>, fault: PermissionFault) -> Refusal {
    let (field, why) = match fault {
        PermissionFault::NotCovered => ("appPermissions", "more than an issuer may give"),
        PermissionFault::ChainLength => ("minChainLength", "below 1, or a range below -1"),
        PermissionFault::Ambiguous => ("appPermissions", "one application twice"),
        PermissionFault::NoIssuer => ("certIssuePermissions", "an issuer may not issue"),
    };
    link.refuse(ResultCode::ChainInconsistentChainPermissions, field, why)
}

/// The region in which the first certificate of a chain is valid.
pub(crate) fn region<'c>(chain: &'c Chain<'_>) -> Option<GeographicRegion<'c>> {
    let own = chain
        .links
        .iter()
        .find_map(|link| link.certificate.to_be_signed.region);
    own.or_else(|| chain.top.region())
}

/// Returns what is hashed of a certificate and its issuer \[1609.2 §6.4.8\]: what a signature
/// signs, and what a key is rebuilt with.
pub(crate) fn signed_digest(
    link: &Link<'_>,
    issuer: Option<&Certificate<'_>>,
) -> Result<Digest, Refusal> {
    let function = link.function()?;
    let unwritten = |_| link.unsupported("not to be written");
    let own = hash_canonical(function, &*link.certificate.to_be_signed).map_err(unwritten)?;
    let above = match issuer {
        Some(issuer) => hash_canonical(function, issuer).map_err(unwritten)?,
        None => hash(function, &[]),
    };
    Ok(hash_for_signature(function, &own, &above))
}

/// Returns the same of the bytes as they came, where they are not canonical: some sign those.
pub(crate) fn signed_digest_as_is(
    link: &Link<'_>,
    issuer: Option<&Certificate<'_>>,
) -> Result<Option<Digest>, Refusal> {
    let function = link.function()?;
    let own = &link.certificate.to_be_signed;
    let bytes = own.bytes().unwrap_or(&[]);
    let above = issuer.and_then(Certificate::bytes).unwrap_or(&[]);
    if is_canonical(&**own, bytes) && issuer.is_none_or(|issuer| is_canonical(issuer, above)) {
        return Ok(None);
    }
    let digest = hash_for_signature(function, &hash(function, bytes), &hash(function, above));
    Ok(Some(digest))
}

/// The key of a certificate's holder, wherever it is.
#[derive(Debug)]
pub(crate) enum HolderKey<'m> {
    /// In a certificate that was verified.
    Known(Arc<Verified>),
    /// In one that was not, as it has it.
    Encoded(Curve, EncodedPoint<'m>),
    /// To be rebuilt.
    Implicit(ImplicitKey),
}

impl<'m> HolderKey<'m> {
    /// Finds the key of a certificate under its issuer's.
    pub(crate) fn of(
        link: &Link<'m>,
        issuer: &Certificate<'_>,
        issuer_key: &HolderKey<'_>,
    ) -> Result<Self, Refusal> {
        match &link.certificate.to_be_signed.verify_key_indicator {
            VerificationKeyIndicator::VerificationKey(key) => match verification_key(key) {
                Some((curve, point)) => Ok(Self::Encoded(curve, point)),
                None => Err(no_key(link, "SM2 is not supported")),
            },
            VerificationKeyIndicator::ReconstructionValue(value) => {
                if hash_of(issuer_key.curve()) != HashFunction::Sha256 {
                    return Err(no_key(link, "a value of 256 bits under a key of 384"));
                }
                let ca = issuer_key.point().map_err(|why| no_key(link, why))?;
                let e = signed_digest(link, Some(issuer))?;
                match ImplicitKey::new(e, value, ca) {
                    Some(key) => Ok(Self::Implicit(key)),
                    None => Err(no_key(link, "a value without a y-coordinate")),
                }
            }
        }
    }

    pub(crate) fn curve(&self) -> Curve {
        match self {
            Self::Known(certificate) => certificate.key.curve(),
            Self::Encoded(curve, _) => *curve,
            Self::Implicit(key) => key.ca.curve(),
        }
    }

    /// The key as a job has it.
    pub(crate) fn job_key(&self) -> Key<'_> {
        match self {
            Self::Known(certificate) => certificate.key.job_key(),
            Self::Encoded(_, point) => Key::Explicit(*point),
            Self::Implicit(key) => key.job_key(),
        }
    }

    /// Computes the point: a square root, or a multiplication.
    fn point(&self) -> Result<Point, &'static str> {
        match self {
            Self::Known(certificate) => certificate.key.point().map_err(|_| "no key of the issuer"),
            Self::Encoded(curve, point) => {
                Point::decode(*curve, point).map_err(|_| "the issuer's key is no point")
            }
            Self::Implicit(key) => key.rebuild().map_err(|_| "no key of the issuer"),
        }
    }

    /// What the store keeps of it.
    pub(crate) fn into_signer(self, link: &Link<'_>) -> Result<SignerKey, Refusal> {
        match self {
            Self::Implicit(key) => Ok(SignerKey::Implicit(key)),
            other => other
                .point()
                .map(SignerKey::Point)
                .map_err(|_| no_key(link, "no point of the curve")),
        }
    }
}

fn no_key(link: &Link<'_>, why: &'static str) -> Refusal {
    link.refuse(
        ResultCode::CryptoVerificationFailure,
        "verifyKeyIndicator",
        why,
    )
}
