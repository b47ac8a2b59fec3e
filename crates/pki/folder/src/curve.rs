//! Curves by the names that users write.

use std::str::FromStr;

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

/// Every curve, by its name.
const NAMES: [(&str, CurveName); 4] = [
    ("p256", CurveName::P256),
    ("brainpool-p256r1", CurveName::BrainpoolP256r1),
    ("p384", CurveName::P384),
    ("brainpool-p384r1", CurveName::BrainpoolP384r1),
];

impl FromStr for CurveName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, curve)| *curve).ok_or_else(|| {
            format!("{text:?}; give p256, brainpool-p256r1, p384 or brainpool-p384r1")
        })
    }
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

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn names_are_those_of_the_command() {
        for curve in CurveName::value_variants() {
            let value = curve.to_possible_value().unwrap();
            assert_eq!(value.get_name().parse(), Ok(*curve));
        }
        assert!("p521".parse::<CurveName>().is_err());
    }
}
