//! Consistency of each certificate of a chain with its issuers \[1609.2 §5.1\]: sizes, times,
//! permissions and regions. Compared only after the signatures of the chain have verified.

use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, PsidGroupPermissions, SspRange, SubjectPermissions, Time64, ToBeSignedCertificate,
    ValidityPeriod,
};

use crate::chain::{Chain, Link};
use crate::permission::{PermissionFault, consistent, well_formed};
use crate::region::{Borders, check_region, is_within};
use crate::result::{Refusal, ResultCode};

/// Most permissions of one kind in a certificate, and most applications in its groups together; the
/// standard asks for eight \[1609.2 §6.4.8\].
const PERMISSIONS_MAX: usize = 256;
/// Most service specific permissions in the groups of a certificate together.
const SSPS_MAX: usize = 1_024;

/// Counts what a certificate lists, before any of it is compared.
pub(crate) fn check_size(link: &Link<'_>) -> Result<(), Refusal> {
    check_listed(&link.certificate.to_be_signed).map_err(|fault| {
        let code = ResultCode::ParsingUnsupportedCriticalInformationField;
        link.refuse(code, fault.field, fault.why)
    })
}

fn check_listed(own: &ToBeSignedCertificate<'_>) -> Result<(), ContentsFault> {
    let refuse = |field, why| Err(ContentsFault { field, why });
    let app = own.app_permissions.map_or(0, |own| own.len());
    let lists = [
        ("appPermissions", (app, 0)),
        ("certIssuePermissions", listed(own.cert_issue_permissions)),
        (
            "certRequestPermissions",
            listed(own.cert_request_permissions),
        ),
    ];
    for (field, (permissions, ssps)) in lists {
        if permissions > PERMISSIONS_MAX {
            return refuse(field, "more than 256 permissions");
        }
        if ssps > SSPS_MAX {
            return refuse(field, "more than 1,024 service specific permissions");
        }
    }
    Ok(())
}

/// Counts the permissions of groups, and the service specific permissions that they list. The
/// counts end where there are too many.
fn listed(groups: Option<SequenceOf<'_, PsidGroupPermissions<'_>>>) -> (usize, usize) {
    let (mut permissions, mut ssps) = (0, 0);
    for group in groups.iter().flatten().flatten() {
        permissions += 1;
        let SubjectPermissions::Explicit(ranges) = group.subject else {
            continue;
        };
        permissions += ranges.len();
        if permissions > PERMISSIONS_MAX {
            break;
        }
        for range in ranges.iter().flatten() {
            if let Some(SspRange::Opaque(own)) = range.range {
                ssps += own.len();
            }
        }
    }
    (permissions, ssps)
}

/// Checks the validity periods of a chain's certificates: cheap, and before any signature.
pub(crate) fn check_periods(chain: &Chain<'_>) -> Result<(), Refusal> {
    for (at, link) in chain.links.iter().enumerate() {
        let own = link.certificate.to_be_signed.validity_period;
        let (start, end) = match chain.links.get(at + 1) {
            Some(above) => {
                let period = above.certificate.to_be_signed.validity_period;
                (period.start(), period.end())
            }
            None => chain.top.validity(),
        };
        check_times(link, own, start, end)?;
    }
    Ok(())
}

/// A certificate's region is valid, and not larger than is looked through.
pub(crate) fn check_own_region(link: &Link<'_>) -> Result<(), Refusal> {
    let region = link.certificate.to_be_signed.region;
    let checked = region.as_ref().map_or(Ok(()), check_region);
    checked.map_err(|fault| link.refuse(fault.code(), "region", fault.why()))
}

/// Checks the permissions and the region of each certificate of a chain against all that are above
/// it. Their signatures have verified: what is compared is what authorities have said.
pub(crate) fn check_permissions(chain: &Chain<'_>, borders: &dyn Borders) -> Result<(), Refusal> {
    for link in &chain.links {
        check_size(link)?;
        check_own_region(link)?;
    }
    for (at, link) in chain.links.iter().enumerate() {
        let own = &link.certificate.to_be_signed;
        if let Err(fault) = well_formed(own) {
            return Err(permission_refusal(link, fault));
        }
        let above = chain.links[at + 1..].iter();
        let links = above.map(|link| link.certificate);
        let known = chain.top.chain().map(|one| Ok(one.view()?));
        let all = links.map(Ok).chain(known);
        check_against(link, all, borders)?;
    }
    Ok(())
}

fn check_against<'c>(
    link: &Link<'_>,
    above: impl Iterator<Item = Result<Certificate<'c>, Refusal>>,
    borders: &dyn Borders,
) -> Result<(), Refusal> {
    let own = &link.certificate.to_be_signed;
    let mut has_compared = false;
    for (at, issuer) in above.enumerate() {
        let issuer = issuer?;
        let issuer = &*issuer.to_be_signed;
        // At most as many as a chain has.
        consistent(own, issuer, at as u8 + 1).map_err(|fault| permission_refusal(link, fault))?;
        // The next region above lies in those above it, as its certificate was checked too.
        if let (Some(inner), Some(outer), false) = (&own.region, &issuer.region, has_compared) {
            has_compared = true;
            if !is_within(inner, outer, borders) {
                return Err(link.refuse(
                    ResultCode::ChainInconsistentChainPermissions,
                    "region",
                    "not certain to be in the issuer's region",
                ));
            }
        }
    }
    Ok(())
}

fn check_times(
    link: &Link<'_>,
    own: ValidityPeriod,
    start: Time64,
    end: Time64,
) -> Result<(), Refusal> {
    if own.start() < start {
        return Err(link.refuse(
            ResultCode::ChainInconsistentStartTimes,
            "validityPeriod",
            "valid earlier than its issuer",
        ));
    }
    if own.end() > end {
        return Err(link.refuse(
            ResultCode::ChainInconsistentExpiryTimes,
            "validityPeriod",
            "valid longer than its issuer",
        ));
    }
    Ok(())
}

fn permission_refusal(link: &Link<'_>, fault: PermissionFault) -> Refusal {
    let ContentsFault { field, why } = fault.into();
    link.refuse(ResultCode::ChainInconsistentChainPermissions, field, why)
}

/// A fault in the contents of a requested or issued certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentsFault {
    /// The field, by the standard's name.
    pub field: &'static str,
    /// Human-readable description of the fault.
    pub why: &'static str,
}

impl From<PermissionFault> for ContentsFault {
    fn from(fault: PermissionFault) -> Self {
        let (field, why) = match fault {
            PermissionFault::NotCovered(field) => (field, "more than an issuer may give"),
            PermissionFault::ChainLength => ("minChainLength", "below 1, or a range below -1"),
            PermissionFault::Ambiguous => ("appPermissions", "one application twice"),
            PermissionFault::NoIssuer => ("certIssuePermissions", "an issuer may not issue"),
        };
        Self { field, why }
    }
}

impl core::fmt::Display for ContentsFault {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "{}: {}", self.field, self.why)
    }
}

impl core::error::Error for ContentsFault {}

/// Checks the permissions and the region that a certificate shall have against an issuer that may
/// give what `issuer` says, by the rules for chains. Times are not compared.
///
/// # Errors
/// [`ContentsFault`].
pub fn check_contents(
    subject: &ToBeSignedCertificate<'_>,
    issuer: &ToBeSignedCertificate<'_>,
    borders: &dyn Borders,
) -> Result<(), ContentsFault> {
    check_listed(subject)?;
    well_formed(subject)?;
    consistent(subject, issuer, 1)?;
    let Some(inner) = &subject.region else {
        return Ok(());
    };
    let refuse = |why| ContentsFault {
        field: "region",
        why,
    };
    check_region(inner).map_err(|fault| refuse(fault.why()))?;
    match &issuer.region {
        Some(outer) if !is_within(inner, outer, borders) => {
            Err(refuse("not certain to be in the issuer's region"))
        }
        _ => Ok(()),
    }
}
