//! Profiles, which select the messages, and the ways in which keys are known.

/// The messages that are sent, and the facts that they bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LasanProfile {
    /// The messages of the testbed, with their weaknesses: for comparison, never for a vehicle.
    #[cfg(feature = "as-published")]
    AsPublished,
    /// Both sides prove themselves: the security module by its signature under the start-up
    /// message, the ECU by its signature under the whole exchange. The default.
    Hardened,
    /// The same, but that the ECU proves itself by opening an encapsulation to its own key. With
    /// post-quantum suites that is less work. It is also fewer bytes where a signature is longer
    /// than an encapsulation: not with FN-DSA-512 and ML-KEM-512. docs/protocols/lasan.md has the
    /// figures of every suite.
    Compact,
}

impl LasanProfile {
    /// Returns true if it is the published one. Without the feature `as-published` there is no such
    /// profile, and the compiler leaves out what it alone does.
    #[must_use]
    pub const fn is_as_published(self) -> bool {
        #[cfg(feature = "as-published")]
        return matches!(self, LasanProfile::AsPublished);
        #[cfg(not(feature = "as-published"))]
        return false;
    }

    /// Returns the name in vehicle files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "as-published")]
            LasanProfile::AsPublished => "as-published",
            LasanProfile::Hardened => "hardened",
            LasanProfile::Compact => "compact",
        }
    }
}

/// The way in which an ECU and the security module know each other's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Credentials {
    /// By a certificate, sent each time.
    Certificates,
    /// By the digest of the key, which is enrolled; the key itself is sent each time.
    Digests,
    /// By the key itself, which is enrolled on both sides: nothing is sent.
    Keys,
}

impl Credentials {
    /// Returns the name in vehicle files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Credentials::Certificates => "certificates",
            Credentials::Digests => "digests",
            Credentials::Keys => "keys",
        }
    }
}
