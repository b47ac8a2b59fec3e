//! Revocation lists made and signed \[1609.2 §7.3, §7.4\]: by hash, or by linkage values.
//!
//! A list is verified as a receiver would, before anyone has it: a signer without the right to
//! revoke for the CRACA and the series is refused by name, and so is a list that is more than
//! receivers remember.

mod batches;

use std::fmt;

use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm};
use waywarden_v2x_security::ReceptionContext;
use waywarden_v2x_security::profile::CRL_PSID;
use waywarden_v2x_security::{
    Capacity, CrlRefusal, Limits, MessageSource, Refusal, Verified, Verifier,
};
use waywarden_v2x_signing::{
    Credential, PayloadToSign, SignError, SignerForm, SigningOptions, UnsignedMessage, sign,
    written,
};
use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::coer::{SequenceOf, UnknownAdditions};
use waywarden_v2x_wire::ieee1609dot2::{
    CracaType, CrlContents, CrlPriorityInfo, CrlSeries, CrlSsp, GroupCrlEntry,
    GroupSingleSeedCrlEntry, HashBasedRevocationInfo, HashedId8, HashedId10, HeaderInfo, IValue,
    JMaxGroup, LaId, LinkageSeed, Psid, Time32, Time64, ToBeSignedHashIdCrl,
    ToBeSignedLinkageValueCrl, TypeSpecificCrlContents, Version1,
};

use crate::authority::add_chain;
use crate::contents::SspPermission;
use crate::seeds::Seeds;

use batches::{Batch, batches, group, single_group};

/// A certificate that is revoked by its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RevokedCertificate {
    /// The last ten bytes of its hash.
    pub id: HashedId10,
    /// Time at which it expires anyway.
    pub expiry: Time32,
}

/// The seeds that reveal all certificates of a holder or of a group, from a period on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RevokedSeeds {
    /// Seed of one linkage authority.
    One(LaId, LinkageSeed),
    /// Seeds of two linkage authorities.
    Two([(LaId, LinkageSeed); 2]),
}

/// A holder that is revoked by linkage values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RevokedHolder {
    /// The seeds of the list's first period.
    pub seeds: RevokedSeeds,
    /// The last index of its certificates in a period.
    pub j_max: u8,
    /// The last period for which it has certificates.
    pub i_max: u16,
}

/// A group of holders that is revoked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RevokedGroup {
    /// The seeds of the list's first period.
    pub seeds: RevokedSeeds,
    /// The last period for which its holders have certificates.
    pub i_max: u16,
}

/// Entries of a revocation list.
#[derive(Clone)]
pub enum CrlEntries {
    /// Certificates, each by its hash.
    Certificates {
        /// The number of the list: one more than that of the list before.
        serial: u32,
        /// The revoked certificates, by their hashes.
        certificates: Vec<RevokedCertificate>,
    },
    /// Holders and groups, by linkage values.
    Holders {
        /// The first period.
        i_rev: IValue,
        /// Number of earlier lists of this period.
        index: u8,
        /// The revoked holders.
        holders: Vec<RevokedHolder>,
        /// The revoked groups.
        groups: Vec<RevokedGroup>,
    },
}

/// A revocation list.
#[derive(Clone)]
pub struct Crl {
    /// The authority that revokes.
    pub craca: HashedId8,
    /// The series: certificates name it, and that authority.
    pub series: CrlSeries,
    /// Time at which the list is made.
    pub issue_date: Time32,
    /// Time at which the next list is due.
    pub next_crl: Time32,
    /// True if it has all that is revoked; false if it has only what was revoked since the list
    /// before.
    pub is_full: bool,
    /// The revoked certificates or holders.
    pub entries: CrlEntries,
}

/// Reason why no list is signed.
#[derive(Clone, Debug, PartialEq)]
pub enum CrlError {
    /// The list cannot be written.
    Emit(EmitError),
    /// It cannot be signed.
    Sign(SignError),
    /// The chain of the signer does not verify.
    Chain(Refusal),
    /// A receiver would refuse it.
    Refused(CrlRefusal),
}

impl fmt::Display for CrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Emit(error) => error.fmt(f),
            Self::Sign(error) => error.fmt(f),
            Self::Chain(refusal) => write!(f, "the signer's certificate: {refusal}"),
            Self::Refused(refusal) => write!(f, "receivers would refuse the list: {refusal}"),
        }
    }
}

impl core::error::Error for CrlError {}

impl From<EmitError> for CrlError {
    fn from(error: EmitError) -> Self {
        Self::Emit(error)
    }
}

/// The permission to sign lists of these series, for a certificate.
///
/// # Errors
/// [`EmitError`] for more series than can be written.
pub fn signer_permission(
    associated_craca: CracaType,
    series: &[CrlSeries],
) -> Result<(Psid, SspPermission), EmitError> {
    let series = SequenceOf::new(series).ok_or(EmitError::OutOfRange("crls"))?;
    let ssp = CrlSsp {
        version: Version1,
        associated_craca,
        series,
        unknown: UnknownAdditions::default(),
    };
    Ok((CRL_PSID, SspPermission::Opaque(written(&ssp)?)))
}

impl Crl {
    /// Signs the list, and verifies it as a receiver would that trusts the signer's root.
    ///
    /// # Errors
    /// [`CrlError`].
    pub fn sign<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        signer: &Credential,
        seeds: &mut Seeds,
    ) -> Result<Vec<u8>, CrlError> {
        let contents = self.contents()?;
        let message = UnsignedMessage {
            payload: PayloadToSign::Data(&contents),
            header: HeaderInfo::new(CRL_PSID),
        };
        let seed = seeds.next();
        let options = SigningOptions {
            signer: SignerForm::Chain,
            form: NonceForm::Point,
            nonce: Nonce::Hedged { entropy: &seed },
        };
        let list = sign(store, signer, &message, &options).map_err(CrlError::Sign)?;
        self.check(&list, signer)?;
        Ok(list)
    }

    fn check(&self, list: &[u8], signer: &Credential) -> Result<(), CrlError> {
        let mut verifier = Verifier::new(Capacity::MINIMAL).with_limits(Limits {
            unknown_implicit_issuers: true,
            ..Limits::DEFAULT
        });
        let chain: Vec<_> = signer.certificate().chain().map(Verified::bytes).collect();
        // The signer's own comes with the message; a root's has to be known.
        let known = if chain.len() > 1 { &chain[1..] } else { &chain };
        if let Some((first, above)) = known.split_first() {
            let added = add_chain(&mut verifier, first, above.iter().copied());
            added.map_err(CrlError::Chain)?;
        }
        let context = ReceptionContext {
            source: MessageSource::File,
            ..ReceptionContext::at(Time64(u64::from(self.issue_date.0) * 1_000_000))
        };
        let applied = verifier.apply_crl(list, &context);
        applied.map(drop).map_err(CrlError::Refused)
    }

    /// Returns what is signed: the encoded `CrlContents`.
    ///
    /// # Errors
    /// [`EmitError`].
    pub fn contents(&self) -> Result<Vec<u8>, EmitError> {
        match &self.entries {
            CrlEntries::Certificates {
                serial,
                certificates,
            } => self.by_hash(*serial, certificates),
            CrlEntries::Holders {
                i_rev,
                index,
                holders,
                groups,
            } => self.by_linkage((*i_rev, *index), holders, groups),
        }
    }

    fn write(&self, contents: TypeSpecificCrlContents<'_>) -> Result<Vec<u8>, EmitError> {
        written(&CrlContents {
            version: Version1,
            crl_series: self.series,
            crl_craca: self.craca,
            issue_date: self.issue_date,
            next_crl: self.next_crl,
            priority_info: CrlPriorityInfo {
                priority: None,
                unknown: UnknownAdditions::default(),
            },
            contents,
        })
    }

    fn by_hash(
        &self,
        crl_serial: u32,
        certificates: &[RevokedCertificate],
    ) -> Result<Vec<u8>, EmitError> {
        let entry = |one: &RevokedCertificate| HashBasedRevocationInfo {
            id: one.id,
            expiry: one.expiry,
            unknown: UnknownAdditions::default(),
        };
        let entries: Vec<HashBasedRevocationInfo<'_>> = certificates.iter().map(entry).collect();
        let list = ToBeSignedHashIdCrl {
            crl_serial,
            entries: sequence(&entries)?,
            unknown: UnknownAdditions::default(),
        };
        self.write(match self.is_full {
            true => TypeSpecificCrlContents::FullHash(list),
            false => TypeSpecificCrlContents::DeltaHash(list),
        })
    }

    fn by_linkage(
        &self,
        (i_rev, index_within_i): (IValue, u8),
        holders: &[RevokedHolder],
        groups: &[RevokedGroup],
    ) -> Result<Vec<u8>, EmitError> {
        let batches = batches(holders);
        let by_period = batches.iter().map(Batch::by_period);
        let by_period = by_period.collect::<Result<Vec<_>, _>>()?;
        let by_authority = batches.iter().zip(&by_period);
        let by_authority = by_authority.map(|(batch, contents)| batch.by_authority(contents));
        let by_authority = by_authority.collect::<Result<Vec<_>, _>>()?;
        let individual = batches.iter().zip(&by_authority);
        let individual = individual.map(|(batch, contents)| {
            Ok(JMaxGroup {
                j_max: batch.j_max,
                contents: sequence(contents)?,
                unknown: UnknownAdditions::default(),
            })
        });
        let individual = individual.collect::<Result<Vec<_>, EmitError>>()?;
        let pairs: Vec<GroupCrlEntry<'_>> = groups.iter().filter_map(group).collect();
        let single: Vec<GroupSingleSeedCrlEntry> = groups.iter().filter_map(single_group).collect();
        let list = ToBeSignedLinkageValueCrl {
            i_rev,
            index_within_i,
            // The standard demands one of the three, and recommends this one for none.
            individual: Some(sequence(&individual)?),
            groups: if_any(&pairs)?,
            groups_single_seed: if_any(&single)?,
            unknown: UnknownAdditions::default(),
        };
        self.write(match self.is_full {
            true => TypeSpecificCrlContents::FullLinked(list),
            false => TypeSpecificCrlContents::DeltaLinked(list),
        })
    }
}

fn sequence<T>(elements: &[T]) -> Result<SequenceOf<'_, T>, EmitError> {
    SequenceOf::new(elements).ok_or(EmitError::OutOfRange("SEQUENCE OF"))
}

fn if_any<T>(elements: &[T]) -> Result<Option<SequenceOf<'_, T>>, EmitError> {
    match elements {
        [] => Ok(None),
        elements => sequence(elements).map(Some),
    }
}
