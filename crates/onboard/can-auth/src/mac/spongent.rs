//! SpongentMac, the tag of the Sancus crypto unit: a duplex sponge over SPONGENT-224/224/112 with
//! 16 bits a step \[VULCAN\].
//!
//! No kept library has it; this one is constant time. The key is absorbed, then the message, then
//! an empty body; then 128 bits come out, two bytes a step. Behind each block stands a bit that
//! says where the next part begins, then a one that ends it. What one tag takes: a permutation for
//! each two bytes of key, message and tag, and one more, of a few microseconds each on a desktop.

mod permutation;

use waywarden_work::Algorithm;
use zeroize::ZeroizeOnDrop;

use self::permutation::State;
use super::{Mac, MacKey, TAG_LENGTH, Tag};

/// SpongentMac under one key: the sponge that has absorbed it. Wiped on drop.
#[derive(Clone, ZeroizeOnDrop)]
pub struct SpongentMac(State);

/// Bytes of a block.
const RATE: usize = 2;

/// Absorbs one block of up to [`RATE`] bytes and the bit behind it.
fn absorb(state: &mut State, block: &[u8], frame: bool) {
    let mut bits = 0;
    for (index, &byte) in block.iter().enumerate() {
        bits |= u64::from(byte) << (8 * index);
    }
    let end = 8 * block.len();
    state.add(bits | u64::from(frame) << end | 1 << (end + 1));
    state.permute();
}

/// The bytes of parts in a row, in blocks; the last may be short, and there is always one.
struct Blocks {
    bytes: [u8; RATE],
    length: usize,
}

impl Blocks {
    const EMPTY: Blocks = Blocks {
        bytes: [0; RATE],
        length: 0,
    };

    /// Takes a byte; a block that was full goes first, as one that is not the last.
    fn push(&mut self, state: &mut State, byte: u8) {
        if self.length == RATE {
            absorb(state, &self.bytes, false);
            self.length = 0;
        }
        self.bytes[self.length] = byte;
        self.length += 1;
    }
}

impl Mac for SpongentMac {
    const ALGORITHM: Algorithm = Algorithm::SpongentMac;
    /// Sancus is little endian: what is kept of a tag are its last bytes.
    const LEADING: usize = 8;

    fn new(key: &MacKey) -> Self {
        let mut state = State::zero();
        let (blocks, _) = key.as_bytes().as_chunks::<RATE>();
        for (index, block) in blocks.iter().enumerate() {
            absorb(&mut state, block, index + 1 < blocks.len());
        }
        SpongentMac(state)
    }

    fn compute(&self, message: &[&[u8]]) -> Tag {
        let mut state = self.0.clone();
        let mut blocks = Blocks::EMPTY;
        for &byte in message.iter().copied().flatten() {
            blocks.push(&mut state, byte);
        }
        absorb(&mut state, &blocks.bytes[..blocks.length], true);
        absorb(&mut state, &[], false);
        let mut tag = [0; TAG_LENGTH];
        for (index, pair) in tag.as_chunks_mut::<RATE>().0.iter_mut().enumerate() {
            if index > 0 {
                state.add(1);
                state.permute();
            }
            *pair = state.low();
        }
        Tag::of::<Self>(tag)
    }
}
