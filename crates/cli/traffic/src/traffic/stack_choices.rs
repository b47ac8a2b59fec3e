//! Choices of options of a stack.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use waywarden_traffic_stations::{HostileKind, SignatureScheme};

/// Share of vehicles that are hostile, if none is given.
pub(super) const HOSTILE_SHARE: f64 = 0.1;

/// Reads the name of a kind of hostile vehicle.
pub(super) fn hostile_kind() -> impl TypedValueParser<Value = HostileKind> {
    let names = HostileKind::ALL.iter().map(|kind| kind.name());
    let names = PossibleValuesParser::new(names);
    names.map(|name| {
        let mut kinds = HostileKind::ALL.iter().copied();
        // The parser gives one of the names.
        let kind = kinds.find(|kind| kind.name() == name);
        kind.unwrap_or(HostileKind::Forged)
    })
}

/// Reads a share of vehicles.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().map_err(|error| error.to_string())?;
    match share > 0.0 && share <= 1.0 {
        true => Ok(share),
        false => Err("a share is above 0 and at most 1".to_owned()),
    }
}

/// Messages of vehicles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Awareness {
    /// Beacons of --bytes, --rate times a second.
    #[default]
    Beacons,
    /// Cooperative awareness messages over GeoNetworking [EN 302 637-2].
    Cam,
    /// Basic safety messages over WSMP [J2945/1].
    Bsm,
}

/// Congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Control {
    /// None.
    Off,
    /// Least times by states of the channel [TS 102 687 annex A].
    Reactive,
    /// A share of time for each vehicle, LIMERIC [TS 102 687 5.4].
    Adaptive,
    /// The same with a faster fall.
    DualAlpha,
    /// Rate and power of basic safety messages [J2945/1 6.3.8].
    J2945,
}

/// Form of the key in a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Form {
    /// As itself, with the issuer's signature.
    Explicit,
    /// As a reconstruction value (ECQV).
    Implicit,
}

/// Reads a standard deviation of positions.
pub(super) fn position_error(text: &str) -> Result<f64, String> {
    let metres = text.parse::<f64>().map_err(|error| error.to_string())?;
    match (0.0..=100.0).contains(&metres) {
        true => Ok(metres),
        false => Err("an error of positions is 0 to 100 m".to_owned()),
    }
}

/// Sizes of signatures and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Scheme {
    /// ECDSA with P-256, as messages have it.
    EcdsaP256,
    /// FN-DSA-512 (Falcon), padded, in messages and certificates.
    #[value(name = "fn-dsa-512")]
    FnDsa512,
    /// ML-DSA-44 (FIPS 204), in messages and certificates.
    #[value(name = "ml-dsa-44")]
    MlDsa44,
    /// ECDSA and FN-DSA-512, in messages and certificates.
    #[value(name = "hybrid-fn-dsa-512")]
    HybridFnDsa512,
    /// ECDSA and ML-DSA-44, in messages and certificates.
    #[value(name = "hybrid-ml-dsa-44")]
    HybridMlDsa44,
    /// ECDSA, and a second signature of the issuer in certificates, with FN-DSA-512.
    #[value(name = "issuer-fn-dsa-512")]
    IssuerFnDsa512,
    /// ECDSA, and a second signature of the issuer in certificates, with ML-DSA-44.
    #[value(name = "issuer-ml-dsa-44")]
    IssuerMlDsa44,
}

impl Scheme {
    pub(super) const fn scheme(self) -> SignatureScheme {
        match self {
            Self::EcdsaP256 => SignatureScheme::EcdsaP256,
            Self::FnDsa512 => SignatureScheme::FnDsa512,
            Self::MlDsa44 => SignatureScheme::MlDsa44,
            Self::HybridFnDsa512 => SignatureScheme::HybridFnDsa512,
            Self::HybridMlDsa44 => SignatureScheme::HybridMlDsa44,
            Self::IssuerFnDsa512 => SignatureScheme::IssuerFnDsa512,
            Self::IssuerMlDsa44 => SignatureScheme::IssuerMlDsa44,
        }
    }
}

/// Messages that carry the certificate of their signer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Inclusion {
    /// As the application's rules have it, and when others ask.
    Rules,
    /// Each message.
    Always,
}
