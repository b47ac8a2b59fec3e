//! Arguments of the calls of a PKI.

use std::ffi::c_char;
use std::path::PathBuf;

use waywarden_pki_authorities::NewPeriod;
use waywarden_pki_folder::permission::{PsidPermission, permission};
use waywarden_pki_folder::validity;
use waywarden_v2x_wire::ieee1609dot2::{Duration, Time64};

use crate::error::Failure;
use crate::handle::{checked, path, text};

/// Most permissions of a certificate.
const PERMISSIONS_MAX: usize = 64;

/// Period of a certificate.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PkiPeriod {
    /// Start of the validity in microseconds since 2004 (TAI); 0 for now.
    pub start: u64,
    /// Longest validity, such as `1w`, `90d` or `24h`; null for the default of the certificate.
    pub validity: *const c_char,
}

/// Returns text that may be left out.
///
/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn choice<'a>(
    place: &str,
    from: *const c_char,
) -> Result<Option<&'a str>, Failure> {
    match from.is_null() {
        true => Ok(None),
        // SAFETY: by the caller.
        false => unsafe { text(place, from) }.map(Some),
    }
}

/// Reads a period; the default of null.
///
/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn period(from: *const PkiPeriod) -> Result<NewPeriod, Failure> {
    // SAFETY: null, or a period by the caller.
    let Some(given) = (unsafe { from.as_ref() }) else {
        return Ok(NewPeriod::default());
    };
    // SAFETY: by the caller.
    let validity = unsafe { choice("validity", given.validity) }?;
    let validity = validity.map(validity::duration).transpose();
    Ok(NewPeriod {
        start: (given.start != 0).then_some(Time64(given.start)),
        validity: validity.map_err(|why| Failure::argument("validity", why))?,
    })
}

/// Reads permissions.
///
/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn permissions_of(
    permissions: *const *const c_char,
    count: usize,
) -> Result<Vec<PsidPermission>, Failure> {
    if count > PERMISSIONS_MAX {
        let why = format!("{count} permissions; at most {PERMISSIONS_MAX}");
        return Err(Failure::argument("permissions", why));
    }
    let mut read = Vec::new();
    for at in 0..count {
        checked(permissions.cast_mut())?;
        // SAFETY: `count` texts by the caller.
        let given = unsafe { text("permissions", *permissions.add(at)) }?;
        let one = permission(given);
        read.push(one.map_err(|why| Failure::argument("permissions", why))?);
    }
    Ok(read)
}

/// Reads the time until the next list.
///
/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn next(from: *const c_char, default: &str) -> Result<Duration, Failure> {
    // SAFETY: by the caller.
    let given = unsafe { choice("next", from) }?.unwrap_or(default);
    validity::until_next(given).map_err(|why| Failure::argument("next", why))
}

/// Reads a path that may be left out.
///
/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn output(from: *const c_char) -> Result<Option<PathBuf>, Failure> {
    match from.is_null() {
        true => Ok(None),
        // SAFETY: by the caller.
        false => unsafe { path(from) }.map(Some),
    }
}
