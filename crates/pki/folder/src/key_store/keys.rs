//! The private keys of a command: in memory, and at most one other store beside.

use waywarden_ecverify::{Curve, Point};
#[cfg(feature = "aws-lc")]
use waywarden_v2x_keys::AwsLcStore;
use waywarden_v2x_keys::{
    Capabilities, KeyError, KeyHandle, KeyStore, Nonce, NonceForm, PrivateKey, SharedSecret,
    Signature, Uses,
};
use waywarden_v2x_token::Pkcs11Token;

use super::{KeyStoreName, MemoryKeys};

/// Room for keys: a command signs with one or two.
#[cfg(feature = "aws-lc")]
const AWS_LC_KEYS: usize = 4;

/// A store beside the software. It has nonces of its own, and gives r as an x-coordinate.
enum OtherStore {
    #[cfg(feature = "aws-lc")]
    AwsLc(Box<AwsLcStore<AWS_LC_KEYS>>),
    Token(Box<Pkcs11Token>),
}

impl OtherStore {
    fn has(&self, key: KeyHandle) -> bool {
        self.keys().public_key(key).is_ok()
    }

    fn keys(&self) -> &dyn KeyStore {
        match self {
            #[cfg(feature = "aws-lc")]
            Self::AwsLc(store) => &**store,
            Self::Token(token) => &**token,
        }
    }

    fn keys_mut(&mut self) -> &mut dyn KeyStore {
        match self {
            #[cfg(feature = "aws-lc")]
            Self::AwsLc(store) => &mut **store,
            Self::Token(token) => &mut **token,
        }
    }
}

/// Keys in memory, and those of AWS-LC or of a token: each call goes where its key is. Keys made
/// through the seam are in memory.
#[derive(Default)]
pub struct Keys {
    /// Those in memory.
    pub software: MemoryKeys,
    other: Option<OtherStore>,
}

impl Keys {
    /// Takes in a private key, where it is to sign. A build without AWS-LC never selects it.
    pub fn import(
        &mut self,
        name: KeyStoreName,
        key: &PrivateKey,
        uses: Uses,
    ) -> Result<KeyHandle, KeyError> {
        match name {
            #[cfg(feature = "aws-lc")]
            KeyStoreName::AwsLc => {
                let mut store = Box::<AwsLcStore<AWS_LC_KEYS>>::default();
                let handle = store.import(key, uses)?;
                self.other = Some(OtherStore::AwsLc(store));
                Ok(handle)
            }
            _ => self.software.import(key, uses),
        }
    }

    /// Takes in a token that was opened.
    pub fn add_token(&mut self, token: Pkcs11Token) {
        self.other = Some(OtherStore::Token(Box::new(token)));
    }

    /// The token, if one is open.
    pub fn token(&self) -> Option<&Pkcs11Token> {
        match &self.other {
            Some(OtherStore::Token(token)) => Some(token),
            _ => None,
        }
    }

    /// The same, to make keys in it.
    pub fn token_mut(&mut self) -> Option<&mut Pkcs11Token> {
        match &mut self.other {
            Some(OtherStore::Token(token)) => Some(token),
            _ => None,
        }
    }

    /// Returns true if a key is in the token.
    pub fn is_in_token(&self, key: KeyHandle) -> bool {
        self.token().is_some_and(|token| token.has(key))
    }

    /// Leaves the keys that were made in the token there.
    pub fn keep(&mut self) {
        if let Some(token) = self.token_mut() {
            token.keep();
        }
    }

    fn of(&mut self, key: KeyHandle) -> &mut dyn KeyStore {
        match &mut self.other {
            Some(other) if other.has(key) => other.keys_mut(),
            _ => &mut self.software,
        }
    }
}

/// Answers what the software can do, and signs with a key elsewhere as its store does: with a nonce
/// of that store and r as an x-coordinate, which every receiver takes.
impl KeyStore for Keys {
    fn capabilities(&self, curve: Curve) -> Capabilities {
        self.software.capabilities(curve)
    }

    fn generate(
        &mut self,
        curve: Curve,
        uses: Uses,
        seed: &[u8; 32],
    ) -> Result<KeyHandle, KeyError> {
        self.software.generate(curve, uses, seed)
    }

    fn public_key(&self, key: KeyHandle) -> Result<Point, KeyError> {
        match &self.other {
            Some(other) if other.has(key) => other.keys().public_key(key),
            _ => self.software.public_key(key),
        }
    }

    fn sign(
        &mut self,
        key: KeyHandle,
        digest: &[u8],
        nonce: Nonce<'_>,
        form: NonceForm,
    ) -> Result<Signature, KeyError> {
        match &mut self.other {
            Some(other) if other.has(key) => {
                let other = other.keys_mut();
                other.sign(key, digest, Nonce::Own, NonceForm::XOnly)
            }
            _ => self.software.sign(key, digest, nonce, form),
        }
    }

    fn agree(&mut self, key: KeyHandle, public: &Point) -> Result<SharedSecret, KeyError> {
        self.of(key).agree(key, public)
    }

    fn reconstruct(
        &mut self,
        key: KeyHandle,
        e: &[u8; 32],
        r: &[u8; 32],
        uses: Uses,
    ) -> Result<KeyHandle, KeyError> {
        self.of(key).reconstruct(key, e, r, uses)
    }

    fn contribute(
        &mut self,
        issuer: KeyHandle,
        ephemeral: KeyHandle,
        e: &[u8; 32],
    ) -> Result<[u8; 32], KeyError> {
        self.of(issuer).contribute(issuer, ephemeral, e)
    }

    fn expand(&mut self, key: KeyHandle, f: &[u8; 48], uses: Uses) -> Result<KeyHandle, KeyError> {
        self.of(key).expand(key, f, uses)
    }

    /// Forgets a key in memory; one in the token stays there.
    fn retire(&mut self, key: KeyHandle) -> Result<(), KeyError> {
        match self.is_in_token(key) {
            true => Ok(()),
            false => self.of(key).retire(key),
        }
    }
}
