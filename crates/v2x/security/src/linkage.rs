//! Linkage values: what makes a holder's certificates revocable together, and unlinkable before
//! that \[1609.2 §5.1.3.4\].
//!
//! Each of two linkage authorities has a secret seed for each holder. Seeds follow on each other by
//! a hash, one each period; a value of a certificate is the XOR of what AES makes of both seeds. A
//! list that publishes the two seeds of a period reveals that period's values and all later ones,
//! and none before. Groups use the same functions with an index of 32 bits.
//!
//! Pure functions of their arguments, in constant time: an authority's seeds are secret until they
//! are published. Seeds that the caller keeps are the caller's to wipe.

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt as _, KeyInit as _};
use waywarden_v2x_wire::ieee1609dot2::{LaId, LinkageSeed, LinkageValue};

use crate::hash::{HashFunction, hash};

const SEED: usize = 16;
const VALUE: usize = 9;

/// The contribution of one linkage authority to a linkage value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreLinkageValue(
    /// The leading octets of what AES makes of the index.
    pub [u8; VALUE],
);

/// Returns the seed of the next period: the first half of SHA-256 over the authority's identifier,
/// the seed, and 112 zero bits.
#[must_use]
pub fn next_seed(authority: LaId, seed: &LinkageSeed) -> LinkageSeed {
    let mut input = [0; 32];
    input[..2].copy_from_slice(&authority.0);
    input[2..2 + SEED].copy_from_slice(&seed.0);
    let digest = hash(HashFunction::Sha256, &input);
    let mut next = [0; SEED];
    next.copy_from_slice(&digest.as_bytes()[..SEED]);
    LinkageSeed(next)
}

/// Returns the seed of a period so many periods later: one hash for each.
#[must_use]
pub fn later_seed(authority: LaId, seed: &LinkageSeed, periods: u16) -> LinkageSeed {
    (0..periods).fold(*seed, |seed, _| next_seed(authority, &seed))
}

/// One authority's contributions under one seed; the key schedule is computed once for all indices.
#[derive(Clone)]
pub struct PreLinkageValues {
    authority: LaId,
    cipher: Aes128,
}

impl PreLinkageValues {
    /// Takes the seed of a period.
    #[must_use]
    pub fn new(authority: LaId, seed: &LinkageSeed) -> Self {
        Self {
            authority,
            cipher: Aes128::new(&seed.0.into()),
        }
    }

    /// Returns the contribution to the certificate, or the group, with this index: AES over the
    /// authority's identifier, the index and 80 zero bits, XOR that input, cut to 72 bits.
    #[must_use]
    pub fn at(&self, j: u32) -> PreLinkageValue {
        let input = self.input(j);
        let mut block = input.into();
        self.cipher.encrypt_block(&mut block);
        PreLinkageValue(core::array::from_fn(|at| block[at] ^ input[at]))
    }

    /// Returns the contributions to eight indices, from this one on: processors with instructions
    /// for AES compute eight blocks in little more time than one.
    #[must_use]
    pub fn eight_from(&self, first: u32) -> [PreLinkageValue; 8] {
        let inputs: [_; 8] = core::array::from_fn(|at| self.input(first.wrapping_add(at as u32)));
        let mut blocks = inputs.map(Into::into);
        self.cipher.encrypt_blocks(&mut blocks);
        core::array::from_fn(|which| {
            let (block, input) = (&blocks[which], &inputs[which]);
            PreLinkageValue(core::array::from_fn(|at| block[at] ^ input[at]))
        })
    }

    fn input(&self, j: u32) -> [u8; SEED] {
        let mut input = [0; SEED];
        input[..2].copy_from_slice(&self.authority.0);
        input[2..6].copy_from_slice(&j.to_be_bytes());
        input
    }
}

/// Returns an authority's contribution to one certificate, or to one group.
#[must_use]
pub fn pre_linkage_value(authority: LaId, seed: &LinkageSeed, j: u32) -> PreLinkageValue {
    PreLinkageValues::new(authority, seed).at(j)
}

/// Returns the linkage value of both contributions.
#[must_use]
pub fn linkage_value(first: PreLinkageValue, second: PreLinkageValue) -> LinkageValue {
    LinkageValue(core::array::from_fn(|at| first.0[at] ^ second.0[at]))
}

/// Returns the linkage value of a certificate, or of a group, under the seeds of one period.
#[must_use]
pub fn value_of_seeds(
    authorities: (LaId, LaId),
    seeds: (&LinkageSeed, &LinkageSeed),
    j: u32,
) -> LinkageValue {
    linkage_value(
        pre_linkage_value(authorities.0, seeds.0, j),
        pre_linkage_value(authorities.1, seeds.1, j),
    )
}

/// Returns what hides the index of a group from others than the two linkage authorities: AES under
/// their shared key over the group chain and the index, XOR that input.
#[must_use]
pub fn encrypted_indices(key: &[u8; SEED], chain: u32, j: u32) -> [u8; SEED] {
    let mut input = [0; SEED];
    input[..4].copy_from_slice(&chain.to_be_bytes());
    input[4..8].copy_from_slice(&j.to_be_bytes());
    let mut block = input.into();
    Aes128::new(&(*key).into()).encrypt_block(&mut block);
    core::array::from_fn(|at| block[at] ^ input[at])
}
