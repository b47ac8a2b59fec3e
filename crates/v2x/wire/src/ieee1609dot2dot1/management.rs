//! Lists of certificates and authorities, for all.

use super::{HashedId32, HashedId48};
use crate::coer::{SequenceOf, choice, number, octets, sequence};
use crate::ieee1609dot2::{Certificate, CrlSeries, HashedId8, Ieee1609Dot2Data, Psid, Time32};

octets! {
    /// The name of a group of electors \[1609.2.1\].
    pub struct ElectorGroupId([u8; 8]) = "ElectorGroupId";
}

number! {
    /// The number of a trust list \[1609.2.1\].
    pub struct CtlSequenceNumber(u16) = "CtlSequenceNumber";
    /// The kind of a trust list \[1609.2.1\]: 1 is [`FullIeeeTbsCtl`].
    pub struct MultiSignedCtlType(u8) = "Ieee1609dot2dot1MsctlType";
}

sequence! {
    /// Revocation lists together, and the trust list above them \[1609.2.1\].
    pub struct CompositeCrl<'a> = "CompositeCrl" {
        /// The lists: signed data, each around `CrlContents`.
        required crls: SequenceOf<'a, Ieee1609Dot2Data<'a>> = "crl";
        /// The trust list: unsecured data around a [`MultiSignedCtl`].
        required home_ctl: Ieee1609Dot2Data<'a> = "homeCtl";
    }
    additions {}
}

sequence! {
    /// Certificates of authorities, and the trust list above them \[1609.2.1\].
    pub struct CertificateChain<'a> = "CertificateChain" {
        /// The trust list: unsecured data around a [`MultiSignedCtl`].
        required home_ctl: Ieee1609Dot2Data<'a> = "homeCtl";
        /// The certificates.
        required others: SequenceOf<'a, Certificate<'a>> = "others";
    }
    additions {}
}

sequence! {
    /// A trust list with the signatures of several electors \[1609.2.1\].
    pub struct MultiSignedCtl<'a> = "MultiSignedCtl" {
        /// The kind of list.
        required kind: MultiSignedCtlType = "type";
        /// The list, encoded: a [`FullIeeeTbsCtl`] for the kind 1.
        required tbs_ctl: &'a [u8] = "tbsCtl";
        /// What goes with it unsigned, encoded: a list of certificates for the kind 1.
        required unsigned: &'a [u8] = "unsigned";
        /// The signatures: signed data, each around a [`ToBeSignedCtlSignature`].
        required signatures: SequenceOf<'a, Ieee1609Dot2Data<'a>, 1> = "signatures";
    }
}

sequence! {
    /// Which electors and root authorities are trusted \[1609.2.1\].
    pub struct FullIeeeTbsCtl<'a> = "FullIeeeTbsCtl" {
        /// The kind of list: 1.
        required kind: MultiSignedCtlType = "type";
        /// Who makes it.
        required elector_group: ElectorGroupId = "electorGroupId";
        /// Its number.
        required sequence_number: CtlSequenceNumber = "sequenceNumber";
        /// From when it counts.
        required effective: Time32 = "effectiveDate";
        /// Electors that are trusted, by the hashes of their certificates.
        required approved_electors: SequenceOf<'a, HashedId48> = "electorApprove";
        /// Electors that no longer are.
        required removed_electors: SequenceOf<'a, HashedId48> = "electorRemove";
        /// Root authorities that are trusted.
        required approved_roots: SequenceOf<'a, HashedId32> = "rootCaApprove";
        /// Root authorities that no longer are.
        required removed_roots: SequenceOf<'a, HashedId32> = "rootCaRemove";
    }
    additions {
        /// How many electors sign.
        quorum: i64 = "quorum";
    }
}

sequence! {
    /// What an elector signs \[1609.2.1\].
    pub struct ToBeSignedCtlSignature = "ToBeSignedCtlSignature" {
        /// Who makes the list.
        required elector_group: ElectorGroupId = "electorGroupId";
        /// Its kind.
        required kind: MultiSignedCtlType = "ctlType";
        /// Its number.
        required sequence_number: CtlSequenceNumber = "sequenceNumber";
        /// Its hash.
        required hash: HashedId48 = "tbsCtlHash";
    }
}

sequence! {
    /// The newest revocation list of a series \[1609.2.1\].
    pub struct CrlInfoStatus<'a> = "CrlInfoStatus" {
        /// Who revokes.
        required craca_id: HashedId8 = "cracaId";
        /// The series.
        required series: CrlSeries = "series";
        /// When it was made.
        required issue_date: Time32 = "issueDate";
    }
    additions {}
}

sequence! {
    /// The newest trust list \[1609.2.1\].
    pub struct CtlInfoStatus<'a> = "CtlInfoStatus" {
        /// Who makes it.
        required elector_group: ElectorGroupId = "electorGroupId";
        /// Its number.
        required sequence_number: CtlSequenceNumber = "sequenceNumber";
        /// When it was made.
        required last_update: Time32 = "lastUpdate";
    }
    additions {}
}

sequence! {
    /// The newest certificate of a misbehaviour authority \[1609.2.1\].
    pub struct MaInfoStatus<'a> = "MaInfoStatus" {
        /// Of which applications.
        required psids: SequenceOf<'a, Psid> = "psids";
        /// When it was made.
        required updated: Time32 = "updated";
    }
    additions {}
}

sequence! {
    /// What is newest of everything that a station can ask for \[1609.2.1\].
    pub struct CertificateManagementInfoStatus<'a> = "CertificateManagementInfoStatus" {
        /// Revocation lists.
        required crls: SequenceOf<'a, CrlInfoStatus<'a>> = "crl";
        /// Trust lists.
        required ctls: SequenceOf<'a, CtlInfoStatus<'a>> = "ctl";
        /// The file of certificates of authorities.
        required chain_file: Time32 = "caCcf";
        /// Misbehaviour authorities.
        required misbehaviour: SequenceOf<'a, MaInfoStatus<'a>> = "ma";
        /// The registration authority's certificate.
        optional registration: Time32 = "ra";
    }
    additions {}
}

choice! {
    /// What is said to all \[1609.2.1\].
    pub enum CertManagementPdu<'a> = "CertManagementPdu", critical {
        /// Revocation lists.
        0 CompositeCrl(CompositeCrl<'a>) = "compositeCrl";
        /// Certificates of authorities.
        1 CertificateChain(CertificateChain<'a>) = "certificateChain";
        /// A trust list.
        2 MultiSignedCtl(MultiSignedCtl<'a>) = "multiSignedCtl";
        /// What an elector signs.
        3 CtlSignature(ToBeSignedCtlSignature) = "tbsCtlSignature";
        /// What is newest.
        4 InfoStatus(CertificateManagementInfoStatus<'a>) = "infoStatus";
    }
}
