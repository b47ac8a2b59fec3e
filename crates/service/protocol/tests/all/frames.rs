//! Ends of frames, for any division of their bytes into pieces.

use waywarden_testkit::{Random, bytes_of, cases};
use waywarden_v2x_service_protocol::{
    FRAME_BYTES_MAX, Frames, OperationKind, ProtocolForm, Status,
};

use super::values;

/// Feeds a connection in pieces and returns its frames.
fn frames_of(random: &mut Random, connection: &[u8], piece_max: usize) -> Vec<Vec<u8>> {
    let mut frames = Frames::new();
    let mut all = Vec::new();
    let mut rest = connection;
    while !rest.is_empty() {
        let length = (random.index(piece_max) + 1).min(rest.len());
        let (mut piece, after) = rest.split_at(length);
        rest = after;
        while let Some(frame) = frames.next(&mut piece).unwrap() {
            all.push(frame.into_owned());
        }
        assert!(piece.is_empty());
    }
    assert_eq!(frames.waiting(), 0);
    all
}

#[test]
fn frames_come_whole_from_any_pieces() {
    let mut random = Random::of_test("frames_come_whole_from_any_pieces");
    for form in [ProtocolForm::Binary, ProtocolForm::Json] {
        for _ in 0..cases(50) {
            let requests: Vec<_> = OperationKind::ALL
                .iter()
                .map(|kind| values::request(&mut random, *kind))
                .collect();
            let bytes = requests.iter().map(|one| form.encode_request(one).unwrap());
            let connection = bytes.collect::<Vec<_>>().concat();
            for piece_max in [1, 7, 100, 10_000] {
                let frames = frames_of(&mut random, &connection, piece_max);
                let again = frames
                    .iter()
                    .map(|frame| form.decode_request(frame).unwrap());
                assert_eq!(again.collect::<Vec<_>>(), requests);
            }
        }
    }
}

#[test]
fn half_a_frame_waits() {
    let frame = bytes_of("0000000e 01 08 0000000000000009 00000000");
    let mut frames = Frames::new();
    for byte in &frame[..frame.len() - 1] {
        assert_eq!(frames.next(&mut &[*byte][..]).unwrap(), None);
    }
    assert_eq!(frames.waiting(), frame.len() - 1);
    let last = frames
        .next(&mut &frame[frame.len() - 1..])
        .unwrap()
        .unwrap();
    assert_eq!(*last, frame[4..]);
    assert_eq!(frames.waiting(), 0);
}

#[test]
fn wrong_lengths_are_refused_at_once() {
    for (length, status) in [
        ("00000000", Status::Malformed),
        ("00000009", Status::Malformed),
        ("00100001", Status::TooLong),
        ("00ffffff", Status::TooLong),
    ] {
        let length = bytes_of(length);
        let refused = Frames::new().next(&mut &length[..]).unwrap_err();
        assert_eq!(refused.status, status);
        // The same where the length comes in two pieces.
        let mut frames = Frames::new();
        assert_eq!(frames.next(&mut &length[..2]).unwrap(), None);
        let refused = frames.next(&mut &length[2..]).unwrap_err();
        assert_eq!(refused.status, status);
    }
}

#[test]
fn the_longest_frame_is_taken_and_a_longer_line_is_refused() {
    let mut longest = vec![0; FRAME_BYTES_MAX + 4];
    longest[..4].copy_from_slice(&(FRAME_BYTES_MAX as u32).to_be_bytes());
    let mut frames = Frames::new();
    let mut taken = 0;
    for mut piece in longest.chunks(4_096) {
        while let Some(frame) = frames.next(&mut piece).unwrap() {
            taken += frame.len();
        }
        assert!(frames.waiting() <= FRAME_BYTES_MAX + 4);
    }
    assert_eq!(taken, FRAME_BYTES_MAX);

    let line = vec![b'{'; FRAME_BYTES_MAX + 1];
    let refused = Frames::new().next(&mut &line[..]).unwrap_err();
    assert_eq!(refused.status, Status::TooLong);
    let mut frames = Frames::new();
    assert_eq!(frames.next(&mut &line[1..]).unwrap(), None);
    let refused = frames.next(&mut &b"{"[..]).unwrap_err();
    assert_eq!(refused.status, Status::TooLong);
    assert_eq!(frames.waiting(), FRAME_BYTES_MAX);
}

#[test]
fn the_first_byte_says_the_form() {
    let mut frames = Frames::new();
    assert_eq!(frames.next(&mut &b""[..]).unwrap(), None);
    assert_eq!(frames.form(), None);
    let mut input = &b"{}\r\n\n  \n{\"a\":1}\n{"[..];
    assert_eq!(frames.next(&mut input).unwrap().unwrap(), &b"{}\r"[..]);
    assert_eq!(frames.form(), Some(ProtocolForm::Json));
    assert_eq!(frames.next(&mut input).unwrap().unwrap(), &b"{\"a\":1}"[..]);
    assert_eq!(frames.next(&mut input).unwrap(), None);
    assert_eq!(frames.waiting(), 1);
    for first in [b'[', b' ', 1, 0xFF] {
        let refused = Frames::new().next(&mut &[first][..]).unwrap_err();
        assert_eq!(refused.status, Status::Malformed);
    }
}

#[test]
fn a_datagram_is_one_frame() {
    let frame = bytes_of("0000000e 01 08 0000000000000009 00000000");
    assert_eq!(
        ProtocolForm::of_datagram(&frame),
        Ok((ProtocolForm::Binary, &frame[4..]))
    );
    let line = br#"{"operation":"health"}"#;
    assert_eq!(
        ProtocolForm::of_datagram(line),
        Ok((ProtocolForm::Json, &line[..]))
    );
    for wrong in [
        &b""[..],
        &frame[..3],
        &frame[..17],
        &[&frame[..], &[0]].concat(),
        b"GET / HTTP/1.1",
    ] {
        let refused = ProtocolForm::of_datagram(wrong).unwrap_err();
        assert_eq!(refused.status, Status::Malformed);
    }
}
