//! Credentials: a certificate and its key, to sign with.

use alloc::sync::Arc;
use core::fmt;

use waywarden_ecverify::{Curve, Point};
use waywarden_v2x_keys::{KeyError, KeyHandle, KeyStore};
use waywarden_v2x_security::hash::{Digest, HashFunction};
use waywarden_v2x_security::region::{Borders, NoBorders, contains};
use waywarden_v2x_security::store::Verified;
use waywarden_v2x_wire::ieee1609dot2::{
    EncryptionKey, HashedId8, HeaderInfo, Psid, ServiceSpecificPermissions, Time64, TwoDLocation,
};

use crate::error::{EncryptError, SignError};
use crate::recipient::public_key;

/// A certificate whose chain was verified, and the handle of its private key.
#[derive(Clone)]
pub struct Credential {
    certificate: Arc<Verified>,
    key: KeyHandle,
    curve: Curve,
    borders: Arc<dyn Borders + Send + Sync>,
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential")
            .field("certificate", &self.certificate)
            .field("key", &self.key)
            .field("curve", &self.curve)
            .finish_non_exhaustive()
    }
}

/// An error in the combination of a certificate and a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CredentialError {
    /// The store does not know the key.
    Key(KeyError),
    /// The certificate's reconstruction value gives no key.
    NoKey,
    /// The private key is not the certificate's.
    OtherKey,
}

impl fmt::Display for CredentialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(error) => error.fmt(f),
            Self::NoKey => f.write_str("verifyKeyIndicator: no key can be computed from it"),
            Self::OtherKey => {
                f.write_str("verifyKeyIndicator: the private key is not that of the certificate")
            }
        }
    }
}

impl core::error::Error for CredentialError {}

impl Credential {
    /// Puts a certificate and its key together. It knows no borders of countries.
    ///
    /// # Errors
    /// [`CredentialError`].
    pub fn new<S: KeyStore + ?Sized>(
        store: &S,
        key: KeyHandle,
        certificate: Arc<Verified>,
    ) -> Result<Self, CredentialError> {
        let own: Point = store.public_key(key).map_err(CredentialError::Key)?;
        match certificate.public_key() {
            None => Err(CredentialError::NoKey),
            Some(public) if public != own => Err(CredentialError::OtherKey),
            Some(_) => Ok(Self {
                certificate,
                key,
                curve: own.curve(),
                borders: Arc::new(NoBorders),
            }),
        }
    }

    /// Has it know these borders: a message from outside of its certificate's countries is refused.
    #[must_use]
    pub fn with_borders(mut self, borders: Arc<dyn Borders + Send + Sync>) -> Self {
        self.borders = borders;
        self
    }

    /// Returns the certificate.
    #[must_use]
    pub fn certificate(&self) -> &Arc<Verified> {
        &self.certificate
    }

    /// Returns the handle of the private key.
    #[must_use]
    pub fn key(&self) -> KeyHandle {
        self.key
    }

    /// Returns the curve of the key.
    #[must_use]
    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// Returns the HashedId8 of the certificate.
    #[must_use]
    pub fn id(&self) -> HashedId8 {
        self.certificate.id()
    }

    /// Returns the hash of the whole certificate.
    #[must_use]
    pub fn digest(&self) -> &Digest {
        self.certificate.digest()
    }

    /// Returns the hash function with which messages are signed \[1609.2 §5.3.1\].
    #[must_use]
    pub fn hash_function(&self) -> HashFunction {
        hash_of(self.curve)
    }

    /// True if the certificate permits messages of an application.
    #[must_use]
    pub fn permits(&self, psid: Psid) -> bool {
        self.permits_with(psid, None)
    }

    /// True if the certificate permits messages of an application that need these service specific
    /// permissions: the same bytes, or of a bitmap every bit that is set after the first byte,
    /// which is the version. `None` and no bytes need none.
    ///
    /// Choice: a certificate that lists the application without permissions permits no message that
    /// needs one. IEEE 1609.2 §6.4.28 leaves to the application what no permissions mean.
    #[must_use]
    pub fn permits_with(&self, psid: Psid, permissions: Option<&[u8]>) -> bool {
        let view = self.certificate.view();
        let Ok(Some(own)) = view.map(|view| view.to_be_signed.app_permissions) else {
            return false;
        };
        let mut own = own.iter().flatten();
        let Some(own) = own.find(|one| one.psid == psid) else {
            return false;
        };
        let Some(asked) = permissions.filter(|asked| !asked.is_empty()) else {
            return true;
        };
        match own.ssp {
            None | Some(ServiceSpecificPermissions::Unknown(..)) => false,
            Some(ServiceSpecificPermissions::Opaque(bytes)) => bytes == asked,
            Some(ServiceSpecificPermissions::Bitmap(bits)) => {
                let bits = bits.as_bytes();
                let is_within = |(own, asked): (&u8, &u8)| asked & !own == 0;
                bits.len() == asked.len()
                    && bits.first() == asked.first()
                    && bits.iter().zip(asked).all(is_within)
            }
        }
    }

    /// Checks that the message is consistent with the certificate \[1609.2 §5.2.3\].
    pub(crate) fn check(&self, header: &HeaderInfo<'_>) -> Result<(), SignError> {
        if !self.permits(header.psid) {
            return Err(SignError::NotPermitted(header.psid));
        }
        let (start, end) = self.certificate.validity();
        let is_valid_at = |time: Time64| start <= time && time < end;
        if let Some(made) = header.generation_time.filter(|made| !is_valid_at(*made)) {
            return Err(SignError::OutsideValidity { start, end, made });
        }
        // A receiver refuses an expiry after the certificate's, not at it.
        if header
            .expiry_time
            .is_some_and(|expiry| expiry < start || expiry > end)
        {
            return Err(SignError::ExpiryOutsideValidity);
        }
        if header
            .generation_time
            .zip(header.expiry_time)
            .is_some_and(|(made, expiry)| expiry <= made)
        {
            return Err(SignError::ExpiryBeforeGeneration);
        }
        if let Some(EncryptionKey::Public(key)) = &header.encryption_key
            && public_key(key).is_err_and(|why| why == EncryptError::NoPoint)
        {
            return Err(SignError::Message("encryptionKey: no point of its curve"));
        }
        let (Some(region), Some(place)) = (self.certificate.region(), header.generation_location)
        else {
            return Ok(());
        };
        let place = TwoDLocation {
            latitude: place.latitude,
            longitude: place.longitude,
        };
        // Of borders that are not known here receivers may know more.
        match contains(&region, &place, &*self.borders) {
            Some(false) => Err(SignError::OutsideRegion),
            _ => Ok(()),
        }
    }
}

/// Returns the hash function that goes with a curve \[1609.2 §5.3.1\].
#[must_use]
pub fn hash_of(curve: Curve) -> HashFunction {
    match curve.field_bytes() {
        32 => HashFunction::Sha256,
        _ => HashFunction::Sha384,
    }
}
