//! The form of private keys in files.

use serde::{Deserialize, Serialize};

/// The form in which the keys of a PKI are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KeyForm {
    /// PKCS#8, encrypted under a passphrase.
    Encrypted,
    /// PKCS#8, not encrypted.
    Unencrypted,
    /// The bytes of the scalar, as ETSI's test suite has them.
    Plain,
}
