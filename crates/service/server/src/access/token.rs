//! Tokens in a form of one length, so that comparing them tells nothing of theirs.

use std::fmt;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use waywarden_v2x_service_protocol::TOKEN_BYTES_MAX;

/// Two bytes of length, and room for the longest token.
const PADDED_BYTES: usize = 2 + TOKEN_BYTES_MAX;

/// A token, padded with zeros.
pub(super) struct PaddedToken(Zeroizing<[u8; PADDED_BYTES]>);

impl PaddedToken {
    /// Pads a token; `None` if it is longer than [`TOKEN_BYTES_MAX`].
    pub(super) fn new(token: &[u8]) -> Option<Self> {
        let mut padded = Zeroizing::new([0; PADDED_BYTES]);
        let length = u16::try_from(token.len()).ok()?;
        padded[..2].copy_from_slice(&length.to_be_bytes());
        padded[2..].get_mut(..token.len())?.copy_from_slice(token);
        Some(Self(padded))
    }

    /// Returns true if both are the same, in constant time.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.0.as_slice().ct_eq(other.0.as_slice()).into()
    }
}

impl fmt::Debug for PaddedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PaddedToken")
    }
}
