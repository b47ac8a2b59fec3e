//! Private keys in files: PKCS#8 with PBES2 and scrypt, PKCS#8 without encryption, and raw bytes.

use std::path::Path;

use pkcs8::der::asn1::{AnyRef, BitStringRef, OctetStringRef};
use pkcs8::der::{Decode as _, Encode as _};
use pkcs8::pkcs5::pbes2::Kdf;
use pkcs8::spki::{AlgorithmIdentifier, SubjectPublicKeyInfoRef};
use pkcs8::{EncryptedPrivateKeyInfoRef, ObjectIdentifier, PrivateKeyInfoRef, SecretDocument};
use sec1::EcPrivateKey;
use waywarden_ecverify::{Curve, Point};
use waywarden_v2x_keys::PrivateKey;
use waywarden_v2x_pki_service::pbes2;
use zeroize::Zeroizing;

use super::passphrase::{Passphrase, Passphrases};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;

/// The longest key file that is read.
const KEY_FILE_MAX: usize = 4_096;

/// The longest file that is described: it may be a certificate.
const DESCRIBED_MAX: usize = 1 << 16;

/// id-ecPublicKey \[RFC 5480\].
const EC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

const CURVES: [(Curve, ObjectIdentifier); 4] = [
    (
        Curve::P256,
        ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7"),
    ),
    (Curve::P384, ObjectIdentifier::new_unwrap("1.3.132.0.34")),
    (
        Curve::BrainpoolP256r1,
        ObjectIdentifier::new_unwrap("1.3.36.3.3.2.8.1.1.7"),
    ),
    (
        Curve::BrainpoolP384r1,
        ObjectIdentifier::new_unwrap("1.3.36.3.3.2.8.1.1.11"),
    ),
];

/// The form of written keys, with the passphrase that it needs.
#[derive(Clone, Copy)]
pub enum KeyWriter<'p> {
    /// PKCS#8, encrypted under this passphrase.
    Encrypted(&'p Passphrase),
    /// PKCS#8, not encrypted.
    Unencrypted,
    /// The bytes of the scalar.
    Plain,
}

impl KeyWriter<'_> {
    /// Writes a key.
    pub fn write(self, key: &PrivateKey, public: &Point) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let failed =
            |error: String| Failure::new(format_args!("the key cannot be written: {error}"));
        if matches!(self, Self::Plain) {
            return Ok(Zeroizing::new(key.as_bytes().to_vec()));
        }
        let public = sec1(public);
        let own = EcPrivateKey {
            private_key: key.as_bytes(),
            parameters: None,
            public_key: Some(&public),
        };
        let own = SecretDocument::encode_msg(&own).map_err(|error| failed(error.to_string()))?;
        let own = OctetStringRef::new(own.as_bytes()).map_err(|error| failed(error.to_string()))?;
        let (_, curve) = CURVES
            .iter()
            .find(|(curve, _)| *curve == key.curve())
            .ok_or_else(|| failed("unknown curve".to_owned()))?;
        let info = PrivateKeyInfoRef::new(
            AlgorithmIdentifier {
                oid: EC_KEY,
                parameters: Some(AnyRef::from(curve)),
            },
            own,
        );
        let document = match self {
            Self::Encrypted(passphrase) => pbes2::encrypt(&info, passphrase.as_bytes())
                .map_err(|error| failed(error.to_string()))?,
            Self::Unencrypted | Self::Plain => {
                SecretDocument::encode_msg(&info).map_err(|error| failed(error.to_string()))?
            }
        };
        Ok(Zeroizing::new(document.as_bytes().to_vec()))
    }
}

/// Writes a public key as SubjectPublicKeyInfo (DER), which says its curve.
pub fn public(key: &Point) -> Result<Vec<u8>, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(format_args!("the public key cannot be written: {error}"))
    };
    let (_, curve) = CURVES
        .iter()
        .find(|(curve, _)| *curve == key.curve())
        .ok_or_else(|| failed(&"unknown curve"))?;
    let bytes = sec1(key);
    let info = SubjectPublicKeyInfoRef {
        algorithm: AlgorithmIdentifier {
            oid: EC_KEY,
            parameters: Some(AnyRef::from(curve)),
        },
        subject_public_key: BitStringRef::from_bytes(&bytes).map_err(|error| failed(&error))?,
    };
    info.to_der().map_err(|error| failed(&error))
}

/// A public key as SEC 1 has it, not compressed.
fn sec1(public: &Point) -> Vec<u8> {
    [&[4], public.x(), public.y()].concat()
}

/// Reads a private key. `curve` is that of the certificate beside it: raw bytes do not say their
/// own.
pub fn read(
    path: &Path,
    curve: Option<Curve>,
    passphrases: &mut Passphrases<'_>,
) -> Result<PrivateKey, Failure> {
    let name = path.display();
    let wrong = |why: &str| Failure::new(format_args!("{name}: {why}"));
    let bytes = Zeroizing::new(files::bytes(path, KEY_FILE_MAX)?);
    if let Ok(encrypted) = EncryptedPrivateKeyInfoRef::from_der(&bytes) {
        pbes2::check_cost(&encrypted).map_err(|why| wrong(&why.to_string()))?;
        let passphrase = passphrases.existing(path)?;
        // A wrong passphrase shows as wrong padding, or once in some 250 times as no PKCS#8.
        let no_key = || {
            wrong(
                "the passphrase is wrong, or the file was changed; give the one with which the \
                 key was made",
            )
        };
        let document = encrypted
            .decrypt(passphrase.as_bytes())
            .map_err(|_| no_key())?;
        let info = PrivateKeyInfoRef::from_der(document.as_bytes()).map_err(|_| no_key())?;
        return elliptic(&info).map_err(|why| wrong(&why));
    }
    files::warn_if_open(path);
    if let Ok(info) = PrivateKeyInfoRef::from_der(&bytes) {
        return elliptic(&info).map_err(|why| wrong(&why));
    }
    let raw = curve.and_then(|curve| PrivateKey::new(curve, &bytes));
    raw.ok_or_else(|| {
        wrong(
            "no private key: neither PKCS#8 (DER) nor the 32 or 48 bytes of a key on the \
             certificate's curve",
        )
    })
}

/// Returns true if a key file is encrypted.
pub fn is_encrypted(path: &Path) -> Result<bool, Failure> {
    let bytes = Zeroizing::new(files::bytes(path, KEY_FILE_MAX)?);
    Ok(EncryptedPrivateKeyInfoRef::from_der(&bytes).is_ok())
}

/// Takes the scalar out of PKCS#8.
fn elliptic(info: &PrivateKeyInfoRef<'_>) -> Result<PrivateKey, String> {
    let curve = info.algorithm.parameters_oid().ok();
    let curve = curve.filter(|_| info.algorithm.oid == EC_KEY);
    let curve = CURVES.iter().find(|(_, oid)| Some(*oid) == curve);
    let (curve, _) = curve.ok_or("no key on P-256, P-384, brainpoolP256r1 or brainpoolP384r1")?;
    let own = EcPrivateKey::from_der(info.private_key.as_bytes());
    let own = own.map_err(|_| "the key in it is no ECPrivateKey of RFC 5915")?;
    PrivateKey::new(*curve, own.private_key)
        .ok_or_else(|| "the key has the wrong length".to_owned())
}

/// Describes a key file, without its secret; `None`: no PKCS#8 and no raw key.
pub fn describe(path: &Path) -> Result<Option<String>, Failure> {
    let bytes = Zeroizing::new(files::bytes(path, DESCRIBED_MAX)?);
    if let Ok(encrypted) = EncryptedPrivateKeyInfoRef::from_der(&bytes) {
        let parameters = encrypted.encryption_algorithm.pbes2();
        let how = match parameters.map(|parameters| &parameters.kdf) {
            Some(Kdf::Scrypt(own)) => format!(
                "scrypt N = {}, r = {}, p = {}",
                own.cost_parameter, own.block_size, own.parallelization
            ),
            Some(Kdf::Pbkdf2(own)) => format!("PBKDF2, {} rounds", own.iteration_count),
            _ => "another scheme".to_owned(),
        };
        return Ok(Some(format!("private key, PKCS#8, encrypted ({how})")));
    }
    if let Ok(info) = PrivateKeyInfoRef::from_der(&bytes) {
        let curve = info.algorithm.parameters_oid().ok();
        let curve = curve.and_then(curve_of_parameters);
        let curve = curve.map_or("another algorithm".to_owned(), |curve| format!("{curve:?}"));
        return Ok(Some(format!("private key, PKCS#8, not encrypted, {curve}")));
    }
    let is_named = path
        .extension()
        .is_some_and(|end| end == "vkey" || end == "ekey");
    Ok(match bytes.len() {
        32 | 48 if is_named => Some("private key, raw bytes, not encrypted".to_owned()),
        _ => None,
    })
}

/// Returns the curve of an object identifier.
pub fn curve_of_parameters(oid: ObjectIdentifier) -> Option<Curve> {
    let known = CURVES.iter().find(|(_, own)| *own == oid);
    known.map(|(curve, _)| *curve)
}
