//! The data of IEEE 1609.2-2022: secured messages, certificates and revocation lists.
//!
//! Names are those of the standard; each type cites its clause. What is checked in reading is what
//! the ASN.1 says, and nothing else: whether a certificate may do what it does is a question for
//! `waywarden-v2x-security`.

mod basic;
mod certificate;
mod crl;
mod curve;
mod data;
mod encrypted;
mod header;
mod peer;
mod permission;
mod region;

pub use basic::{
    CrlSeries, Duration, HashAlgorithm, HashedId3, HashedId8, HashedId10, IValue, JValue, LaId,
    LinkageSeed, LinkageValue, Psid, SubjectAssurance, Time32, Time64, ValidityPeriod, Version1,
    Version3,
};
pub use certificate::{
    AppExtension, Certificate, CertificateBase, CertificateId, CertificateType,
    ExtensionPermissions, GroupLinkageValue, IssuerIdentifier, LinkageData, PermittedExtension,
    ToBeSignedCertificate, VerificationKeyIndicator,
};
pub use crl::{
    CracaType, CrlContents, CrlPriorityInfo, CrlSsp, GroupCrlEntry, GroupSingleSeedCrlEntry,
    HashBasedRevocationInfo, IMaxGroup, IndividualRevocation, JMaxGroup, LaGroup,
    ToBeSignedHashIdCrl, ToBeSignedLinkageValueCrl, ToBeSignedLinkageValueCrlWithAlgIdentifier,
    TypeSpecificCrlContents,
};
pub use curve::{
    BasePublicEncryptionKey, CurvePoint, EccP256CurvePoint, EccP384CurvePoint, EcdsaSignature,
    EcsigP256Signature, EncryptionKey, PublicEncryptionKey, PublicVerificationKey, Signature,
    SymmAlgorithm, SymmetricEncryptionKey,
};
pub use data::{
    HashedData, Ieee1609Dot2Content, Ieee1609Dot2Data, MessageOutline, PayloadParts, SignedData,
    SignedDataPayload, SignerIdentifier, ToBeSignedData, outline,
};
pub use encrypted::{
    EcencP256EncryptedKey, EciesP256EncryptedKey, EncryptedData, EncryptedDataEncryptionKey,
    One28BitCcmCiphertext, PkRecipientInfo, RecipientInfo, SymmRecipientInfo, SymmetricCiphertext,
};
pub use header::{ContributedExtensionBlock, HeaderInfo, MissingCrlIdentifier};
pub use peer::{Ieee1609Dot2Peer2PeerPdu, Peer2PeerContent};
pub use permission::{
    BitmapSspRange, EndEntityType, PsidGroupPermissions, PsidSsp, PsidSspRange,
    ServiceSpecificPermissions, SspRange, SubjectPermissions,
};
pub use region::{
    CircularRegion, CountryAndRegions, CountryAndSubregions, Elevation, GeographicRegion,
    IdentifiedRegion, LATITUDE_UNKNOWN, LONGITUDE_UNKNOWN, Latitude, Longitude, RectangularRegion,
    RegionAndSubregions, ThreeDLocation, TwoDLocation, UnCountryId,
};
