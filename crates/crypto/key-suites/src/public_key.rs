//! A public key as bytes, for the suites on curves.

/// The encoding of a public key: 32 bytes (FourQ) or 64 (x ‖ y of P-256).
///
/// An allegation: whether it is a point of the curve, verification says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PublicKey {
    /// Zero beyond `length`.
    bytes: [u8; 64],
    /// 32 or 64.
    length: u8,
}

/// Bytes of a number that no suite has for its public keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKeyLengthError {
    /// Number of bytes given.
    pub length: usize,
}

impl core::fmt::Display for PublicKeyLengthError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let length = self.length;
        write!(f, "a public key has 32 or 64 bytes, not {length}")
    }
}

impl core::error::Error for PublicKeyLengthError {}

impl PublicKey {
    /// Takes the bytes as they come.
    ///
    /// # Errors
    /// [`PublicKeyLengthError`] unless there are 32 or 64.
    pub fn from_slice(bytes: &[u8]) -> Result<Self, PublicKeyLengthError> {
        let length = match bytes.len() {
            32 => 32,
            64 => 64,
            length => return Err(PublicKeyLengthError { length }),
        };
        let mut key = PublicKey {
            bytes: [0; 64],
            length,
        };
        key.bytes[..bytes.len()].copy_from_slice(bytes);
        Ok(key)
    }

    /// The key of 32 bytes.
    pub(super) fn short(bytes: &[u8; 32]) -> Self {
        let mut key = PublicKey {
            bytes: [0; 64],
            length: 32,
        };
        key.bytes[..32].copy_from_slice(bytes);
        key
    }

    #[cfg(feature = "p256")]
    /// The key of 64 bytes.
    pub(super) const fn long(bytes: [u8; 64]) -> Self {
        PublicKey { bytes, length: 64 }
    }

    /// Returns the bytes: 32 or 64.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl AsRef<[u8]> for PublicKey {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl TryFrom<&[u8]> for PublicKey {
    type Error = PublicKeyLengthError;

    /// As [`PublicKey::from_slice`].
    fn try_from(bytes: &[u8]) -> Result<Self, PublicKeyLengthError> {
        PublicKey::from_slice(bytes)
    }
}
