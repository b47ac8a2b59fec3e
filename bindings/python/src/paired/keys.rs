//! Codes of a stream by name, and its one key.

use pyo3::prelude::*;
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::keyring::AnyKeyring;
use waywarden_can_auth::mac::MacKey;
use waywarden_work::Algorithm;

use crate::error::Failure;

/// Name of the one key.
pub(super) const KEY: KeyId = KeyId(0);

/// Code of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code(Algorithm);

/// One key under one of the codes; each end of a stream has one.
pub(super) type Keys = AnyKeyring<1>;

/// The codes by name.
const CODES: [(&str, Algorithm); 4] = [
    ("aes-cmac", Algorithm::Aes128Cmac),
    ("hmac-sha256", Algorithm::HmacSha256),
    ("siphash", Algorithm::SipHash),
    ("spongent", Algorithm::SpongentMac),
];

impl Code {
    /// Returns the code of a name.
    pub(super) fn named(name: &str) -> PyResult<Self> {
        let found = CODES.iter().find(|(own, _)| *own == name);
        found.map(|(_, code)| Code(*code)).ok_or_else(|| {
            let names: Vec<&str> = CODES.iter().map(|(name, _)| *name).collect();
            Failure::parameter("mac", format_args!("no code {name:?}"), names.join(", "))
        })
    }

    /// Name of the code.
    pub(super) fn name(self) -> &'static str {
        CODES
            .iter()
            .find(|(_, code)| *code == self.0)
            .map_or("", |(name, _)| *name)
    }

    /// Returns a keyring with one key.
    pub(super) fn keys(self, key: &MacKey, usage: Usage) -> PyResult<Keys> {
        let cmac = || AnyKeyring::AesCmac(Default::default());
        let mut keys = AnyKeyring::of(self.0).unwrap_or_else(cmac);
        let put = keys.insert(KEY, usage, key);
        put.map_err(|error| Failure::new("RefusedError", error).code("key"))?;
        Ok(keys)
    }
}
