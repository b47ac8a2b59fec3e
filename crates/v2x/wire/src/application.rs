//! The names of applications, as users write them instead of a number.

use core::fmt;

use crate::ieee1609dot2::Psid;

/// Applications with a name, in the order of their numbers.
pub const APPLICATIONS: [(&str, Psid); 14] = [
    ("BSM", Psid(32)),
    ("SCMS", Psid(35)),
    ("CAM", Psid(36)),
    ("DENM", Psid(37)),
    ("SPATEM", Psid(137)),
    ("MAPEM", Psid(138)),
    ("IVIM", Psid(139)),
    ("SREM", Psid(140)),
    ("GN-MGMT", Psid(141)),
    ("CRL", Psid(622)),
    ("SCR", Psid(623)),
    ("CTL", Psid(624)),
    ("VAM", Psid(638)),
    ("CPM", Psid(639)),
];

/// A text that is neither the name nor the number of an application. As text it says what would be
/// right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownApplication;

impl fmt::Display for UnknownApplication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("give its number (PSID, ITS-AID) or one of ")?;
        for (at, (name, _)) in APPLICATIONS.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{name}")?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownApplication {}

/// Reads an application: its name in letters of either case, or its number.
///
/// # Errors
/// [`UnknownApplication`].
pub fn application(text: &str) -> Result<Psid, UnknownApplication> {
    let mut named = APPLICATIONS.iter();
    let named = named.find(|(name, _)| name.eq_ignore_ascii_case(text));
    // Of a number Rust takes a sign as well.
    let are_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    match named {
        Some((_, psid)) => Ok(*psid),
        None if are_digits => text.parse().map(Psid).map_err(|_| UnknownApplication),
        None => Err(UnknownApplication),
    }
}

/// Returns the name of an application that has one.
#[must_use]
pub fn application_name(psid: Psid) -> Option<&'static str> {
    let mut named = APPLICATIONS.iter();
    named.find(|(_, own)| *own == psid).map(|(name, _)| *name)
}
