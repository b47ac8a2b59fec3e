//! Captures as tshark reads them.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use waywarden_testkit::{Random, bytes_of, each_seed, has_tshark};
use waywarden_v2x_link::capture::{
    COMMENT_BYTES_MAX, CaptureDirection, CaptureWriter, CapturedPacket, FRAME_KEPT_BYTES_MAX,
};

use crate::frames::{BSM, CAM, frame};

const TIME: Duration = Duration::new(1_795_000_000, 123_456_789);

/// Contents of a packet block for a reader: time, flags, bytes kept, length, comment.
pub(crate) struct Read {
    pub(crate) nanoseconds: u64,
    pub(crate) flags: u32,
    pub(crate) frame: Vec<u8>,
    pub(crate) length: usize,
    pub(crate) comment: String,
}

/// Reads blocks, and says how many bytes are left behind the last whole one.
pub(crate) fn read(mut bytes: &[u8]) -> (Vec<Read>, usize) {
    let word = |bytes: &[u8], at: usize| {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
    };
    let mut packets = Vec::new();
    while bytes.len() >= 12 {
        let length = word(bytes, 4);
        if length > bytes.len() {
            break;
        }
        assert_eq!(length % 4, 0);
        assert_eq!(word(bytes, length - 4), length);
        let (block, rest) = bytes.split_at(length);
        if word(block, 0) == 6 {
            packets.push(packet(block));
        }
        bytes = rest;
    }
    (packets, bytes.len())
}

fn packet(block: &[u8]) -> Read {
    let half = |at: usize| usize::from(u16::from_le_bytes([block[at], block[at + 1]]));
    let word = |at: usize| u32::from_le_bytes(block[at..at + 4].try_into().unwrap());
    let kept = word(20) as usize;
    let mut read = Read {
        nanoseconds: u64::from(word(12)) << 32 | u64::from(word(16)),
        flags: 0,
        frame: block[28..28 + kept].to_vec(),
        length: word(24) as usize,
        comment: String::new(),
    };
    let mut at = 28 + kept.next_multiple_of(4);
    loop {
        let (option, length) = (half(at), half(at + 2));
        match option {
            0 => return read,
            1 => read.comment = String::from_utf8(block[at + 4..at + 4 + length].into()).unwrap(),
            2 => read.flags = word(at + 4),
            other => panic!("option {other}"),
        }
        at += 4 + length.next_multiple_of(4);
    }
}

/// Returns tshark's lines for a file, and whether it calls the file whole.
pub(crate) fn tshark(path: &Path, fields: &[&str]) -> (Vec<String>, bool) {
    let mut command = Command::new("tshark");
    command
        .arg("-r")
        .arg(path)
        .args(["-T", "fields", "-E", "separator=,"]);
    for field in fields {
        command.args(["-e", field]);
    }
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (
        text.lines().map(str::to_owned).collect(),
        output.status.success(),
    )
}

#[test]
fn tshark_reads_frames_times_directions_and_comments() {
    if !has_tshark() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames.pcapng");
    let mut writer = CaptureWriter::new(Vec::new(), "lo").unwrap();
    for (frame, direction, comment) in [
        (CAM, CaptureDirection::Outbound, ""),
        (BSM, CaptureDirection::Inbound, "refused: späte Nachricht"),
    ] {
        let packet = CapturedPacket {
            time: TIME,
            direction,
            frame: &bytes_of(frame),
            comment,
        };
        writer.write(&packet).unwrap();
    }
    std::fs::write(&path, writer.into_inner()).unwrap();
    let fields = [
        "frame.time_epoch",
        "frame.interface_name",
        "frame.packet_flags_direction",
        "frame.comment",
        "frame.protocols",
    ];
    let (lines, is_whole) = tshark(&path, &fields);
    assert!(is_whole);
    let begin = "1795000000.123456789,lo";
    let expected = [
        format!("{begin},0x00000002,,eth:ethertype:gnw:ieee1609dot2:btpb:its"),
        format!(
            "{begin},0x00000001,refused: späte Nachricht,\
             eth:ethertype:wsmp:ieee1609dot2"
        ),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn packets_of_any_kind_are_read_as_they_were_written() {
    each_seed(100, |seed| {
        let mut random = Random::new(seed);
        let mut writer = CaptureWriter::new(Vec::new(), "eth0").unwrap();
        let packets: Vec<_> = (0..10)
            .map(|_| {
                let length = random.index(100);
                let comment: String = (0..random.index(9)).map(|_| 'ä').collect();
                (random.u64(), frame(&mut random, length), comment)
            })
            .collect();
        for (nanoseconds, frame, comment) in &packets {
            let packet = CapturedPacket {
                time: Duration::from_nanos(*nanoseconds),
                direction: CaptureDirection::Inbound,
                frame,
                comment,
            };
            writer.write(&packet).unwrap();
        }
        let bytes = writer.into_inner();
        let (found, left) = read(&bytes);
        assert_eq!((found.len(), left), (packets.len(), 0));
        for (read, (nanoseconds, frame, comment)) in found.iter().zip(&packets) {
            assert_eq!(read.nanoseconds, *nanoseconds);
            assert_eq!(read.flags, 1);
            assert_eq!((&read.frame, read.length), (frame, frame.len()));
            assert_eq!(&read.comment, comment);
        }
    });
}

#[test]
fn what_is_too_long_is_cut() {
    let frame = vec![0x17; FRAME_KEPT_BYTES_MAX + 1];
    // The bound is within a character.
    let comment = format!("a{}", "ä".repeat(COMMENT_BYTES_MAX));
    let mut writer = CaptureWriter::new(Vec::new(), &comment).unwrap();
    let packet = CapturedPacket {
        time: Duration::MAX,
        direction: CaptureDirection::Inbound,
        frame: &frame,
        comment: &comment,
    };
    writer.write(&packet).unwrap();
    let (found, left) = read(&writer.into_inner());
    assert_eq!(left, 0);
    assert_eq!(found[0].nanoseconds, u64::MAX);
    assert_eq!(found[0].frame.len(), FRAME_KEPT_BYTES_MAX);
    assert_eq!(found[0].length, FRAME_KEPT_BYTES_MAX + 1);
    assert_eq!(found[0].comment.len(), COMMENT_BYTES_MAX - 1);
}
