//! Role of a certificate's holder in a public key infrastructure: the opaque service specific
//! permissions under PSID 35.

use super::{AcpcTreeId, Version2};
use crate::coer::{SequenceOf, choice, number, sequence};
use crate::ieee1609dot2::Psid;

number! {
    /// A number of 16 bits \[1609.2 §6.3\].
    pub struct Uint16(u16) = "Uint16";
}

sequence! {
    /// Permissions of a role without further parameters \[1609.2.1\].
    pub struct RoleSsp<'a> = "RaSsp" {
        /// Version of the structure.
        required version: Version2 = "version";
    }
    additions {}
}

sequence! {
    /// Permissions of a linkage authority \[1609.2.1\].
    pub struct LaSsp<'a> = "LaSsp" {
        /// Version of the structure.
        required version: Version2 = "version";
        /// Identifier of the linkage authority.
        required la_id: Uint16 = "laId";
    }
    additions {}
}

sequence! {
    /// Permissions of a misbehaviour authority \[1609.2.1\].
    pub struct MaSsp<'a> = "MaSsp" {
        /// Version of the structure.
        required version: Version2 = "version";
        /// Applications that it is responsible for.
        required relevant_psids: SequenceOf<'a, Psid> = "relevantPsids";
    }
    additions {}
}

choice! {
    /// Role of the holder \[1609.2.1\].
    pub enum ScmsSsp<'a> = "ScmsSsp", critical {
        /// An elector of root authorities.
        0 Elector(RoleSsp<'a>) = "elector";
        /// A root authority.
        1 Root(RoleSsp<'a>) = "root";
        /// A policy generator.
        2 PolicyGenerator(RoleSsp<'a>) = "pg";
        /// An intermediate authority.
        3 Intermediate(RoleSsp<'a>) = "ica";
        /// An enrolment authority.
        4 Enrolment(RoleSsp<'a>) = "eca";
        /// An authorization authority.
        5 Authorization(RoleSsp<'a>) = "aca";
        /// A signer of revocation lists.
        6 CrlSigner(RoleSsp<'a>) = "crl";
        /// A manager of device configurations.
        7 DeviceConfigurationManager(RoleSsp<'a>) = "dcm";
        /// A linkage authority.
        8 Linkage(LaSsp<'a>) = "la";
        /// A location obscurer proxy.
        9 LocationObscurerProxy(RoleSsp<'a>) = "lop";
        /// A misbehaviour authority.
        10 Misbehaviour(MaSsp<'a>) = "ma";
        /// A registration authority.
        11 Registration(RoleSsp<'a>) = "ra";
        /// A station.
        12 Station(RoleSsp<'a>) = "ee";
    }
    additions {
        /// A distribution centre.
        13 DistributionCentre(RoleSsp<'a>) = "dc";
    }
}

/// Trees of access control whose values a holder may sign \[1609.2.1\].
pub type CamSsp<'a> = SequenceOf<'a, AcpcTreeId, 1>;
