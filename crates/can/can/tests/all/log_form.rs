//! Frames as text, against the forms that `parse_canframe` in can-utils' lib.h lists.

use waywarden_can::{FdFlags, Format, Frame, Id};

#[test]
fn a_frame_prints_as_candump_logs_it() {
    let id = Id::standard(0x123).unwrap();
    let long = Id::extended(0x1234_5678).unwrap();
    let eight = Frame::classic(id, &[0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]).unwrap();
    let known = [
        ("123#", Frame::classic(id, &[]).unwrap()),
        (
            "12345678#1122",
            Frame::classic(long, &[0x11, 0x22]).unwrap(),
        ),
        ("123#1122334455667788", eight),
        ("123#1122334455667788_E", eight.with_raw_dlc(14).unwrap()),
        ("123#R", Frame::remote(id, 0).unwrap()),
        ("123#R5", Frame::remote(id, 5).unwrap()),
        ("123#R8", Frame::remote(id, 8).unwrap()),
        // One decimal digit behind R; a length code above 8 stands behind `8_`.
        ("123#R8_9", Frame::remote(id, 9).unwrap()),
        ("12345678#R8_A", Frame::remote(long, 10).unwrap()),
        ("123#R8_F", Frame::remote(id, 15).unwrap()),
        (
            "123##0",
            Frame::fd_with(
                id,
                &[],
                FdFlags {
                    bit_rate_switch: false,
                    error_state_indicator: false,
                },
            )
            .unwrap(),
        ),
        (
            "123##311",
            Frame::fd_with(
                id,
                &[0x11],
                FdFlags {
                    bit_rate_switch: true,
                    error_state_indicator: true,
                },
            )
            .unwrap(),
        ),
    ];
    for (text, frame) in known {
        assert_eq!(frame.to_string(), text);
    }
}

#[test]
fn no_two_remote_frames_print_alike() {
    let id = Id::standard(0x7FF).unwrap();
    let texts: std::collections::BTreeSet<String> = (0..=15)
        .map(|dlc| Frame::remote(id, dlc).unwrap())
        .inspect(|frame| assert_eq!(frame.format(), Format::Remote))
        .map(|frame| frame.to_string())
        .collect();
    assert_eq!(texts.len(), 16);
}

/// Made of eight bytes, a frame is that of the bytes its length code keeps.
#[test]
fn bytes_behind_the_length_are_not_kept() {
    let id = Id::extended(0x123).unwrap();
    let eight = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88];
    for dlc in 0..=8 {
        let frame = Frame::classic(id, &eight[..usize::from(dlc)]).unwrap();
        assert_eq!(Frame::classic_of_eight(id, dlc, eight), frame);
    }
    let frame = Frame::classic(id, &eight).unwrap();
    for dlc in 9..=15 {
        let raw = frame.with_raw_dlc(dlc).unwrap();
        assert_eq!(Frame::classic_of_eight(id, dlc, eight), raw);
    }
}
