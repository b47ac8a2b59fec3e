//! Raw segments: the frame counts of the papers, and what does not fit.

extern crate std;

use std::vec::Vec;

use super::*;

fn payload(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 + 3) as u8).collect()
}

fn counts(cut: Segmentation, lengths: &[usize]) -> Vec<usize> {
    lengths
        .iter()
        .map(|&length| cut.segments(&payload(length)).count())
        .collect()
}

/// [GKE Fig. 4 and §V]: orchestration, two shares, two signatures. 32 classic frames or 5 FD frames
/// an exchange.
#[test]
fn an_exchange_of_gke_takes_32_classic_or_5_fd_frames() {
    let exchange = [64, 32, 32, 64, 64];
    assert_eq!(counts(Segmentation::CLASSIC, &exchange), [8, 4, 4, 8, 8]);
    assert_eq!(counts(Segmentation::FD, &exchange), [1; 5]);
    let share = Segmentation::FD.segment(&payload(32), 0).unwrap();
    assert_eq!(share.len(), 32);
}

/// The messages of [LASAN, testbed]: certificate, start-up message, key share or key,
/// confirmation; then the post-quantum ones with the ciphertext.
#[test]
fn messages_of_lasan_take_the_frames_of_its_testbed() {
    let classical = [109, 70, 33, 44];
    let post_quantum = [4185, 2707, 1088, 1152, 44];
    assert_eq!(
        counts(Segmentation::CLASSIC_FULL, &classical),
        [14, 9, 5, 6]
    );
    assert_eq!(
        counts(Segmentation::CLASSIC_FULL, &post_quantum),
        [524, 339, 136, 144, 6]
    );
    let last = Segmentation::CLASSIC_FULL
        .segments(&payload(109))
        .last()
        .unwrap();
    assert_eq!(
        last[..],
        [payload(109)[104..].to_vec(), [0; 3].to_vec()].concat()
    );
}

#[test]
fn the_last_frame_is_short_or_full() {
    let lengths = |cut: Segmentation, length| -> Vec<usize> {
        cut.segments(&payload(length))
            .map(|field| field.len())
            .collect()
    };
    assert_eq!(lengths(Segmentation::CLASSIC, 19), [8, 8, 3]);
    assert_eq!(lengths(Segmentation::CLASSIC_FULL, 19), [8, 8, 8]);
    // No FD frame has 33 bytes.
    assert_eq!(lengths(Segmentation::FD, 64 + 33), [64, 48]);
    assert_eq!(lengths(Segmentation::FD, 64 + 5), [64, 5]);
    let full = Segmentation {
        last: LastFrame::Full,
        ..Segmentation::FD
    };
    assert_eq!(lengths(full, 65), [64, 64]);
    assert_eq!(lengths(Segmentation::FD, 0), [0; 0]);
}

#[test]
fn every_length_comes_back_whole() {
    let middle = Segmentation {
        capacity: FrameCapacity::new(20).unwrap(),
        last: LastFrame::Short,
    };
    for cut in [
        Segmentation::CLASSIC,
        Segmentation::CLASSIC_FULL,
        Segmentation::FD,
        middle,
    ] {
        for length in 1..=300 {
            let payload = payload(length);
            let mut reassembler = Reassembler::<300>::new(cut);
            reassembler.expect(length).unwrap();
            let count = cut.frame_count(length);
            for (index, field) in cut.segments(&payload).enumerate() {
                assert_eq!(reassembler.payload(), None);
                let progress = match count - index - 1 {
                    0 => PayloadProgress::Complete,
                    missing => PayloadProgress::Missing(missing),
                };
                assert_eq!(
                    reassembler.push(&field),
                    Ok(progress),
                    "{cut:?} {length} {index}"
                );
            }
            assert_eq!(reassembler.payload(), Some(&payload[..]));
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_by_cause() {
    let mut reassembler = Reassembler::<16>::new(Segmentation::CLASSIC);
    assert_eq!(reassembler.push(&[0; 8]), Err(PushError::Unexpected));
    assert_eq!(reassembler.expect(0), Err(ExpectError::Empty));
    let too_long = ExpectError::TooLong {
        length: 17,
        capacity: 16,
    };
    assert_eq!(reassembler.expect(17), Err(too_long));
    reassembler.expect(11).unwrap();
    reassembler.push(&[1; 8]).unwrap();
    let length = PushError::Length {
        expected: 3,
        received: 8,
    };
    assert_eq!(reassembler.push(&[2; 8]), Err(length));
    // The payload was given up.
    assert_eq!(reassembler.push(&[2; 3]), Err(PushError::Unexpected));
    assert_eq!(reassembler.payload(), None);
    reassembler.expect(3).unwrap();
    assert_eq!(reassembler.push(&[2; 3]), Ok(PayloadProgress::Complete));
    assert_eq!(reassembler.push(&[2; 3]), Err(PushError::Unexpected));
    assert_eq!(reassembler.payload(), Some(&[2; 3][..]));
}

/// The weakness of the scheme, and why its users sign what they send.
#[test]
fn a_frame_that_came_twice_misaligns_the_payload_unnoticed() {
    let payload = payload(32);
    let mut reassembler = Reassembler::<32>::new(Segmentation::CLASSIC);
    reassembler.expect(32).unwrap();
    let mut fields: Vec<DataField> = Segmentation::CLASSIC.segments(&payload).collect();
    fields.insert(1, fields[0]);
    for field in &fields[..4] {
        reassembler.push(field).unwrap();
    }
    assert_ne!(reassembler.payload(), Some(&payload[..]));
    assert_eq!(reassembler.push(&fields[4]), Err(PushError::Unexpected));
}

#[test]
fn capacities_are_full_data_fields() {
    for bytes in 0..=100 {
        let full = [8, 12, 16, 20, 24, 32, 48, 64].contains(&bytes);
        assert_eq!(FrameCapacity::new(bytes).is_ok(), full, "{bytes}");
    }
}
