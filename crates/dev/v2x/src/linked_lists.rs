//! Lists by linkage values to be signed, and the values that they revoke, computed one by one.

use waywarden_v2x_security::linkage::{later_seed, linkage_value, pre_linkage_value};
use waywarden_v2x_wire::coer::{Null, SequenceOf, UnknownAdditions};
use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, CrlSeries, GroupCrlEntry, GroupLinkageValue, GroupSingleSeedCrlEntry, HashedId8,
    IMaxGroup, IValue, IndividualRevocation, JMaxGroup, JValue, LaGroup, LaId, LinkageData,
    LinkageSeed, LinkageValue, ToBeSignedLinkageValueCrl,
    ToBeSignedLinkageValueCrlWithAlgIdentifier, TypeSpecificCrlContents,
};

use crate::world::{Holder, MessageContents, NOW, crl, written};

/// A holder, or a group, that a list revokes.
#[derive(Clone, Copy, Debug)]
pub struct Revoked {
    /// The two linkage authorities.
    pub authorities: (LaId, LaId),
    /// Seed of the first linkage authority.
    pub first: LinkageSeed,
    /// `None` for a holder with one seed.
    pub second: Option<LinkageSeed>,
    /// `None` for a group.
    pub j_max: Option<u8>,
    /// Last period that is revoked.
    pub i_max: u16,
}

impl Revoked {
    /// The value with this index, so many periods after that of the seeds.
    pub fn value(&self, steps: u16, j: u32) -> LinkageValue {
        let of = |authority, seed: &LinkageSeed| {
            pre_linkage_value(authority, &later_seed(authority, seed, steps), j)
        };
        let first = of(self.authorities.0, &self.first);
        match &self.second {
            Some(second) => linkage_value(first, of(self.authorities.1, second)),
            None => LinkageValue(first.0),
        }
    }

    /// Returns the linkage data of its certificate with this index in a period; `i_rev` is that of
    /// the seeds. A certificate of a group has another value besides.
    pub fn linkage(&self, i_rev: u16, period: u16, j: u32) -> LinkageData {
        let value = self.value(period - i_rev, j);
        let alone = LinkageData {
            period: IValue(period),
            value,
            group: None,
        };
        match self.j_max {
            Some(_) => alone,
            None => LinkageData {
                value: LinkageValue([7; 9]),
                group: Some(GroupLinkageValue {
                    j: JValue(j.to_be_bytes()),
                    value,
                }),
                ..alone
            },
        }
    }
}

/// A list that revokes some.
#[derive(Clone, Debug)]
pub struct List {
    /// The CRACA of the revoked certificates.
    pub craca: HashedId8,
    /// Series of the list at that CRACA.
    pub series: u16,
    /// Issue date, in seconds since 2004.
    pub issued: u32,
    /// Period of the seeds in the list.
    pub i_rev: u16,
    /// Index of the list within that period.
    pub index: u8,
    /// True for a full list, false for a delta list.
    pub is_full: bool,
    /// True if the list names the functions.
    pub names_functions: bool,
    /// Revoked holders and groups.
    pub revoked: Vec<Revoked>,
}

impl List {
    /// The first full list of a CRACA.
    pub fn full(craca: HashedId8, i_rev: u16, revoked: Vec<Revoked>) -> Self {
        Self {
            craca,
            series: 0,
            issued: NOW,
            i_rev,
            index: 0,
            is_full: true,
            names_functions: false,
            revoked,
        }
    }

    /// Signs it.
    pub fn sign(&self, signer: &Holder) -> Vec<u8> {
        let message = MessageContents {
            psid: 256,
            made: None,
            payload: &self.contents(),
            ..MessageContents::new()
        };
        message.sign(signer)
    }

    /// Each holder in a group of its own: receivers must not care.
    pub fn contents(&self) -> Vec<u8> {
        let none = UnknownAdditions::default;
        let holders = self.revoked.iter().filter(|one| one.j_max.is_some());
        let holders: Vec<&Revoked> = holders.collect();
        let pairs: Vec<Vec<IndividualRevocation<'_>>> =
            holders.iter().map(|one| pair(one)).collect();
        let singles: Vec<Option<[LinkageSeed; 1]>> =
            holders.iter().map(|one| single(one)).collect();
        let by_period: Vec<[IMaxGroup<'_>; 1]> = holders
            .iter()
            .zip(pairs.iter().zip(&singles))
            .map(|(one, (pairs, single))| {
                [IMaxGroup {
                    i_max: one.i_max,
                    contents: SequenceOf::new(pairs).unwrap(),
                    single_seed: single.as_ref().map(|seed| SequenceOf::new(seed).unwrap()),
                    unknown: none(),
                }]
            })
            .collect();
        let by_authority: Vec<[LaGroup<'_>; 1]> = holders
            .iter()
            .zip(&by_period)
            .map(|(one, contents)| {
                [LaGroup {
                    la_1: one.authorities.0,
                    la_2: one.authorities.1,
                    contents: SequenceOf::new(contents).unwrap(),
                    unknown: none(),
                }]
            })
            .collect();
        let individual: Vec<JMaxGroup<'_>> = holders
            .iter()
            .zip(&by_authority)
            .map(|(one, contents)| JMaxGroup {
                j_max: one.j_max.unwrap(),
                contents: SequenceOf::new(contents).unwrap(),
                unknown: none(),
            })
            .collect();
        self.contents_with(&individual)
    }

    /// With these holders, and the groups.
    fn contents_with(&self, individual: &[JMaxGroup<'_>]) -> Vec<u8> {
        let none = UnknownAdditions::default;
        let groups: Vec<GroupCrlEntry<'_>> = self.revoked.iter().filter_map(group).collect();
        let single_groups = self.revoked.iter().filter_map(single_group);
        let single_groups: Vec<GroupSingleSeedCrlEntry> = single_groups.collect();
        let (i_rev, index_within_i) = (IValue(self.i_rev), self.index);
        let individual = Some(SequenceOf::new(individual).unwrap());
        let groups = (!groups.is_empty()).then(|| SequenceOf::new(&groups).unwrap());
        let groups_single_seed =
            (!single_groups.is_empty()).then(|| SequenceOf::new(&single_groups).unwrap());
        let plain = ToBeSignedLinkageValueCrl {
            i_rev,
            index_within_i,
            individual,
            groups,
            groups_single_seed,
            unknown: none(),
        };
        let named = ToBeSignedLinkageValueCrlWithAlgIdentifier {
            i_rev,
            index_within_i,
            seed_evolution: Null,
            lv_generation: Null,
            individual,
            groups,
            groups_single_seed,
            unknown: none(),
        };
        written(&CrlContents {
            crl_series: CrlSeries(self.series),
            contents: match (self.is_full, self.names_functions) {
                (true, false) => TypeSpecificCrlContents::FullLinked(plain),
                (false, false) => TypeSpecificCrlContents::DeltaLinked(plain),
                (true, true) => TypeSpecificCrlContents::FullLinkedWithAlg(named),
                (false, true) => TypeSpecificCrlContents::DeltaLinkedWithAlg(named),
            },
            ..crl(self.issued, self.issued + 600, self.craca, &[])
        })
    }
}

fn pair(one: &Revoked) -> Vec<IndividualRevocation<'static>> {
    let pair = one.second.map(|second| IndividualRevocation {
        seed_1: one.first,
        seed_2: second,
        unknown: UnknownAdditions::default(),
    });
    pair.into_iter().collect()
}

fn single(one: &Revoked) -> Option<[LinkageSeed; 1]> {
    one.second.is_none().then_some([one.first])
}

fn group(one: &Revoked) -> Option<GroupCrlEntry<'static>> {
    let second = one.second.filter(|_| one.j_max.is_none())?;
    Some(GroupCrlEntry {
        i_max: one.i_max,
        la_1: one.authorities.0,
        seed_1: one.first,
        la_2: one.authorities.1,
        seed_2: second,
        unknown: UnknownAdditions::default(),
    })
}

fn single_group(one: &Revoked) -> Option<GroupSingleSeedCrlEntry> {
    (one.j_max.is_none() && one.second.is_none()).then_some(GroupSingleSeedCrlEntry {
        i_max: one.i_max,
        la: one.authorities.0,
        seed: one.first,
    })
}
