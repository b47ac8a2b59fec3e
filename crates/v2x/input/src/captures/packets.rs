//! The older format: a header, then packets, each with its length in front \[PCAP §4, §5\].

use std::io::BufRead;

use super::{Capture, CapturedFrame, Next, Order, PACKET_MAX, Packet, Stop, read};

const HEADER: u32 = 24;
const PACKET_HEADER: u32 = 16;
/// The only version that there is; its second number says nothing of the headers.
const VERSION: u16 = 2;
/// Capturing programs keep no more of a packet than this, whatever a file's header says.
const KEPT_MAX: u32 = 262_144;

/// A capture in the older format.
pub(super) struct Packets<R> {
    input: R,
    order: Order,
    /// Unit of time stamps, as a number of fractions of a second.
    per_second: u32,
    link: u32,
    kept_max: u32,
}

impl<R: BufRead> Packets<R> {
    /// Reads the header.
    pub(super) fn new(mut input: R) -> Result<Self, Stop> {
        let header = read(&mut input, HEADER)?.ok_or(Stop::Cut)?;
        let word = |order: Order, at| order.word(&header, at).ok_or(Stop::Cut);
        const MICROSECONDS: u32 = 0xA1B2_C3D4;
        const NANOSECONDS: u32 = 0xA1B2_3C4D;
        let (order, per_second) = match (word(Order::Little, 0)?, word(Order::Big, 0)?) {
            (MICROSECONDS, _) => (Order::Little, 1_000_000),
            (NANOSECONDS, _) => (Order::Little, 1_000_000_000),
            (_, MICROSECONDS) => (Order::Big, 1_000_000),
            (_, NANOSECONDS) => (Order::Big, 1_000_000_000),
            _ => return Err(Stop::Lost("no header of a capture".to_owned())),
        };
        let half = |at: usize| {
            let digits = header.get(at..).and_then(|rest| rest.first_chunk());
            digits.map(|digits| order.u16(*digits)).ok_or(Stop::Cut)
        };
        let version = [half(4)?, half(6)?];
        if version[0] != VERSION {
            return Err(Stop::Version(version));
        }
        Ok(Self {
            order,
            per_second,
            // Above it stand how long a frame check sequence is, and whether that is known.
            link: word(order, 20)? & 0xFFFF,
            kept_max: word(order, 16)?.clamp(KEPT_MAX, PACKET_MAX),
            input,
        })
    }
}

impl<R: BufRead> Capture for Packets<R> {
    fn next(&mut self) -> Result<Next, Stop> {
        let Some(header) = read(&mut self.input, PACKET_HEADER)? else {
            return Ok(Next::End);
        };
        let word = |at| self.order.word(&header, at).ok_or(Stop::Cut);
        let (seconds, fraction, kept, length) = (word(0)?, word(4)?, word(8)?, word(12)?);
        if kept > self.kept_max {
            return Err(Stop::Lost(format!("a packet of {kept} bytes")));
        }
        let bytes = read(&mut self.input, kept)?.ok_or(Stop::Cut)?;
        if fraction >= self.per_second {
            let per_second = self.per_second;
            return Ok(Next::Broken(format!(
                "captured {fraction} of {per_second} parts of a second after a second"
            )));
        }
        if kept > length {
            return Ok(Next::Broken(format!(
                "{kept} bytes captured of a packet of {length}"
            )));
        }
        let micros = i64::from(fraction / (self.per_second / 1_000_000));
        Ok(Next::Frame(Packet {
            frame: CapturedFrame {
                link: self.link,
                length,
            },
            captured: Some(i64::from(seconds) * 1_000_000 + micros),
            bytes,
        }))
    }
}
