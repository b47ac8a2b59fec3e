//! AES-128-CCM as IEEE 1609.2 uses it: a nonce of 12 bytes, a tag of 16, no associated data
//! \[1609.2 §5.3.8\].

use core::fmt;

use aes::Aes128;
use ccm::aead::array::Array;
use ccm::aead::inout::InOutBuf;
use ccm::aead::{AeadInOut as _, KeyInit as _};
use ccm::consts::{U12, U16};

/// Length of the tag, which follows the ciphertext, in bytes.
pub const TAG: usize = 16;

/// Length of a key, in bytes.
pub const KEY: usize = 16;

/// Length of a nonce, in bytes.
pub const NONCE: usize = 12;

type Cipher = ccm::Ccm<Aes128, U16, U12>;

/// Reason why nothing is encrypted or decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CcmError {
    /// The input is shorter than a tag.
    Truncated,
    /// The input has 16 MiB or more: the length field beside a nonce of 12 bytes has 3.
    TooLong,
    /// The tag is wrong: another key, or other bytes.
    Tag,
}

impl fmt::Display for CcmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the ciphertext is shorter than its tag",
            Self::TooLong => "16 MiB or more cannot be encrypted at once",
            Self::Tag => "the tag is wrong: another key, or changed bytes",
        })
    }
}

impl core::error::Error for CcmError {}

/// Encrypts the first bytes of a buffer in place and writes the tag to its last 16.
///
/// A nonce is used once with a key: with a second text under the same, both can be read.
///
/// # Errors
/// [`CcmError::Truncated`] for a buffer shorter than a tag, [`CcmError::TooLong`].
pub fn encrypt(key: &[u8; KEY], nonce: &[u8; NONCE], buffer: &mut [u8]) -> Result<(), CcmError> {
    let (text, tag) = buffer
        .split_last_chunk_mut::<TAG>()
        .ok_or(CcmError::Truncated)?;
    let cipher = Cipher::new(&Array(*key));
    let made = cipher
        .encrypt_inout_detached(&Array(*nonce), &[], InOutBuf::from(text))
        .map_err(|_| CcmError::TooLong)?;
    tag.copy_from_slice(&made);
    Ok(())
}

/// Decrypts a ciphertext and its tag in place; returns the text. With a wrong tag nothing of the
/// text is returned, and the buffer holds nothing of it.
///
/// # Errors
/// [`CcmError::Truncated`], [`CcmError::Tag`].
pub fn decrypt<'b>(
    key: &[u8; KEY],
    nonce: &[u8; NONCE],
    buffer: &'b mut [u8],
) -> Result<&'b mut [u8], CcmError> {
    let (text, tag) = buffer
        .split_last_chunk_mut::<TAG>()
        .ok_or(CcmError::Truncated)?;
    let cipher = Cipher::new(&Array(*key));
    cipher
        .decrypt_inout_detached(
            &Array(*nonce),
            &[],
            InOutBuf::from(&mut *text),
            &Array(*tag),
        )
        .map_err(|_| CcmError::Tag)?;
    Ok(text)
}
