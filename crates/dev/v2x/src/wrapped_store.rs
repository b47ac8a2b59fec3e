//! A store of keys that does something before each use of a key, or makes keys of one seed.

use std::ops::DerefMut;

use waywarden_ecverify::{Curve, Point};
use waywarden_v2x_keys::{
    Capabilities, KeyError, KeyHandle, KeyStore, Nonce, NonceForm, SharedSecret, Signature, Uses,
};

/// A store in which nothing else is changed.
pub struct WrappedStore<S> {
    store: S,
    before_use: Box<dyn Fn() + Send>,
    seed: Option<[u8; 32]>,
}

impl<S> WrappedStore<S> {
    /// Calls `before_use` before a key signs or agrees.
    pub fn with_hook(store: S, before_use: impl Fn() + Send + 'static) -> Self {
        WrappedStore {
            store,
            before_use: Box::new(before_use),
            seed: None,
        }
    }

    /// Makes every key of this seed, as a store whose generator repeats itself.
    pub fn with_seed(store: S, seed: [u8; 32]) -> Self {
        WrappedStore {
            seed: Some(seed),
            ..Self::with_hook(store, || {})
        }
    }
}

impl<S: DerefMut<Target: KeyStore>> KeyStore for WrappedStore<S> {
    fn capabilities(&self, curve: Curve) -> Capabilities {
        self.store.capabilities(curve)
    }

    fn generate(
        &mut self,
        curve: Curve,
        uses: Uses,
        seed: &[u8; 32],
    ) -> Result<KeyHandle, KeyError> {
        let seed = self.seed.unwrap_or(*seed);
        self.store.generate(curve, uses, &seed)
    }

    fn public_key(&self, key: KeyHandle) -> Result<Point, KeyError> {
        self.store.public_key(key)
    }

    fn sign(
        &mut self,
        key: KeyHandle,
        digest: &[u8],
        nonce: Nonce<'_>,
        form: NonceForm,
    ) -> Result<Signature, KeyError> {
        (self.before_use)();
        self.store.sign(key, digest, nonce, form)
    }

    fn agree(&mut self, key: KeyHandle, public: &Point) -> Result<SharedSecret, KeyError> {
        (self.before_use)();
        self.store.agree(key, public)
    }

    fn reconstruct(
        &mut self,
        key: KeyHandle,
        e: &[u8; 32],
        r: &[u8; 32],
        uses: Uses,
    ) -> Result<KeyHandle, KeyError> {
        self.store.reconstruct(key, e, r, uses)
    }

    fn contribute(
        &mut self,
        issuer: KeyHandle,
        ephemeral: KeyHandle,
        e: &[u8; 32],
    ) -> Result<[u8; 32], KeyError> {
        self.store.contribute(issuer, ephemeral, e)
    }

    fn expand(&mut self, key: KeyHandle, f: &[u8; 48], uses: Uses) -> Result<KeyHandle, KeyError> {
        self.store.expand(key, f, uses)
    }

    fn retire(&mut self, key: KeyHandle) -> Result<(), KeyError> {
        self.store.retire(key)
    }
}
