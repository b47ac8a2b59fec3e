//! Kinds of documents, by content.

use alloc::borrow::ToOwned as _;
use alloc::string::String;

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::{EtsiTs102941Data, EtsiTs102941DataContent};
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::hash::{HashFunction, hash};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid,
    ServiceSpecificPermissions, SignedData, Time64, ToBeSignedCertificate,
};

use crate::permission::permitted;

/// The list may have certificates of trust list managers \[TS 102 941 Annex B\]; the following
/// constants are the other bits of the same byte.
pub(super) const MAY_LIST_MANAGERS: u8 = 0x80;
/// Of root authorities.
pub(super) const MAY_LIST_ROOTS: u8 = 0x40;
/// Of enrolment authorities.
pub(super) const MAY_LIST_ENROLMENT: u8 = 0x20;
/// Of authorization authorities.
pub(super) const MAY_LIST_AUTHORIZATION: u8 = 0x10;
/// Distribution centres.
pub(super) const MAY_LIST_CENTRES: u8 = 0x08;

/// The kind of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DocumentKind {
    /// The certificate of a trust list manager.
    TrustListManager,
    /// The certificate of a root authority that the owner approved.
    RootCa,
    /// A trust list of root authorities, the ECTL.
    CtlTlm,
    /// A trust list of the authorities of a root.
    CtlRca,
    /// A revocation list of a root.
    Crl,
    /// The certificate of another authority.
    Authority,
}

impl DocumentKind {
    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TrustListManager => "TLM certificate",
            Self::RootCa => "root CA certificate",
            Self::CtlTlm => "ECTL",
            Self::CtlRca => "root CTL",
            Self::Crl => "root CRL",
            Self::Authority => "authority certificate",
        }
    }
}

/// The role of a certificate's holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AuthorityRole {
    /// A trust list manager.
    TrustListManager,
    /// A root authority.
    RootCa,
    /// An enrolment authority.
    EnrolmentAuthority,
    /// An authorization authority.
    AuthorizationAuthority,
    /// An authority whose role no list gives.
    Other,
}

impl AuthorityRole {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::TrustListManager,
        Self::RootCa,
        Self::EnrolmentAuthority,
        Self::AuthorizationAuthority,
        Self::Other,
    ];

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TrustListManager => "TLM",
            Self::RootCa => "root CA",
            Self::EnrolmentAuthority => "enrolment authority",
            Self::AuthorizationAuthority => "authorization authority",
            Self::Other => "authority",
        }
    }

    /// The bit that a signer of trust lists needs for it; none for [`Self::Other`].
    pub(super) fn bit(self) -> u8 {
        match self {
            Self::TrustListManager => MAY_LIST_MANAGERS,
            Self::RootCa => MAY_LIST_ROOTS,
            Self::EnrolmentAuthority => MAY_LIST_ENROLMENT,
            Self::AuthorizationAuthority => MAY_LIST_AUTHORIZATION,
            Self::Other => 0,
        }
    }
}

/// A document of a trust store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Document<'s> {
    /// Kind of the document.
    pub kind: DocumentKind,
    /// Issuer: the certificate's own HashedId8; for a manager that of the approved manager before
    /// it; for a list that of the approved manager or of the root.
    pub issuer: HashedId8,
    /// Encoded bytes, as received.
    pub bytes: &'s [u8],
}

impl Document<'_> {
    /// Returns by what the document itself is called: the end of the hash of its bytes, with the
    /// function of its signature, as distribution centres name files.
    #[must_use]
    pub fn id(&self) -> HashedId8 {
        let function = match signed_data(self.bytes) {
            Some(data) => HashFunction::of(data.hash_id),
            None => {
                let certificate = parse::<Certificate<'_>>(self.bytes).ok();
                certificate.and_then(|own| HashFunction::of_certificate(&own))
            }
        };
        hash(function.unwrap_or(HashFunction::Sha256), self.bytes).id_8()
    }
}

/// Reads signed data; `None` if the bytes are none.
pub(super) fn signed_data(bytes: &[u8]) -> Option<SignedData<'_>> {
    match parse::<Ieee1609Dot2Data<'_>>(bytes).ok()?.content {
        Ieee1609Dot2Content::Signed(data) => Some(data),
        _ => None,
    }
}

/// Reads the list in signed data, and when it was made; `None` if it is none, or under another
/// application than its own.
pub(super) fn list<'m>(data: &SignedData<'m>) -> Option<(EtsiTs102941DataContent<'m>, Time64)> {
    let inner = data.tbs_data.payload.data.as_ref()?.view().ok()?;
    let Ieee1609Dot2Content::Unsecured(bytes) = inner.content else {
        return None;
    };
    let content = parse::<EtsiTs102941Data<'_>>(bytes).ok()?.content;
    let application: Psid = match content {
        EtsiTs102941DataContent::CertificateRevocationList(_) => its_aid::CRL,
        _ => its_aid::CTL,
    };
    let header = &data.tbs_data.header_info;
    let made = header.generation_time?;
    (header.psid == application).then_some((content, made))
}

/// Returns the time that a list gives as that of its making; `None` for a certificate or anything
/// else. Its signature was not verified: the time may order documents, and decides nothing.
#[must_use]
pub fn claimed_time(document: &[u8]) -> Option<Time64> {
    let (_, made) = list(&signed_data(document)?)?;
    Some(made)
}

/// The second byte of the permissions for an application, if the first one is version 1; 0 where
/// there is none.
pub(super) fn service_bits(own: &ToBeSignedCertificate<'_>, application: Psid) -> Option<u8> {
    match permitted(own, application)?.ssp? {
        ServiceSpecificPermissions::Bitmap(bits) => match *bits.as_bytes() {
            [1] => Some(0),
            [1, bits, ..] => Some(bits),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the role of a self-issued certificate: a manager lists roots or managers, and issues
/// none.
pub(super) fn anchor_role(own: &ToBeSignedCertificate<'_>) -> Option<AuthorityRole> {
    if own.cert_issue_permissions.is_some() {
        return Some(AuthorityRole::RootCa);
    }
    let lists = service_bits(own, its_aid::CTL)?;
    (lists & (MAY_LIST_ROOTS | MAY_LIST_MANAGERS) != 0).then_some(AuthorityRole::TrustListManager)
}

/// Returns the name in a certificate.
pub(super) fn name(own: &ToBeSignedCertificate<'_>) -> Option<String> {
    match &own.id {
        CertificateId::Name(name) => Some(name.as_str().to_owned()),
        _ => None,
    }
}
