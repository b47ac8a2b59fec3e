//! Many signatures at once. VARIABLE TIME: all of it is public.
//!
//! With coefficients z_i the members' equations s_i G + h_i A_i = R_i add up to
//! (sum z_i s_i) G + sum (z_i h_i) A_i - sum z_i R_i = 0: one chain of doublings for all. Terms
//! with the same key are merged first.
//!
//! *What is accepted* is what single verification accepts, up to a chance of 2^-128 a group:
//! * Each point is of order N or neutral: the A_i by their type, the R_i because they are tested
//!   here ([`crate::subgroup`]). A single verification refuses every other R, since it compares R
//!   with the canonical encoding of a member of that group. Without the test an R with a component
//!   of order 2 would slip through whenever its z_i is even.
//! * In a group of prime order a sum with independent 128-bit coefficients hides a wrong equation
//!   with probability 2^-128. The coefficients are SHA-512 of all that is in the equations: a
//!   change of one member changes all of them, and no random generator is asked for.
//!
//! Members are taken in groups of [`GROUP`], so the stack need (about 50 KiB) and the time a member
//! are bounded for any length. Small processors should verify one by one.

use sha2::{Digest, Sha512};

use crate::backend::GENERATOR_WINDOW;
use crate::curve::{Cached, Extended};
use crate::encoding;
use crate::multiply::vartime::{
    POINT_MULTIPLES, POINT_WINDOW, add_digit, add_generator_digit, non_adjacent, odd_multiples,
};
use crate::scalar::Scalar;
use crate::schnorrq::{SchnorrQSignature, SchnorrQVerifyError, VerifyingKey};
use crate::subgroup;

/// Members that share one chain of doublings.
const GROUP: usize = 32;
/// Digits of a scalar below N < 2^246 and the final carry.
const LONG: usize = 247;
/// Digits of a 128-bit coefficient and the final carry.
const SHORT: usize = 129;

/// One signature to verify.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    /// The key that it is claimed to be of.
    pub key: &'a VerifyingKey,
    /// The message that it is claimed to sign.
    pub message: &'a [u8],
    /// The signature.
    pub signature: &'a SchnorrQSignature,
}

/// Reason why a batch is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// The member at `index` is wrong by itself; `error` is what its own verification says.
    Member {
        /// Its place in the slice, from zero.
        index: usize,
        /// Reason why it is refused.
        error: SchnorrQVerifyError,
    },
    /// At least one of the members from `first` (at most 32 of them) does not verify. Verify them
    /// one by one to learn which.
    Group {
        /// The place of the group's first member in the slice, from zero.
        first: usize,
    },
}

impl core::fmt::Display for BatchError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Member { index, error } => write!(f, "signature {index}: {error}"),
            Self::Group { first } => {
                write!(
                    f,
                    "a signature among the {GROUP} from {first} does not verify"
                )
            }
        }
    }
}

impl core::error::Error for BatchError {}

/// A group's sum in the making: terms with their tables of odd multiples.
struct Sum {
    generator: Scalar,
    keys: [Scalar; GROUP],
    key_tables: [[Cached; POINT_MULTIPLES]; GROUP],
    commitments: [[i8; SHORT]; GROUP],
    commitment_tables: [[Cached; POINT_MULTIPLES]; GROUP],
}

/// A member that is well-formed: R, s and h, and R as a point of order N (or neutral).
#[derive(Clone, Copy)]
struct Member {
    commitment: [u8; 32],
    point: Extended,
    response: Scalar,
    challenge: Scalar,
}

/// Returns the errors that single verification finds before the equation, or R as a point: for
/// several members at once, since square roots come cheaper in pairs.
fn prepare<const COUNT: usize>(
    items: [&Item<'_>; COUNT],
) -> [Result<Member, SchnorrQVerifyError>; COUNT] {
    let parsed = items.map(|item| item.signature.parse());
    // What is malformed is carried along as zeros and its point ignored.
    let encodings = parsed.map(|parsed| parsed.map_or([0; 32], |(commitment, _)| commitment));
    let points = encoding::decompress_all(encodings.each_ref());
    core::array::from_fn(|i| {
        let (commitment, response) = parsed[i]?;
        let point = points[i].map_err(|_| SchnorrQVerifyError::Mismatch)?;
        let extended = point.to_extended();
        if !subgroup::has_prime_order(&point) && !extended.is_neutral() {
            return Err(SchnorrQVerifyError::Mismatch);
        }
        let challenge = items[i].key.challenge(&commitment, items[i].message);
        Ok(Member {
            commitment,
            point: extended,
            response,
            challenge,
        })
    })
}

/// SHA-512 over everything the equations of a group are made of.
fn transcript(items: &[Item<'_>], members: &[Member]) -> [u8; 64] {
    let mut hasher = Sha512::new();
    hasher.update(b"waywarden fourq batch 1");
    for (item, member) in items.iter().zip(members) {
        hasher.update(item.key.encode().0);
        hasher.update(member.commitment);
        hasher.update(member.response.to_bytes());
        hasher.update(member.challenge.to_bytes());
    }
    hasher.finalize().into()
}

/// The 128-bit coefficient of member `index`.
fn coefficient(seed: &[u8; 64], index: usize) -> [u64; 2] {
    let mut hasher = Sha512::new();
    hasher.update(seed);
    hasher.update((index as u64).to_le_bytes());
    let digest = hasher.finalize();
    let word = |from: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&digest[from..from + 8]);
        u64::from_le_bytes(bytes)
    };
    [word(0), word(8)]
}

impl Sum {
    /// The terms of a group; `members` belong to `items` one by one.
    fn new(items: &[Item<'_>], members: &[Member]) -> Self {
        let neutral = Extended::NEUTRAL.to_cached();
        let mut sum = Self {
            generator: Scalar::ZERO,
            keys: [Scalar::ZERO; GROUP],
            key_tables: [[neutral; POINT_MULTIPLES]; GROUP],
            commitments: [[0; SHORT]; GROUP],
            commitment_tables: [[neutral; POINT_MULTIPLES]; GROUP],
        };
        let seed = transcript(items, members);
        for (index, (item, member)) in items.iter().zip(members).enumerate() {
            let short = coefficient(&seed, index);
            let z = Scalar::reduce([short[0], short[1], 0, 0]);
            sum.generator = sum.generator.add(z.mul(member.response));
            sum.commitments[index] = non_adjacent(&short, POINT_WINDOW);
            sum.commitment_tables[index] = odd_multiples(&member.point);
            // The first place with this key; at most GROUP² comparisons.
            let place = items[..index]
                .iter()
                .position(|earlier| earlier.key.encode() == item.key.encode())
                .unwrap_or(index);
            if place == index {
                sum.key_tables[index] = odd_multiples(&item.key.point().to_extended());
            }
            sum.keys[place] = sum.keys[place].add(z.mul(member.challenge));
        }
        sum
    }

    /// Returns true if the terms add up to the neutral point.
    fn vanishes(&self) -> bool {
        let generator = non_adjacent::<4, LONG>(&self.generator.to_limbs(), GENERATOR_WINDOW);
        let keys: [[i8; LONG]; GROUP] = self
            .keys
            .map(|scalar| non_adjacent(&scalar.to_limbs(), POINT_WINDOW));
        let mut sum = Extended::NEUTRAL;
        for i in (0..LONG).rev() {
            sum.double_assign();
            add_generator_digit(&mut sum, 0, generator[i]);
            for (digits, table) in keys.iter().zip(&self.key_tables) {
                add_digit(&mut sum, table, digits[i]);
            }
            if i < SHORT {
                for (digits, table) in self.commitments.iter().zip(&self.commitment_tables) {
                    add_digit(&mut sum, table, -digits[i]);
                }
            }
        }
        sum.is_neutral()
    }
}

/// Verifies every signature of `items`; an empty batch is valid. Variable time.
///
/// Thirty-two cost about four fifths of single verifications if all keys differ, and half if all
/// are of one key.
///
/// # Errors
/// See [`BatchError`]; the first group or member that fails is reported.
pub fn verify_batch(items: &[Item<'_>]) -> Result<(), BatchError> {
    for (group, items) in items.chunks(GROUP).enumerate() {
        let first = group * GROUP;
        let blank = Member {
            commitment: [0; 32],
            point: Extended::NEUTRAL,
            response: Scalar::ZERO,
            challenge: Scalar::ZERO,
        };
        let mut members = [blank; GROUP];
        for (pair, (members, items)) in members.chunks_mut(2).zip(items.chunks(2)).enumerate() {
            let index = first + 2 * pair;
            match items {
                [one, two] => {
                    let [one, two] = prepare([one, two]);
                    members[0] = one.map_err(|error| BatchError::Member { index, error })?;
                    members[1] = two.map_err(|error| BatchError::Member {
                        index: index + 1,
                        error,
                    })?;
                }
                rest => {
                    for item in rest {
                        let [one] = prepare([item]);
                        members[0] = one.map_err(|error| BatchError::Member { index, error })?;
                    }
                }
            }
        }
        if !Sum::new(items, &members[..items.len()]).vanishes() {
            return Err(BatchError::Group { first });
        }
    }
    Ok(())
}
