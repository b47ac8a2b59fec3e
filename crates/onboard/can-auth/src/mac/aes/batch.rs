//! Many codes under one key at once: as many chains side by side as the block cipher has blocks.
//!
//! A chain waits for each of its blocks, a processor with instructions for AES does not: it begins
//! another every cycle or two. So each lane of the cipher has a message of its own, and takes up
//! the next one as soon as its own is at its end: messages of any lengths keep all lanes busy. How
//! many lanes there are the crate `aes` says for the processor that runs (8 with AES-NI, 64 with
//! AVX-512, 2 or 4 without either), and as many messages are held at a time.

use ::aes::cipher::array::Array;
use ::aes::cipher::consts::U16;
use ::aes::cipher::{BlockCipherEncBackend, BlockCipherEncClosure, BlockSizeUser, ParBlocks};
use zeroize::Zeroize;

use super::{AesCmac, TAG_LENGTH, Tag};

/// The work for the backend of the cipher, of any width.
pub(super) struct Batch<'a, I, F> {
    /// The subkeys for a whole last block, and for one that is filled up.
    pub(super) subkeys: &'a [[u8; TAG_LENGTH]; 2],
    pub(super) messages: I,
    pub(super) each: F,
}

/// A message on its way through the cipher.
struct Lane<M> {
    index: usize,
    message: M,
    /// Bytes in the chain so far.
    absorbed: usize,
    /// True if its last block is in the chain.
    is_last: bool,
}

impl<I, F> BlockSizeUser for Batch<'_, I, F> {
    type BlockSize = U16;
}

impl<M, I, F> BlockCipherEncClosure for Batch<'_, I, F>
where
    M: AsRef<[u8]>,
    I: Iterator<Item = M>,
    F: FnMut(usize, &M, &Tag),
{
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(mut self, backend: &B) {
        let mut messages = self.messages.enumerate().fuse();
        let mut lanes: Array<Option<Lane<M>>, B::ParBlocksSize> = Array::from_fn(|_| None);
        let mut states = ParBlocks::<B>::default();
        let mut tag = Tag::of::<AesCmac>([0; TAG_LENGTH]);
        loop {
            let mut is_over = true;
            for (lane, state) in lanes.iter_mut().zip(&mut states) {
                if lane.is_none() {
                    *lane = messages.next().map(Lane::new);
                    state.fill(0);
                }
                if let Some(lane) = lane {
                    let sum = u128::from_le_bytes(state.0) ^ lane.absorb(self.subkeys);
                    state.0 = sum.to_le_bytes();
                    is_over = false;
                }
            }
            if is_over {
                break;
            }
            backend.encrypt_par_blocks_inplace(&mut states);
            for (lane, state) in lanes.iter_mut().zip(&states) {
                if let Some(ended) = lane.take_if(|lane| lane.is_last) {
                    tag.bytes = (*state).into();
                    (self.each)(ended.index, &ended.message, &tag);
                }
            }
        }
        for state in &mut states {
            state.as_mut_slice().zeroize();
        }
    }
}

impl<M: AsRef<[u8]>> Lane<M> {
    #[inline(always)]
    fn new((index, message): (usize, M)) -> Self {
        Lane {
            index,
            message,
            absorbed: 0,
            is_last: false,
        }
    }

    /// Returns what is to be added to the chain: the next block and, if it is the last one, a
    /// subkey. Branches on lengths alone.
    #[inline(always)]
    fn absorb(&mut self, subkeys: &[[u8; TAG_LENGTH]; 2]) -> u128 {
        let rest = &self.message.as_ref()[self.absorbed..];
        let (block, is_filled) = match rest.first_chunk() {
            Some(block) => (u128::from_le_bytes(*block), false),
            None => (filled_up(rest), true),
        };
        self.absorbed += TAG_LENGTH;
        self.is_last = rest.len() <= TAG_LENGTH;
        match self.is_last {
            true => block ^ u128::from_le_bytes(subkeys[usize::from(is_filled)]),
            false => block,
        }
    }
}

/// Fewer than 16 bytes, a one bit and zeros, the first byte lowest. In registers: a block put
/// together in memory is read back only once its pieces have got there.
#[inline(always)]
fn filled_up(rest: &[u8]) -> u128 {
    let end = 8 * rest.len();
    let ends = (rest.first_chunk(), rest.last_chunk());
    let value = if let (Some(first), Some(last)) = ends {
        // Where both ends overlap they agree.
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        u128::from(first) | u128::from(last) << (end - 64)
    } else if let (Some(first), Some(last)) = (rest.first_chunk(), rest.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        u128::from(first) | u128::from(last) << (end - 32)
    } else {
        let add = |value, byte: &u8| value << 8 | u128::from(*byte);
        rest.iter().rev().fold(0, add)
    };
    value | 0x80 << end
}

#[cfg(test)]
mod tests {
    use core::marker::PhantomData;
    use std::vec::Vec;

    use ::aes::cipher::array::ArraySize;
    use ::aes::cipher::consts::{U1, U2, U5, U8, U64};
    use ::aes::cipher::{BlockCipherEncrypt, InOut, ParBlocksSizeUser};
    use ::aes::{Aes128, Block};

    use super::*;
    use crate::mac::{Mac, MacKey};

    /// The cipher of a machine that takes `N` blocks at once.
    struct Lanes<'a, N>(&'a Aes128, PhantomData<N>);

    impl<N> BlockSizeUser for Lanes<'_, N> {
        type BlockSize = U16;
    }

    impl<N: ArraySize> ParBlocksSizeUser for Lanes<'_, N> {
        type ParBlocksSize = N;
    }

    impl<N: ArraySize> BlockCipherEncBackend for Lanes<'_, N> {
        fn encrypt_block(&self, block: InOut<'_, '_, Block>) {
            self.0.encrypt_block_inout(block);
        }
    }

    fn check<N: ArraySize>() {
        let mac = AesCmac::new(&MacKey::from_bytes([7; 16]));
        // Lengths of 0 to 82 bytes, short ones behind long ones.
        let bytes: [u8; 82] = core::array::from_fn(|index| index as u8);
        let messages: Vec<&[u8]> = (0..83).map(|index| &bytes[..index * 37 % 83]).collect();
        let mut seen = 0;
        let batch = Batch {
            subkeys: &mac.subkeys,
            messages: messages.iter(),
            each: |index: usize, message: &&&[u8], tag: &Tag| {
                assert_eq!(**message, messages[index]);
                assert_eq!(tag.whole(), mac.compute(&[messages[index]]).whole());
                seen += 1;
            },
        };
        batch.call(&Lanes::<N>(&mac.cipher, PhantomData));
        assert_eq!(seen, messages.len(), "{} lanes", N::USIZE);
    }

    /// Whatever the machine that runs the tests has.
    #[test]
    fn any_number_of_lanes_will_do() {
        check::<U1>();
        check::<U2>();
        check::<U5>();
        check::<U8>();
        check::<U64>();
    }
}
