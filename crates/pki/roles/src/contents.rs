//! Contents of a certificate, apart from its keys.

use waywarden_ecverify::Point;
use waywarden_v2x_signing::wire_key;
use waywarden_v2x_wire::coer::{CoerOctets, Null, SequenceOf, Text};
use waywarden_v2x_wire::ieee1609dot2::{
    BitmapSspRange, CertificateId, CrlSeries, CurvePoint, Duration, EndEntityType, HashedId3, Psid,
    PsidGroupPermissions, PsidSsp, PsidSspRange, PublicVerificationKey, ServiceSpecificPermissions,
    SspRange, SubjectAssurance, SubjectPermissions, Time32, ToBeSignedCertificate, ValidityPeriod,
    VerificationKeyIndicator,
};

use crate::error::IssueError;
use crate::region::Region;
use crate::validity_grid::ValidityGrid;

/// Permissions of a holder in an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SspPermission {
    /// The application's default, for a certificate without permissions.
    Default,
    /// A bit for each permission, after the version of the bits.
    Bitmap(Vec<u8>),
    /// Bytes in a form of the application's own.
    Opaque(Vec<u8>),
}

/// Permissions that an authority may give in an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermissionRange {
    /// Any.
    All,
    /// Those that agree with `value` in the bits that are 1 in `mask`.
    Bitmap {
        /// The values of the fixed bits.
        value: Vec<u8>,
        /// The bits that are fixed.
        mask: Vec<u8>,
    },
    /// One of these.
    Opaque(Vec<Vec<u8>>),
}

/// Certificates that an authority may issue, or a holder request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueGroup {
    /// For these applications; `None`: for all that no other group names.
    pub applications: Option<Vec<(Psid, PermissionRange)>>,
    /// Minimum number of certificates that follow in the chain.
    pub min_chain_length: i64,
    /// Number of certificates that may follow beyond the minimum; -1: any number.
    pub chain_length_range: i64,
    /// For those who send messages, who enrol, or both.
    pub ee_type: EndEntityType,
}

impl IssueGroup {
    /// All applications, chains of any length, for those who send messages and who enrol.
    #[must_use]
    pub fn all() -> Self {
        Self {
            applications: None,
            min_chain_length: 1,
            chain_length_range: -1,
            ee_type: both_types(),
        }
    }
}

fn both_types() -> EndEntityType {
    let bits = EndEntityType::APP.bits() | EndEntityType::ENROL.bits();
    EndEntityType::new(bits).unwrap_or(EndEntityType::APP)
}

/// Contents of a holder's certificate \[1609.2 §6.4.8\], apart from the keys.
#[derive(Clone, Debug)]
pub struct Contents {
    /// Name of the holder; `None` for those who are not to be recognized.
    pub name: Option<String>,
    /// Start of the validity.
    pub start: Time32,
    /// Length of the validity.
    pub duration: Duration,
    /// Region of validity; `None`: the issuer's.
    pub region: Option<Region>,
    /// The issuer's assurance of the holder.
    pub assurance: Option<u8>,
    /// Permissions of the holder, by application.
    pub permissions: Vec<(Psid, SspPermission)>,
    /// Certificates that the holder may issue.
    pub issues: Vec<IssueGroup>,
    /// Certificates that the holder may request.
    pub requests: Vec<IssueGroup>,
    /// Authority that may revoke the certificate: the last bytes of its own certificate's hash.
    pub craca: HashedId3,
    /// Series of revocation lists that would revoke it.
    pub crl_series: CrlSeries,
    /// Key to encrypt to the holder with.
    pub encryption_key: Option<Point>,
}

impl Contents {
    /// Says from when and for how long, and nothing else.
    #[must_use]
    pub fn new(start: Time32, duration: Duration) -> Self {
        Self {
            name: None,
            start,
            duration,
            region: None,
            assurance: None,
            permissions: Vec::new(),
            issues: Vec::new(),
            requests: Vec::new(),
            craca: HashedId3([0; 3]),
            crl_series: CrlSeries(0),
            encryption_key: None,
        }
    }

    /// Gives the holder a name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Permits messages of an application, with a bitmap of permissions; none: what the application
    /// says that this means.
    #[must_use]
    pub fn permitting(mut self, psid: Psid, bitmap: &[u8]) -> Self {
        let permission = match bitmap {
            [] => SspPermission::Default,
            bitmap => SspPermission::Bitmap(bitmap.to_vec()),
        };
        self.permissions.push((psid, permission));
        self
    }

    /// Permits certificates for all applications, with chains of any length.
    #[must_use]
    pub fn issuing_all(mut self) -> Self {
        self.issues.push(IssueGroup::all());
        self
    }

    /// Limits where the certificate is valid.
    #[must_use]
    pub fn within(mut self, region: Region) -> Self {
        self.region = Some(region);
        self
    }

    /// Moves the validity period of a request at `now` to a grid.
    pub(crate) fn put_on(&mut self, grid: ValidityGrid, now: Time32) {
        let start = grid.requested(now, self.start, self.duration);
        let period = grid.period(start, self.duration);
        (self.start, self.duration) = (period.start, period.duration);
    }

    /// Gives an encryption key.
    #[must_use]
    pub fn encrypted_to(mut self, key: Point) -> Self {
        self.encryption_key = Some(key);
        self
    }

    /// Hands the contents to `use_it` in the form in which they are signed; the key indicator is
    /// left to be filled in.
    pub(crate) fn with<R>(
        &self,
        use_it: impl FnOnce(ToBeSignedCertificate<'_>) -> Result<R, IssueError>,
    ) -> Result<R, IssueError> {
        match &self.region {
            None => self.with_region(None, use_it),
            Some(region) => region
                .with(|region| self.with_region(Some(region), use_it))
                .ok_or(wrong("region", "a polygon has at least three corners"))?,
        }
    }

    fn with_region<R>(
        &self,
        region: Option<waywarden_v2x_wire::ieee1609dot2::GeographicRegion<'_>>,
        use_it: impl FnOnce(ToBeSignedCertificate<'_>) -> Result<R, IssueError>,
    ) -> Result<R, IssueError> {
        if self.permissions.is_empty() && self.issues.is_empty() && self.requests.is_empty() {
            let why = "the holder may neither send, issue nor request anything";
            return Err(wrong("appPermissions", why));
        }
        let permissions = self.permissions.iter().map(permission);
        let permissions = permissions.collect::<Result<Vec<_>, _>>()?;
        with_groups(&self.issues, "certIssuePermissions", |issues| {
            with_groups(&self.requests, "certRequestPermissions", |requests| {
                let validity = ValidityPeriod {
                    start: self.start,
                    duration: self.duration,
                };
                use_it(ToBeSignedCertificate {
                    craca_id: self.craca,
                    crl_series: self.crl_series,
                    region,
                    assurance_level: self.assurance.map(|level| SubjectAssurance([level])),
                    app_permissions: (!permissions.is_empty())
                        .then(|| SequenceOf::new(&permissions))
                        .flatten(),
                    cert_issue_permissions: issues,
                    cert_request_permissions: requests,
                    encryption_key: self.encryption_key.as_ref().map(wire_key).transpose()?,
                    ..ToBeSignedCertificate::new(self.id()?, validity, NO_KEY)
                })
            })
        })
    }

    fn id(&self) -> Result<CertificateId<'_>, IssueError> {
        match &self.name {
            None => Ok(CertificateId::None(Null)),
            Some(name) => {
                let name =
                    Text::new(name).ok_or(wrong("id", "a name has at most 255 characters"))?;
                Ok(CertificateId::Name(name))
            }
        }
    }
}

/// Stands where the key goes.
const NO_KEY: VerificationKeyIndicator<'static> = VerificationKeyIndicator::VerificationKey(
    PublicVerificationKey::EcdsaNistP256(CurvePoint::Fill),
);

fn wrong(field: &'static str, why: &'static str) -> IssueError {
    IssueError::Contents { field, why }
}

fn permission((psid, permission): &(Psid, SspPermission)) -> Result<PsidSsp<'_>, IssueError> {
    let ssp = match permission {
        SspPermission::Default => None,
        SspPermission::Opaque(bytes) => Some(ServiceSpecificPermissions::Opaque(bytes)),
        SspPermission::Bitmap(bits) => {
            let bits = CoerOctets::new(bits);
            let bits = bits.ok_or(wrong("appPermissions", "a bitmap has at most 31 bytes"))?;
            Some(ServiceSpecificPermissions::Bitmap(bits))
        }
    };
    Ok(PsidSsp { psid: *psid, ssp })
}

type Groups<'a> = Option<SequenceOf<'a, PsidGroupPermissions<'a>>>;

/// Hands groups to `use_it` in the form in which they are written.
fn with_groups<R>(
    groups: &[IssueGroup],
    field: &'static str,
    use_it: impl FnOnce(Groups<'_>) -> Result<R, IssueError>,
) -> Result<R, IssueError> {
    if groups.is_empty() {
        return use_it(None);
    }
    let opaque: Vec<Vec<Vec<&[u8]>>> = groups.iter().map(opaque_ranges).collect();
    let ranges = groups.iter().zip(&opaque).map(|(group, opaque)| {
        let applications = group.applications.iter().flatten();
        let ranges = applications.zip(opaque);
        ranges
            .map(|(one, opaque)| range(one, opaque, field))
            .collect()
    });
    let ranges = ranges.collect::<Result<Vec<Vec<PsidSspRange<'_>>>, IssueError>>()?;
    let groups = groups.iter().zip(&ranges).map(|(group, ranges)| {
        let subject = match (&group.applications, SequenceOf::new(ranges)) {
            (None, _) => SubjectPermissions::All(Null),
            (Some(_), Some(ranges)) if !ranges.is_empty() => SubjectPermissions::Explicit(ranges),
            // An empty list permits nothing; it must never become a permission for all.
            (Some(_), _) => return Err(wrong(field, "a group without an application")),
        };
        Ok(PsidGroupPermissions {
            subject,
            min_chain_length: group.min_chain_length,
            chain_length_range: group.chain_length_range,
            ee_type: group.ee_type,
        })
    });
    let groups = groups.collect::<Result<Vec<_>, _>>()?;
    use_it(SequenceOf::new(&groups))
}

/// The opaque permissions of each application of a group.
fn opaque_ranges(group: &IssueGroup) -> Vec<Vec<&[u8]>> {
    fn values((_, range): &(Psid, PermissionRange)) -> Vec<&[u8]> {
        match range {
            PermissionRange::Opaque(values) => values.iter().map(Vec::as_slice).collect(),
            PermissionRange::All | PermissionRange::Bitmap { .. } => Vec::new(),
        }
    }
    group.applications.iter().flatten().map(values).collect()
}

fn range<'a>(
    (psid, range): &'a (Psid, PermissionRange),
    opaque: &'a [&'a [u8]],
    field: &'static str,
) -> Result<PsidSspRange<'a>, IssueError> {
    let range = match range {
        PermissionRange::All => SspRange::All(Null),
        PermissionRange::Opaque(_) => {
            let opaque = SequenceOf::new(opaque).filter(|opaque| !opaque.is_empty());
            SspRange::Opaque(opaque.ok_or(wrong(field, "an empty list of permissions"))?)
        }
        PermissionRange::Bitmap { value, mask } => {
            let fault = wrong(
                field,
                "value and mask of a bitmap are equally long, 1 to 32 bytes",
            );
            // Receivers find nothing in a range whose mask is longer or shorter than its value.
            let parts = CoerOctets::new(value).zip(CoerOctets::new(mask));
            let (value, mask) = parts.filter(|_| value.len() == mask.len()).ok_or(fault)?;
            SspRange::Bitmap(BitmapSspRange { value, mask })
        }
    };
    Ok(PsidSspRange {
        psid: *psid,
        range: Some(range),
    })
}
