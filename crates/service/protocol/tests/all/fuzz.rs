//! Hostile bytes: random ones, and frames of which some bytes are changed.

use std::panic;

use waywarden_testkit::{Random, cases, first_seed};
use waywarden_v2x_service_protocol::{Frames, OperationKind, ProtocolForm};

use super::forms::inner;
use super::values;

/// Inputs of the quick run; the long one makes 100,000.
const FEW: usize = 500;

/// Reads bytes as everything that a socket can bring: a connection in pieces, a datagram, a request
/// and a response. What can be read has to survive being written.
fn fuzz(bytes: &[u8]) {
    connection(bytes);
    if let Ok((form, frame)) = ProtocolForm::of_datagram(bytes) {
        one_frame(form, frame);
    }
    one_frame(ProtocolForm::Binary, bytes);
    one_frame(ProtocolForm::Json, bytes);
}

/// Reads a connection whose bytes come in pieces, whose lengths the bytes say.
fn connection(bytes: &[u8]) {
    let mut frames = Frames::new();
    let mut rest = bytes;
    while let Some(first) = rest.first() {
        let length = (usize::from(*first) + 1).min(rest.len());
        let (mut piece, after) = rest.split_at(length);
        rest = after;
        loop {
            match frames.next(&mut piece) {
                Ok(Some(frame)) => one_frame(frames.form().unwrap(), &frame),
                Ok(None) => break,
                Err(_) => return,
            }
        }
        assert!(piece.is_empty(), "bytes were left");
    }
}

fn one_frame(form: ProtocolForm, frame: &[u8]) {
    if let Ok(request) = form.decode_request(frame) {
        for other in [ProtocolForm::Binary, ProtocolForm::Json] {
            // What one form holds can be too long for the other.
            if let Ok(bytes) = other.encode_request(&request) {
                let again = other.decode_request(inner(other, &bytes));
                assert_eq!(again.as_ref(), Ok(&request), "{other:?}");
            }
        }
    }
    if let Ok(response) = form.decode_response(frame) {
        // Long reasons are cut once.
        let once = form.encode_response(&response);
        let again = form.decode_response(inner(form, &once)).unwrap();
        assert_eq!(form.encode_response(&again), once);
    }
}

/// Makes a connection of frames of which some bytes are changed, in one form or as it comes.
fn mutated(random: &mut Random) -> Vec<u8> {
    let form = [ProtocolForm::Binary, ProtocolForm::Json][random.index(2)];
    let mut bytes = Vec::new();
    for _ in 0..random.index(4) + 1 {
        let kind = OperationKind::ALL[random.index(OperationKind::ALL.len())];
        bytes.extend(match random.below(3) {
            0 => form.encode_response(&values::response(random, Some(kind))),
            1 => form.encode_response(&values::response(random, None)),
            _ => form.encode_request(&values::request(random, kind)).unwrap(),
        });
    }
    if random.once_in(2) && form == ProtocolForm::Binary {
        bytes.drain(..4);
    }
    for _ in 0..random.index(4) {
        let at = random.index(bytes.len());
        match random.below(4) {
            0 => bytes[at] = random.u64() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.remove(at)),
            _ => bytes.insert(at, b"\0\x01{}[]\"\\,0f\n"[random.index(12)]),
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

fn each_seed(make: impl Fn(&mut Random) -> Vec<u8>) {
    let first = first_seed(0);
    for seed in first..first + cases(FEW) as u64 {
        let bytes = make(&mut Random::new(seed));
        panic::catch_unwind(|| fuzz(&bytes)).unwrap_or_else(|cause| {
            println!("WAYWARDEN_SEED={seed} WAYWARDEN_CASES=1 repeats it");
            panic::resume_unwind(cause)
        });
    }
}

#[test]
fn random_bytes_are_read_or_refused() {
    each_seed(|random| {
        let mut bytes = random.bytes_up_to(300);
        // Most random bytes fail at the first one.
        if let Some(first) = bytes.first_mut() {
            *first = [0, b'{', 1, *first][random.index(4)];
        }
        bytes
    });
}

#[test]
fn changed_frames_are_read_or_refused() {
    each_seed(mutated);
}
