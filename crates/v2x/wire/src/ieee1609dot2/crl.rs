//! Certificate revocation lists \[1609.2 §7.3\].

use super::{CrlSeries, HashedId8, HashedId10, IValue, LaId, LinkageSeed, Time32, Version1};
use crate::coer::{Null, SequenceOf, choice, enumerated, sequence};

sequence! {
    /// Priority of a revocation list \[1609.2 §7.3\].
    pub struct CrlPriorityInfo<'a> = "CrlPriorityInfo" {
        /// Priority; a higher value goes first.
        optional priority: u8 = "priority";
    }
    additions {}
}

sequence! {
    /// A revoked certificate, by its hash \[1609.2 §7.3\].
    pub struct HashBasedRevocationInfo<'a> = "HashBasedRevocationInfo" {
        /// Digest of the certificate.
        required id: HashedId10 = "id";
        /// Time at which the certificate expires anyway.
        required expiry: Time32 = "expiry";
    }
    additions {}
}

sequence! {
    /// Revoked certificates, each by its hash \[1609.2 §7.3\].
    pub struct ToBeSignedHashIdCrl<'a> = "ToBeSignedHashIdCrl" {
        /// Serial number of the list.
        required crl_serial: u32 = "crlSerial";
        /// Revoked certificates.
        required entries: SequenceOf<'a, HashBasedRevocationInfo<'a>> = "entries";
    }
    additions {}
}

sequence! {
    /// Linkage seeds of one holder \[1609.2 §7.3\].
    pub struct IndividualRevocation<'a> = "IndividualRevocation" {
        /// Seed of the first linkage authority.
        required seed_1: LinkageSeed = "linkageSeed1";
        /// Seed of the second linkage authority.
        required seed_2: LinkageSeed = "linkageSeed2";
    }
    additions {}
}

sequence! {
    /// Holders whose certificates end with one period \[1609.2 §7.3\].
    pub struct IMaxGroup<'a> = "IMaxGroup" {
        /// Last period of their certificates.
        required i_max: u16 = "iMax";
        /// Holders with two seeds.
        required contents: SequenceOf<'a, IndividualRevocation<'a>> = "contents";
    }
    additions {
        /// Holders with one seed.
        single_seed: SequenceOf<'a, LinkageSeed> = "singleSeed";
    }
}

sequence! {
    /// Holders whose linkage values come from the same two authorities \[1609.2 §7.3\].
    pub struct LaGroup<'a> = "LAGroup" {
        /// First linkage authority.
        required la_1: LaId = "la1Id";
        /// Second linkage authority.
        required la_2: LaId = "la2Id";
        /// Holders, grouped by their last period.
        required contents: SequenceOf<'a, IMaxGroup<'a>> = "contents";
    }
    additions {}
}

sequence! {
    /// Holders with the same number of certificates for each period \[1609.2 §7.3\].
    pub struct JMaxGroup<'a> = "JMaxGroup" {
        /// Number of certificates for each period.
        required j_max: u8 = "jmax";
        /// Holders, grouped by their linkage authorities.
        required contents: SequenceOf<'a, LaGroup<'a>> = "contents";
    }
    additions {}
}

sequence! {
    /// A revoked group of holders \[1609.2 §7.3\].
    pub struct GroupCrlEntry<'a> = "GroupCrlEntry" {
        /// Last period of the group.
        required i_max: u16 = "iMax";
        /// First linkage authority.
        required la_1: LaId = "la1Id";
        /// Seed of the first authority.
        required seed_1: LinkageSeed = "linkageSeed1";
        /// Second linkage authority.
        required la_2: LaId = "la2Id";
        /// Seed of the second authority.
        required seed_2: LinkageSeed = "linkageSeed2";
    }
    additions {}
}

sequence! {
    /// A revoked group of holders with one seed \[1609.2 §7.3\].
    pub struct GroupSingleSeedCrlEntry = "GroupSingleSeedCrlEntry" {
        /// Last period of the group.
        required i_max: u16 = "iMax";
        /// Linkage authority.
        required la: LaId = "laId";
        /// Seed of the authority.
        required seed: LinkageSeed = "linkageSeed";
    }
}

sequence! {
    /// Holders revoked by their linkage values \[1609.2 §7.3\].
    pub struct ToBeSignedLinkageValueCrl<'a> = "ToBeSignedLinkageValueCrl" {
        /// First period of the list.
        required i_rev: IValue = "iRev";
        /// Number of the list within this period.
        required index_within_i: u8 = "indexWithinI";
        /// Single holders.
        optional individual: SequenceOf<'a, JMaxGroup<'a>> = "individual";
        /// Groups of holders.
        optional groups: SequenceOf<'a, GroupCrlEntry<'a>> = "groups";
    }
    additions {
        /// Groups of holders with one seed.
        groups_single_seed: SequenceOf<'a, GroupSingleSeedCrlEntry> = "groupsSingleSeed";
    }
}

sequence! {
    /// Holders revoked by their linkage values, with the linkage functions named \[1609.2 §7.3\].
    pub struct ToBeSignedLinkageValueCrlWithAlgIdentifier<'a>
        = "ToBeSignedLinkageValueCrlWithAlgIdentifier"
    {
        /// First period of the list.
        required i_rev: IValue = "iRev";
        /// Number of the list within this period.
        required index_within_i: u8 = "indexWithinI";
        /// Function that derives each seed from the one before.
        required seed_evolution: Null = "seedEvolution";
        /// Function that derives linkage values from seeds.
        required lv_generation: Null = "lvGeneration";
        /// Single holders.
        optional individual: SequenceOf<'a, JMaxGroup<'a>> = "individual";
        /// Groups of holders.
        optional groups: SequenceOf<'a, GroupCrlEntry<'a>> = "groups";
        /// Groups of holders with one seed.
        optional groups_single_seed: SequenceOf<'a, GroupSingleSeedCrlEntry> = "groupsSingleSeed";
    }
    additions {}
}

choice! {
    /// Contents of a revocation list, by its type \[1609.2 §7.3\].
    pub enum TypeSpecificCrlContents<'a> = "TypeSpecificCrlContents", critical {
        /// All revoked certificates, each by its hash.
        0 FullHash(ToBeSignedHashIdCrl<'a>) = "fullHashCrl";
        /// Certificates revoked since the previous list, each by its hash.
        1 DeltaHash(ToBeSignedHashIdCrl<'a>) = "deltaHashCrl";
        /// All revoked holders, by linkage values.
        2 FullLinked(ToBeSignedLinkageValueCrl<'a>) = "fullLinkedCrl";
        /// Holders revoked since the previous list, by linkage values.
        3 DeltaLinked(ToBeSignedLinkageValueCrl<'a>) = "deltaLinkedCrl";
    }
    additions {
        /// All revoked holders, with the linkage functions named.
        4 FullLinkedWithAlg(ToBeSignedLinkageValueCrlWithAlgIdentifier<'a>)
            = "fullLinkedCrlWithAlg";
        /// Holders revoked since the previous list, with the linkage functions named.
        5 DeltaLinkedWithAlg(ToBeSignedLinkageValueCrlWithAlgIdentifier<'a>)
            = "deltaLinkedCrlWithAlg";
    }
}

sequence! {
    /// A revocation list \[1609.2 §7.3\]: the payload of signed data under PSID 256.
    pub struct CrlContents<'a> = "CrlContents" {
        /// Version of the structure.
        required version: Version1 = "version";
        /// Series of the list.
        required crl_series: CrlSeries = "crlSeries";
        /// Authority that revokes (CRACA).
        required crl_craca: HashedId8 = "crlCraca";
        /// Time of issue.
        required issue_date: Time32 = "issueDate";
        /// Time at which the next list is due.
        required next_crl: Time32 = "nextCrl";
        /// Priority of the list.
        required priority_info: CrlPriorityInfo<'a> = "priorityInfo";
        /// Revoked certificates or holders.
        required contents: TypeSpecificCrlContents<'a> = "typeSpecific";
    }
}

enumerated! {
    /// Relation of the signer of a revocation list to the CRACA \[1609.2 §7.4\].
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
        /// Version of the structure.
        required version: Version1 = "version";
        /// CRACA for which the signer issues lists.
        required associated_craca: CracaType = "associatedCraca";
        /// Series of the lists that it issues.
        required series: SequenceOf<'a, CrlSeries> = "crls";
    }
    additions {}
}
