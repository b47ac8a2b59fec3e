//! Packet captures of SocketCAN frames, pcap and pcapng, read; `pcapng` writes them.
//!
//! Link types: 227 (SocketCAN), 113 and 276 (Linux cooked, with CAN beside other protocols). Frames
//! of other links and protocols are skipped and counted. Read first: the pcap and pcapng drafts
//! (draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng) and the link types of the tcpdump group.

use std::io::Read;

use crate::error::{CaptureCause, LogCause, LogError, LogLocation};
use crate::record::{ChannelError, Channels, Record};

mod bytes;
mod interface;
mod packet;
mod pcap;
mod pcapng;

use self::bytes::{Endian, Source};
use self::interface::{Interface, Names};
use self::packet::Link;

/// The longest part of a packet that is kept: cooked header, CAN FD frame.
const PACKET_MAX: usize = 128;

/// Reads a capture packet by packet.
///
/// A broken frame is an error of its own and the caller may go on. A broken block or packet header
/// ends the capture: nothing marks where the next one begins.
#[derive(Debug)]
pub(crate) struct Reader<R> {
    source: Source<R>,
    endian: Endian,
    form: Form,
    interfaces: Vec<Interface>,
    names: Names,
    /// Time of the packet before, for those that have none.
    at_ns: u64,
    untimed: u64,
    skipped: u64,
    padded: u64,
    /// Place of the packet that is read, in bytes.
    place: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Nothing has been read.
    Start,
    Pcap,
    Pcapng,
    Ended,
}

/// A packet as far as it is kept.
struct Packet {
    interface: usize,
    /// Time since the capture's zero; none of packets without.
    at_ns: Option<Result<u64, CaptureCause>>,
    bytes: Vec<u8>,
    /// Flags of pcapng: bits 0 and 1 are 1 for received, 2 for sent packets.
    flags: u32,
}

impl<R: Read> Reader<R> {
    pub(crate) fn new(input: R) -> Self {
        Reader {
            source: Source::new(input),
            endian: Endian::Little,
            form: Form::Start,
            interfaces: Vec::new(),
            names: Names::default(),
            at_ns: 0,
            untimed: 0,
            skipped: 0,
            padded: 0,
            place: 0,
        }
    }

    pub(crate) fn channels(&self) -> &Channels {
        &self.names.channels
    }

    pub(crate) const fn untimed(&self) -> u64 {
        self.untimed
    }

    pub(crate) const fn skipped(&self) -> u64 {
        self.skipped
    }

    pub(crate) const fn padded(&self) -> u64 {
        self.padded
    }

    fn step(&mut self) -> Result<Option<Record>, LogError> {
        loop {
            let form = std::mem::replace(&mut self.form, Form::Ended);
            self.place = self.source.offset;
            let packet = match form {
                Form::Ended => return Ok(None),
                Form::Start => {
                    self.form = self.begin()?;
                    continue;
                }
                Form::Pcap => self.pcap_packet()?,
                Form::Pcapng => self.pcapng_packet()?,
            };
            let Some(packet) = packet else {
                return Ok(None);
            };
            // The next packet can be found, whatever is in this one.
            self.form = form;
            if let Some(record) = self.record(&packet)? {
                return Ok(Some(record));
            }
            self.skipped += 1;
        }
    }

    fn record(&mut self, packet: &Packet) -> Result<Option<Record>, LogError> {
        let place = self.place;
        let at = |cause| at(place, cause);
        let Some(interface) = self.interfaces.get_mut(packet.interface) else {
            let number = packet.interface as u32;
            return Err(at(CaptureCause::Interface(number)));
        };
        let Some(link) = interface.link else {
            return Ok(None);
        };
        let seen = packet::read(link, self.endian, &packet.bytes, &mut self.padded);
        let seen = seen.map_err(at)?;
        let Some(mut seen) = seen else {
            return Ok(None);
        };
        seen.direct(packet.flags);
        let channel = interface.channel(packet.interface, seen.index, &mut self.names);
        let channel = channel.map_err(|cause| match cause {
            ChannelError::TooMany => at(CaptureCause::Channels),
            ChannelError::Name => at(CaptureCause::Names),
        })?;
        match packet.at_ns.clone().transpose().map_err(at)? {
            Some(at_ns) => self.at_ns = at_ns,
            None => self.untimed += 1,
        }
        Ok(Some(Record {
            at_ns: self.at_ns,
            channel,
            entry: seen.entry,
        }))
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Record, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

/// Returns true for the first bytes of a capture, of frames or not.
pub(crate) fn is_capture(head: &[u8]) -> bool {
    pcap::magic(head).is_some() || head.starts_with(pcapng::MAGIC)
}

/// Returns true if further bytes of a capture cannot tell more: another interface may follow.
pub(crate) fn is_decided(head: &[u8]) -> bool {
    let is_pcapng = pcap::magic(head).is_none();
    has_frames(head).is_some_and(|has_frames| has_frames || !is_pcapng)
}

/// Returns true for the first bytes of a capture that may have frames; none if more bytes are
/// needed to tell.
fn has_frames(head: &[u8]) -> Option<bool> {
    let is_can = |link: u32| Link::new(link).is_some();
    if pcap::magic(head).is_some() {
        return pcap::link(head).map(is_can);
    }
    pcapng::links(head).map(|links| links.into_iter().any(is_can))
}

/// Returns true for the first bytes of a capture with frames, or without any interface, as one
/// without packets may be.
pub(crate) fn is_log(head: &[u8]) -> bool {
    has_frames(head).unwrap_or(head.starts_with(pcapng::MAGIC) && head.len() >= 12)
}

fn at(place: u64, cause: CaptureCause) -> LogError {
    LogError {
        place: LogLocation::Offset(place),
        cause: LogCause::Capture(cause),
    }
}

#[cfg(test)]
mod tests;
