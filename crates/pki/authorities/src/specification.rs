//! Permissions of each authority of a new PKI: the two built-in shapes.

use waywarden_ecverify::Curve;
use waywarden_v2x_pki::crl::signer_permission;
use waywarden_v2x_pki::{IssueGroup, PermissionRange, Region, SspPermission};
use waywarden_v2x_signing::written;
use waywarden_v2x_wire::coer::UnknownAdditions;
use waywarden_v2x_wire::ieee1609dot2::{CracaType, CrlSeries, Duration, EndEntityType, Psid};
use waywarden_v2x_wire::ieee1609dot2dot1::{LaSsp, ScmsSsp, Uint16, Version2};

use waywarden_pki_folder::index::{CertificateShape, HolderRole};
use waywarden_pki_folder::permission::default_range;

/// The applications whose certificates the built-in European authorities issue.
const EUROPEAN: [u64; 11] = [36, 37, 137, 138, 139, 140, 141, 637, 638, 639, 540_802];
/// The same, American: basic safety messages.
const AMERICAN: [u64; 1] = [32];
/// Applications of pseudonyms: basic safety messages, and misbehaviour reports about them.
const PSEUDONYMS: [u64; 2] = [32, 38];

/// The linkage authorities of an American PKI, and their identifiers.
pub(crate) const LINKAGE_AUTHORITIES: [(&str, u16); 2] = [("la1", 1), ("la2", 2)];

const CRL: Psid = Psid(622);
const SCR: Psid = Psid(623);
const CTL: Psid = Psid(624);
const SCMS: Psid = Psid(35);

/// The series of the revocation lists of a PKI.
pub(crate) const CRL_SERIES: CrlSeries = CrlSeries(1);

/// Contents of a certificate to issue, and its issuer.
#[derive(Clone, Debug)]
pub struct Specification {
    /// Name of the holder.
    pub name: String,
    /// Role of the holder.
    pub role: HolderRole,
    /// The name of the issuer; none for the root.
    pub issuer: Option<String>,
    /// The curve of the key.
    pub curve: Curve,
    /// Longest validity.
    pub validity: Duration,
    /// Region of validity; none for that of the issuer.
    pub region: Option<Region>,
    /// Messages that the holder may send.
    pub permissions: Vec<(Psid, SspPermission)>,
    /// Certificates that the holder may issue.
    pub issues: Vec<IssueGroup>,
    /// Certificates that the holder may request.
    pub requests: Vec<IssueGroup>,
    /// True if the certificate has a key to encrypt to, too.
    pub encryption_key: bool,
}

impl Specification {
    /// A certificate on P-256 without permissions.
    #[must_use]
    pub fn new(name: &str, role: HolderRole, issuer: Option<&str>, validity: Duration) -> Self {
        Self {
            name: name.to_owned(),
            role,
            issuer: issuer.map(str::to_owned),
            curve: Curve::P256,
            validity,
            region: None,
            permissions: Vec::new(),
            issues: Vec::new(),
            requests: Vec::new(),
            encryption_key: false,
        }
    }

    /// Returns true if the certificate itself has the holder's name: tickets are pseudonymous.
    pub(crate) fn is_named(&self) -> bool {
        self.role != HolderRole::Station
    }
}

/// For those who send messages and those who enrol.
pub(crate) fn both() -> EndEntityType {
    let bits = EndEntityType::APP.bits() | EndEntityType::ENROL.bits();
    EndEntityType::new(bits).unwrap_or(EndEntityType::APP)
}

/// A group of applications for chains of some lengths.
pub(crate) fn group(
    applications: Vec<(Psid, PermissionRange)>,
    min_chain_length: i64,
    chain_length_range: i64,
    ee_type: EndEntityType,
) -> IssueGroup {
    IssueGroup {
        applications: Some(applications),
        min_chain_length,
        chain_length_range,
        ee_type,
    }
}

fn defaults(psids: &[u64]) -> Vec<(Psid, PermissionRange)> {
    let psids = psids.iter().map(|psid| Psid(*psid));
    psids.map(|psid| (psid, default_range(psid))).collect()
}

fn bitmap(value: &[u8], mask: &[u8]) -> PermissionRange {
    PermissionRange::Bitmap {
        value: value.to_vec(),
        mask: mask.to_vec(),
    }
}

fn permission(psid: Psid, bits: &[u8]) -> (Psid, SspPermission) {
    (psid, SspPermission::Bitmap(bits.to_vec()))
}

/// Returns the permissions of a credential: to send requests to authorities.
pub(crate) fn credential(shape: CertificateShape) -> (Vec<(Psid, SspPermission)>, Vec<IssueGroup>) {
    match shape {
        CertificateShape::Etsi => (vec![permission(SCR, &[1, 0xC0])], Vec::new()),
        CertificateShape::Us => (
            vec![(SCMS, SspPermission::Default)],
            vec![group(defaults(&AMERICAN), 0, 0, EndEntityType::APP)],
        ),
    }
}

/// Returns what a vehicle may request that also reports misbehaviour.
pub(crate) fn pseudonym_requests() -> Vec<IssueGroup> {
    vec![group(defaults(&PSEUDONYMS), 0, 0, EndEntityType::APP)]
}

/// Returns the authorities of a shape, issuers first.
pub(crate) fn authorities(shape: CertificateShape, years: u16) -> Vec<Specification> {
    let below = Duration::Years(years.div_ceil(2));
    match shape {
        CertificateShape::Etsi => etsi(Duration::Years(years), below),
        CertificateShape::Us => us(Duration::Years(years), below),
    }
}

/// Root, enrolment and authorization authority \[TS 103 097 §7.2\], with the permissions of
/// \[TS 102 941 §6\] as ETSI's test suite has them.
fn etsi(own: Duration, below: Duration) -> Vec<Specification> {
    let requests = (SCR, bitmap(&[1, 0xFE], &[0xFF, 1]));
    let root = Specification {
        permissions: vec![permission(CRL, &[1]), permission(CTL, &[1, 0x38])],
        issues: vec![
            group(defaults(&EUROPEAN), 2, 0, EndEntityType::APP),
            group(vec![requests], 1, 1, both()),
        ],
        ..Specification::new("root", HolderRole::Root, None, own)
    };
    let credentials = (SCR, bitmap(&[1, 0xC0], &[0xFF, 0x3F]));
    let enrolment = Specification {
        permissions: vec![permission(SCR, &[1, 0x0E])],
        issues: vec![group(vec![credentials], 1, 0, both())],
        encryption_key: true,
        ..Specification::new("ea", HolderRole::Enrolment, Some("root"), below)
    };
    let authorization = Specification {
        permissions: vec![permission(SCR, &[1, 0x32])],
        issues: vec![group(defaults(&EUROPEAN), 1, 0, EndEntityType::APP)],
        encryption_key: true,
        ..Specification::new("aa", HolderRole::Authorization, Some("root"), below)
    };
    vec![root, enrolment, authorization]
}

/// Root, CRL generator, intermediate, enrolment and pseudonym CA; registration and linkage
/// authorities. The root is the CRACA of all certificates below it that come after the generator.
fn us(own: Duration, below: Duration) -> Vec<Specification> {
    let manage = vec![(SCMS, SspPermission::Default)];
    let new = |name, role, issuer, validity, issues: Vec<IssueGroup>| Specification {
        permissions: manage.clone(),
        issues,
        ..Specification::new(name, role, issuer, validity)
    };
    let credentials = defaults(&[&PSEUDONYMS[..], &[SCMS.0]].concat());
    let enrols = vec![group(credentials, 1, 0, both())];
    let pseudonyms = vec![group(defaults(&PSEUDONYMS), 1, 0, EndEntityType::APP)];
    let all = || vec![IssueGroup::all()];
    let (top, middle) = (Some("root"), Some("ica"));
    let mut authorities = vec![
        new("root", HolderRole::Root, None, own, all()),
        Specification {
            permissions: signer_permission(CracaType::IssuerIsCraca, &[CRL_SERIES])
                .into_iter()
                .collect(),
            ..Specification::new("crlg", HolderRole::CrlSigner, top, below)
        },
        // As long as the root, so that those below it can be renewed.
        new("ica", HolderRole::Intermediate, top, own, all()),
        new("eca", HolderRole::Enrolment, middle, below, enrols),
        new("pca", HolderRole::Authorization, middle, below, pseudonyms),
    ];
    let none = Vec::new();
    authorities.push(new("ra", HolderRole::Registration, middle, below, none));
    for authority in &mut authorities[3..] {
        authority.encryption_key = true;
    }
    for (name, number) in LINKAGE_AUTHORITIES {
        let ssp = ScmsSsp::Linkage(LaSsp {
            version: Version2,
            la_id: Uint16(number),
            unknown: UnknownAdditions::default(),
        });
        // Five octets: they can always be written.
        let ssp = written(&ssp).unwrap_or_default();
        authorities.push(Specification {
            permissions: vec![(SCMS, SspPermission::Opaque(ssp))],
            ..new(name, HolderRole::Linkage, middle, below, Vec::new())
        });
    }
    authorities
}
