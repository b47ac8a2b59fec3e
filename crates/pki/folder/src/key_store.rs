//! Key stores for signatures: software, or AWS-LC where the build has it.

use waywarden_ecverify::Curve;
use waywarden_v2x_keys::{NonceForm, SoftwareStore};

use waywarden_command_line::exit::Failure;

mod keys;

pub use keys::Keys;

/// Keys in memory while a command runs; those that were written to files leave it.
pub type MemoryKeys = SoftwareStore<32>;

/// A store for private keys, as users name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum KeyStoreName {
    /// RustCrypto: every curve, every form of r, hedged nonces.
    Software,
    /// AWS-LC: P-256 and P-384, r as an x-coordinate, nonces of its own.
    AwsLc,
}

/// The choice of the store that signs.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct KeyStoreChoice {
    /// Store that signs. AWS-LC signs about three times as fast, on P-256 and P-384 and with r as
    /// an x-coordinate. A build without the feature `aws-lc` has only software, and refuses
    /// `aws-lc` [default: aws-lc where it can, else software].
    #[arg(long, value_enum, value_name = "STORE")]
    key_store: Option<KeyStoreName>,
}

impl KeyStoreChoice {
    /// Returns the store for signatures of a form on a curve.
    pub fn select(&self, curve: Curve, form: NonceForm) -> Result<KeyStoreName, Failure> {
        match (self.key_store, obstacle(curve, form)) {
            (Some(KeyStoreName::Software), _) | (None, Some(_)) => Ok(KeyStoreName::Software),
            (Some(KeyStoreName::AwsLc) | None, None) => Ok(KeyStoreName::AwsLc),
            (Some(KeyStoreName::AwsLc), Some(why)) => {
                Err(Failure::new(format_args!("--key-store aws-lc: {why}")))
            }
        }
    }

    /// Returns the store for certificates, which give r as an x-coordinate. Implicit ones take
    /// arithmetic that AWS-LC does not offer.
    pub fn select_to_issue(
        &self,
        curve: Curve,
        is_implicit: bool,
    ) -> Result<KeyStoreName, Failure> {
        match (is_implicit, self.key_store) {
            (false, _) => self.select(curve, NonceForm::XOnly),
            (true, Some(KeyStoreName::AwsLc)) => Err(Failure::new(
                "--key-store aws-lc: AWS-LC issues no implicit certificates; give --explicit, or \
                 --key-store software",
            )),
            (true, _) => Ok(KeyStoreName::Software),
        }
    }
}

/// Returns why AWS-LC cannot give such a signature, with a remedy; `None` if it can.
fn obstacle(curve: Curve, form: NonceForm) -> Option<String> {
    if !cfg!(feature = "aws-lc") {
        let why = "this build has no AWS-LC; build with `--features aws-lc`, or give --key-store \
                   software";
        return Some(why.to_owned());
    }
    match (curve, form) {
        (Curve::BrainpoolP256r1 | Curve::BrainpoolP384r1, _) => Some(format!(
            "AWS-LC has no {curve:?}, only P-256 and P-384; give --key-store software"
        )),
        (_, NonceForm::Point) => Some(
            "AWS-LC gives r as an x-coordinate; give --x-only, or --key-store software".to_owned(),
        ),
        (_, NonceForm::XOnly) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Curve; 4] = [
        Curve::P256,
        Curve::P384,
        Curve::BrainpoolP256r1,
        Curve::BrainpoolP384r1,
    ];

    fn choice(key_store: Option<KeyStoreName>) -> KeyStoreChoice {
        KeyStoreChoice { key_store }
    }

    #[test]
    fn software_signs_everything() {
        for curve in ALL {
            for form in [NonceForm::Point, NonceForm::XOnly] {
                let software = choice(Some(KeyStoreName::Software)).select(curve, form);
                assert!(matches!(software, Ok(KeyStoreName::Software)));
            }
            let other = choice(None).select(curve, NonceForm::Point);
            assert!(matches!(other, Ok(KeyStoreName::Software)));
        }
    }

    #[test]
    fn aws_lc_signs_where_the_build_and_the_curve_allow_it() {
        for (curve, is_known) in ALL.into_iter().zip([true, true, false, false]) {
            let can = cfg!(feature = "aws-lc") && is_known;
            let expected = match can {
                true => KeyStoreName::AwsLc,
                false => KeyStoreName::Software,
            };
            let chosen = choice(None).select(curve, NonceForm::XOnly);
            assert!(matches!(chosen, Ok(name) if name == expected), "{curve:?}");
            let demanded = choice(Some(KeyStoreName::AwsLc));
            assert_eq!(demanded.select(curve, NonceForm::XOnly).is_ok(), can);
            assert!(demanded.select(curve, NonceForm::Point).is_err());
        }
    }
}
