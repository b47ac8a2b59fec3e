//! Revoked certificates: each by its hash, or all of a holder by linkage values
//! \[1609.2 §5.1.3, §7.3\].
//!
//! Lists only add, and may come in any order: what one of them revokes stays revoked until it
//! expires, since the standard lifts no revocation. `Choice:` a full list that leaves out a
//! certificate of an earlier one lifts nothing either, by hash or by linkage values: it was made by
//! mistake, or by an authority that lost its records. [`AppliedCrl::continuity`] says whether lists
//! between are missing.
//!
//! A list revokes certificates that name its CRACA and series only. Certificates name a CRACA by
//! three bytes of its hash: two authorities that may revoke can have the same three.
//!
//! Linkage values are expanded ahead of the messages that bring them: [`Revocations::expansion`]
//! hands out the work for a period, and [`Revocations::install`] takes the result. A look-up is one
//! search in a table, however many holders are revoked.

mod absorbed;
mod continuity;
mod expansion;
mod groups;
mod hashes;
mod in_force;
mod linked;
mod refusal;
mod seeds;
mod series;
mod table;

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, CrlSeries, HashedId3, HashedId8, HashedId10, IValue, LinkageData, Time32, Time64,
    TypeSpecificCrlContents,
};

pub use self::continuity::{Continuity, CrlKind, IncompleteSeries, ListNumber, NUMBERS_MAX};
pub use self::expansion::{ExpandedPart, ExpansionPart, RevocationExpansion};
use self::hashes::HashRevocations;
pub use self::linked::LinkageStatus;
use self::linked::LinkedRevocations;
pub use self::refusal::{CrlRefusal, ExpansionRefusal};
pub use self::series::SeriesName;

/// The most certificates that are revoked by hash, of all CRACAs together; a list with more is
/// refused.
pub const REVOKED_MAX: usize = 1 << 20;
/// The most CRACAs and series with lists of one kind; a list of another one is refused.
pub const LISTS_MAX: usize = 1 << 12;
/// The most linkage values of all lists together for one period, 4,194,304; a list with more is
/// refused. A table of so many takes 42 MB. A holder has one for each index from 0 to its `jmax`.
pub const VALUES_MAX: usize = 1 << 22;
/// The most groups that all lists together revoke; a list with more is refused. A certificate with
/// a group linkage value costs two AES blocks for each of its CRACA and series, once for the
/// certificate.
pub const GROUPS_MAX: usize = 256;
/// The most lists by linkage values beside the full list of a CRACA and series; one more delta list
/// is refused until a later full list was applied.
pub const DELTAS_MAX: usize = 64;
/// Most periods that are expanded at once: the one before, whose certificates are still valid for a
/// while, the current one, and the next one ahead of time.
pub const PERIODS_MAX: usize = 3;
/// The most hashes of one expansion, and between two lists when one absorbs the other: enough for
/// 100,000 holders with two seeds each and 671 periods between the list and the period, almost 13
/// years of weeks.
pub const HASHES_MAX: u64 = 1 << 27;

/// A list that was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppliedCrl {
    /// The authority that revokes.
    pub craca: HashedId8,
    /// Series of the list.
    pub series: CrlSeries,
    /// Contents of the list.
    pub revokes: Revokes,
    /// Issue date of the list.
    pub issue_date: Time32,
    /// Due time of the next list.
    pub next_crl: Time32,
    /// Completeness of the lists of this series and kind, with this one.
    pub continuity: Continuity,
}

/// The contents of a revocation list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revokes {
    /// Number of certificates, each revoked by its hash.
    Certificates(usize),
    /// Holders, by their linkage values. Periods that are expanded keep their values until the
    /// list is expanded for them, too.
    Holders {
        /// The first period, `iRev`.
        from: IValue,
        /// Number of holders.
        holders: usize,
        /// Number of groups of holders.
        groups: usize,
        /// Number of linkage values for one period, without the groups.
        values: usize,
    },
}

/// Revoked certificates, and when the next lists are due.
#[derive(Clone, Debug, Default)]
pub struct Revocations {
    hashes: HashRevocations,
    linked: LinkedRevocations,
    /// Authorities by the root of their chain, as ETSI's lists have them \[TS 102 941 §6.3\].
    authorities: BTreeSet<(HashedId8, HashedId8)>,
    /// Number of changes to the revocations so far.
    changes: u64,
}

impl Revocations {
    /// Revokes a certificate by the receiver's own decision, whatever its CRACA is, until it
    /// expires anyway; never for shorter than it was before.
    pub fn revoke(&mut self, certificate: HashedId10, expiry: Time32) {
        self.changes += 1;
        self.hashes.revoke(certificate, expiry);
    }

    /// Revokes an authority whose chain ends at this root. A root speaks for its own authorities
    /// alone, so that the same certificate under another root is not revoked.
    pub fn revoke_authority(&mut self, root: HashedId8, authority: HashedId8) {
        self.changes += 1;
        self.authorities.insert((root, authority));
    }

    /// Returns true if this root, or a list issued for it, has revoked an authority below it.
    #[must_use]
    pub fn has_authority(&self, root: HashedId8, authority: HashedId8) -> bool {
        self.authorities.contains(&(root, authority))
    }

    /// Returns true if a certificate that names this CRACA and series is revoked by its hash.
    #[must_use]
    pub fn has(&self, craca: HashedId3, series: CrlSeries, certificate: HashedId10) -> bool {
        self.hashes.has(craca, series, certificate)
    }

    /// Returns the status of a certificate that names this CRACA and series, by its linkage values.
    /// One search in a table for each CRACA of that name, and two AES blocks for each revoked group
    /// if it names a group.
    #[must_use]
    pub fn linked(
        &self,
        craca: HashedId3,
        series: CrlSeries,
        linkage: &LinkageData,
    ) -> LinkageStatus {
        // A certificate that names no CRACA is on no list.
        match craca.0 == [0; 3] {
            true => LinkageStatus::NotRevoked,
            false => self.linked.status(craca, series, linkage),
        }
    }

    /// Returns the number of certificates revoked by hash.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hashes.len() + self.authorities.len()
    }

    /// Returns true if nothing is revoked, by hash or by linkage values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.has_no_hashes() && self.linked.is_empty()
    }

    /// Returns true if no certificate is revoked by hash.
    pub(crate) fn has_no_hashes(&self) -> bool {
        self.hashes.len() == 0 && self.authorities.is_empty()
    }

    /// Returns the number of changes to the revocations so far.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns the memory of seeds and tables of linkage values, in bytes.
    #[must_use]
    pub fn linkage_memory(&self) -> usize {
        self.linked.memory()
    }

    /// Returns when the next full list of a series is due, if one came. A delta list says what has
    /// changed since a list that may not have come, and does not count. Where there are lists of
    /// hashes and of linkage values, the earlier one counts.
    #[must_use]
    pub fn next_due(&self, craca: HashedId3, series: CrlSeries) -> Option<Time64> {
        let hashes = self.hashes.next_due(craca, series);
        let next = match (hashes, self.linked.next_due(craca, series)) {
            (Some(one), Some(other)) => one.min(other),
            (one, other) => one.or(other)?,
        };
        Some(Time64(u64::from(next.0) * 1_000_000))
    }

    /// Applies a list whose signature, dates and signer's right were checked.
    pub(crate) fn apply(&mut self, contents: &CrlContents<'_>) -> Result<AppliedCrl, CrlRefusal> {
        let (revokes, continuity) = match &contents.contents {
            TypeSpecificCrlContents::FullHash(list) => self.hashes.apply(contents, list, true)?,
            TypeSpecificCrlContents::DeltaHash(list) => self.hashes.apply(contents, list, false)?,
            _ => self.linked.apply(contents)?,
        };
        self.changes += 1;
        Ok(AppliedCrl {
            craca: contents.crl_craca,
            series: contents.crl_series,
            revokes,
            issue_date: contents.issue_date,
            next_crl: contents.next_crl,
            continuity,
        })
    }

    /// Revokes what another receiver has revoked, by lists by hash and by linkage values and by its
    /// own decision. Returns how many certificates, holders and groups only that one had revoked.
    /// Authorities are left out: the trust store that names them is asked each time.
    ///
    /// Series of lists by linkage values that change are to be expanded before their certificates
    /// are accepted.
    ///
    /// # Errors
    /// [`CrlRefusal::TooMany`] if both together are more than is remembered; nothing is changed
    /// then.
    pub fn merge(&mut self, before: &Self) -> Result<usize, CrlRefusal> {
        let certificates = self.hashes.lacking(&before.hashes)?;
        let holders = self.linked.merge(&before.linked)?;
        self.hashes.merge(&before.hashes);
        self.changes += 1;
        Ok(certificates + holders)
    }

    /// Returns the series whose lists have gaps, or lack a full list.
    pub fn incomplete(&self) -> impl Iterator<Item = IncompleteSeries> {
        let of = |kind| {
            move |(name, continuity)| IncompleteSeries {
                name,
                kind,
                continuity,
            }
        };
        let hashes = self.hashes.continuity().map(of(CrlKind::Hash));
        let all = hashes.chain(self.linked.continuity().map(of(CrlKind::Linkage)));
        all.filter(|one| one.continuity != Continuity::Complete)
    }

    /// Returns the series whose lists are not expanded for a period as they are now.
    pub fn unexpanded(&self, period: IValue) -> impl Iterator<Item = SeriesName> {
        self.linked.unexpanded(period)
    }

    /// Returns the work of expanding a series for a period. Nothing changes.
    ///
    /// # Errors
    /// [`ExpansionRefusal::UnknownSeries`] and [`ExpansionRefusal::TooManyHashes`].
    pub fn expansion(
        &self,
        series: SeriesName,
        period: IValue,
    ) -> Result<RevocationExpansion, ExpansionRefusal> {
        self.linked.expansion(series, period)
    }

    /// Takes the values of an expansion whose parts have all run, in any order. The table that was
    /// there for the period is replaced; of more than [`PERIODS_MAX`] periods the one that was
    /// expanded first goes.
    ///
    /// # Errors
    /// [`ExpansionRefusal`]; the tables are unchanged then.
    pub fn install(
        &mut self,
        expansion: &RevocationExpansion,
        parts: Vec<ExpandedPart>,
    ) -> Result<(), ExpansionRefusal> {
        self.linked.install(expansion, parts)?;
        self.changes += 1;
        Ok(())
    }

    /// Expands all series for a period on the caller's thread. Returns how many values there are.
    ///
    /// # Errors
    /// The first [`ExpansionRefusal`]; the table of that series is unchanged, the other series are
    /// expanded.
    pub fn expand(&mut self, period: IValue) -> Result<usize, ExpansionRefusal> {
        let (mut values, mut first) = (0, Ok(()));
        let series: Vec<SeriesName> = self.unexpanded(period).collect();
        for name in series {
            let done = self.expansion(name, period).and_then(|expansion| {
                let parts = expansion.parts().iter().map(ExpansionPart::run).collect();
                self.install(&expansion, parts)?;
                Ok(expansion.values())
            });
            match done {
                Ok(count) => values += count,
                Err(refusal) => first = first.and(Err(refusal)),
            }
        }
        first.map(|()| values)
    }

    /// Forgets certificates that have expired, to make room for others. A time that is ahead
    /// forgets some that are valid: they would be accepted again.
    pub fn forget_expired(&mut self, now: Time64) {
        self.hashes.forget_expired(now);
    }

    /// Forgets the tables of periods before this one, and the holders who have no certificates from
    /// it on. Certificates of a period that is forgotten are refused while lists for it are there.
    pub fn forget_periods_before(&mut self, period: IValue) {
        self.changes += 1;
        self.linked.forget_before(period);
    }
}
