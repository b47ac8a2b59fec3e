//! The profile that ETSI makes of IEEE 1609.2 \[TS 103 097 §5 to §7\], as checks: which fields a
//! message or certificate has to have, and which it may not have.
//!
//! Deviations are reported one by one, with the field's name; the caller decides whether to refuse.
//! Values are not compared with each other here (permissions with messages, times with validity):
//! `waywarden-v2x-security` does that.

use core::fmt;

use crate::ieee1609dot2::{
    Certificate, CertificateId, CertificateType, CrlSeries, HashedId3, HeaderInfo,
    Ieee1609Dot2Content, Ieee1609Dot2Data, IssuerIdentifier, Psid, SignedData, SignerIdentifier,
};

/// The ITS-AIDs that the profile knows \[TS 102 965 §5\].
pub mod its_aid {
    use crate::ieee1609dot2::Psid;

    /// Cooperative awareness.
    pub const CAM: Psid = Psid(36);
    /// Decentralised environmental notification.
    pub const DENM: Psid = Psid(37);
    /// Revocation lists.
    pub const CRL: Psid = Psid(622);
    /// Requests for certificates.
    pub const CERTIFICATE_REQUEST: Psid = Psid(623);
    /// Trust lists.
    pub const CTL: Psid = Psid(624);

    /// Applications of Europe without a profile of their own: traffic lights (137, 140, 637), roads
    /// and lanes (138), infrastructure (139), GeoNetworking (141), vulnerable road users (638),
    /// collective perception (639), corrections of satellite positions (540802).
    pub const EUROPEAN: [Psid; 9] = [
        Psid(137),
        Psid(138),
        Psid(139),
        Psid(140),
        Psid(141),
        Psid(637),
        Psid(638),
        Psid(639),
        Psid(540_802),
    ];
}

/// A deviation from the profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// Name of the field in the standard.
    pub field: &'static str,
    /// Rule that the field breaks.
    pub rule: FieldRule,
}

/// Requirement on a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldRule {
    /// The field has to be present.
    Present,
    /// The field has to be absent.
    Absent,
    /// The field has to have this alternative or value, or one of these.
    Is(&'static str),
}

impl fmt::Display for Deviation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.field;
        match self.rule {
            FieldRule::Present => write!(formatter, "{field} is missing"),
            FieldRule::Absent => write!(formatter, "{field} may not be there"),
            FieldRule::Is(what) => write!(formatter, "{field} is not {what}"),
        }
    }
}

/// Profile of a signed message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageProfile {
    /// Profile of CAMs \[TS 103 097 §7.1.1\].
    Cam,
    /// Profile of DENMs \[TS 103 097 §7.1.2\].
    Denm,
    /// Profile of the PKI: authorities, and stations that request certificates \[TS 102 941 §6\].
    Management,
    /// Profile of all other messages \[TS 103 097 §7.1.3\].
    Other,
}

impl MessageProfile {
    /// Returns the profile of an application.
    #[must_use]
    pub fn of(psid: Psid) -> Self {
        match psid {
            its_aid::CAM => Self::Cam,
            its_aid::DENM => Self::Denm,
            its_aid::CRL | its_aid::CERTIFICATE_REQUEST | its_aid::CTL => Self::Management,
            _ => Self::Other,
        }
    }
}

/// Reports deviations to a function of the caller.
struct Teller<'t>(&'t mut dyn FnMut(Deviation));

impl Teller<'_> {
    fn present(&mut self, field: &'static str, is_present: bool) {
        self.expect(is_present, field, FieldRule::Present);
    }

    fn absent(&mut self, field: &'static str, is_present: bool) {
        self.expect(!is_present, field, FieldRule::Absent);
    }

    fn expect(&mut self, holds: bool, field: &'static str, rule: FieldRule) {
        if !holds {
            (self.0)(Deviation { field, rule });
        }
    }
}

/// Reports how a message deviates from the profile of its ITS-AID. Certificates in it are not
/// checked, nor are encrypted or unsecured data.
pub fn check_message(data: &Ieee1609Dot2Data<'_>, tell: &mut dyn FnMut(Deviation)) {
    let mut tell = Teller(tell);
    match &data.content {
        Ieee1609Dot2Content::Signed(signed) => {
            let profile = MessageProfile::of(signed.tbs_data.header_info.psid);
            check(signed, profile, &mut tell);
        }
        Ieee1609Dot2Content::Unsecured(_) | Ieee1609Dot2Content::Encrypted(_) => {}
        Ieee1609Dot2Content::SignedCertificateRequest(_)
        | Ieee1609Dot2Content::SignedX509CertificateRequest(_) => {
            let rule = FieldRule::Is("unsecuredData, signedData or encryptedData");
            tell.expect(false, "content", rule);
        }
    }
}

/// Reports how signed data deviates from a profile, regardless of its ITS-AID.
pub fn check_signed(
    signed: &SignedData<'_>,
    profile: MessageProfile,
    tell: &mut dyn FnMut(Deviation),
) {
    check(signed, profile, &mut Teller(tell));
}

fn check(signed: &SignedData<'_>, profile: MessageProfile, tell: &mut Teller<'_>) {
    let header = &signed.tbs_data.header_info;
    check_signer(signed, profile, tell);
    check_header(header, profile, tell);
    let payload = &signed.tbs_data.payload;
    tell.absent("omitted", payload.omitted.is_some());
    if matches!(profile, MessageProfile::Cam | MessageProfile::Denm) {
        tell.present("data", payload.data.is_some());
        tell.absent("extDataHash", payload.external_hash.is_some());
    }
}

fn check_signer(signed: &SignedData<'_>, profile: MessageProfile, tell: &mut Teller<'_>) {
    let requests = signed.tbs_data.header_info.psid == its_aid::CERTIFICATE_REQUEST;
    let (holds, rule) = match &signed.signer {
        SignerIdentifier::Digest(_) => (
            profile != MessageProfile::Denm,
            FieldRule::Is("certificate, as a DENM has it"),
        ),
        SignerIdentifier::Certificate(chain) => {
            (chain.len() == 1, FieldRule::Is("exactly one certificate"))
        }
        SignerIdentifier::OwnKey(_) => (requests, FieldRule::Is("digest or certificate")),
    };
    tell.expect(holds, "signer", rule);
}

fn check_header(header: &HeaderInfo<'_>, profile: MessageProfile, tell: &mut Teller<'_>) {
    use MessageProfile::{Cam, Denm, Management, Other};
    tell.present("generationTime", header.generation_time.is_some());
    let location = header.generation_location.is_some();
    match profile {
        Cam | Management => tell.absent("generationLocation", location),
        Denm | Other => tell.present("generationLocation", location),
    }
    tell.absent(
        "p2pcdLearningRequest",
        header.p2pcd_learning_request.is_some(),
    );
    tell.absent("missingCrlIdentifier", header.missing_crl.is_some());
    if profile != Other {
        tell.absent("expiryTime", header.expiry_time.is_some());
        let key = header.encryption_key.is_some();
        tell.expect(
            profile == Management || !key,
            "encryptionKey",
            FieldRule::Absent,
        );
    }
    if matches!(profile, Denm | Management) {
        tell.absent("inlineP2pcdRequest", header.inline_p2pcd_request.is_some());
        tell.absent(
            "requestedCertificate",
            header.requested_certificate.is_some(),
        );
    }
    tell.absent("pduFunctionalType", header.pdu_functional_type.is_some());
}

/// Role of a certificate's holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateRole {
    /// A station that sends messages \[TS 103 097 §7.2.1\].
    AuthorizationTicket,
    /// A station that requests tickets \[TS 103 097 §7.2.2\].
    EnrolmentCredential,
    /// A root authority \[TS 103 097 §7.2.3\].
    RootCa,
    /// An enrolment or authorization authority \[TS 103 097 §7.2.4\].
    SubordinateCa,
    /// The trust list manager \[TS 103 097 §7.2.5\].
    TrustListManager,
}

/// Reports how a certificate deviates from the profile of a role.
///
/// Choice: authorities and enrolment credentials may go without a name, and roots may have an
/// encryption key; the certificates of ETSI's own test suite do.
pub fn check_certificate(
    certificate: &Certificate<'_>,
    role: CertificateRole,
    tell: &mut dyn FnMut(Deviation),
) {
    let mut tell = Teller(tell);
    check_any_certificate(certificate, &mut tell);
    let own = &certificate.to_be_signed;
    let is_self = matches!(certificate.issuer, IssuerIdentifier::SelfIssued(_));
    match role {
        CertificateRole::RootCa | CertificateRole::TrustListManager => {
            tell.expect(is_self, "issuer", FieldRule::Is("self"));
        }
        _ => tell.expect(!is_self, "issuer", FieldRule::Is("a digest")),
    }
    if role == CertificateRole::AuthorizationTicket {
        let holds = !matches!(own.id, CertificateId::Name(_));
        tell.expect(holds, "id", FieldRule::Is("none"));
    }
    tell.present("appPermissions", own.app_permissions.is_some());
    let issues = own.cert_issue_permissions.is_some();
    match role {
        CertificateRole::RootCa | CertificateRole::SubordinateCa => {
            tell.present("certIssuePermissions", issues);
        }
        _ => tell.absent("certIssuePermissions", issues),
    }
    if role == CertificateRole::SubordinateCa {
        tell.present("encryptionKey", own.encryption_key.is_some());
    }
}

/// Checks the rules for all certificates \[TS 103 097 §6\].
fn check_any_certificate(certificate: &Certificate<'_>, tell: &mut Teller<'_>) {
    let own = &certificate.to_be_signed;
    let explicit = certificate.kind == CertificateType::Explicit;
    tell.expect(explicit, "type", FieldRule::Is("explicit"));
    let issuer = !matches!(certificate.issuer, IssuerIdentifier::Sm3AndDigest(_));
    let rule = FieldRule::Is("sha256AndDigest, sha384AndDigest or self");
    tell.expect(issuer, "issuer", rule);
    let named = !matches!(
        own.id,
        CertificateId::LinkageData(_) | CertificateId::BinaryId(_)
    );
    tell.expect(named, "id", FieldRule::Is("none or name"));
    let craca = own.craca_id == HashedId3([0; 3]);
    tell.expect(craca, "cracaId", FieldRule::Is("000000"));
    tell.expect(
        own.crl_series == CrlSeries(0),
        "crlSeries",
        FieldRule::Is("0"),
    );
    tell.absent(
        "certRequestPermissions",
        own.cert_request_permissions.is_some(),
    );
    tell.absent("canRequestRollover", own.can_request_rollover.is_some());
}
