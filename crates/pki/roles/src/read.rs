//! Contents of a certificate, read back to issue it again.

use waywarden_v2x_signing::Recipient;
use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::etsi102941::CertificateSubjectAttributes;
use waywarden_v2x_wire::ieee1609dot2::{
    CertificateId, GeographicRegion, IdentifiedRegion, Psid, PsidGroupPermissions, PsidSsp,
    PsidSspRange, ServiceSpecificPermissions, SspRange, SubjectPermissions, ToBeSignedCertificate,
    TwoDLocation, ValidityPeriod,
};

use crate::contents::{Contents, IssueGroup, PermissionRange, SspPermission};
use crate::error::IssueError;
use crate::region::{GeographicPoint, Region};

impl Contents {
    /// Reads what a certificate says, apart from its verification key.
    ///
    /// # Errors
    /// [`IssueError::Contents`] for a field that [`Contents`] cannot say, such as linkage values.
    pub fn of(own: &ToBeSignedCertificate<'_>) -> Result<Self, IssueError> {
        let mut contents = Self::new(own.validity_period.start, own.validity_period.duration);
        contents.name = name(&own.id)?;
        if own.flags.is_some()
            || own.app_extensions.is_some()
            || own.cert_issue_extensions.is_some()
            || own.cert_request_extensions.is_some()
            || own.can_request_rollover.is_some()
        {
            return Err(unsaid("appExtensions"));
        }
        contents.region = own.region.as_ref().map(region).transpose()?;
        contents.assurance = own.assurance_level.map(|level| level.0[0]);
        contents.permissions = permissions(own.app_permissions.as_ref())?;
        contents.issues = groups(own.cert_issue_permissions.iter().flatten())?;
        contents.requests = groups(own.cert_request_permissions.iter().flatten())?;
        contents.craca = own.craca_id;
        contents.crl_series = own.crl_series;
        if let Some(key) = &own.encryption_key {
            contents.encryption_key = Some(*Recipient::response_key(key)?.public_key());
        }
        Ok(contents)
    }

    /// Reads what a requester wants a certificate to say; `period` holds where it names none.
    ///
    /// # Errors
    /// [`IssueError::Contents`] for a field that [`Contents`] cannot say.
    pub(crate) fn of_attributes(
        asked: &CertificateSubjectAttributes<'_>,
        period: ValidityPeriod,
    ) -> Result<Self, IssueError> {
        let period = asked.validity_period.unwrap_or(period);
        let mut contents = Self::new(period.start, period.duration);
        contents.name = asked.id.as_ref().map_or(Ok(None), name)?;
        contents.region = asked.region.as_ref().map(region).transpose()?;
        contents.assurance = asked.assurance_level.map(|level| level.0[0]);
        contents.permissions = permissions(asked.app_permissions.as_ref())?;
        contents.issues = groups(asked.cert_issue_permissions.iter().flatten())?;
        Ok(contents)
    }
}

fn name(id: &CertificateId<'_>) -> Result<Option<String>, IssueError> {
    match id {
        CertificateId::None(_) => Ok(None),
        CertificateId::Name(name) => Ok(Some(name.as_str().to_owned())),
        _ => Err(unsaid("id")),
    }
}

fn permissions(
    all: Option<&SequenceOf<'_, PsidSsp<'_>>>,
) -> Result<Vec<(Psid, SspPermission)>, IssueError> {
    let all = all.into_iter().flatten();
    all.map(|one| permission(&one.map_err(broken)?)).collect()
}

fn unsaid(field: &'static str) -> IssueError {
    IssueError::Contents {
        field,
        why: "cannot be issued again as it is",
    }
}

fn broken(error: WireError) -> IssueError {
    unsaid(error.field)
}

fn permission(one: &PsidSsp<'_>) -> Result<(Psid, SspPermission), IssueError> {
    let permission = match &one.ssp {
        None => SspPermission::Default,
        Some(ServiceSpecificPermissions::Opaque(bytes)) => SspPermission::Opaque(bytes.to_vec()),
        Some(ServiceSpecificPermissions::Bitmap(bits)) => {
            SspPermission::Bitmap(bits.as_bytes().to_vec())
        }
        Some(_) => return Err(unsaid("appPermissions")),
    };
    Ok((one.psid, permission))
}

fn groups<'a>(
    groups: impl Iterator<Item = Result<PsidGroupPermissions<'a>, WireError>>,
) -> Result<Vec<IssueGroup>, IssueError> {
    let mut read = Vec::new();
    for group in groups {
        let group = group.map_err(broken)?;
        let applications = match &group.subject {
            SubjectPermissions::All(_) => None,
            SubjectPermissions::Explicit(ranges) => {
                let ranges = ranges.iter().map(|one| range(&one.map_err(broken)?));
                Some(ranges.collect::<Result<_, _>>()?)
            }
        };
        read.push(IssueGroup {
            applications,
            min_chain_length: group.min_chain_length,
            chain_length_range: group.chain_length_range,
            ee_type: group.ee_type,
        });
    }
    Ok(read)
}

fn range(one: &PsidSspRange<'_>) -> Result<(Psid, PermissionRange), IssueError> {
    let range = match &one.range {
        None | Some(SspRange::All(_)) => PermissionRange::All,
        Some(SspRange::Bitmap(range)) => PermissionRange::Bitmap {
            value: range.value.as_bytes().to_vec(),
            mask: range.mask.as_bytes().to_vec(),
        },
        Some(SspRange::Opaque(values)) => {
            let values = values.iter().map(|value| value.map(<[u8]>::to_vec));
            PermissionRange::Opaque(values.collect::<Result<_, _>>().map_err(broken)?)
        }
        Some(_) => return Err(unsaid("sspRange")),
    };
    Ok((one.psid, range))
}

fn place(place: &TwoDLocation) -> GeographicPoint {
    GeographicPoint {
        latitude: place.latitude.0,
        longitude: place.longitude.0,
    }
}

fn region(region: &GeographicRegion<'_>) -> Result<Region, IssueError> {
    Ok(match region {
        GeographicRegion::Circular(circle) => Region::Circle(place(&circle.center), circle.radius),
        GeographicRegion::Rectangular(rectangles) => {
            let rectangles = rectangles
                .iter()
                .map(|one| one.map(|one| (place(&one.north_west), place(&one.south_east))));
            Region::Rectangles(rectangles.collect::<Result<_, _>>().map_err(broken)?)
        }
        GeographicRegion::Polygonal(corners) => {
            let corners = corners.iter().map(|one| one.map(|one| place(&one)));
            Region::Polygon(corners.collect::<Result<_, _>>().map_err(broken)?)
        }
        GeographicRegion::Identified(countries) => {
            let countries = countries.iter().map(|one| match one.map_err(broken)? {
                IdentifiedRegion::CountryOnly(country) => Ok((country.0, Vec::new())),
                IdentifiedRegion::CountryAndRegions(one) => {
                    let regions = one.regions.iter().collect::<Result<Vec<u8>, _>>();
                    Ok((one.country.0, regions.map_err(broken)?))
                }
                _ => Err(unsaid("region")),
            });
            Region::Countries(countries.collect::<Result<_, _>>()?)
        }
    })
}
