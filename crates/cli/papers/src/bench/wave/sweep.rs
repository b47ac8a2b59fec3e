//! ECDSA and the hash by length of the payload, as section 5.1 has it: the payload is random
//! letters and digits. The three curves are of one family of libraries (RustCrypto). Only `p256`
//! has a table of the generator, with which it signs; the project's own verifier is faster than all
//! of them.

use std::hint::black_box;

use p256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use waywarden_papers::Amount;
use waywarden_papers::wave::{PAYLOADS, WaveQuantity, Work};
use waywarden_v2x_wire::hash::{Digest, HashFunction, hash};

use super::laboratory::failed;
use super::median::Median;
use super::{Measured, time};
use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::random;

const LETTERS_AND_DIGITS: &[u8; 62] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Measures each operation with each payload so many times.
pub(super) fn measure(runs: u32) -> Result<Measured, Failure> {
    let p224 = p224::ecdsa::SigningKey::from_slice(&seed()?[..28]).map_err(failed)?;
    let p256 = p256::ecdsa::SigningKey::from_slice(&seed()?).map_err(failed)?;
    let k256 = k256::ecdsa::SigningKey::from_slice(&seed()?).map_err(failed)?;
    let mut measured = Measured::new();
    for payload in PAYLOADS {
        let bytes = text(payload)?;
        let mut add = |work, one| measured.push((WaveQuantity::Sweep { work, payload }, one));
        add(Work::Hash, time(Median::of(runs, || digest(&bytes))));
        let [sign, verify] =
            signed::<p224::ecdsa::Signature>(&p224, p224.verifying_key(), &bytes, runs)?;
        add(Work::SignP224, sign);
        add(Work::VerifyP224, verify);
        let [sign, verify] =
            signed::<p256::ecdsa::Signature>(&p256, p256.verifying_key(), &bytes, runs)?;
        add(Work::SignP256, sign);
        add(Work::VerifyP256, verify);
        let [sign, verify] =
            signed::<k256::ecdsa::Signature>(&k256, k256.verifying_key(), &bytes, runs)?;
        add(Work::SignSecp256k1, sign);
        add(Work::VerifySecp256k1, verify);
    }
    Ok(measured)
}

/// Times a signature, and its verification.
fn signed<S>(
    key: &impl PrehashSigner<S>,
    public: &impl PrehashVerifier<S>,
    payload: &[u8],
    runs: u32,
) -> Result<[Amount; 2], Failure> {
    let sign = || key.sign_prehash(digest(payload).as_bytes());
    let signature = sign().map_err(failed)?;
    let verify = || public.verify_prehash(digest(payload).as_bytes(), &signature);
    // Refused work would be timed as fast work.
    verify().map_err(failed)?;
    Ok([time(Median::of(runs, sign)), time(Median::of(runs, verify))])
}

fn digest(payload: &[u8]) -> Digest {
    hash(HashFunction::Sha256, black_box(payload))
}

/// A seed that is below the order of each curve.
fn seed() -> Result<[u8; 32], Failure> {
    let mut seed = *random::seeds()?.next();
    seed[0] &= 0x7f;
    Ok(seed)
}

/// Random letters and digits.
fn text(bytes: u32) -> Result<Vec<u8>, Failure> {
    let mut seeds = random::seeds()?;
    let mut text = Vec::new();
    while text.len() < bytes as usize {
        let next = *seeds.next();
        text.extend(next.map(|byte| LETTERS_AND_DIGITS[usize::from(byte) % 62]));
    }
    text.truncate(bytes as usize);
    Ok(text)
}
