//! Random bytes of the operating system: the only place of the command that draws them.

use waywarden_v2x_pki::Seeds;
use waywarden_v2x_signing::Seed;
use zeroize::Zeroizing;

use crate::exit::Failure;

/// Returns so many random bytes.
pub fn bytes<const N: usize>() -> Result<Zeroizing<[u8; N]>, Failure> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(&mut *bytes).map_err(|error| {
        Failure::new(format_args!(
            "the operating system has no random bytes: {error}"
        ))
    })?;
    Ok(bytes)
}

/// Returns a seed for one call.
pub fn seed() -> Result<Seed, Failure> {
    Ok(Seed::new(*bytes()?))
}

/// Returns seeds for many calls.
pub fn seeds() -> Result<Seeds, Failure> {
    Ok(Seeds::new(*bytes()?))
}
