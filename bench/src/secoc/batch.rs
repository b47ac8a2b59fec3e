//! Whole logs: codes side by side against the same one by one.
//!
//! Figures are per code or per frame. `encrypt_blocks` is no peer but the bound: the blocks that
//! the codes need at least, all there already, through the same cipher and nothing else.

use aes::cipher::{BlockCipherEncrypt, KeyInit as _};
use aes::{Aes128, Block};
use aws_lc_rs::cmac as aws;
use cmac::{Cmac, Mac as _};
use waywarden_can::Frame;
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::mac::{AesCmac, Mac as _, MacKey};
use waywarden_can_auth::secoc::SecocProfile;
use waywarden_work::NoMeter;

use super::{EPOCH, Pair, SECRET, pair};
use crate::race::{Case, Contestant};

/// Messages of a batch: as many as the production format has in an epoch.
const BATCH: usize = EPOCH;
/// Batches that a contestant rotates through.
const POOL: usize = 8;

/// Makes messages in a row, all beginning differently, each of the length that `length` returns.
fn messages(length: impl Fn(usize) -> usize) -> Vec<Vec<Vec<u8>>> {
    let message = |index: usize| {
        let mut bytes = vec![0x5A; length(index)];
        let number = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        bytes
    };
    let indices: Vec<usize> = (0..POOL * BATCH).collect();
    indices
        .chunks(BATCH)
        .map(|batch| batch.iter().copied().map(message).collect())
        .collect()
}

/// Creates a contestant that does a batch a call, and keeps its tags.
fn contestant<T: 'static>(
    name: &'static str,
    inputs: Vec<T>,
    mut run: impl FnMut(&T, &mut [[u8; 16]]) + 'static,
) -> Contestant {
    let mut tags = vec![[0; 16]; BATCH];
    Contestant::with_items(name, BATCH as u32, inputs, move |batch| {
        run(batch, &mut tags);
        std::hint::black_box(&tags).len()
    })
}

fn side_by_side<M: AsRef<[u8]> + 'static>(name: &'static str, inputs: Vec<Vec<M>>) -> Contestant {
    let mac = AesCmac::new(&MacKey::from_bytes(SECRET));
    contestant(name, inputs, move |batch, tags| {
        mac.compute_batch(batch.iter(), |index, _, tag| tags[index] = *tag.whole());
    })
}

/// Others, and ourselves, one by one; with the bound.
fn one_by_one<M: AsRef<[u8]> + Clone + 'static>(
    inputs: &[Vec<M>],
    blocks: usize,
) -> Vec<Contestant> {
    let inputs = || inputs.to_vec();
    let cmac = Cmac::<Aes128>::new(&SECRET.into());
    let own = AesCmac::new(&MacKey::from_bytes(SECRET));
    let key = aws::Key::new(aws::AES_128, &SECRET).expect("16 bytes");
    let cipher = Aes128::new(&SECRET.into());
    let all = vec![vec![Block::default(); blocks]; POOL];
    let mut scratch = vec![Block::default(); blocks];
    vec![
        contestant("cmac", inputs(), move |batch, tags| {
            for (message, tag) in batch.iter().zip(tags) {
                let mut mac = cmac.clone();
                mac.update(message.as_ref());
                *tag = mac.finalize().into_bytes().into();
            }
        }),
        contestant("aws-lc-rs", inputs(), move |batch, tags| {
            for (message, tag) in batch.iter().zip(tags) {
                let made = aws::sign(&key, message.as_ref()).expect("a key of AES");
                tag.copy_from_slice(made.as_ref());
            }
        }),
        contestant("waywarden, one by one", inputs(), move |batch, tags| {
            for (message, tag) in batch.iter().zip(tags) {
                *tag = *own.compute(&[message.as_ref()]).whole();
            }
        }),
        contestant("aes, encrypt_blocks", all, move |batch, _| {
            scratch.copy_from_slice(batch);
            cipher.encrypt_blocks(&mut scratch);
            std::hint::black_box(&scratch);
        }),
    ]
}

fn fixed<const LENGTH: usize>() -> Vec<Vec<[u8; LENGTH]>> {
    let array = |message: Vec<u8>| message.try_into().expect("this length");
    let batch = |batch: Vec<Vec<u8>>| batch.into_iter().map(array).collect();
    messages(|_| LENGTH).into_iter().map(batch).collect()
}

/// The bare codes of as many bytes as those of a stream.
fn bare<const LENGTH: usize>() -> Contestant {
    side_by_side("waywarden, bare batch", fixed::<LENGTH>())
}

fn payloads() -> Vec<Vec<[u8; 8]>> {
    fixed::<8>()
}

fn protect(profile: SecocProfile) -> Contestant {
    let mut pair = pair(profile);
    let fresh = pair.sender.clone();
    let mut frames = vec![None; BATCH];
    let payloads = payloads();
    Contestant::with_items("waywarden", BATCH as u32, payloads, move |batch| {
        let Pair {
            ring,
            freshness_state,
            ..
        } = &mut pair;
        let mut sender = fresh.clone();
        sender
            .protect_batch(batch, freshness_state, ring, |index, frame| {
                frames[index] = Some(frame);
            })
            .expect("within the epoch");
        std::hint::black_box(&frames).len()
    })
}

fn protect_one_by_one(profile: SecocProfile) -> Contestant {
    let mut pair = pair(profile);
    let fresh = pair.sender.clone();
    let mut frames = vec![None; BATCH];
    let payloads = payloads();
    Contestant::with_items(
        "waywarden, one by one",
        BATCH as u32,
        payloads,
        move |batch| {
            let Pair {
                ring,
                freshness_state,
                ..
            } = &mut pair;
            let mut sender = fresh.clone();
            for (payload, frame) in batch.iter().zip(&mut frames) {
                let made = sender.protect(payload, freshness_state, ring, &mut NoMeter);
                *frame = Some(made.expect("within the epoch"));
            }
            std::hint::black_box(&frames).len()
        },
    )
}

/// A whole epoch of frames, and the receiver that checks them.
fn check(profile: SecocProfile, is_batch: bool) -> Contestant {
    let mut pair = pair(profile);
    let (fresh, sender) = (pair.receiver.clone(), pair.sender.clone());
    let mut log = |payloads: Vec<[u8; 8]>| {
        let Pair {
            ring,
            freshness_state,
            ..
        } = &mut pair;
        let mut sender = sender.clone();
        let mut frames = Vec::new();
        sender
            .protect_batch(&payloads, freshness_state, ring, |_, frame| {
                frames.push(frame)
            })
            .expect("within the epoch");
        frames
    };
    let logs: Vec<Vec<Frame>> = payloads().into_iter().map(&mut log).collect();
    let name = match is_batch {
        true => "waywarden",
        false => "waywarden, one by one",
    };
    Contestant::with_items(name, BATCH as u32, logs, move |log| {
        let Pair {
            ring,
            freshness_state,
            ..
        } = &mut pair;
        let (mut receiver, mut taken) = (fresh.clone(), 0);
        let mut count =
            |event| taken += usize::from(matches!(event, Some(FrameOutcome::Authentic { .. })));
        if is_batch {
            receiver
                .accept_batch(log, freshness_state, ring, |_, event| count(event))
                .expect("it has the key");
        } else {
            for frame in log {
                let event = receiver.accept(frame, freshness_state, ring, &mut NoMeter);
                count(event.expect("it has the key"));
            }
        }
        assert_eq!(taken, BATCH);
    })
}

/// All cases.
pub(super) fn cases() -> Vec<Case> {
    let case = |name, what, ours, peers| Case {
        name,
        what,
        ours,
        peers,
    };
    // Lengths of 10 to 26 bytes in no order: one block or two.
    let mixed = messages(|index| 10 + index * 7 % 17);
    let blocks = mixed[0]
        .iter()
        .map(|message| message.len().div_ceil(16))
        .sum();
    vec![
        case(
            "cmac-batch-12",
            "codes of messages of 12 bytes under one key, 256 at a time",
            side_by_side("waywarden", fixed::<12>()),
            one_by_one(&fixed::<12>(), BATCH),
        ),
        case(
            "cmac-batch-16",
            "the same of 16 bytes",
            side_by_side("waywarden", fixed::<16>()),
            one_by_one(&fixed::<16>(), BATCH),
        ),
        case(
            "cmac-batch-mixed",
            "the same of 10 to 26 bytes, one block or two",
            side_by_side("waywarden", mixed.clone()),
            one_by_one(&mixed, blocks),
        ),
        case(
            "secoc-protect-batch",
            "256 payloads of 8 bytes, AUTOSAR's profile 1",
            protect(SecocProfile::AUTOSAR_1),
            vec![protect_one_by_one(SecocProfile::AUTOSAR_1), bare::<18>()],
        ),
        case(
            "secoc-check-batch",
            "such frames at their receiver",
            check(SecocProfile::AUTOSAR_1, true),
            vec![check(SecocProfile::AUTOSAR_1, false), bare::<18>()],
        ),
        case(
            "secoc-protect-batch-production",
            "256 payloads of 8 bytes, the production format",
            protect(SecocProfile::PRODUCTION),
            vec![protect_one_by_one(SecocProfile::PRODUCTION), bare::<16>()],
        ),
        case(
            "secoc-check-batch-production",
            "such frames at their receiver",
            check(SecocProfile::PRODUCTION, true),
            vec![check(SecocProfile::PRODUCTION, false), bare::<16>()],
        ),
    ]
}
