//! Lists of IEEE 1609.2, and what they revoke.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use waywarden_testkit::Random;
use waywarden_v2x_wire::coer::{SequenceOf, UnknownAdditions};
use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, CrlPriorityInfo, CrlSeries, GroupCrlEntry, GroupLinkageValue,
    HashBasedRevocationInfo, HashedId3, HashedId8, HashedId10, IMaxGroup, IValue,
    IndividualRevocation, JMaxGroup, JValue, LaGroup, LaId, LinkageData, LinkageSeed, LinkageValue,
    Time32, ToBeSignedHashIdCrl, ToBeSignedLinkageValueCrl, TypeSpecificCrlContents, Version1,
};

use crate::linkage::{later_seed, linkage_value, pre_linkage_value};
use crate::revocation::{AppliedCrl, Continuity, LinkageStatus, Revocations};

/// The last three bytes of CRACAs, as certificates name them.
pub(super) const CRACAS: [[u8; 3]; 2] = [[1, 2, 3], [4, 5, 6]];
/// Certificates of each CRACA that can be revoked by hash.
pub(super) const CERTIFICATES: u8 = 5;
/// Periods of certificates with linkage values.
pub(super) const PERIODS: u16 = 5;
/// Holders that can be revoked by linkage values. The last one is a group.
const HOLDERS: usize = 3;
const GROUP: usize = HOLDERS - 1;
const SERIES: CrlSeries = CrlSeries(1);
const LA: [LaId; 2] = [LaId([1, 1]), LaId([2, 2])];
/// Periods begin with this one.
const FIRST: u16 = 100;

pub(super) fn period(number: u16) -> IValue {
    IValue(FIRST + number)
}

/// A list: everything about it that a receiver could depend on is random.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    pub(super) is_by_hash: bool,
    is_full: bool,
    /// The last three bytes of the CRACA, and what tells it from others with the same.
    craca: ([u8; 3], u8),
    issued: u32,
    /// The number in its series, or in its period.
    number: u8,
    /// The first period, of a list by linkage values.
    period: u16,
    /// The entries, a bit for each certificate or holder.
    entries: u8,
    /// The last period and the last index of its holders.
    last: (u16, u8),
}

/// A certificate with a linkage value: holder, period and index.
pub(super) type Certificate = (usize, u16, u8);

impl List {
    pub(super) fn random(random: &mut Random) -> Self {
        let entries = random.below(256) & random.below(256);
        Self {
            is_by_hash: random.once_in(2),
            is_full: random.once_in(3),
            craca: (
                CRACAS[usize::from(random.once_in(3))],
                random.below(2) as u8,
            ),
            issued: 1_000 + random.below(5) as u32,
            number: random.below(6) as u8,
            period: random.below(3) as u16,
            entries: entries as u8,
            last: (2 + random.below(3) as u16, random.below(2) as u8),
        }
    }

    pub(super) fn has_series_of(&self, other: &Self) -> bool {
        (self.is_by_hash, self.craca) == (other.is_by_hash, other.craca)
    }

    fn names(&self, entry: usize) -> bool {
        self.entries & (1 << entry) != 0
    }

    /// Applies it below its signature.
    pub(super) fn apply(&self, revocations: &mut Revocations, holders: &Holders) -> AppliedCrl {
        match self.is_by_hash {
            true => self.apply_by_hash(revocations),
            false => self.apply_by_linkage(revocations, holders),
        }
    }

    fn apply_by_hash(&self, revocations: &mut Revocations) -> AppliedCrl {
        let named = (0..CERTIFICATES).filter(|id| self.names(usize::from(*id)));
        let entries = named.map(|id| HashBasedRevocationInfo {
            id: HashedId10([id; 10]),
            expiry: Time32(9_000),
            unknown: UnknownAdditions::default(),
        });
        let entries: Vec<_> = entries.collect();
        let list = ToBeSignedHashIdCrl {
            crl_serial: u32::from(self.number),
            entries: SequenceOf::new(&entries).unwrap(),
            unknown: UnknownAdditions::default(),
        };
        revocations
            .apply(&self.contents(match self.is_full {
                true => TypeSpecificCrlContents::FullHash(list),
                false => TypeSpecificCrlContents::DeltaHash(list),
            }))
            .unwrap()
    }

    fn apply_by_linkage(&self, revocations: &mut Revocations, holders: &Holders) -> AppliedCrl {
        let seeds = |holder: usize| holders.seeds(holder, self.period);
        let named = (0..GROUP).filter(|holder| self.names(*holder));
        let pairs = named.map(|holder| {
            let [seed_1, seed_2] = seeds(holder);
            IndividualRevocation {
                seed_1,
                seed_2,
                unknown: UnknownAdditions::default(),
            }
        });
        let pairs: Vec<_> = pairs.collect();
        let (last, j_max) = self.last;
        let i_max = FIRST + last;
        let by_period = [IMaxGroup {
            i_max,
            contents: SequenceOf::new(&pairs).unwrap(),
            single_seed: None,
            unknown: UnknownAdditions::default(),
        }];
        let by_authority = [LaGroup {
            la_1: LA[0],
            la_2: LA[1],
            contents: SequenceOf::new(&by_period).unwrap(),
            unknown: UnknownAdditions::default(),
        }];
        let individual = [JMaxGroup {
            j_max,
            contents: SequenceOf::new(&by_authority).unwrap(),
            unknown: UnknownAdditions::default(),
        }];
        let [seed_1, seed_2] = seeds(GROUP);
        let group = [GroupCrlEntry {
            i_max,
            la_1: LA[0],
            seed_1,
            la_2: LA[1],
            seed_2,
            unknown: UnknownAdditions::default(),
        }];
        let list = ToBeSignedLinkageValueCrl {
            i_rev: period(self.period),
            index_within_i: self.number,
            individual: Some(SequenceOf::new(&individual).unwrap()),
            groups: self.names(GROUP).then(|| SequenceOf::new(&group).unwrap()),
            groups_single_seed: None,
            unknown: UnknownAdditions::default(),
        };
        revocations
            .apply(&self.contents(match self.is_full {
                true => TypeSpecificCrlContents::FullLinked(list),
                false => TypeSpecificCrlContents::DeltaLinked(list),
            }))
            .unwrap()
    }

    fn contents<'l>(&self, contents: TypeSpecificCrlContents<'l>) -> CrlContents<'l> {
        let ([a, b, c], other) = self.craca;
        CrlContents {
            version: Version1,
            crl_series: SERIES,
            crl_craca: HashedId8([other, 0, 0, 0, 0, a, b, c]),
            issue_date: Time32(self.issued),
            next_crl: Time32(self.issued + 1),
            priority_info: CrlPriorityInfo {
                priority: None,
                unknown: UnknownAdditions::default(),
            },
            contents,
        }
    }
}

/// The seeds and values of all holders, computed one by one.
pub(super) struct Holders {
    seeds: [[LinkageSeed; 2]; HOLDERS],
    /// By holder, period and index.
    values: Vec<LinkageValue>,
}

impl Holders {
    pub(super) fn new(random: &mut Random) -> Self {
        let mut holders = Self {
            seeds: [(); HOLDERS].map(|()| [(); 2].map(|()| LinkageSeed(random.array()))),
            values: Vec::new(),
        };
        for holder in 0..HOLDERS {
            for period in 0..PERIODS {
                let own = holders.seeds(holder, period);
                for j in 0..2 {
                    let of = |at: usize| pre_linkage_value(LA[at], &own[at], j);
                    holders.values.push(linkage_value(of(0), of(1)));
                }
            }
        }
        holders
    }

    fn seeds(&self, holder: usize, period: u16) -> [LinkageSeed; 2] {
        [0, 1].map(|at: usize| later_seed(LA[at], &self.seeds[holder][at], period))
    }

    pub(super) fn is_revoked(
        &self,
        revocations: &Revocations,
        craca: [u8; 3],
        (holder, number, j): Certificate,
    ) -> bool {
        let at = (holder * usize::from(PERIODS) + usize::from(number)) * 2 + usize::from(j);
        let value = self.values[at];
        let group = GroupLinkageValue {
            j: JValue(u32::from(j).to_be_bytes()),
            value,
        };
        let linkage = match holder {
            GROUP => LinkageData {
                period: period(number),
                value: LinkageValue([0; 9]),
                group: Some(group),
            },
            _ => LinkageData {
                period: period(number),
                value,
                group: None,
            },
        };
        let status = revocations.linked(HashedId3(craca), SERIES, &linkage);
        assert_ne!(status, LinkageStatus::NotExpanded);
        status == LinkageStatus::Revoked
    }
}

/// All certificates of a period.
pub(super) fn certificates(period: u16) -> impl Iterator<Item = ([u8; 3], Certificate)> {
    let holders = CRACAS
        .into_iter()
        .flat_map(|craca| (0..HOLDERS).map(move |one| (craca, one)));
    holders.flat_map(move |(craca, one)| [0, 1].map(|j| (craca, (one, period, j))))
}

pub(super) fn has(revocations: &Revocations, craca: [u8; 3], id: u8) -> bool {
    revocations.has(HashedId3(craca), SERIES, HashedId10([id; 10]))
}

/// The union of all lists by hash.
pub(super) fn is_revoked_by_hash(given: &[List], craca: [u8; 3], id: u8) -> bool {
    let mut lists = given
        .iter()
        .filter(|list| list.is_by_hash && list.craca.0 == craca);
    lists.any(|list| list.names(usize::from(id)))
}

/// The union of all lists by linkage values.
pub(super) fn is_revoked_by_linkage(
    given: &[List],
    craca: [u8; 3],
    (holder, period, j): Certificate,
) -> bool {
    let mut lists = given
        .iter()
        .filter(|list| !list.is_by_hash && list.craca.0 == craca);
    lists.any(|list| {
        let has_index = holder == GROUP || j <= list.last.1;
        list.names(holder) && has_index && list.period <= period && period <= list.last.0
    })
}

/// The first period of the latest full list: what was revoked in earlier ones may be forgotten.
pub(super) fn first_period(given: &[List], craca: [u8; 3]) -> u16 {
    let lists = given.iter().filter(|list| list.is_full && !list.is_by_hash);
    let lists = lists.filter(|list| list.craca.0 == craca);
    lists.map(|list| list.period).max().unwrap_or(0)
}

/// True if a full list is among the lists by hash of a series, and how many lists after it are
/// missing.
pub(super) fn continuity(given: &[&List]) -> (bool, u32) {
    let full = given.iter().filter(|list| list.is_full);
    let full = full.map(|list| (list.issued, list.number)).max();
    let Some(full) = full else {
        return (false, 0);
    };
    let deltas = given.iter().filter(|list| !list.is_full);
    let later = deltas.filter(|list| (list.issued, list.number) > full && list.number > full.1);
    let later: BTreeSet<u8> = later.map(|list| list.number).collect();
    let last = later.last().copied().unwrap_or(full.1);
    let missing = u32::from(last - full.1) - later.len() as u32;
    (true, missing)
}

/// Returns the receiver's report of missing lists.
pub(super) fn missing_lists(applied: &AppliedCrl) -> (bool, u32) {
    match applied.continuity {
        Continuity::Complete => (true, 0),
        Continuity::NoFullList => (false, 0),
        Continuity::Missing { lists, .. } => (true, lists),
    }
}
