//! Errors of creating a security module.

/// An error of creating a security module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModuleError {
    /// There are more ECUs than it has room for.
    TooManyEcus,
    /// There are more permissions than it has room for.
    TooManyPermissions,
    /// It is to have room for more than [`PARTIES_MAX`](crate::PARTIES_MAX) ECUs or handshakes.
    TooManyPlaces,
}

impl core::fmt::Display for ModuleError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::TooManyEcus => "there are more ECUs than the security module has room for",
            Self::TooManyPermissions => {
                "there are more permissions than the security module has room for"
            }
            Self::TooManyPlaces => "there is room for more ECUs than there are addresses",
        })
    }
}

impl core::error::Error for ModuleError {}
