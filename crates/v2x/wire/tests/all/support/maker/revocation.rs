//! Revocation lists.

use waywarden_v2x_wire::coer::Null;
use waywarden_v2x_wire::ieee1609dot2::*;

use super::Maker;

impl Maker {
    pub(crate) fn revocation_list(&mut self) -> CrlContents<'static> {
        CrlContents {
            version: Version1,
            crl_series: CrlSeries(self.number() as u16),
            crl_craca: HashedId8(self.own()),
            issue_date: Time32(self.number() as u32),
            next_crl: Time32(self.number() as u32),
            priority_info: CrlPriorityInfo {
                priority: self.maybe(|own| own.number() as u8),
                unknown: self.additions(),
            },
            contents: match self.alternative(4, 4, 6) {
                0 => TypeSpecificCrlContents::FullHash(self.by_hash()),
                1 => TypeSpecificCrlContents::DeltaHash(self.by_hash()),
                2 => TypeSpecificCrlContents::FullLinked(self.by_linkage()),
                3 => TypeSpecificCrlContents::DeltaLinked(self.by_linkage()),
                4 => TypeSpecificCrlContents::FullLinkedWithAlg(self.by_named_linkage()),
                _ => TypeSpecificCrlContents::DeltaLinkedWithAlg(self.by_named_linkage()),
            },
        }
    }

    fn by_hash(&mut self) -> ToBeSignedHashIdCrl<'static> {
        ToBeSignedHashIdCrl {
            crl_serial: self.number() as u32,
            entries: self.list(|own| HashBasedRevocationInfo {
                id: HashedId10(own.own()),
                expiry: Time32(own.number() as u32),
                unknown: own.additions(),
            }),
            unknown: self.additions(),
        }
    }

    fn by_linkage(&mut self) -> ToBeSignedLinkageValueCrl<'static> {
        ToBeSignedLinkageValueCrl {
            i_rev: IValue(self.number() as u16),
            index_within_i: self.number() as u8,
            individual: self.maybe(|own| own.list(Self::holders)),
            groups: Some(self.list(Self::group)),
            groups_single_seed: match self.scope.of_2022 {
                true => self.seldom(|own| own.list(Self::single_seed_group)),
                false => None,
            },
            unknown: self.additions(),
        }
    }

    fn by_named_linkage(&mut self) -> ToBeSignedLinkageValueCrlWithAlgIdentifier<'static> {
        ToBeSignedLinkageValueCrlWithAlgIdentifier {
            i_rev: IValue(self.number() as u16),
            index_within_i: self.number() as u8,
            seed_evolution: Null,
            lv_generation: Null,
            individual: Some(self.list(Self::holders)),
            groups: self.maybe(|own| own.list(Self::group)),
            groups_single_seed: self.maybe(|own| own.list(Self::single_seed_group)),
            unknown: self.additions(),
        }
    }

    fn holders(&mut self) -> JMaxGroup<'static> {
        JMaxGroup {
            j_max: self.number() as u8,
            contents: self.list(|own| LaGroup {
                la_1: LaId(own.own()),
                la_2: LaId(own.own()),
                contents: own.list(Self::holders_until),
                unknown: own.additions(),
            }),
            unknown: self.additions(),
        }
    }

    fn holders_until(&mut self) -> IMaxGroup<'static> {
        IMaxGroup {
            i_max: self.number() as u16,
            contents: self.list(|own| IndividualRevocation {
                seed_1: LinkageSeed(own.own()),
                seed_2: LinkageSeed(own.own()),
                unknown: own.additions(),
            }),
            single_seed: match self.scope.of_2022 {
                true => self.seldom(|own| own.list(|own| LinkageSeed(own.own()))),
                false => None,
            },
            unknown: self.additions(),
        }
    }

    fn group(&mut self) -> GroupCrlEntry<'static> {
        GroupCrlEntry {
            i_max: self.number() as u16,
            la_1: LaId(self.own()),
            seed_1: LinkageSeed(self.own()),
            la_2: LaId(self.own()),
            seed_2: LinkageSeed(self.own()),
            unknown: self.additions(),
        }
    }

    fn single_seed_group(&mut self) -> GroupSingleSeedCrlEntry {
        GroupSingleSeedCrlEntry {
            i_max: self.number() as u16,
            la: LaId(self.own()),
            seed: LinkageSeed(self.own()),
        }
    }
}
