//! Hashes, message authentication codes, authenticated encryption and key agreement, timed: what a
//! board needs besides signatures.

use std::hint::black_box;

use waywarden_can_auth::mac::{AesCmac, HmacSha256, Mac, MacKey};
use waywarden_ecverify::Curve;
use waywarden_v2x_keys::{KeyError, KeyStore, SoftwareStore, Uses, ccm};
use waywarden_v2x_wire::hash::{HashFunction, hash};
use waywarden_work::{Algorithm, NoMeter, OperationKind};

use super::stopwatch::Timed;

/// Bytes of the short and of the long message, between which the line is drawn.
const LENGTHS: [usize; 2] = [16, 1_040];
const AES_BLOCK: usize = 16;
const SHA_BLOCK: usize = 64;
/// Minimum number of bytes that SHA-256 appends: one byte and the length.
const SHA_PADDING: usize = 9;

/// An operation whose time grows with the message, a block at a time.
pub(crate) struct Growing {
    pub(crate) kind: OperationKind,
    pub(crate) algorithm: Algorithm,
    /// Bytes of a block.
    pub(crate) block: usize,
    /// Bytes that the algorithm appends.
    pub(crate) padding: usize,
    /// Over a message of each of the two lengths.
    pub(crate) timed: [Timed; 2],
}

impl Growing {
    fn new(
        (kind, algorithm): (OperationKind, Algorithm),
        (block, padding): (usize, usize),
        timed: impl Fn(usize) -> Timed,
    ) -> Self {
        Self {
            kind,
            algorithm,
            block,
            padding,
            timed: LENGTHS.map(timed),
        }
    }

    /// The line through both medians: microseconds of any message, and of each begun block more.
    pub(crate) fn line(&self) -> (f64, f64) {
        let [short, long] = self.timed.each_ref().map(Timed::median);
        let [first, last] = LENGTHS.map(|bytes| (bytes + self.padding).div_ceil(self.block) as f64);
        let slope = ((long - short) / (last - first)).max(0.0);
        ((short - first * slope).max(0.0), slope)
    }
}

/// All operations that grow.
pub(crate) fn growing() -> Vec<Growing> {
    let sha = (SHA_BLOCK, SHA_PADDING);
    let aes = (AES_BLOCK, 0);
    let (tag, ccm) = (OperationKind::Tag, Algorithm::Aes128Ccm);
    vec![
        Growing::new((OperationKind::Hash, Algorithm::Sha256), sha, hashing),
        Growing::new((tag, Algorithm::HmacSha256), sha, tagging::<HmacSha256>),
        Growing::new((tag, Algorithm::Aes128Cmac), aes, tagging::<AesCmac>),
        Growing::new((OperationKind::Encrypt, ccm), aes, encryption),
        Growing::new((OperationKind::Decrypt, ccm), aes, decryption),
    ]
}

fn hashing(bytes: usize) -> Timed {
    let message = vec![0x2a; bytes];
    Timed::new(1, move || {
        black_box(hash(HashFunction::Sha256, black_box(&message)));
    })
}

fn tagging<M: Mac + 'static>(bytes: usize) -> Timed {
    let (message, mac) = (vec![0x2a; bytes], M::new(&MacKey::from_bytes([7; 16])));
    Timed::new(1, move || {
        black_box(mac.tag(&[black_box(&message)], &mut NoMeter));
    })
}

fn encryption(bytes: usize) -> Timed {
    let mut buffer = vec![0x2a; bytes + ccm::TAG];
    Timed::new(1, move || {
        let done = ccm::encrypt(&[7; ccm::KEY], &[8; ccm::NONCE], black_box(&mut buffer));
        assert!(done.is_ok());
    })
}

fn decryption(bytes: usize) -> Timed {
    let mut sealed = vec![0x2a; bytes + ccm::TAG];
    let encrypted = ccm::encrypt(&[7; ccm::KEY], &[8; ccm::NONCE], &mut sealed);
    assert!(encrypted.is_ok(), "a message this short is encrypted");
    let mut buffer = sealed.clone();
    Timed::new(1, move || {
        // Decrypting replaces what was encrypted; copying it costs little beside.
        buffer.copy_from_slice(&sealed);
        let done = ccm::decrypt(&[7; ccm::KEY], &[8; ccm::NONCE], black_box(&mut buffer));
        assert!(done.is_ok());
    })
}

/// A share and a secret of Diffie-Hellman on P-256.
///
/// # Errors
/// What the store of keys says; it has room for these keys.
pub(crate) fn agreement() -> Result<[(OperationKind, Timed); 2], KeyError> {
    let mut number = 0_u64;
    let mut seed = move || {
        number += 1;
        let digest = hash(HashFunction::Sha256, &number.to_be_bytes());
        digest.as_bytes().first_chunk().copied().unwrap_or_default()
    };
    let mut store = SoftwareStore::<2>::new();
    let own = store.generate(Curve::P256, Uses::AGREE, &seed())?;
    let other = store.generate(Curve::P256, Uses::AGREE, &seed())?;
    let public = store.public_key(other)?;
    let secret = Timed::new(1, move || {
        assert!(black_box(store.agree(own, black_box(&public))).is_ok());
    });
    let mut store = SoftwareStore::<2>::new();
    let share = Timed::new(1, move || {
        let made = store.generate(Curve::P256, Uses::AGREE, &seed());
        let made = made.and_then(|key| {
            black_box(store.public_key(key)?);
            store.retire(key)
        });
        assert_eq!(made, Ok(()));
    });
    Ok([
        (OperationKind::Share, share),
        (OperationKind::Extract, secret),
    ])
}
