//! Whether a certificate permits what its issuer may give \[1609.2 §6.4\].
//!
//! An issuer's permissions are groups, each for some applications or for all that no other group
//! names, and each for chains of some lengths. What is asked must be covered by one group whole.

use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::ieee1609dot2::{
    BitmapSspRange, EndEntityType, Psid, PsidGroupPermissions, PsidSsp, PsidSspRange,
    ServiceSpecificPermissions, SspRange, SubjectPermissions, ToBeSignedCertificate,
};

/// Why permissions are not consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionFault {
    /// An application, or what one may say in it, is not covered.
    NotCovered,
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
    let groups = Groups(issuer);
    groups.check()?;
    for permission in subject.app_permissions.iter().flatten() {
        let permission = permission.map_err(unreadable)?;
        let asked = Asked::Message(permission);
        groups.cover(asked, Lengths::exactly(above), EndEntityType::APP)?;
    }
    for group in subject.cert_request_permissions.iter().flatten() {
        let group = group.map_err(unreadable)?;
        groups.cover_group(&group, Lengths::exactly(above), EndEntityType::ENROL)?;
    }
    for group in subject.cert_issue_permissions.iter().flatten() {
        let group = group.map_err(unreadable)?;
        let lengths = Lengths::of(&group)?.longer(above);
        groups.cover_group(&group, lengths, group.ee_type)?;
    }
    Ok(())
}

/// Whether a certificate's own permissions are well-formed: no application twice, one group for
/// all.
///
/// # Errors
/// [`PermissionFault`].
pub(crate) fn well_formed(subject: &ToBeSignedCertificate<'_>) -> Result<(), PermissionFault> {
    if let Some(permissions) = &subject.app_permissions {
        // Quadratic, but a certificate is at most as long as a message.
        for (at, one) in permissions.iter().enumerate() {
            let psid = one.map_err(unreadable)?.psid;
            let before = permissions.iter().take(at).flatten();
            if before.into_iter().any(|other| other.psid == psid) {
                return Err(PermissionFault::Ambiguous);
            }
        }
    }
    match subject.cert_issue_permissions {
        Some(_) => Groups(subject).check(),
        None => Ok(()),
    }
}

/// Returns what a certificate permits to say in an application, if anything.
pub(crate) fn permitted<'a>(
    subject: &ToBeSignedCertificate<'a>,
    psid: Psid,
) -> Option<PsidSsp<'a>> {
    let mut permissions = subject.app_permissions.iter().flatten().flatten();
    permissions.find(|permission| permission.psid == psid)
}

fn unreadable(_: WireError) -> PermissionFault {
    PermissionFault::NotCovered
}

/// How many certificates a chain may have below a certificate.
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

/// What has to be covered.
#[derive(Clone, Copy)]
enum Asked<'a> {
    /// A permission to say something.
    Message(PsidSsp<'a>),
    /// A permission to give permissions.
    Range(PsidSspRange<'a>),
}

impl Asked<'_> {
    fn psid(&self) -> Psid {
        match self {
            Self::Message(permission) => permission.psid,
            Self::Range(range) => range.psid,
        }
    }

    /// Whether `given`, of the same application, covers it.
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

/// The groups of an issuer.
struct Groups<'c, 'a>(&'c ToBeSignedCertificate<'a>);

impl<'a> Groups<'_, 'a> {
    fn iter(&self) -> impl Iterator<Item = PsidGroupPermissions<'a>> + use<'a> {
        let groups = self.0.cert_issue_permissions;
        groups
            .into_iter()
            .flat_map(|groups| groups.iter().flatten())
    }

    fn check(&self) -> Result<(), PermissionFault> {
        if self.iter().next().is_none() {
            return Err(PermissionFault::NoIssuer);
        }
        let mut for_all = 0;
        for group in self.iter() {
            Lengths::of(&group)?;
            for_all += u32::from(matches!(group.subject, SubjectPermissions::All(_)));
        }
        match for_all {
            0 | 1 => Ok(()),
            _ => Err(PermissionFault::Ambiguous),
        }
    }

    /// Whether a group names an application; the group for all is then not for it.
    fn names(&self, psid: Psid) -> bool {
        self.iter().any(|group| match group.subject {
            SubjectPermissions::Explicit(ranges) => {
                ranges.iter().flatten().any(|range| range.psid == psid)
            }
            SubjectPermissions::All(_) => false,
        })
    }

    fn cover(
        &self,
        asked: Asked<'_>,
        lengths: Lengths,
        for_whom: EndEntityType,
    ) -> Result<(), PermissionFault> {
        let psid = asked.psid();
        let covers = |group: PsidGroupPermissions<'_>| {
            let is_long = Lengths::of(&group).is_ok_and(|own| own.contains(lengths));
            is_long
                && group.ee_type.contains(for_whom)
                && match group.subject {
                    SubjectPermissions::All(_) => !self.names(psid),
                    SubjectPermissions::Explicit(ranges) => ranges
                        .iter()
                        .flatten()
                        .any(|range| range.psid == psid && asked.is_in(&range)),
                }
        };
        match self.iter().any(covers) {
            true => Ok(()),
            false => Err(PermissionFault::NotCovered),
        }
    }

    /// What a subject may give or request for all applications is covered by a group for all, if
    /// that leaves out no application that the subject does not leave out.
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
                let covers = |group: PsidGroupPermissions<'_>| {
                    matches!(group.subject, SubjectPermissions::All(_))
                        && group.ee_type.contains(for_whom)
                        && Lengths::of(&group).is_ok_and(|own| own.contains(lengths))
                };
                let names_none = !self.iter().any(|group| match group.subject {
                    SubjectPermissions::Explicit(ranges) => !ranges.is_empty(),
                    SubjectPermissions::All(_) => false,
                });
                match names_none && self.iter().any(covers) {
                    true => Ok(()),
                    false => Err(PermissionFault::NotCovered),
                }
            }
        }
    }
}

/// Whether an issuer that may give `given` may give this permission.
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

/// Whether the bits that a range fixes are so in `bits`. To the letter: bits beyond the mask are
/// free, and fixed ones beyond the end of `bits` are not as they should be.
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

/// Whether an issuer that may give `given` may let others give this range.
fn range_in(range: Option<&SspRange<'_>>, given: &SspRange<'_>) -> bool {
    match (range, given) {
        (_, SspRange::All(_)) => true,
        (Some(SspRange::Opaque(asked)), SspRange::Opaque(given)) => asked
            .iter()
            .flatten()
            .all(|one| given.iter().flatten().any(|other| one == other)),
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
