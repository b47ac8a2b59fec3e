//! Certificate revocation lists \[1609.2 §7.3\].

use super::{CrlSeries, HashedId8, HashedId10, IValue, LaId, LinkageSeed, Time32, Version1};
use crate::coer::{Null, SequenceOf, choice, enumerated, sequence};

sequence! {
    /// How urgent a list is \[1609.2 §7.3\].
    pub struct CrlPriorityInfo<'a> = "CrlPriorityInfo" {
        /// Higher goes first.
        optional priority: u8 = "priority";
    }
    additions {}
}

sequence! {
    /// A certificate that is revoked \[1609.2 §7.3\].
    pub struct HashBasedRevocationInfo<'a> = "HashBasedRevocationInfo" {
        /// Its digest.
        required id: HashedId10 = "id";
        /// When it expires anyway.
        required expiry: Time32 = "expiry";
    }
    additions {}
}

sequence! {
    /// Certificates that are revoked, each by itself \[1609.2 §7.3\].
    pub struct ToBeSignedHashIdCrl<'a> = "ToBeSignedHashIdCrl" {
        /// The number of the list.
        required crl_serial: u32 = "crlSerial";
        /// The certificates.
        required entries: SequenceOf<'a, HashBasedRevocationInfo<'a>> = "entries";
    }
    additions {}
}

sequence! {
    /// The seeds of one holder \[1609.2 §7.3\].
    pub struct IndividualRevocation<'a> = "IndividualRevocation" {
        /// Of the first authority.
        required seed_1: LinkageSeed = "linkageSeed1";
        /// Of the second one.
        required seed_2: LinkageSeed = "linkageSeed2";
    }
    additions {}
}

sequence! {
    /// Holders whose certificates end with one period \[1609.2 §7.3\].
    pub struct IMaxGroup<'a> = "IMaxGroup" {
        /// The last period.
        required i_max: u16 = "iMax";
        /// The holders.
        required contents: SequenceOf<'a, IndividualRevocation<'a>> = "contents";
    }
    additions {
        /// Holders with one seed.
        single_seed: SequenceOf<'a, LinkageSeed> = "singleSeed";
    }
}

sequence! {
    /// Holders whose values come from two authorities \[1609.2 §7.3\].
    pub struct LaGroup<'a> = "LAGroup" {
        /// The first one.
        required la_1: LaId = "la1Id";
        /// The second one.
        required la_2: LaId = "la2Id";
        /// The holders.
        required contents: SequenceOf<'a, IMaxGroup<'a>> = "contents";
    }
    additions {}
}

sequence! {
    /// Holders with a number of certificates for each period \[1609.2 §7.3\].
    pub struct JMaxGroup<'a> = "JMaxGroup" {
        /// How many.
        required j_max: u8 = "jmax";
        /// The holders.
        required contents: SequenceOf<'a, LaGroup<'a>> = "contents";
    }
    additions {}
}

sequence! {
    /// A group of holders \[1609.2 §7.3\].
    pub struct GroupCrlEntry<'a> = "GroupCrlEntry" {
        /// The last period.
        required i_max: u16 = "iMax";
        /// The first authority.
        required la_1: LaId = "la1Id";
        /// Its seed.
        required seed_1: LinkageSeed = "linkageSeed1";
        /// The second authority.
        required la_2: LaId = "la2Id";
        /// Its seed.
        required seed_2: LinkageSeed = "linkageSeed2";
    }
    additions {}
}

sequence! {
    /// A group of holders with one seed \[1609.2 §7.3\].
    pub struct GroupSingleSeedCrlEntry = "GroupSingleSeedCrlEntry" {
        /// The last period.
        required i_max: u16 = "iMax";
        /// The authority.
        required la: LaId = "laId";
        /// Its seed.
        required seed: LinkageSeed = "linkageSeed";
    }
}

sequence! {
    /// Holders that are revoked by their linkage values \[1609.2 §7.3\].
    pub struct ToBeSignedLinkageValueCrl<'a> = "ToBeSignedLinkageValueCrl" {
        /// The period that the list begins with.
        required i_rev: IValue = "iRev";
        /// Which list of this period it is.
        required index_within_i: u8 = "indexWithinI";
        /// Single holders.
        optional individual: SequenceOf<'a, JMaxGroup<'a>> = "individual";
        /// Groups.
        optional groups: SequenceOf<'a, GroupCrlEntry<'a>> = "groups";
    }
    additions {
        /// Groups with one seed.
        groups_single_seed: SequenceOf<'a, GroupSingleSeedCrlEntry> = "groupsSingleSeed";
    }
}

sequence! {
    /// The same, with the functions named \[1609.2 §7.3\].
    pub struct ToBeSignedLinkageValueCrlWithAlgIdentifier<'a>
        = "ToBeSignedLinkageValueCrlWithAlgIdentifier"
    {
        /// The period that the list begins with.
        required i_rev: IValue = "iRev";
        /// Which list of this period it is.
        required index_within_i: u8 = "indexWithinI";
        /// How seeds follow on each other.
        required seed_evolution: Null = "seedEvolution";
        /// How values are made of them.
        required lv_generation: Null = "lvGeneration";
        /// Single holders.
        optional individual: SequenceOf<'a, JMaxGroup<'a>> = "individual";
        /// Groups.
        optional groups: SequenceOf<'a, GroupCrlEntry<'a>> = "groups";
        /// Groups with one seed.
        optional groups_single_seed: SequenceOf<'a, GroupSingleSeedCrlEntry> = "groupsSingleSeed";
    }
    additions {}
}

choice! {
    /// What a list has \[1609.2 §7.3\].
    pub enum TypeSpecificCrlContents<'a> = "TypeSpecificCrlContents", critical {
        /// All certificates, each by itself.
        0 FullHash(ToBeSignedHashIdCrl<'a>) = "fullHashCrl";
        /// Those since the list before.
        1 DeltaHash(ToBeSignedHashIdCrl<'a>) = "deltaHashCrl";
        /// All holders.
        2 FullLinked(ToBeSignedLinkageValueCrl<'a>) = "fullLinkedCrl";
        /// Those since the list before.
        3 DeltaLinked(ToBeSignedLinkageValueCrl<'a>) = "deltaLinkedCrl";
    }
    additions {
        /// All holders, with the functions named.
        4 FullLinkedWithAlg(ToBeSignedLinkageValueCrlWithAlgIdentifier<'a>)
            = "fullLinkedCrlWithAlg";
        /// Those since the list before, with the functions named.
        5 DeltaLinkedWithAlg(ToBeSignedLinkageValueCrlWithAlgIdentifier<'a>)
            = "deltaLinkedCrlWithAlg";
    }
}

sequence! {
    /// A revocation list \[1609.2 §7.3\]: the payload of signed data under PSID 256.
    pub struct CrlContents<'a> = "CrlContents" {
        /// The version.
        required version: Version1 = "version";
        /// The series.
        required crl_series: CrlSeries = "crlSeries";
        /// Who revokes.
        required crl_craca: HashedId8 = "crlCraca";
        /// When it was made.
        required issue_date: Time32 = "issueDate";
        /// When the next one is to be made.
        required next_crl: Time32 = "nextCrl";
        /// How urgent it is.
        required priority_info: CrlPriorityInfo<'a> = "priorityInfo";
        /// What it revokes.
        required contents: TypeSpecificCrlContents<'a> = "typeSpecific";
    }
}

enumerated! {
    /// How the signer of a revocation list relates to the CRACA \[1609.2 §7.4\].
    pub enum CracaType = "CracaType" {
        /// The signer is the CRACA.
        0 IsCraca = "isCraca";
        /// The issuer of the signer's certificate is the CRACA.
        1 IssuerIsCraca = "issuerIsCraca";
    }
}

sequence! {
    /// The service specific permissions of a signer of revocation lists \[1609.2 §7.4\]: the
    /// opaque SSP under PSID 256.
    pub struct CrlSsp<'a> = "CrlSsp" {
        /// The version.
        required version: Version1 = "version";
        /// For which CRACA the signer makes lists.
        required associated_craca: CracaType = "associatedCraca";
        /// The series that it makes lists of.
        required series: SequenceOf<'a, CrlSeries> = "crls";
    }
    additions {}
}
