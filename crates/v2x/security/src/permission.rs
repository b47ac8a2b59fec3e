//! Consistency of a certificate's permissions with those of its issuers \[1609.2 §6.4\].
//!
//! An issuer's permissions are groups, each for some applications or for all that no other group
//! names, and each for chains of some lengths. What is asked must be covered by one group whole.

use alloc::vec::Vec;

use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::ieee1609dot2::{
    BitmapSspRange, EndEntityType, Psid, PsidGroupPermissions, PsidSsp, PsidSspRange,
    ServiceSpecificPermissions, SspRange, SubjectPermissions, ToBeSignedCertificate,
};

/// An inconsistency of permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PermissionFault {
    /// An application, or what one may say in it, is not covered by what the issuer may give. The
    /// field is that of the subject, by the standard's name.
    NotCovered(&'static str),
    /// A group has a least chain length below 1, or a range below -1.
    ChainLength,
    /// A certificate names an application twice, or has two groups for all.
    Ambiguous,
    /// The issuer may not issue at all.
    NoIssuer,
}

/// Finds what `subject` permits and `issuer`, `above` certificates higher in the chain, may not
/// give: in messages, in requests and in certificates.
///
/// # Errors
/// [`PermissionFault`]. Lists that were read are readable; one that is not counts as not covered.
pub(crate) fn consistent(
    subject: &ToBeSignedCertificate<'_>,
    issuer: &ToBeSignedCertificate<'_>,
    above: u8,
) -> Result<(), PermissionFault> {
    let groups = IssuerGroups::new(issuer)?;
    let at = |field| move |fault| named(fault, field);
    for permission in subject.app_permissions.iter().flatten() {
        let permission = permission.map_err(unreadable)?;
        let asked = Asked::Message(permission);
        groups
            .cover(asked, Lengths::exactly(above), EndEntityType::APP)
            .map_err(at("appPermissions"))?;
    }
    for group in subject.cert_request_permissions.iter().flatten() {
        let group = group.map_err(unreadable)?;
        groups
            .cover_group(&group, Lengths::exactly(above), EndEntityType::ENROL)
            .map_err(at("certRequestPermissions"))?;
    }
    for group in subject.cert_issue_permissions.iter().flatten() {
        let group = group.map_err(unreadable)?;
        let lengths = Lengths::of(&group)?.longer(above);
        groups
            .cover_group(&group, lengths, group.ee_type)
            .map_err(at("certIssuePermissions"))?;
    }
    Ok(())
}

/// The same fault, at this field of the subject.
fn named(fault: PermissionFault, field: &'static str) -> PermissionFault {
    match fault {
        PermissionFault::NotCovered(_) => PermissionFault::NotCovered(field),
        other => other,
    }
}

/// Checks that a certificate's own permissions are well-formed: no application twice, at most one
/// group for all.
///
/// # Errors
/// [`PermissionFault`].
pub(crate) fn well_formed(subject: &ToBeSignedCertificate<'_>) -> Result<(), PermissionFault> {
    if let Some(permissions) = &subject.app_permissions {
        let psids = permissions
            .iter()
            .map(|one| Ok(one.map_err(unreadable)?.psid));
        let mut psids = psids.collect::<Result<Vec<Psid>, PermissionFault>>()?;
        psids.sort_unstable();
        if psids.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(PermissionFault::Ambiguous);
        }
    }
    match subject.cert_issue_permissions {
        Some(_) => IssuerGroups::new(subject).map(drop),
        None => Ok(()),
    }
}

/// Finds which permission of messages `request` names that the holder of `credential` may not
/// request for itself: that is a chain of no further certificate \[1609.2 §6.4.28\].
///
/// # Errors
/// [`PermissionFault::NotCovered`], also for a request that names none.
pub fn may_request(
    credential: &ToBeSignedCertificate<'_>,
    request: &ToBeSignedCertificate<'_>,
) -> Result<(), PermissionFault> {
    let groups = credential.cert_request_permissions.iter().flatten();
    let groups = groups.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    let asked = request.app_permissions.iter().flatten();
    let asked = asked.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    let covers = |group: &PsidGroupPermissions<'_>, one: PsidSsp<'_>| match &group.subject {
        // All that no group names.
        SubjectPermissions::All(_) => !groups
            .iter()
            .any(|group| range_of(group, one.psid).is_some()),
        SubjectPermissions::Explicit(_) => {
            let range = range_of(group, one.psid);
            range.is_some_and(|range| Asked::Message(one).is_in(&range))
        }
    };
    let is_covered = |one: &PsidSsp<'_>| {
        groups.iter().any(|group| {
            let (least, range) = (group.min_chain_length, group.chain_length_range);
            let for_itself = least <= 0 && (range == -1 || least.saturating_add(range) >= 0);
            for_itself && group.ee_type.contains(EndEntityType::APP) && covers(group, *one)
        })
    };
    match !asked.is_empty() && asked.iter().all(is_covered) {
        true => Ok(()),
        false => Err(PermissionFault::NotCovered("appPermissions")),
    }
}

/// Returns the range that a group names for an application.
fn range_of<'a>(group: &PsidGroupPermissions<'a>, psid: Psid) -> Option<PsidSspRange<'a>> {
    match &group.subject {
        SubjectPermissions::All(_) => None,
        SubjectPermissions::Explicit(ranges) => {
            let mut ranges = ranges.iter().flatten();
            ranges.find(|range| range.psid == psid)
        }
    }
}

/// Returns the permission of a certificate for an application, if it has one.
pub(crate) fn permitted<'a>(
    subject: &ToBeSignedCertificate<'a>,
    psid: Psid,
) -> Option<PsidSsp<'a>> {
    let mut permissions = subject.app_permissions.iter().flatten().flatten();
    permissions.find(|permission| permission.psid == psid)
}

fn unreadable(_: WireError) -> PermissionFault {
    PermissionFault::NotCovered("appPermissions")
}

/// The number of certificates that a chain may have below a certificate, as a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lengths {
    least: i64,
    /// `None`: any number.
    most: Option<i64>,
}

impl Lengths {
    fn exactly(length: u8) -> Self {
        let length = i64::from(length);
        Self {
            least: length,
            most: Some(length),
        }
    }

    fn of(group: &PsidGroupPermissions<'_>) -> Result<Self, PermissionFault> {
        let least = group.min_chain_length;
        match group.chain_length_range {
            _ if least < 1 => Err(PermissionFault::ChainLength),
            -1 => Ok(Self { least, most: None }),
            range if range < -1 => Err(PermissionFault::ChainLength),
            range => Ok(Self {
                least,
                most: Some(least.saturating_add(range)),
            }),
        }
    }

    /// The same chains, seen from so many certificates above.
    fn longer(self, above: u8) -> Self {
        let above = i64::from(above);
        Self {
            least: self.least.saturating_add(above),
            most: self.most.map(|most| most.saturating_add(above)),
        }
    }

    fn contains(self, other: Self) -> bool {
        let is_short = match (self.most, other.most) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(others)) => others <= own,
        };
        self.least <= other.least && is_short
    }
}

/// A permission of the subject that the issuer has to cover.
#[derive(Clone, Copy)]
enum Asked<'a> {
    /// A permission to send messages of an application.
    Message(PsidSsp<'a>),
    /// A permission to issue permissions.
    Range(PsidSspRange<'a>),
}

impl Asked<'_> {
    fn psid(&self) -> Psid {
        match self {
            Self::Message(permission) => permission.psid,
            Self::Range(range) => range.psid,
        }
    }

    /// Returns true if `given`, a range of the same application, covers it.
    fn is_in(&self, given: &PsidSspRange<'_>) -> bool {
        let given = match &given.range {
            None | Some(SspRange::All(_)) => return true,
            Some(given) => given,
        };
        match self {
            Self::Message(permission) => ssp_in(permission.ssp.as_ref(), given),
            Self::Range(range) => range_in(range.range.as_ref(), given),
        }
    }
}

/// The permissions that an issuer may grant: its groups, and their applications in order.
struct IssuerGroups<'a> {
    groups: Vec<(PsidGroupPermissions<'a>, Lengths)>,
    /// Each range with the index of its group.
    ranges: Vec<(usize, PsidSspRange<'a>)>,
}

impl<'a> IssuerGroups<'a> {
    fn new(issuer: &ToBeSignedCertificate<'a>) -> Result<Self, PermissionFault> {
        let mut groups = Vec::new();
        let mut ranges = Vec::new();
        for group in issuer.cert_issue_permissions.iter().flatten() {
            let group = group.map_err(unreadable)?;
            if let SubjectPermissions::Explicit(own) = group.subject {
                ranges.extend(own.iter().flatten().map(|range| (groups.len(), range)));
            }
            groups.push((group, Lengths::of(&group)?));
        }
        if groups.is_empty() {
            return Err(PermissionFault::NoIssuer);
        }
        let for_all = |(group, _): &&(PsidGroupPermissions<'_>, Lengths)| {
            matches!(group.subject, SubjectPermissions::All(_))
        };
        if groups.iter().filter(for_all).count() > 1 {
            return Err(PermissionFault::Ambiguous);
        }
        ranges.sort_by_key(|(_, range)| range.psid);
        Ok(Self { groups, ranges })
    }

    /// The ranges of an application. If there is one, the group for all is not for it.
    fn of(&self, psid: Psid) -> &[(usize, PsidSspRange<'a>)] {
        let start = self.ranges.partition_point(|(_, range)| range.psid < psid);
        let end = self.ranges.partition_point(|(_, range)| range.psid <= psid);
        &self.ranges[start..end]
    }

    fn cover(
        &self,
        asked: Asked<'_>,
        lengths: Lengths,
        for_whom: EndEntityType,
    ) -> Result<(), PermissionFault> {
        let reaches = |(group, own): &(PsidGroupPermissions<'_>, Lengths)| {
            own.contains(lengths) && group.ee_type.contains(for_whom)
        };
        let ranges = self.of(asked.psid());
        let is_covered = match ranges {
            [] => self.groups.iter().any(|group| {
                matches!(group.0.subject, SubjectPermissions::All(_)) && reaches(group)
            }),
            _ => ranges
                .iter()
                .any(|(group, range)| reaches(&self.groups[*group]) && asked.is_in(range)),
        };
        covered(is_covered)
    }

    /// Checks that issuer groups cover a group of the subject. A group for all applications is
    /// covered by a group for all, if the issuer leaves out no application.
    fn cover_group(
        &self,
        asked: &PsidGroupPermissions<'_>,
        lengths: Lengths,
        for_whom: EndEntityType,
    ) -> Result<(), PermissionFault> {
        match asked.subject {
            SubjectPermissions::Explicit(ranges) => ranges.iter().try_for_each(|range| {
                let range = range.map_err(unreadable)?;
                self.cover(Asked::Range(range), lengths, for_whom)
            }),
            SubjectPermissions::All(_) => {
                let covers = |(group, own): &(PsidGroupPermissions<'_>, Lengths)| {
                    matches!(group.subject, SubjectPermissions::All(_))
                        && group.ee_type.contains(for_whom)
                        && own.contains(lengths)
                };
                covered(self.ranges.is_empty() && self.groups.iter().any(covers))
            }
        }
    }
}

fn covered(is_covered: bool) -> Result<(), PermissionFault> {
    match is_covered {
        true => Ok(()),
        // The caller knows the field.
        false => Err(PermissionFault::NotCovered("")),
    }
}

/// Returns true if an issuer that may grant `given` may grant this permission.
fn ssp_in(ssp: Option<&ServiceSpecificPermissions<'_>>, given: &SspRange<'_>) -> bool {
    match (ssp, given) {
        (_, SspRange::All(_)) => true,
        // No permission is as one of no length.
        (None, SspRange::Opaque(given)) => given.iter().flatten().any(<[u8]>::is_empty),
        (Some(ServiceSpecificPermissions::Opaque(ssp)), SspRange::Opaque(given)) => {
            given.iter().flatten().any(|one| one == *ssp)
        }
        (Some(ServiceSpecificPermissions::Bitmap(ssp)), SspRange::Bitmap(given)) => {
            bits_in(ssp.as_bytes(), given)
        }
        _ => false,
    }
}

/// Returns true if `bits` have the values that a range fixes. Taken literally: bits beyond the mask
/// are free, and fixed ones beyond the end of `bits` do not match.
fn bits_in(bits: &[u8], given: &BitmapSspRange<'_>) -> bool {
    let (value, mask) = (given.value.as_bytes(), given.mask.as_bytes());
    value.len() == mask.len()
        && value
            .iter()
            .zip(mask)
            .enumerate()
            .all(|(at, (value, mask))| match bits.get(at) {
                Some(bits) => (bits ^ value) & mask == 0,
                None => *mask == 0,
            })
}

/// Returns true if an issuer that may grant `given` may let others grant this range.
fn range_in(range: Option<&SspRange<'_>>, given: &SspRange<'_>) -> bool {
    match (range, given) {
        (_, SspRange::All(_)) => true,
        (Some(SspRange::Opaque(asked)), SspRange::Opaque(given)) => {
            let mut given: Vec<&[u8]> = given.iter().flatten().collect();
            given.sort_unstable();
            let mut asked = asked.iter().flatten();
            asked.all(|one| given.binary_search(&one).is_ok())
        }
        (Some(SspRange::Bitmap(asked)), SspRange::Bitmap(given)) => {
            let masks = given.mask.as_bytes().iter().enumerate();
            let own = asked.mask.as_bytes();
            // What is fixed for the issuer is fixed for whom it issues to.
            bits_in(asked.value.as_bytes(), given)
                && masks
                    .into_iter()
                    .all(|(at, given)| given & !own.get(at).unwrap_or(&0) == 0)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
