//! Trust lists made: the contents, one signature of each elector at its own place, and the list of
//! them together.

use std::fmt;

use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm};
use waywarden_v2x_security::hash::{Digest, HashFunction, certificate_digest, hash};
use waywarden_v2x_signing::{
    Credential, PayloadToSign, SignError, SignerForm, SigningOptions, UnsignedMessage, sign,
    written,
};
use waywarden_v2x_wire::coer::{SequenceOf, UnknownAdditions, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, Time32, Time64, Version3,
};
use waywarden_v2x_wire::ieee1609dot2dot1::{
    CertManagementPdu, CertificateChain, CompositeCrl, CtlSequenceNumber, ElectorGroupId,
    FULL_IEEE_CTL, FullIeeeTbsCtl, HashedId32, HashedId48, MultiSignedCtl, RoleSsp, ScmsContent,
    ScmsPdu, ScmsSsp, ToBeSignedCtlSignature, Version2,
};
use waywarden_v2x_wire::{EmitError, WireError};

use super::MANAGEMENT_PSID;
use super::entries::{elector_hash, last_32};
use crate::contents::SspPermission;
use crate::seeds::Seeds;

/// A trust list to be made. Certificates are encoded; those that it approves travel with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ctl {
    /// The group of electors.
    pub group: ElectorGroupId,
    /// One more than that of the list before.
    pub sequence: CtlSequenceNumber,
    /// Time from which it counts.
    pub effective: Time32,
    /// Certificates of electors that sign the next list.
    pub electors: Vec<Vec<u8>>,
    /// Certificates of electors that no longer do.
    pub removed_electors: Vec<Vec<u8>>,
    /// Certificates of root authorities that are trusted.
    pub roots: Vec<Vec<u8>>,
    /// Certificates of root authorities that no longer are.
    pub removed_roots: Vec<Vec<u8>>,
    /// Number of electors that sign the next list; `None`: as many as this one.
    pub quorum: Option<i64>,
}

/// Reason why no trust list is made.
#[derive(Clone, Debug, PartialEq)]
pub enum CtlError {
    /// A certificate, a signature or a list in it cannot be read.
    Unreadable(WireError),
    /// A certificate has no hash: its key is of a curve that is not known.
    NoHash,
    /// It cannot be written.
    Emit(EmitError),
    /// It cannot be signed.
    Sign(SignError),
}

impl fmt::Display for CtlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(f),
            Self::NoHash => f.write_str("a certificate has a key of a curve that is not known"),
            Self::Emit(error) => error.fmt(f),
            Self::Sign(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for CtlError {}

impl From<WireError> for CtlError {
    fn from(error: WireError) -> Self {
        Self::Unreadable(error)
    }
}

impl From<EmitError> for CtlError {
    fn from(error: EmitError) -> Self {
        Self::Emit(error)
    }
}

/// The permission of an elector, for its certificate.
///
/// # Errors
/// [`EmitError`].
pub fn elector_permission() -> Result<(Psid, SspPermission), EmitError> {
    let ssp = ScmsSsp::Elector(RoleSsp {
        version: Version2,
        unknown: UnknownAdditions::default(),
    });
    Ok((MANAGEMENT_PSID, SspPermission::Opaque(written(&ssp)?)))
}

fn digest(certificate: &[u8]) -> Result<Digest, CtlError> {
    certificate_digest(&parse::<Certificate<'_>>(certificate)?).ok_or(CtlError::NoHash)
}

fn elector_hashes(certificates: &[Vec<u8>]) -> Result<Vec<HashedId48>, CtlError> {
    let hash = |one: &Vec<u8>| {
        let hash = elector_hash(&parse::<Certificate<'_>>(one)?).ok_or(CtlError::NoHash)?;
        let hash: Result<[u8; 48], _> = hash.as_bytes().try_into();
        hash.map(HashedId48).map_err(|_| CtlError::NoHash)
    };
    certificates.iter().map(hash).collect()
}

fn root_hashes(certificates: &[Vec<u8>]) -> Result<Vec<HashedId32>, CtlError> {
    let hash = |one: &Vec<u8>| {
        let hash: Result<[u8; 32], _> = last_32(&digest(one)?).try_into();
        hash.map(HashedId32).map_err(|_| CtlError::NoHash)
    };
    certificates.iter().map(hash).collect()
}

fn sequence<'a, T, const MIN: usize>(
    all: &'a [T],
    field: &'static str,
) -> Result<SequenceOf<'a, T, MIN>, EmitError> {
    SequenceOf::new(all).ok_or(EmitError::OutOfRange(field))
}

/// Writes a message as unsecured data.
fn unsecured(pdu: CertManagementPdu<'_>) -> Result<Vec<u8>, CtlError> {
    let pdu = written(&ScmsPdu::new(ScmsContent::Cert(pdu)))?;
    Ok(written(&Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Unsecured(&pdu),
    })?)
}

impl Ctl {
    /// Returns what electors sign the hash of: `tbsCtl`, encoded.
    ///
    /// # Errors
    /// [`CtlError`].
    pub fn contents(&self) -> Result<Vec<u8>, CtlError> {
        let electors = [&self.electors, &self.removed_electors].map(|all| elector_hashes(all));
        let [approved_electors, removed_electors] = electors;
        let roots = [&self.roots, &self.removed_roots].map(|all| root_hashes(all));
        let [approved_roots, removed_roots] = roots;
        Ok(written(&FullIeeeTbsCtl {
            kind: FULL_IEEE_CTL,
            elector_group: self.group,
            sequence_number: self.sequence,
            effective: self.effective,
            approved_electors: sequence(&approved_electors?, "electorApprove")?,
            removed_electors: sequence(&removed_electors?, "electorRemove")?,
            approved_roots: sequence(&approved_roots?, "rootCaApprove")?,
            removed_roots: sequence(&removed_roots?, "rootCaRemove")?,
            quorum: self.quorum,
            unknown: UnknownAdditions::default(),
        })?)
    }

    /// Signs the list as one elector, with its certificate: a part of
    /// [`assemble`](Self::assemble).
    ///
    /// # Errors
    /// [`CtlError`]; [`CtlError::Sign`] for a certificate that is no elector's, or not valid then.
    pub fn endorse<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        elector: &Credential,
        made: Time64,
        seeds: &mut Seeds,
    ) -> Result<Vec<u8>, CtlError> {
        let digest = hash(HashFunction::Sha384, &self.contents()?);
        let digest: Result<[u8; 48], _> = digest.as_bytes().try_into();
        let payload = written(&ScmsPdu::new(ScmsContent::Cert(
            CertManagementPdu::CtlSignature(ToBeSignedCtlSignature {
                elector_group: self.group,
                kind: FULL_IEEE_CTL,
                sequence_number: self.sequence,
                hash: digest.map(HashedId48).map_err(|_| CtlError::NoHash)?,
            }),
        )))?;
        let message = UnsignedMessage {
            payload: PayloadToSign::Data(&payload),
            header: HeaderInfo {
                generation_time: Some(made),
                ..HeaderInfo::new(MANAGEMENT_PSID)
            },
        };
        let entropy = seeds.next();
        let options = SigningOptions {
            signer: SignerForm::Certificate,
            form: NonceForm::XOnly,
            nonce: Nonce::Hedged { entropy: &entropy },
        };
        sign(store, elector, &message, &options).map_err(CtlError::Sign)
    }

    /// Puts the list and the electors' signatures together: unsecured data around a
    /// `MultiSignedCtl`.
    ///
    /// # Errors
    /// [`CtlError`]; without a signature there is no list.
    pub fn assemble(&self, signatures: &[Vec<u8>]) -> Result<Vec<u8>, CtlError> {
        let contents = self.contents()?;
        let certificates = self.electors.iter().chain(&self.roots);
        let certificates = certificates.map(|one| parse::<Certificate<'_>>(one));
        let certificates = certificates.collect::<Result<Vec<_>, _>>()?;
        let unsigned = written(&sequence::<_, 0>(&certificates, "unsigned")?)?;
        let signatures = signatures.iter().map(|one| parse(one));
        let signatures = signatures.collect::<Result<Vec<_>, _>>()?;
        unsecured(CertManagementPdu::MultiSignedCtl(MultiSignedCtl {
            kind: FULL_IEEE_CTL,
            tbs_ctl: &contents,
            unsigned: &unsigned,
            signatures: sequence(&signatures, "signatures")?,
        }))
    }
}

/// Puts a trust list and certificates of authorities together: a chain file (CCF).
///
/// # Errors
/// [`CtlError`].
pub fn certificate_chain(ctl: &[u8], others: &[Vec<u8>]) -> Result<Vec<u8>, CtlError> {
    let others = others.iter().map(|one| parse::<Certificate<'_>>(one));
    let others = others.collect::<Result<Vec<_>, _>>()?;
    unsecured(CertManagementPdu::CertificateChain(CertificateChain {
        home_ctl: parse(ctl)?,
        others: sequence(&others, "others")?,
        unknown: UnknownAdditions::default(),
    }))
}

/// Puts a trust list and signed revocation lists together: a composite revocation list.
///
/// # Errors
/// [`CtlError`].
pub fn composite_crl(ctl: &[u8], crls: &[Vec<u8>]) -> Result<Vec<u8>, CtlError> {
    let crls = crls.iter().map(|one| parse::<Ieee1609Dot2Data<'_>>(one));
    let crls = crls.collect::<Result<Vec<_>, _>>()?;
    unsecured(CertManagementPdu::CompositeCrl(CompositeCrl {
        crls: sequence(&crls, "crl")?,
        home_ctl: parse(ctl)?,
        unknown: UnknownAdditions::default(),
    }))
}
