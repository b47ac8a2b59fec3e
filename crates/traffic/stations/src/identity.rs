//! Certificates of vehicles with their keys.

use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_signing::Credential;

use crate::settings::{NoCertificate, VehicleIdentity};
use crate::symbols::{SymbolicKey, Symbols};

/// A key that signs, by symbols or really.
pub(crate) enum SigningKey {
    Symbols(SymbolicKey),
    Real(Box<dyn KeyStore + Send>),
}

impl SigningKey {
    pub(crate) fn store(&mut self) -> &mut dyn KeyStore {
        match self {
            Self::Symbols(key) => key,
            Self::Real(store) => &mut **store,
        }
    }
}

/// Puts a certificate together with its key, or with one that signs by symbols.
pub(crate) fn credential(
    identity: VehicleIdentity,
    secret: [u8; 32],
    symbols: &mut Symbols,
) -> Result<(Credential, SigningKey), NoCertificate> {
    let missing = |what: &str| NoCertificate(format!("the certificate has no {what} key"));
    let certificate = identity.certificate;
    let (handle, mut key) = if symbols.is_real {
        let (handle, store) = identity.key.ok_or_else(|| missing("private"))?;
        (handle, SigningKey::Real(store))
    } else {
        let public = certificate.public_key().ok_or_else(|| missing("public"))?;
        let key = SymbolicKey::new(public, secret);
        symbols.add(certificate.id(), key.clone());
        (SymbolicKey::HANDLE, SigningKey::Symbols(key))
    };
    let credential = Credential::new(&*key.store(), handle, certificate);
    let credential = credential.map_err(|error| NoCertificate(error.to_string()))?;
    Ok((credential, key))
}
