//! Butterfly key expansion: many unlinkable keys of one request \[1609.2.1 §9.3\].
//!
//! | key | private | public | who has the private one |
//! |---|---|---|---|
//! | caterpillar | a | A | the holder |
//! | cocoon | b = a + f | B = A + f G | the holder; a registration authority computes B |
//! | butterfly | e b + r | what an implicit certificate stands for | the holder, with r |
//!
//! f is computed with AES under an expansion key that the holder and the registration authority
//! share, from the number i of a period and the index j in it. Who lacks the expansion key cannot
//! link two cocoon keys. The registration authority can, and never sees the certificates: the
//! issuer changes each cocoon key into a butterfly key, and encrypts that to another cocoon key.
//!
//! ```
//! use waywarden_ecverify::Curve;
//! use waywarden_v2x_keys::butterfly::{ExpansionFunction, Purpose, cocoon_key};
//! use waywarden_v2x_keys::{KeyStore, SoftwareStore, Uses};
//!
//! # fn main() -> Result<(), waywarden_v2x_keys::KeyError> {
//! let mut store = SoftwareStore::<4>::new();
//! let caterpillar = store.generate(Curve::P256, Uses::EXPAND, &[7; 32])?;
//! let expansion = ExpansionFunction::new(Purpose::Signing, &[8; 16]);
//! // The registration authority:
//! let public = cocoon_key(&store.public_key(caterpillar)?, &expansion.f(142, 0))?;
//! // The holder:
//! let private = store.expand(caterpillar, &expansion.f(142, 0), Uses::RECONSTRUCT)?;
//! assert_eq!(store.public_key(private)?, public);
//! # Ok(())
//! # }
//! ```

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt as _, KeyInit as _};
use waywarden_ecverify::Point;
use zeroize::Zeroizing;

use crate::arithmetic;
use crate::error::KeyError;

/// Purpose of the expanded keys: keys of the two kinds differ, whatever the expansion keys are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Keys of certificates.
    Signing,
    /// Keys to which the issuer encrypts the certificates.
    Encryption,
}

/// The expansion function f of one request and purpose. Its key is wiped when it is dropped.
pub struct ExpansionFunction {
    cipher: Aes128,
    purpose: Purpose,
}

impl ExpansionFunction {
    /// Takes the expansion key, 16 bytes of a random generator that are used for nothing else.
    #[must_use]
    pub fn new(purpose: Purpose, key: &[u8; 16]) -> Self {
        Self {
            cipher: Aes128::new(key.into()),
            purpose,
        }
    }

    /// Computes f of the period `i` and the index `j`: three blocks x + 1, x + 2 and x + 3, each
    /// encrypted and added to itself. 384 bits, so that f modulo n is as good as uniform. It links
    /// a cocoon key to its caterpillar key, and is wiped when it is dropped.
    #[must_use]
    pub fn f(&self, i: u32, j: u32) -> Zeroizing<[u8; 48]> {
        let x = input(self.purpose, i, j);
        let mut f = Zeroizing::new([0; 48]);
        for (input, output) in (x + 1..).zip(f.as_chunks_mut::<16>().0) {
            let input = input.to_be_bytes();
            let mut block = input.into();
            self.cipher.encrypt_block(&mut block);
            *output = core::array::from_fn(|index| block[index] ^ input[index]);
        }
        f
    }
}

/// The input x: 32 bits that tell the purposes apart, i, j, and 32 bits for the number of a block.
fn input(purpose: Purpose, i: u32, j: u32) -> u128 {
    let purpose = match purpose {
        Purpose::Signing => 0,
        Purpose::Encryption => u32::MAX,
    };
    u128::from(purpose) << 96 | u128::from(i) << 64 | u128::from(j) << 32
}

/// Computes the cocoon public key A + f G of a caterpillar public key, as a registration authority
/// does. The time does not depend on `f`. The private key is
/// [`KeyStore::expand`](crate::KeyStore::expand)'s.
///
/// # Errors
/// [`KeyError::Infinity`], which an honest caller meets once in 2^250 calls;
/// [`KeyError::Unsupported`] for a curve that was not built in.
pub fn cocoon_key(caterpillar: &Point, f: &[u8; 48]) -> Result<Point, KeyError> {
    arithmetic::add_multiple_of_generator(caterpillar, f)
}
