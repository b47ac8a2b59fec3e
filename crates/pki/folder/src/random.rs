//! Seeds of the operating system for what signs and issues.

use waywarden_command_line::exit::Failure;
use waywarden_host::random;
use waywarden_v2x_pki::Seeds;
use waywarden_v2x_signing::Seed;
use zeroize::Zeroizing;

/// Returns so many random bytes.
///
/// # Errors
/// [`Failure`] if the operating system has none.
pub fn bytes<const N: usize>() -> Result<Zeroizing<[u8; N]>, Failure> {
    random::bytes().map_err(Failure::new)
}

/// Returns a seed for one call.
///
/// # Errors
/// The same.
pub fn seed() -> Result<Seed, Failure> {
    Ok(Seed::new(*bytes()?))
}

/// Returns seeds for many calls.
///
/// # Errors
/// The same.
pub fn seeds() -> Result<Seeds, Failure> {
    Ok(Seeds::new(*bytes()?))
}
