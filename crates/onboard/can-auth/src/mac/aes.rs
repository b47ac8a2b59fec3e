//! AES-128-CMAC [RFC 4493] over the block cipher of the crate `aes`.
//!
//! The crate `cmac` copies its key schedule for each message and wipes the copy, which takes as
//! long as the one or two blocks of a message on CAN. Here both subkeys are kept and nothing is
//! copied. Many messages at once are chained side by side in `batch`.

mod batch;

use ::aes::cipher::{BlockCipherEncrypt, KeyInit};
use ::aes::{Aes128, Block};
use waywarden_work::Algorithm;
use zeroize::Zeroize;

use self::batch::Batch;
use super::{Mac, MacKey, TAG_LENGTH, Tag};

/// AES-128-CMAC under one key, with its round keys and subkeys. Wiped on drop.
#[derive(Clone)]
pub struct AesCmac {
    cipher: Aes128,
    /// For a last block that is whole, and for one that is filled up.
    subkeys: [[u8; TAG_LENGTH]; 2],
}

/// Twice a block in the field of 2^128 elements (RFC 4493, section 2.3); the same steps for any.
fn double(block: [u8; TAG_LENGTH]) -> [u8; TAG_LENGTH] {
    let value = u128::from_be_bytes(block);
    let carry = (value >> 127).wrapping_neg() & 0x87;
    (value << 1 ^ carry).to_be_bytes()
}

fn add(state: &mut [u8], other: &[u8]) {
    for (byte, other) in state.iter_mut().zip(other) {
        *byte ^= other;
    }
}

impl Mac for AesCmac {
    const ALGORITHM: Algorithm = Algorithm::Aes128Cmac;

    fn new(key: &MacKey) -> Self {
        let cipher = Aes128::new(key.as_bytes().into());
        let mut zero = Block::default();
        cipher.encrypt_block(&mut zero);
        let whole = double(zero.into());
        zero.as_mut_slice().zeroize();
        let subkeys = [whole, double(whole)];
        AesCmac { cipher, subkeys }
    }

    fn compute(&self, message: &[&[u8]]) -> Tag {
        let mut state = Block::default();
        let mut filled = 0;
        for part in message {
            let mut rest = *part;
            while !rest.is_empty() {
                // A whole block is only encrypted once it is known not to be the last one.
                if filled == TAG_LENGTH {
                    self.cipher.encrypt_block(&mut state);
                    filled = 0;
                }
                let (now, later) = rest.split_at(rest.len().min(TAG_LENGTH - filled));
                add(&mut state[filled..], now);
                filled += now.len();
                rest = later;
            }
        }
        let is_whole = filled == TAG_LENGTH;
        if !is_whole {
            state[filled] ^= 0x80;
        }
        add(&mut state, &self.subkeys[usize::from(!is_whole)]);
        self.cipher.encrypt_block(&mut state);
        Tag::of::<Self>(state.into())
    }

    fn compute_batch<M: AsRef<[u8]>>(
        &self,
        messages: impl Iterator<Item = M>,
        each: impl FnMut(usize, &M, &Tag),
    ) {
        self.cipher.encrypt_with_backend(Batch {
            subkeys: &self.subkeys,
            messages,
            each,
        });
    }
}

impl Drop for AesCmac {
    fn drop(&mut self) {
        self.subkeys.zeroize();
    }
}
