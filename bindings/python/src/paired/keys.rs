//! A keyring under whichever code a stream has.

use pyo3::prelude::*;
use waywarden_can_auth::key_store::{KeyId, KeyStoreError, MacKeyStore, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, HmacSha256, Mac, MacKey, SipHash, SpongentMac, Tag};
use waywarden_work::Meter;

use crate::error::Failure;

/// Name of the one key.
pub(super) const KEY: KeyId = KeyId(0);

/// Code of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    AesCmac,
    HmacSha256,
    SipHash,
    Spongent,
}

/// The codes by name.
const CODES: [(&str, Code); 4] = [
    ("aes-cmac", Code::AesCmac),
    ("hmac-sha256", Code::HmacSha256),
    ("siphash", Code::SipHash),
    ("spongent", Code::Spongent),
];

impl Code {
    /// Returns the code of a name.
    pub(super) fn named(name: &str) -> PyResult<Self> {
        let found = CODES.iter().find(|(own, _)| *own == name);
        found.map(|(_, code)| *code).ok_or_else(|| {
            let names: Vec<&str> = CODES.iter().map(|(name, _)| *name).collect();
            Failure::parameter("mac", format_args!("no code {name:?}"), names.join(", "))
        })
    }

    /// Name of the code.
    pub(super) fn name(self) -> &'static str {
        CODES
            .iter()
            .find(|(_, code)| *code == self)
            .map_or("", |(name, _)| *name)
    }
}

/// One key under one of the codes. Each end of a stream has one; its size matters little on a host.
#[expect(clippy::large_enum_variant, reason = "one an end, never moved in bulk")]
pub(super) enum Keys {
    AesCmac(Keyring<AesCmac, 1>),
    HmacSha256(Keyring<HmacSha256, 1>),
    SipHash(Keyring<SipHash, 1>),
    Spongent(Keyring<SpongentMac, 1>),
}

fn one<M: Mac>(key: &MacKey, usage: Usage) -> PyResult<Keyring<M, 1>> {
    let mut keys = Keyring::new();
    let put = keys.insert(KEY, usage, key);
    put.map_err(|error| Failure::new("RefusedError", error).code("key"))?;
    Ok(keys)
}

impl Keys {
    /// Returns a keyring with one key.
    pub(super) fn new(code: Code, key: &MacKey, usage: Usage) -> PyResult<Self> {
        Ok(match code {
            Code::AesCmac => Keys::AesCmac(one(key, usage)?),
            Code::HmacSha256 => Keys::HmacSha256(one(key, usage)?),
            Code::SipHash => Keys::SipHash(one(key, usage)?),
            Code::Spongent => Keys::Spongent(one(key, usage)?),
        })
    }
}

/// Does the same with the keyring of each code.
macro_rules! each_code {
    ($keys:expr, $own:ident => $does:expr) => {
        match $keys {
            Keys::AesCmac($own) => $does,
            Keys::HmacSha256($own) => $does,
            Keys::SipHash($own) => $does,
            Keys::Spongent($own) => $does,
        }
    };
}

impl MacKeyStore for Keys {
    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError> {
        each_code!(self, own => own.tag(key, message, meter))
    }

    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        meter: &mut dyn Meter,
    ) -> Result<bool, KeyStoreError> {
        each_code!(self, own => own.check(key, message, received, bits, meter))
    }

    fn derive(
        &mut self,
        from: KeyId,
        into: KeyId,
        context: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<(), KeyStoreError> {
        each_code!(self, own => own.derive(from, into, context, meter))
    }
}
