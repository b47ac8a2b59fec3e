//! Tokens of clients in files, which others cannot read.

use std::path::Path;

use waywarden_host::secret_file::{SecretError, read};
use waywarden_v2x_service_protocol::TOKEN_BYTES_MAX;
use zeroize::Zeroizing;

use crate::access::TOKEN_BYTES_MIN;

/// Reads a token, which must be long enough not to be guessed.
///
/// # Errors
/// Those of [`read`], and a token of fewer than [`TOKEN_BYTES_MIN`] or more than
/// [`TOKEN_BYTES_MAX`] bytes, or of other characters than printable ones of ASCII without the
/// space, as clients show it.
pub fn token(path: &Path, user: Option<u32>) -> Result<Zeroizing<Vec<u8>>, SecretError> {
    let token = read(path, user)?;
    let problem = match token.len() {
        length if length < TOKEN_BYTES_MIN => format!(
            "a token of {length} bytes can be guessed; give at least {TOKEN_BYTES_MIN}, for \
             instance of `openssl rand -hex 32`"
        ),
        length if length > TOKEN_BYTES_MAX => format!(
            "a token of {length} bytes cannot be shown by a client; give at most {TOKEN_BYTES_MAX}"
        ),
        _ if !token.iter().all(u8::is_ascii_graphic) => {
            "its first line has a space or a character that is not printable ASCII, which no \
             client can show in a token; remove it"
                .to_owned()
        }
        _ => return Ok(token),
    };
    Err(SecretError::new(path, problem))
}
