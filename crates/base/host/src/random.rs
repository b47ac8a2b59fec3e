//! Random bytes of the operating system: the only module of the workspace that draws them.

use std::fmt;

use zeroize::Zeroizing;

/// Failure of the operating system to provide random bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoRandomBytes(getrandom::Error);

impl fmt::Display for NoRandomBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(error) = self;
        write!(f, "the operating system has no random bytes: {error}")
    }
}

impl std::error::Error for NoRandomBytes {}

/// Returns `N` random bytes, which are wiped on drop.
///
/// # Errors
/// [`NoRandomBytes`] if the operating system provides none.
pub fn bytes<const N: usize>() -> Result<Zeroizing<[u8; N]>, NoRandomBytes> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(&mut *bytes).map_err(NoRandomBytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_draws_differ() {
        let (one, other) = (bytes::<32>().unwrap(), bytes::<32>().unwrap());
        assert_ne!(*one, *other);
        assert_ne!(*one, [0; 32]);
    }
}
