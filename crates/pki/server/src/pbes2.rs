//! Private keys under a passphrase: PKCS#8 with PBES2, scrypt and AES-256-CBC \[RFC 8018\].
//!
//! The scrypt parameters are N = 2^14, r = 8, p = 5: 16 MiB, and about a quarter of a second. They
//! are one of the settings that OWASP recommends, and within what OpenSSL reads.
//!
//! PBES2 has no integrity check of its own: the caller checks that the key is the expected one.

use std::fmt;

use pkcs8::pkcs5::pbes2::{EncryptionScheme, Kdf, Parameters, Salt, ScryptParams};
use pkcs8::{EncryptedPrivateKeyInfoRef, PrivateKeyInfoRef, SecretDocument};
use waywarden_host::random::{self, NoRandomBytes};

/// The most memory that a key file may have scrypt take, and the most steps: what a file costs is
/// bounded before the passphrase is used.
const SCRYPT_BYTES_MAX: u64 = 256 << 20;
const SCRYPT_STEPS_MAX: u64 = 1 << 30;
const PBKDF2_ROUNDS_MAX: u32 = 10_000_000;

const SCRYPT_N: u64 = 1 << 14;
const SCRYPT_R: u16 = 8;
const SCRYPT_P: u16 = 5;

/// An error in the encryption of a private key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncryptionError {
    /// The operating system has no random bytes.
    Random(NoRandomBytes),
    /// The key or its parameters cannot be written.
    Encoding(String),
}

impl fmt::Display for EncryptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random(error) => error.fmt(f),
            Self::Encoding(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for EncryptionError {}

/// A refusal to decrypt a private key, because of its scheme or cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostError {
    /// Another scheme than PBES2 with scrypt or PBKDF2.
    Unsupported,
    /// N of scrypt is below 2.
    Parameter,
    /// More than 256 MiB, or minutes.
    Expensive,
}

impl fmt::Display for CostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unsupported => "encrypted in another way than PBES2 with scrypt or PBKDF2",
            Self::Parameter => "scrypt demands N of at least 2; the file was changed",
            Self::Expensive => {
                "its passphrase takes more than 256 MiB or minutes to try; encrypt the key with \
                 less"
            }
        })
    }
}

impl std::error::Error for CostError {}

/// Encrypts a private key under a passphrase, with a fresh salt.
///
/// # Errors
/// [`EncryptionError`].
pub fn encrypt(
    info: &PrivateKeyInfoRef<'_>,
    passphrase: &[u8],
) -> Result<SecretDocument, EncryptionError> {
    let encrypted = info.encrypt_with_params(parameters()?, passphrase);
    encrypted.map_err(|error| EncryptionError::Encoding(error.to_string()))
}

/// Fresh parameters: AES-256-CBC under scrypt.
fn parameters() -> Result<Parameters, EncryptionError> {
    let random = random::bytes::<32>().map_err(EncryptionError::Random)?;
    let (salt, iv) = random.split_at(16);
    let mut iv_array = [0; 16];
    iv_array.copy_from_slice(iv);
    let salt = Salt::new(salt)
        .map_err(|_| EncryptionError::Encoding("scrypt does not take its salt".to_owned()))?;
    let kdf = ScryptParams {
        salt,
        cost_parameter: SCRYPT_N,
        block_size: SCRYPT_R,
        parallelization: SCRYPT_P,
        key_length: None,
    };
    Ok(Parameters {
        kdf: Kdf::Scrypt(kdf),
        encryption: EncryptionScheme::Aes256Cbc { iv: iv_array },
    })
}

/// Refuses an encrypted key whose passphrase would cost gigabytes or minutes to try.
///
/// # Errors
/// [`CostError`].
pub fn check_cost(encrypted: &EncryptedPrivateKeyInfoRef<'_>) -> Result<(), CostError> {
    let parameters = encrypted.encryption_algorithm.pbes2();
    let parameters = parameters.ok_or(CostError::Unsupported)?;
    let fits = match &parameters.kdf {
        Kdf::Scrypt(own) => {
            if own.cost_parameter < 2 {
                return Err(CostError::Parameter);
            }
            let block = 128 * u64::from(own.block_size);
            let (n, p) = (own.cost_parameter, u64::from(own.parallelization));
            // scrypt holds N blocks of one lane, and a block of each of the p lanes.
            let bytes = n
                .checked_add(p)
                .and_then(|blocks| blocks.checked_mul(block));
            let steps = n
                .checked_mul(p)
                .and_then(|blocks| blocks.checked_mul(block));
            bytes.is_some_and(|bytes| bytes <= SCRYPT_BYTES_MAX)
                && steps.is_some_and(|steps| steps <= SCRYPT_STEPS_MAX)
        }
        Kdf::Pbkdf2(own) => own.iteration_count <= PBKDF2_ROUNDS_MAX,
        _ => return Err(CostError::Unsupported),
    };
    match fits {
        true => Ok(()),
        false => Err(CostError::Expensive),
    }
}
