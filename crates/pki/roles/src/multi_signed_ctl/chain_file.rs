//! The chain file (CCF): certificates of authorities below the roots of a trust list.

use std::collections::BTreeMap;
use std::fmt;

use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_security::{Refusal, Verifier};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, HashedId8, IssuerIdentifier, Time64,
};

use super::ElectorGroup;
use super::fault::Hex;

/// Report on a certificate of a chain file.
#[derive(Clone, Debug)]
pub struct AuthorityReport {
    /// Its HashedId8.
    pub id: Option<HashedId8>,
    /// The name in it.
    pub name: Option<String>,
    /// The HashedId8 of its issuer; `None`: it issues itself.
    pub issuer: Option<HashedId8>,
    /// The period in which it is valid.
    pub validity: (Time64, Time64),
    /// Result of verifying its chain, up to a root that the trust list approves.
    pub outcome: Result<(), AuthorityFault>,
}

/// Something that is wrong with a certificate of a chain file.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum AuthorityFault {
    /// It issues itself, and the trust list does not approve it.
    UnapprovedRoot,
    /// No certificate of its issuer verifies, or there is none.
    NoIssuer(HashedId8),
    /// It is not valid now.
    NotValidNow,
    /// It does not verify.
    Refused(Refusal),
}

impl fmt::Display for AuthorityFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnapprovedRoot => {
                f.write_str("issuer: it issues itself, and rootCaApprove does not have its hash")
            }
            Self::NoIssuer(id) => write!(
                f,
                "issuer: no certificate {} that verifies is in the list",
                Hex(&id.0)
            ),
            Self::NotValidNow => f.write_str("validityPeriod: not valid now"),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

fn issuer(certificate: &Certificate<'_>) -> Option<HashedId8> {
    match certificate.issuer {
        IssuerIdentifier::Sha256AndDigest(id)
        | IssuerIdentifier::Sha384AndDigest(id)
        | IssuerIdentifier::Sm3AndDigest(id) => Some(id),
        IssuerIdentifier::SelfIssued(_) => None,
    }
}

fn report(certificate: &Certificate<'_>) -> AuthorityReport {
    let own = &certificate.to_be_signed;
    let issuer = issuer(certificate);
    AuthorityReport {
        id: certificate_digest(certificate).map(|digest| digest.id_8()),
        name: match &own.id {
            CertificateId::Name(name) => Some(name.as_str().to_owned()),
            _ => None,
        },
        issuer,
        validity: (own.validity_period.start(), own.validity_period.end()),
        outcome: Err(issuer.map_or(AuthorityFault::UnapprovedRoot, AuthorityFault::NoIssuer)),
    }
}

/// Verifies the certificates of a chain file, in any order, against the roots that the list in
/// force approves. The verifier knows these roots and the certificates that verified afterwards.
///
/// Each certificate costs at most one signature.
pub fn check_chain_file<'a>(
    others: impl Iterator<Item = Certificate<'a>>,
    group: &ElectorGroup,
    verifier: &mut Verifier,
    now: Time64,
) -> Vec<AuthorityReport> {
    let all: Vec<Certificate<'a>> = others.collect();
    let mut reports: Vec<AuthorityReport> = all.iter().map(report).collect();
    let mut below: BTreeMap<HashedId8, Vec<usize>> = BTreeMap::new();
    let mut verified: Vec<HashedId8> = Vec::new();
    for root in group.roots() {
        if verifier.add_trust_anchor(root.bytes()).is_ok() {
            verified.push(root.id());
        }
    }
    for (at, certificate) in all.iter().enumerate() {
        if let Some(issuer) = issuer(certificate) {
            below.entry(issuer).or_default().push(at);
            continue;
        }
        let Some(digest) = certificate_digest(certificate) else {
            continue;
        };
        if group.has_elector(&digest) {
            reports[at].outcome = Ok(());
        } else if group.approves_root(&digest) {
            let known = verified.contains(&digest.id_8());
            let added = match known {
                true => Ok(()),
                false => verifier
                    .add_trust_anchor(certificate.bytes().unwrap_or(&[]))
                    .map(drop),
            };
            if added.is_ok() && !known {
                verified.push(digest.id_8());
            }
            reports[at].outcome = added.map_err(AuthorityFault::Refused);
        }
    }
    while let Some(issuer) = verified.pop() {
        for at in below.remove(&issuer).unwrap_or_default() {
            let added = verifier.add_certificate(all[at].bytes().unwrap_or(&[]));
            reports[at].outcome = match added {
                Ok(own) => {
                    verified.push(own.id());
                    Ok(())
                }
                Err(refusal) => Err(AuthorityFault::Refused(refusal)),
            };
        }
    }
    for one in &mut reports {
        let (start, end) = one.validity;
        if one.outcome.is_ok() && !(start..end).contains(&now) {
            one.outcome = Err(AuthorityFault::NotValidNow);
        }
    }
    reports
}
