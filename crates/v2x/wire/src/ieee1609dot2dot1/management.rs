//! Lists of certificates and authorities, for all parties.

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
        /// Revocation lists: signed data, each around `CrlContents`.
        required crls: SequenceOf<'a, Ieee1609Dot2Data<'a>> = "crl";
        /// Trust list: unsecured data around a [`MultiSignedCtl`].
        required home_ctl: Ieee1609Dot2Data<'a> = "homeCtl";
    }
    additions {}
}

sequence! {
    /// Certificates of authorities, and the trust list above them \[1609.2.1\].
    pub struct CertificateChain<'a> = "CertificateChain" {
        /// Trust list: unsecured data around a [`MultiSignedCtl`].
        required home_ctl: Ieee1609Dot2Data<'a> = "homeCtl";
        /// Certificates of authorities.
        required others: SequenceOf<'a, Certificate<'a>> = "others";
    }
    additions {}
}

sequence! {
    /// A trust list with the signatures of several electors \[1609.2.1\].
    pub struct MultiSignedCtl<'a> = "MultiSignedCtl" {
        /// Kind of list.
        required kind: MultiSignedCtlType = "type";
        /// Trust list, encoded: a [`FullIeeeTbsCtl`] for kind 1.
        required tbs_ctl: &'a [u8] = "tbsCtl";
        /// Unsigned data that comes with the list, encoded: a list of certificates for kind 1.
        required unsigned: &'a [u8] = "unsigned";
        /// Signatures of the electors: signed data, each around a [`ToBeSignedCtlSignature`].
        required signatures: SequenceOf<'a, Ieee1609Dot2Data<'a>, 1> = "signatures";
    }
}

sequence! {
    /// Trust list of electors and root authorities \[1609.2.1\].
    pub struct FullIeeeTbsCtl<'a> = "FullIeeeTbsCtl" {
        /// Kind of list: 1.
        required kind: MultiSignedCtlType = "type";
        /// Group of electors that issues the list.
        required elector_group: ElectorGroupId = "electorGroupId";
        /// Sequence number of the list.
        required sequence_number: CtlSequenceNumber = "sequenceNumber";
        /// Time from which the list is effective.
        required effective: Time32 = "effectiveDate";
        /// Trusted electors, by the hashes of their certificates.
        required approved_electors: SequenceOf<'a, HashedId48> = "electorApprove";
        /// Electors that are no longer trusted.
        required removed_electors: SequenceOf<'a, HashedId48> = "electorRemove";
        /// Trusted root authorities.
        required approved_roots: SequenceOf<'a, HashedId32> = "rootCaApprove";
        /// Root authorities that are no longer trusted.
        required removed_roots: SequenceOf<'a, HashedId32> = "rootCaRemove";
    }
    additions {
        /// Number of electors that have to sign.
        quorum: i64 = "quorum";
    }
}

sequence! {
    /// Contents of an elector's signature \[1609.2.1\].
    pub struct ToBeSignedCtlSignature = "ToBeSignedCtlSignature" {
        /// Group of electors that issues the list.
        required elector_group: ElectorGroupId = "electorGroupId";
        /// Kind of the list.
        required kind: MultiSignedCtlType = "ctlType";
        /// Sequence number of the list.
        required sequence_number: CtlSequenceNumber = "sequenceNumber";
        /// Hash of the list.
        required hash: HashedId48 = "tbsCtlHash";
    }
}

sequence! {
    /// The newest revocation list of a series \[1609.2.1\].
    pub struct CrlInfoStatus<'a> = "CrlInfoStatus" {
        /// Authority that revokes (CRACA).
        required craca_id: HashedId8 = "cracaId";
        /// Series of the list.
        required series: CrlSeries = "series";
        /// Time of issue.
        required issue_date: Time32 = "issueDate";
    }
    additions {}
}

sequence! {
    /// The newest trust list \[1609.2.1\].
    pub struct CtlInfoStatus<'a> = "CtlInfoStatus" {
        /// Group of electors that issues the list.
        required elector_group: ElectorGroupId = "electorGroupId";
        /// Sequence number of the list.
        required sequence_number: CtlSequenceNumber = "sequenceNumber";
        /// Time of issue.
        required last_update: Time32 = "lastUpdate";
    }
    additions {}
}

sequence! {
    /// The newest certificate of a misbehaviour authority \[1609.2.1\].
    pub struct MaInfoStatus<'a> = "MaInfoStatus" {
        /// Applications of the misbehaviour authority.
        required psids: SequenceOf<'a, Psid> = "psids";
        /// Time of issue.
        required updated: Time32 = "updated";
    }
    additions {}
}

sequence! {
    /// State of all lists and certificates that a station can request \[1609.2.1\].
    pub struct CertificateManagementInfoStatus<'a> = "CertificateManagementInfoStatus" {
        /// Newest revocation lists.
        required crls: SequenceOf<'a, CrlInfoStatus<'a>> = "crl";
        /// Newest trust lists.
        required ctls: SequenceOf<'a, CtlInfoStatus<'a>> = "ctl";
        /// Time of the file of authorities' certificates.
        required chain_file: Time32 = "caCcf";
        /// Newest certificates of misbehaviour authorities.
        required misbehaviour: SequenceOf<'a, MaInfoStatus<'a>> = "ma";
        /// Time of the registration authority's certificate.
        optional registration: Time32 = "ra";
    }
    additions {}
}

choice! {
    /// Messages of certificate management, for all parties \[1609.2.1\].
    pub enum CertManagementPdu<'a> = "CertManagementPdu", critical {
        /// Revocation lists.
        0 CompositeCrl(CompositeCrl<'a>) = "compositeCrl";
        /// Certificates of authorities.
        1 CertificateChain(CertificateChain<'a>) = "certificateChain";
        /// A trust list.
        2 MultiSignedCtl(MultiSignedCtl<'a>) = "multiSignedCtl";
        /// Contents of an elector's signature.
        3 CtlSignature(ToBeSignedCtlSignature) = "tbsCtlSignature";
        /// State of all lists and certificates.
        4 InfoStatus(CertificateManagementInfoStatus<'a>) = "infoStatus";
    }
}
