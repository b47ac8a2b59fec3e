//! The curves of RustCrypto by the names of `waywarden-ecverify`.

/// A curve with its arithmetic, and the hash function that goes with it \[1609.2 §5.3.1\].
pub(crate) trait SigningCurve:
    ecdsa::EcdsaCurve + ecdsa::elliptic_curve::CurveArithmetic
{
    /// Name of the curve.
    const CURVE: waywarden_ecverify::Curve;
    /// Hash function of the generator of RFC 6979.
    type Hash: sha2::Digest + sha2::digest::block_api::BlockSizeUser;
}

macro_rules! curves {
    ($($feature:literal $name:ident $curve:ty, $hash:ty;)*) => {
        $(
            #[cfg(feature = $feature)]
            impl SigningCurve for $curve {
                const CURVE: waywarden_ecverify::Curve = waywarden_ecverify::Curve::$name;
                type Hash = $hash;
            }
        )*
    };
}

curves! {
    "p256" P256 p256::NistP256, sha2::Sha256;
    "p384" P384 p384::NistP384, sha2::Sha384;
    "brainpool-p256r1" BrainpoolP256r1 bp256::BrainpoolP256r1, sha2::Sha256;
    "brainpool-p384r1" BrainpoolP384r1 bp384::BrainpoolP384r1, sha2::Sha384;
}

/// Returns true if this curve was built in.
pub(crate) const fn is_built_in(curve: waywarden_ecverify::Curve) -> bool {
    use waywarden_ecverify::Curve;
    match curve {
        Curve::P256 => cfg!(feature = "p256"),
        Curve::P384 => cfg!(feature = "p384"),
        Curve::BrainpoolP256r1 => cfg!(feature = "brainpool-p256r1"),
        Curve::BrainpoolP384r1 => cfg!(feature = "brainpool-p384r1"),
    }
}

/// Runs a generic function `f::<C>(arguments)` for the curve of that name; a curve that was not
/// built in is [`KeyError::Unsupported`](crate::KeyError).
macro_rules! on_curve {
    ($curve:expr, $operation:literal, $($function:ident)::+ ( $($argument:expr),* $(,)? )) => {
        match $curve {
            #[cfg(feature = "p256")]
            waywarden_ecverify::Curve::P256 => $($function)::+::<p256::NistP256>($($argument),*),
            #[cfg(feature = "p384")]
            waywarden_ecverify::Curve::P384 => $($function)::+::<p384::NistP384>($($argument),*),
            #[cfg(feature = "brainpool-p256r1")]
            waywarden_ecverify::Curve::BrainpoolP256r1 => {
                $($function)::+::<bp256::BrainpoolP256r1>($($argument),*)
            }
            #[cfg(feature = "brainpool-p384r1")]
            waywarden_ecverify::Curve::BrainpoolP384r1 => {
                $($function)::+::<bp384::BrainpoolP384r1>($($argument),*)
            }
            #[allow(unreachable_patterns, reason = "all curves may be built in")]
            curve => Err($crate::KeyError::Unsupported {
                operation: $operation,
                curve,
            }),
        }
    };
}
pub(crate) use on_curve;
