//! The kernel's form against bytes written down by hand, and against the `socketcan` crate's types.

use waywarden_can::FdFlags;
use waywarden_testkit::Random;

use super::*;

const STANDARD: u16 = 0x123;
const LONG: u32 = 0x1234_5678;

/// A frame, its identifier word, its bytes behind that word up to the end of the data, and the size
/// of its image. The word is in the machine's byte order, so it is given as a number.
type Row = (Frame, u32, Vec<u8>, usize);

const EIGHT: [u8; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

fn standard() -> StandardId {
    StandardId::new(STANDARD).unwrap()
}

fn long() -> ExtendedId {
    ExtendedId::new(LONG).unwrap()
}

/// One classic data frame of each kind that differs in its bytes.
fn classic_frames() -> Vec<Row> {
    let raw_dlc = Frame::classic(standard(), &EIGHT).unwrap().with_raw_dlc(14);
    vec![
        (
            Frame::classic(standard(), &[]).unwrap(),
            0x123,
            vec![0, 0, 0, 0],
            16,
        ),
        (
            Frame::classic(standard(), &[0x11, 0x22]).unwrap(),
            0x123,
            vec![2, 0, 0, 0, 0x11, 0x22],
            16,
        ),
        (
            Frame::classic(long(), &EIGHT).unwrap(),
            0x9234_5678,
            vec![8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8],
            16,
        ),
        (
            raw_dlc.unwrap(),
            0x123,
            vec![8, 0, 0, 14, 1, 2, 3, 4, 5, 6, 7, 8],
            16,
        ),
    ]
}

/// One remote frame of each kind that differs in its bytes.
fn remote_frames() -> Vec<Row> {
    vec![
        (
            Frame::remote(standard(), 0).unwrap(),
            0x4000_0123,
            vec![0, 0, 0, 0],
            16,
        ),
        (
            Frame::remote(long(), 5).unwrap(),
            0xD234_5678,
            vec![5, 0, 0, 0],
            16,
        ),
        (
            Frame::remote(standard(), 11).unwrap(),
            0x4000_0123,
            vec![8, 0, 0, 11],
            16,
        ),
    ]
}

/// One CAN FD frame of each kind that differs in its bytes.
fn fd_frames() -> Vec<Row> {
    let frame = |brs, esi| {
        Frame::fd_with(
            standard(),
            &[0xAB; 12],
            FdFlags {
                bit_rate_switch: brs,
                error_state_indicator: esi,
            },
        )
        .unwrap()
    };
    let bytes = |flags: u8| [&[12, flags, 0, 0][..], &[0xAB; 12]].concat();
    let full = [&[64, 5, 0, 0][..], &[0x5A; 64]].concat();
    vec![
        (frame(false, false), 0x123, bytes(4), 72),
        (frame(true, false), 0x123, bytes(5), 72),
        (frame(false, true), 0x123, bytes(6), 72),
        (frame(true, true), 0x123, bytes(7), 72),
        (
            Frame::fd(long(), &[0x5A; 64]).unwrap(),
            0x9234_5678,
            full,
            72,
        ),
        (
            Frame::fd(standard(), &[]).unwrap(),
            0x123,
            vec![0, 5, 0, 0],
            72,
        ),
    ]
}

fn table() -> Vec<Row> {
    [classic_frames(), remote_frames(), fd_frames()].concat()
}

fn raw(id: u32, rest: &[u8], size: usize) -> Vec<u8> {
    let mut bytes = id.to_ne_bytes().to_vec();
    bytes.extend(rest);
    bytes.resize(size, 0);
    bytes
}

#[test]
fn every_format_has_the_bytes_of_linux_can_h() {
    for (frame, id, rest, size) in table() {
        let bytes = raw(id, &rest, size);
        assert_eq!(Image::of(&frame).as_bytes(), bytes, "{frame}");
        assert_eq!(
            SocketContent::read(&bytes),
            Ok(SocketContent::Frame(frame)),
            "{frame}"
        );
    }
}

#[test]
fn every_length_of_every_format_comes_back() {
    let data: Vec<u8> = (0..64).collect();
    let ids = [
        Id::standard(0).unwrap(),
        Id::standard(0x7FF).unwrap(),
        Id::extended(0).unwrap(),
        Id::extended(0x7FF).unwrap(),
        Id::extended(0x1FFF_FFFF).unwrap(),
    ];
    let mut frames = Vec::new();
    for id in ids {
        frames.extend((0..=8).map(|n| Frame::classic(id, &data[..n]).unwrap()));
        let full = Frame::classic(id, &data[..8]).unwrap();
        frames.extend((9..=15).map(|code| full.with_raw_dlc(code).unwrap()));
        frames.extend((0..=15).map(|code| Frame::remote(id, code).unwrap()));
        for n in FD_LENGTHS {
            for flags in 0..4 {
                let data = &data[..usize::from(n)];
                frames.push(
                    Frame::fd_with(
                        id,
                        data,
                        FdFlags {
                            bit_rate_switch: flags & 1 != 0,
                            error_state_indicator: flags & 2 != 0,
                        },
                    )
                    .unwrap(),
                );
            }
        }
    }
    assert_eq!(frames.len(), 5 * (9 + 7 + 16 + 64));
    for frame in frames {
        let image = Image::of(&frame);
        assert_eq!(
            SocketContent::read(image.as_bytes()),
            Ok(SocketContent::Frame(frame)),
            "{frame}"
        );
    }
}

#[test]
fn an_fd_length_without_a_code_is_padded_as_a_controller_pads_it() {
    let bytes = raw(0x123, &[9, 4, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xEE], 72);
    let id = Id::standard(0x123).unwrap();
    let padded = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0];
    let frame = Frame::fd_with(
        id,
        &padded,
        FdFlags {
            bit_rate_switch: false,
            error_state_indicator: false,
        },
    )
    .unwrap();
    assert_eq!(SocketContent::read(&bytes), Ok(SocketContent::Frame(frame)));
}

#[test]
fn a_raw_length_code_counts_only_where_it_can_stand() {
    let id = Id::standard(0x123).unwrap();
    // Short frame, and a code that means nothing.
    for (length, code) in [(7, 9), (8, 16), (8, 8), (8, 0xFF)] {
        let bytes = raw(0x123, &[length, 0, 0, code], 16);
        let frame = Frame::classic(id, &[0; 8][..usize::from(length)]).unwrap();
        assert_eq!(SocketContent::read(&bytes), Ok(SocketContent::Frame(frame)));
    }
}

#[test]
fn what_is_no_frame_is_refused_by_cause() {
    assert_eq!(SocketContent::read(&[]), Err(ImageError::Size(0)));
    assert_eq!(SocketContent::read(&[0; 17]), Err(ImageError::Size(17)));
    assert_eq!(
        SocketContent::read(&raw(1, &[9], 16)),
        Err(ImageError::Length(9))
    );
    assert_eq!(
        SocketContent::read(&raw(1, &[65], 72)),
        Err(ImageError::Length(65))
    );
    assert_eq!(
        SocketContent::read(&raw(0x4000_0001, &[1], 72)),
        Err(ImageError::Flags)
    );
    assert_eq!(
        SocketContent::read(&raw(0x2000_0001, &[1], 72)),
        Err(ImageError::Flags)
    );
}

/// Any bytes: no panic, and what is read as a frame is written in a form that reads the same.
#[test]
fn hostile_bytes_do_no_harm() {
    let mut random = Random::of_test("hostile bytes");
    let (mut frames, mut errors) = (0, 0);
    for round in 0..20_000 {
        let size = match round % 3 {
            0 => CLASSIC_SIZE,
            1 => FD_SIZE,
            _ => random.index(80),
        };
        let mut bytes = random.bytes(size);
        if let Some(length) = bytes.get_mut(LENGTH_AT) {
            // Most lengths would be far too long.
            *length %= 70;
        }
        match SocketContent::read(&bytes) {
            Ok(SocketContent::Frame(frame)) => {
                frames += 1;
                let again = SocketContent::read(Image::of(&frame).as_bytes());
                assert_eq!(again, Ok(SocketContent::Frame(frame)), "round {round}");
            }
            Ok(SocketContent::Error(_)) => {}
            Err(_) => errors += 1,
        }
    }
    assert!(frames > 1_000 && errors > 1_000, "{frames} {errors}");
}

#[test]
fn error_frames_tell_the_state() {
    let change = |class: u32, kind: u8| {
        let bytes = raw(ERROR | class, &[8, 0, 0, 0, 0, kind], 16);
        match SocketContent::read(&bytes) {
            Ok(SocketContent::Error(error)) => error.change(),
            other => panic!("{other:?}"),
        }
    };
    let state = |state| Some(ControllerChange::State(state));
    assert_eq!(change(CLASS_BUS_OFF, 0), state(BusState::Off));
    assert_eq!(
        change(CLASS_RESTARTED, 0),
        Some(ControllerChange::Restarted)
    );
    assert_eq!(change(CLASS_CONTROLLER, 0x10), state(BusState::Passive));
    assert_eq!(change(CLASS_CONTROLLER, 0x20), state(BusState::Passive));
    assert_eq!(change(CLASS_CONTROLLER, 0x28), state(BusState::Passive));
    assert_eq!(change(CLASS_CONTROLLER, 0x04), state(BusState::Active));
    assert_eq!(change(CLASS_CONTROLLER, 0x08), state(BusState::Active));
    assert_eq!(change(CLASS_CONTROLLER, 0x40), state(BusState::Active));
    // Receive and transmit overflow say nothing of the state; nor do other classes.
    assert_eq!(change(CLASS_CONTROLLER, 0x01), None);
    assert_eq!(change(CLASS_CONTROLLER, 0x02), None);
    assert_eq!(change(CLASS_CONTROLLER, 0x00), None);
    assert_eq!(change(0x002, 0x20), None);
    assert_eq!(change(0x088, 0), None);
    // A driver may say both at once; the state is what counts.
    assert_eq!(
        change(CLASS_BUS_OFF | CLASS_CONTROLLER, 0x20),
        state(BusState::Off)
    );
}

/// The same frames through the types of the `socketcan` crate, field by field.
#[cfg(target_os = "linux")]
mod against_socketcan {
    use super::*;
    use socketcan::frame::{AsPtr, can_frame_default, canfd_frame_default};
    use socketcan::{CanAnyFrame, EmbeddedFrame};

    /// Our image as the crate's frame.
    fn theirs(image: &Image) -> CanAnyFrame {
        let bytes = image.as_bytes();
        let id = u32::from_ne_bytes(bytes[..4].try_into().unwrap());
        if bytes.len() == CLASSIC_SIZE {
            let mut frame = can_frame_default();
            frame.can_id = id;
            frame.can_dlc = bytes[4];
            frame.len8_dlc = bytes[7];
            frame.data.copy_from_slice(&bytes[8..]);
            frame.into()
        } else {
            let mut frame = canfd_frame_default();
            frame.can_id = id;
            frame.len = bytes[4];
            frame.flags = bytes[5];
            frame.data.copy_from_slice(&bytes[8..]);
            frame.into()
        }
    }

    /// The crate's frame as ours, by its accessors alone.
    fn ours(frame: &CanAnyFrame) -> Frame {
        let id = match frame.id() {
            socketcan::Id::Standard(id) => Id::standard(id.as_raw()).unwrap(),
            socketcan::Id::Extended(id) => Id::extended(id.as_raw()).unwrap(),
        };
        match frame {
            CanAnyFrame::Normal(frame) => Frame::classic(id, frame.data()).unwrap(),
            CanAnyFrame::Remote(frame) => Frame::remote(id, frame.dlc() as u8).unwrap(),
            CanAnyFrame::Fd(frame) => Frame::fd_with(
                id,
                frame.data(),
                FdFlags {
                    bit_rate_switch: frame.is_brs(),
                    error_state_indicator: frame.is_esi(),
                },
            )
            .unwrap(),
            CanAnyFrame::Error(_) => panic!("no error frame in the table"),
        }
    }

    #[test]
    fn both_see_the_same_frame() {
        for (frame, ..) in table() {
            let image = Image::of(&frame);
            let theirs = theirs(&image);
            assert_eq!(theirs.size(), image.as_bytes().len(), "{frame}");
            assert_eq!(theirs.is_extended(), frame.id().is_extended());
            // The crate has no raw length codes.
            if frame.dlc() <= 8 || frame.is_fd() {
                assert_eq!(ours(&theirs), frame);
            }
        }
    }

    #[test]
    fn a_frame_the_crate_makes_reads_as_ours() {
        let id = socketcan::ExtendedId::new(LONG).unwrap();
        let made = socketcan::CanDataFrame::new(id, &[9, 8, 7]).unwrap();
        let raw: &_ = made.as_ref();
        let mut bytes = [0; CLASSIC_SIZE];
        bytes[..4].copy_from_slice(&raw.can_id.to_ne_bytes());
        bytes[4] = raw.can_dlc;
        bytes[8..].copy_from_slice(&raw.data);
        let frame = Frame::classic(ExtendedId::new(LONG).unwrap(), &[9, 8, 7]).unwrap();
        assert_eq!(SocketContent::read(&bytes), Ok(SocketContent::Frame(frame)));
    }
}
