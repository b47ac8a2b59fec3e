//! What is measured on a machine at hand, by name.

use crate::Measurement;

/// A mean time on the machine at hand, of the messages of one station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quantity {
    /// What is done.
    pub operation: Operation,
    /// By what.
    pub path: Path,
    /// How long the CAM is, in bytes.
    pub bytes: u32,
}

/// What is done with a CAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// It is signed.
    Sign,
    /// It is verified, from a station whose certificate is known.
    Verify,
    /// It is verified, from a station that is new: with its certificate.
    VerifyNew,
}

/// By what a CAM is signed or verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    /// ECDSA on P-256 and the hash alone.
    Curve,
    /// By the library, in the process.
    Library,
    /// By the security service, over its socket.
    Service,
}

/// How long the CAMs of section 5.2 are, in bytes.
pub const CAM_BYTES: [u32; 2] = [53, 67];

impl Operation {
    /// Every operation, in the order of tables.
    pub const ALL: [Operation; 3] = [Operation::Sign, Operation::Verify, Operation::VerifyNew];

    /// Returns its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Operation::Sign => "sign",
            Operation::Verify => "verify",
            Operation::VerifyNew => "verify, new station",
        }
    }
}

impl Path {
    /// Every path, in the order of tables.
    pub const ALL: [Path; 3] = [Path::Curve, Path::Library, Path::Service];

    /// Returns its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Path::Curve => "ECDSA alone",
            Path::Library => "library",
            Path::Service => "service",
        }
    }
}

/// Where measured values come from: `None` for what was not measured.
pub type Measured<'a> = dyn Fn(&Quantity) -> Option<Measurement> + 'a;

/// Measures nothing: for the paper's boards alone.
#[must_use]
pub const fn unmeasured(_: &Quantity) -> Option<Measurement> {
    None
}
