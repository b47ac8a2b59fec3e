//! The composite revocation list: signed lists of several authorities in one file.

use std::collections::BTreeMap;
use std::fmt;

use waywarden_v2x_security::profile::CRL_PSID;
use waywarden_v2x_security::{CrlRefusal, MessageSource, ReceptionContext, Verifier};
use waywarden_v2x_signing::written;
use waywarden_v2x_wire::coer::{Null, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, CrlSeries, HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, Time32, Time64,
    ToBeSignedLinkageValueCrl, ToBeSignedLinkageValueCrlWithAlgIdentifier, TypeSpecificCrlContents,
};

use super::signature::{signed, signer};

/// A revocation list in a composite one, and how it stands.
#[derive(Clone, Debug)]
pub struct CrlReport {
    /// The application in its header.
    pub psid: Option<u64>,
    /// The signer that it names, by its HashedId8.
    pub signer: Option<HashedId8>,
    /// Its contents, if they can be read.
    pub contents: Option<CrlSummary>,
    /// Everything that is wrong.
    pub faults: Vec<CrlFault>,
}

/// Contents of a revocation list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrlSummary {
    /// The authority that revokes.
    pub craca: HashedId8,
    /// The series of the list.
    pub series: CrlSeries,
    /// Time at which it was made.
    pub issue_date: Time32,
    /// Time at which the next list is due.
    pub next_crl: Time32,
    /// The name of its kind.
    pub kind: &'static str,
    /// Its number: `crlSerial` of a list by hash, `indexWithinI` of one by linkage values.
    pub number: u32,
    /// The first period of a list by linkage values.
    pub period: Option<u16>,
    /// Number of entries: certificates of a list by hash; of one by linkage values groups of
    /// holders.
    pub entries: usize,
}

/// Something that is wrong with a revocation list.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CrlFault {
    /// It is no signed data.
    NotSigned,
    /// It is of another application than revocation lists are.
    Psid(u64),
    /// The list before with this number has the same CRACA, series and kind.
    Repeated(usize),
    /// The next list is due.
    Overdue(Time32),
    /// A receiver refuses it.
    Refused(CrlRefusal),
}

impl fmt::Display for CrlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSigned => f.write_str("content: no signed data"),
            Self::Psid(psid) => write!(
                f,
                "psid: {psid} (0x{psid:X}), and revocation lists have {}",
                CRL_PSID.0
            ),
            Self::Repeated(first) => write!(
                f,
                "crlSeries: crl[{first}] has the same CRACA, series and kind"
            ),
            Self::Overdue(_) => f.write_str("nextCrl: the next list is due"),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl CrlSummary {
    /// Reads the revocation list in an SPDU, whatever its application is. It verifies nothing.
    #[must_use]
    pub fn of(data: &Ieee1609Dot2Data<'_>) -> Option<Self> {
        let inner = signed(data)?.tbs_data.payload.data.as_ref()?.view().ok()?;
        let Ieee1609Dot2Content::Unsecured(payload) = inner.content else {
            return None;
        };
        let list: CrlContents<'_> = parse(payload).ok()?;
        use TypeSpecificCrlContents as Kind;
        let (kind, number, period, entries) = match &list.contents {
            Kind::FullHash(own) => ("fullHashCrl", own.crl_serial, None, own.entries.len()),
            Kind::DeltaHash(own) => ("deltaHashCrl", own.crl_serial, None, own.entries.len()),
            Kind::FullLinked(own) => linked("fullLinkedCrl", &with_algorithms(own)),
            Kind::DeltaLinked(own) => linked("deltaLinkedCrl", &with_algorithms(own)),
            Kind::FullLinkedWithAlg(own) => linked("fullLinkedCrlWithAlg", own),
            Kind::DeltaLinkedWithAlg(own) => linked("deltaLinkedCrlWithAlg", own),
        };
        Some(Self {
            craca: list.crl_craca,
            series: list.crl_series,
            issue_date: list.issue_date,
            next_crl: list.next_crl,
            kind,
            number,
            period,
            entries,
        })
    }
}

/// Converts a list that does not name its functions; the standard has one of each.
fn with_algorithms<'a>(
    own: &ToBeSignedLinkageValueCrl<'a>,
) -> ToBeSignedLinkageValueCrlWithAlgIdentifier<'a> {
    ToBeSignedLinkageValueCrlWithAlgIdentifier {
        i_rev: own.i_rev,
        index_within_i: own.index_within_i,
        seed_evolution: Null,
        lv_generation: Null,
        individual: own.individual,
        groups: own.groups,
        groups_single_seed: own.groups_single_seed,
        unknown: own.unknown,
    }
}

/// Returns kind, number, period and number of entries of a list by linkage values.
fn linked(
    kind: &'static str,
    own: &ToBeSignedLinkageValueCrlWithAlgIdentifier<'_>,
) -> (&'static str, u32, Option<u16>, usize) {
    let individual = own.individual.map_or(0, |all| all.len());
    let groups = own.groups.map_or(0, |all| all.len());
    let single_seed = own.groups_single_seed.map_or(0, |all| all.len());
    let entries = individual + groups + single_seed;
    (kind, own.index_within_i.into(), Some(own.i_rev.0), entries)
}

/// Verifies revocation lists as a receiver does, and applies those that are accepted. The verifier
/// knows the roots of the trust list, and the authorities below them where lists bring no chain.
pub fn check_crls<'a>(
    crls: impl Iterator<Item = Ieee1609Dot2Data<'a>>,
    verifier: &mut Verifier,
    now: Time64,
) -> Vec<CrlReport> {
    let mut first = BTreeMap::new();
    let mut reports = Vec::new();
    for (at, data) in crls.enumerate() {
        let contents = CrlSummary::of(&data);
        let mut faults = Vec::new();
        let own = signed(&data);
        match own.map(|own| own.tbs_data.header_info.psid) {
            None => faults.push(CrlFault::NotSigned),
            Some(psid) if psid != CRL_PSID => faults.push(CrlFault::Psid(psid.0)),
            Some(_) => faults.extend(refused(&data, verifier, now).err()),
        }
        if let Some(list) = contents {
            let before = *first
                .entry((list.craca, list.series, list.kind))
                .or_insert(at);
            if before != at {
                faults.push(CrlFault::Repeated(before));
            }
            if u64::from(list.next_crl.0) * 1_000_000 <= now.0 {
                faults.push(CrlFault::Overdue(list.next_crl));
            }
        }
        reports.push(CrlReport {
            psid: own.map(|own| own.tbs_data.header_info.psid.0),
            signer: own.and_then(signer).map(|named| named.id),
            contents,
            faults,
        });
    }
    reports
}

fn refused(
    data: &Ieee1609Dot2Data<'_>,
    verifier: &mut Verifier,
    now: Time64,
) -> Result<(), CrlFault> {
    // As it came: what is read is written with the same bytes.
    let bytes = written(data).map_err(|_| CrlFault::NotSigned)?;
    let context = ReceptionContext {
        source: MessageSource::File,
        ..ReceptionContext::at(now)
    };
    let applied = verifier.apply_crl(&bytes, &context);
    applied.map(drop).map_err(CrlFault::Refused)
}
