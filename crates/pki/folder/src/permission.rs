//! Applications and their permissions as users write and read them.
//!
//! The bitmaps are those of TS 103 900 (CAM), TS 103 831 (DENM) and, as ETSI's test suite has
//! them, of the other applications; each begins with its version.

use waywarden_v2x_pki::{PermissionRange, SspPermission};
use waywarden_v2x_wire::application::{application, application_name};
use waywarden_v2x_wire::ieee1609dot2::{
    Psid, PsidGroupPermissions, PsidSsp, ServiceSpecificPermissions, SspRange, SubjectPermissions,
};

use waywarden_v2x_input::records;

/// An application whose permissions are known.
struct Application {
    name: &'static str,
    /// Default permissions of a holder; empty: those that the application gives without a bitmap.
    bitmap: &'static [u8],
    /// Value and mask of what an authority may give; empty: anything.
    range: (&'static [u8], &'static [u8]),
}

const fn known(
    name: &'static str,
    bitmap: &'static [u8],
    range: (&'static [u8], &'static [u8]),
) -> Application {
    Application {
        name,
        bitmap,
        range,
    }
}

const ANY: (&[u8], &[u8]) = (&[], &[]);

const APPLICATIONS: &[Application] = &[
    // No special vehicle or role: each bit of a CAM is for one.
    known("CAM", &[1, 0, 0], (&[1, 0xFF, 0xFC], &[0xFF, 0, 3])),
    known(
        "DENM",
        &[1, 0xFF, 0xFF, 0xFF],
        (&[1, 0xFF, 0xFF, 0xFF], &[0xFF, 0, 0, 0]),
    ),
    known("SPATEM", &[1, 0xE0], (&[1, 0xE0], &[0xFF, 0x1F])),
    known("MAPEM", &[1, 0xC0], (&[1, 0xC0], &[0xFF, 0x3F])),
    known(
        "IVIM",
        &[1, 0, 0, 0, 0xFF, 0xF8],
        (&[1, 0, 0, 0, 0xFF, 0xF8], &[0xFF, 0, 0, 0, 0, 7]),
    ),
    known(
        "SREM",
        &[2, 0xFF, 0xFF, 0xE0],
        (&[2, 0xFF, 0xFF, 0xE0], &[0xFF, 0, 0, 0x1F]),
    ),
    // Their bitmaps have a version alone.
    known("SSEM", &[1], (&[1], &[0xFF])),
    known("RTCMEM", &[1], (&[1], &[0xFF])),
    known("CRL", &[1], (&[1], &[0xFF])),
    known("SCR", &[1, 0xC0], (&[1, 0xFE], &[0xFF, 1])),
    known("CTL", &[1, 0x38], (&[1, 0x38], &[0xFF, 0xC7])),
];

fn find(psid: Psid) -> Option<&'static Application> {
    let name = application_name(psid)?;
    APPLICATIONS.iter().find(|one| one.name == name)
}

/// Returns the bitmap that a holder has in an application by default; empty for none.
#[must_use]
pub fn default_bitmap(psid: Psid) -> &'static [u8] {
    find(psid).map_or(&[], |one| one.bitmap)
}

/// Reads an application: its name, or its number.
pub fn psid(text: &str) -> Result<Psid, String> {
    application(text).map_err(|error| format!("{text:?} is no application; {error}"))
}

/// A permission of a holder, as `--psid` takes it.
#[derive(Clone, Debug)]
pub struct PsidPermission(pub Psid, pub SspPermission);

/// Reads `CAM`, `36`, `CAM:01FFFC`, `36:01FFFC` or `CAM:none`.
pub fn permission(text: &str) -> Result<PsidPermission, String> {
    let (application, bitmap) = parted(text);
    let psid = psid(application)?;
    let bitmap = match bitmap {
        None => default_bitmap(psid).to_vec(),
        Some("none") => Vec::new(),
        Some(digits) => bits(digits)?,
    };
    Ok(PsidPermission(psid, ssp(bitmap)))
}

/// A permission of an authority, as `--issues` takes it.
#[derive(Clone, Debug)]
pub struct Range(pub Psid, pub PermissionRange);

/// Reads `CAM`, `36`, `CAM:any` or `CAM:01FFFC/FF0003`: the value and the mask of its fixed bits.
pub fn range(text: &str) -> Result<Range, String> {
    let (application, range) = parted(text);
    let psid = psid(application)?;
    let range = match range {
        None => default_range(psid),
        Some("any") => PermissionRange::All,
        Some(range) => {
            let (value, mask) = range
                .split_once('/')
                .ok_or_else(|| format!("{text:?}: give value and mask, such as 01FFFC/FF0003"))?;
            let (value, mask) = (bits(value)?, bits(mask)?);
            if value.len() != mask.len() {
                return Err(format!("{text:?}: value and mask differ in length"));
            }
            PermissionRange::Bitmap { value, mask }
        }
    };
    Ok(Range(psid, range))
}

/// Returns the permissions that an authority may grant in an application by default.
pub fn default_range(psid: Psid) -> PermissionRange {
    match find(psid).map_or(ANY, |one| one.range) {
        ([], _) => PermissionRange::All,
        (value, mask) => PermissionRange::Bitmap {
            value: value.to_vec(),
            mask: mask.to_vec(),
        },
    }
}

fn parted(text: &str) -> (&str, Option<&str>) {
    match text.split_once(':') {
        Some((application, rest)) => (application, Some(rest)),
        None => (text, None),
    }
}

fn bits(digits: &str) -> Result<Vec<u8>, String> {
    let bits = records::hex(digits).filter(|bits| bits.len() <= 31);
    bits.ok_or_else(|| format!("{digits:?}: give 1 to 31 bytes as hexadecimal digits"))
}

fn ssp(bitmap: Vec<u8>) -> SspPermission {
    match bitmap.is_empty() {
        true => SspPermission::Default,
        false => SspPermission::Bitmap(bitmap),
    }
}

/// Writes an application.
pub fn show_psid(psid: Psid) -> String {
    match application_name(psid) {
        Some(name) => name.to_owned(),
        None => psid.0.to_string(),
    }
}

/// Writes a permission.
pub fn show(permission: &PsidSsp<'_>) -> String {
    let name = show_psid(permission.psid);
    match &permission.ssp {
        None => name,
        Some(ServiceSpecificPermissions::Bitmap(bits)) => {
            format!("{name}:{}", records::show(bits.as_bytes()))
        }
        Some(ServiceSpecificPermissions::Opaque(bytes)) => {
            format!("{name}:opaque {}", records::show(bytes))
        }
        Some(_) => format!("{name}:?"),
    }
}

/// Writes a group of permissions to issue or to request.
pub fn show_group(group: &PsidGroupPermissions<'_>) -> String {
    let SubjectPermissions::Explicit(ranges) = &group.subject else {
        return "any application".to_owned();
    };
    let ranges = ranges.iter().flatten().map(|one| {
        let name = show_psid(one.psid);
        match &one.range {
            Some(SspRange::Bitmap(range)) => format!(
                "{name}:{}/{}",
                records::show(range.value.as_bytes()),
                records::show(range.mask.as_bytes())
            ),
            Some(SspRange::Opaque(_)) => format!("{name}:listed"),
            _ => name,
        }
    });
    ranges.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last has 32 bytes.
    const REFUSED: [&str; 9] = [
        "",
        "CAMM",
        "8002:00",
        "36:1",
        "36:xy",
        "-1",
        "+36",
        "36:",
        "36:0000000000000000000000000000000000000000000000000000000000000000",
    ];
    const REFUSED_RANGES: [&str; 4] = ["CAM:01", "CAM:01/FF00", "CAM:/", "CAM:01/x"];

    #[test]
    fn permissions_are_read_by_name_and_by_number() {
        let cases: [(&str, u64, &[u8]); 9] = [
            ("CAM", 36, &[1, 0, 0]),
            ("0x24", 36, &[1, 0, 0]),
            ("0p24:01FFFC", 36, &[1, 0xFF, 0xFC]),
            ("cam:01FFFC", 36, &[1, 0xFF, 0xFC]),
            ("37:01ffffff", 37, &[1, 0xFF, 0xFF, 0xFF]),
            ("BSM", 32, &[]),
            ("SSEM", 637, &[1]),
            ("540802", 540_802, &[1]),
            ("CAM:none", 36, &[]),
        ];
        for (text, number, bitmap) in cases {
            let PsidPermission(psid, permission) = permission(text).unwrap();
            assert_eq!((psid, permission), (Psid(number), ssp(bitmap.to_vec())));
        }
        for text in REFUSED {
            assert!(permission(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ranges_have_a_value_and_a_mask_of_one_length() {
        let Range(psid, range_read) = range("36:01FFFC/FF0003").unwrap();
        assert_eq!((psid, range_read), (Psid(36), default_range(Psid(36))));
        assert_eq!(range("CAM:any").unwrap().1, PermissionRange::All);
        for text in REFUSED_RANGES {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
