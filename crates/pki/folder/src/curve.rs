//! Curves by the names that users write.

use serde::Deserialize;
use waywarden_ecverify::Curve;

/// A curve, as `--curve` and profiles take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Deserialize, schemars::JsonSchema)]
pub enum CurveName {
    /// NIST P-256.
    #[value(name = "p256")]
    #[serde(rename = "p256")]
    P256,
    /// brainpoolP256r1.
    #[value(name = "brainpool-p256r1")]
    #[serde(rename = "brainpool-p256r1")]
    BrainpoolP256r1,
    /// NIST P-384.
    #[value(name = "p384")]
    #[serde(rename = "p384")]
    P384,
    /// brainpoolP384r1.
    #[value(name = "brainpool-p384r1")]
    #[serde(rename = "brainpool-p384r1")]
    BrainpoolP384r1,
}

impl From<CurveName> for Curve {
    fn from(name: CurveName) -> Self {
        match name {
            CurveName::P256 => Self::P256,
            CurveName::BrainpoolP256r1 => Self::BrainpoolP256r1,
            CurveName::P384 => Self::P384,
            CurveName::BrainpoolP384r1 => Self::BrainpoolP384r1,
        }
    }
}
