//! Module `waywarden.v2x`: V2X messages verified, inspected, signed and encrypted.

mod arguments;
mod encryption;
mod inspection;
mod messages;
mod options;
mod pki;
mod record;
mod refusal;
mod signer;
mod trust;
mod verdict;
mod verifier;

/// V2X messages (IEEE 1609.2, ETSI TS 103 097).
#[pyo3::pymodule(submodule, module = "waywarden")]
pub(crate) mod v2x {
    #[pymodule_export]
    use super::encryption::{decrypt, encrypt};
    #[pymodule_export]
    use super::inspection::inspect;
    #[pymodule_export]
    use super::messages::{DecodedMessage, decode_message, encode_message, message_kinds};
    #[pymodule_export]
    use super::pki::Pki;
    #[pymodule_export]
    use super::record::{Record, Records, records};
    #[pymodule_export]
    use super::signer::Signer;
    #[pymodule_export]
    use super::trust::Trust;
    #[pymodule_export]
    use super::verdict::Verdict;
    #[pymodule_export]
    use super::verifier::Verifier;
}
