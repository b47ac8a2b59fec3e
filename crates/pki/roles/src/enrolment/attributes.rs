//! Attributes that a station asks to be certified: from contents and to contents, with a check
//! against its profile.

use waywarden_v2x_security::ContentsFault;
use waywarden_v2x_security::check_contents;
use waywarden_v2x_security::region::Borders;
use waywarden_v2x_wire::coer::UnknownAdditions;
use waywarden_v2x_wire::etsi102941::CertificateSubjectAttributes;
use waywarden_v2x_wire::ieee1609dot2::{
    CertificateId, Duration, EndEntityType, Time32, Time64, ValidityPeriod,
};

use super::registry::CertificateGrant;
use crate::contents::{Contents, IssueGroup};
use crate::error::IssueError;

/// Hands contents to `use_it` as a station asks for them.
///
/// # Errors
/// [`IssueError::Contents`] for what a station cannot ask for: to issue certificates.
pub(super) fn with_attributes<R>(
    contents: &Contents,
    use_it: impl FnOnce(CertificateSubjectAttributes<'_>) -> R,
) -> Result<R, IssueError> {
    if !contents.issues.is_empty() || !contents.requests.is_empty() {
        return Err(IssueError::Contents {
            field: "certIssuePermissions",
            why: "a station cannot ask for them",
        });
    }
    contents.with(|own| {
        Ok(use_it(CertificateSubjectAttributes {
            id: match own.id {
                CertificateId::None(_) => None,
                other => Some(other),
            },
            validity_period: Some(own.validity_period),
            region: own.region,
            assurance_level: own.assurance_level,
            app_permissions: own.app_permissions,
            cert_issue_permissions: None,
            unknown: UnknownAdditions::default(),
        }))
    })
}

/// Reads what a station asks for; what it leaves open is as the grant has it.
///
/// # Errors
/// [`ContentsFault`] for what the grant does not cover.
pub(super) fn granted(
    asked: &CertificateSubjectAttributes<'_>,
    grant: &CertificateGrant,
    now: Time64,
    borders: &dyn Borders,
) -> Result<Contents, ContentsFault> {
    let period = ValidityPeriod {
        start: seconds(now),
        duration: grant.duration_max,
    };
    let contents = Contents::of_attributes(asked, period);
    let mut contents = contents.map_err(|error| not_said(&error))?;
    if contents.region.is_none() {
        contents.region.clone_from(&grant.region);
    }
    check_period(&contents, grant, now)?;
    let refuse = |field, why| Err(ContentsFault { field, why });
    // Stations are not to be recognized by their certificates.
    if contents.name.is_some() {
        return refuse("id", "a station's certificate has no name");
    }
    if contents.assurance.is_some() {
        return refuse("assuranceLevel", "not in the station's profile");
    }
    // Even an empty list, which the contents do not show.
    if asked.cert_issue_permissions.is_some() {
        return refuse("certIssuePermissions", "a station issues no certificates");
    }
    let checked = contents.with(|subject| {
        // The profile as an issuer: one set of rules says what covers what.
        issuer_of(grant).with(|issuer| Ok(check_contents(&subject, &issuer, borders)))
    });
    checked.map_err(|error| not_said(&error))??;
    Ok(contents)
}

/// A certificate that may issue what is granted.
fn issuer_of(grant: &CertificateGrant) -> Contents {
    let mut issuer = Contents::new(Time32(0), Duration::Hours(1));
    issuer.region.clone_from(&grant.region);
    issuer.issues.push(IssueGroup {
        applications: Some(grant.permissions.clone()),
        min_chain_length: 1,
        chain_length_range: 0,
        ee_type: EndEntityType::APP,
    });
    issuer
}

/// Maximum time by which a certificate may begin before now, in microseconds: requests travel, and
/// clocks differ.
const EARLIER_MAX: u64 = 3_600_000_000;

fn check_period(
    contents: &Contents,
    grant: &CertificateGrant,
    now: Time64,
) -> Result<(), ContentsFault> {
    let period = ValidityPeriod {
        start: contents.start,
        duration: contents.duration,
    };
    let ahead = now.0.saturating_add(grant.ahead_max.microseconds());
    let why = if period.duration.microseconds() > grant.duration_max.microseconds() {
        "longer than the station's profile permits"
    } else if period.start().0 < now.0.saturating_sub(EARLIER_MAX) {
        "begins more than an hour ago"
    } else if period.end().0 > ahead {
        "ends later than the station's profile permits"
    } else {
        return Ok(());
    };
    let field = "validityPeriod";
    Err(ContentsFault { field, why })
}

fn not_said(error: &IssueError) -> ContentsFault {
    match error {
        IssueError::Contents { field, why } => ContentsFault { field, why },
        _ => ContentsFault {
            field: "requestedSubjectAttributes",
            why: "cannot be certified",
        },
    }
}

/// The second in which a time lies.
pub(super) fn seconds(time: Time64) -> Time32 {
    Time32(u32::try_from(time.0 / 1_000_000).unwrap_or(u32::MAX))
}
