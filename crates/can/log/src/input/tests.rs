//! Gzip seen through, cut short, corrupted; lines bounded.

use std::io::Write as _;

use super::*;
use crate::error::LogCause;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn numbered_lines(count: u32) -> Vec<u8> {
    (0..count)
        .flat_map(|n| format!("line {:08X}\n", n.wrapping_mul(0x9E37_79B9)).into_bytes())
        .collect()
}

#[test]
fn plain_and_gzip_give_the_same_bytes() {
    let text = numbered_lines(20_000);
    for (bytes, is_gzip) in [(text.clone(), false), (gzip(&text), true)] {
        let input = LogInput::new(bytes.as_slice()).unwrap();
        assert_eq!(input.is_gzip(), is_gzip);
        let (head, mut whole) = input.with_head(|_| false);
        assert_eq!(head, text[..head.len()]);
        let mut all = Vec::new();
        whole.read_to_end(&mut all).unwrap();
        assert!(all == text);
    }
}

#[test]
fn gzip_cut_short_tells_the_byte_at_which_it_ends() {
    let packed = gzip(&numbered_lines(20_000));
    for cut in [11, 100, packed.len() / 2, packed.len() - 1] {
        let mut lines = Lines::new(LogInput::new(&packed[..cut]).unwrap());
        let mut count = 0;
        let error = loop {
            match lines.next() {
                Some(Ok(_)) => count += 1,
                Some(Err(error)) => break error,
                None => panic!("cut at {cut} passes for complete"),
            }
        };
        assert_eq!(error.place, LogLocation::Offset(cut as u64));
        assert_eq!(error.cause, LogCause::Input(InputCause::GzipTruncated));
        assert!(lines.next().is_none(), "reading ends at the fault");
        assert!(cut < 1000 || count > 1000, "what came before is delivered");
    }
}

#[test]
fn corrupt_gzip_is_not_taken_for_a_short_one() {
    let mut packed = gzip(&numbered_lines(20_000));
    let checksum = packed.len() - 8;
    packed[checksum] ^= 1;
    let mut lines = Lines::new(LogInput::new(packed.as_slice()).unwrap());
    let error = loop {
        match lines.next() {
            Some(Ok(_)) => {}
            Some(Err(error)) => break error,
            None => panic!("a wrong check sum passes"),
        }
    };
    assert_eq!(error.cause, LogCause::Input(InputCause::GzipCorrupt));
}

#[test]
fn a_line_too_long_is_one_error_and_the_next_is_read() {
    let mut text = vec![b'x'; 1_000_000];
    text.extend_from_slice(b"\nshort\n\nlast");
    let mut lines = Lines::new(text.as_slice());
    let error = lines.next().unwrap().unwrap_err();
    assert_eq!(error.place, LogLocation::Line(1));
    assert_eq!(
        error.cause,
        LogCause::Line(LineCause::TooLong { max: LINE_MAX })
    );
    assert_eq!(lines.next().unwrap().unwrap(), b"short");
    assert_eq!(lines.next().unwrap().unwrap(), b"");
    assert_eq!(lines.next().unwrap().unwrap(), b"last");
    assert_eq!(lines.number(), 4);
    assert!(lines.next().is_none());
    assert!(lines.line.capacity() < 4 * LINE_MAX);
}

/// A pipe that has a few bytes, then none for now.
struct Halting<'a> {
    text: &'a [u8],
    at_once: usize,
    halts: bool,
}

impl Read for Halting<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.halts = !self.halts;
        if self.halts {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let count = self.at_once.min(self.text.len()).min(bytes.len());
        let (now, left) = self.text.split_at(count);
        bytes[..count].copy_from_slice(now);
        self.text = left;
        Ok(count)
    }
}

/// A line that comes in parts is one line, with its number.
#[test]
fn silence_within_a_line_loses_nothing() {
    let text = numbered_lines(50);
    let whole: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    for at_once in [1, 2, 7, 13, 14, 64] {
        let (text, halts) = (text.as_slice(), false);
        let mut lines = Lines::new(BufReader::new(Halting {
            text,
            at_once,
            halts,
        }));
        let (mut found, mut silences) = (Vec::new(), 0);
        loop {
            match lines.next() {
                Some(Ok(line)) => found.push(line.to_vec()),
                Some(Err(error)) => {
                    assert!(error.is_silence());
                    silences += 1;
                }
                None => break,
            }
            assert!(found.len() as u64 <= lines.number());
        }
        assert_eq!(found, whole[..50], "{at_once} bytes at once");
        assert!(silences >= text.len() / at_once);
        assert_eq!(lines.number(), 51);
    }
}
