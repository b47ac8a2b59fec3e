//! pcapng captures of SocketCAN frames, written, as Wireshark opens them.
//!
//! One section; one interface per channel with its name and nanosecond stamps. Read first: the
//! pcapng draft (draft-ietf-opsawg-pcapng) and LINKTYPE_CAN_SOCKETCAN (227) of the tcpdump group.

use std::io::{self, Write};

use waywarden_can::{Format, Frame, Id};

use crate::record::{Channels, Direction, ErrorFrame, LogEntry, Record};

const LINKTYPE_CAN_SOCKETCAN: u16 = 227;

/// The sizes of Linux' `struct can_frame` and `struct canfd_frame`: header and data field.
const CLASSIC_MTU: usize = 16;
const FD_MTU: usize = 72;

mod id_flag {
    pub(super) const EXTENDED: u32 = 1 << 31;
    pub(super) const REMOTE: u32 = 1 << 30;
    pub(super) const ERROR: u32 = 1 << 29;
}

mod fd_flag {
    pub(super) const BIT_RATE_SWITCH: u8 = 1;
    pub(super) const ERROR_STATE_INDICATOR: u8 = 2;
    pub(super) const FD: u8 = 4;
}

mod block {
    pub(super) const SECTION_HEADER: u32 = 0x0A0D_0D0A;
    pub(super) const INTERFACE_DESCRIPTION: u32 = 1;
    pub(super) const ENHANCED_PACKET: u32 = 6;
}

mod option {
    pub(super) const SECTION_USER_APPLICATION: u16 = 4;
    pub(super) const INTERFACE_NAME: u16 = 2;
    pub(super) const INTERFACE_TIME_RESOLUTION: u16 = 9;
    pub(super) const PACKET_FLAGS: u16 = 2;
}

/// Writes a pcapng capture. A record's time is written as it is: since the Unix epoch, if that is
/// the log's zero.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    block: Vec<u8>,
    begun: bool,
    /// Interface of each channel, by channel index. Bounded by the channels there can be.
    interfaces: Vec<Option<u32>>,
    described: u32,
}

impl<W: Write> Writer<W> {
    /// Makes a writer; nothing is written yet.
    pub fn new(output: W) -> Self {
        Writer {
            output,
            block: Vec::with_capacity(128),
            begun: false,
            interfaces: Vec::new(),
            described: 0,
        }
    }

    /// Writes a record, its channel named by the table it belongs to.
    ///
    /// # Errors
    /// The error of the output's writer.
    pub fn write(&mut self, record: &Record, channels: &Channels) -> io::Result<()> {
        self.begin()?;
        let index = record.channel.index();
        let interface = match self.interfaces.get(index) {
            Some(Some(interface)) => *interface,
            _ => self.describe(index, channels.name(record.channel))?,
        };
        let mut packet = [0; FD_MTU];
        let (length, direction) = match &record.entry {
            LogEntry::Frame { frame, direction } => (frame_packet(frame, &mut packet), *direction),
            LogEntry::ErrorFrame(error) => (error_packet(error, &mut packet), Some(Direction::Rx)),
        };
        self.block.clear();
        self.u32(interface);
        self.u32((record.at_ns >> 32) as u32);
        self.u32(record.at_ns as u32);
        self.u32(length as u32);
        self.u32(length as u32);
        // Both lengths are multiples of four: no padding.
        self.block.extend_from_slice(&packet[..length]);
        if let Some(direction) = direction {
            // Bits 0 and 1 of the flags word: 1 inbound, 2 outbound.
            let flags: u32 = match direction {
                Direction::Rx => 1,
                Direction::Tx => 2,
            };
            self.option(option::PACKET_FLAGS, &flags.to_le_bytes());
            self.end_of_options();
        }
        self.emit(block::ENHANCED_PACKET)
    }

    /// Hands on what was written so far, the section header first, to a reader that follows.
    ///
    /// # Errors
    /// The error of the output's writer.
    pub fn flush(&mut self) -> io::Result<()> {
        self.begin()?;
        self.output.flush()
    }

    /// Writes the section header if no record was written, flushes and returns the output.
    ///
    /// # Errors
    /// The error of the output's writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.begin()?;
        self.output.flush()?;
        Ok(self.output)
    }

    fn begin(&mut self) -> io::Result<()> {
        if self.begun {
            return Ok(());
        }
        self.begun = true;
        self.block.clear();
        self.u32(0x1A2B_3C4D); // the byte order mark: little-endian
        self.u32(1); // version 1.0
        self.block.extend_from_slice(&u64::MAX.to_le_bytes()); // section length not stated
        self.option(option::SECTION_USER_APPLICATION, b"waywarden");
        self.end_of_options();
        self.emit(block::SECTION_HEADER)
    }

    /// Writes the description of a channel's interface and returns its number.
    fn describe(&mut self, index: usize, name: &str) -> io::Result<u32> {
        self.block.clear();
        self.u32(u32::from(LINKTYPE_CAN_SOCKETCAN));
        self.u32(0); // no limit on the captured length
        self.option(option::INTERFACE_NAME, name.as_bytes());
        self.option(option::INTERFACE_TIME_RESOLUTION, &[9]); // 10^-9 s
        self.end_of_options();
        self.emit(block::INTERFACE_DESCRIPTION)?;
        let interface = self.described;
        self.described += 1;
        if self.interfaces.len() <= index {
            self.interfaces.resize(index + 1, None);
        }
        self.interfaces[index] = Some(interface);
        Ok(interface)
    }

    fn u32(&mut self, value: u32) {
        self.block.extend_from_slice(&value.to_le_bytes());
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.block.extend_from_slice(&code.to_le_bytes());
        // Values are numbers and channel names of at most 64 bytes.
        self.block
            .extend_from_slice(&(value.len() as u16).to_le_bytes());
        self.block.extend_from_slice(value);
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    fn end_of_options(&mut self) {
        self.u32(0);
    }

    /// Writes the body gathered as a block: type, length, body, length.
    fn emit(&mut self, kind: u32) -> io::Result<()> {
        let length = (self.block.len() as u32 + 12).to_le_bytes();
        self.output.write_all(&kind.to_le_bytes())?;
        self.output.write_all(&length)?;
        self.output.write_all(&self.block)?;
        self.output.write_all(&length)
    }
}

/// Lays out a frame: identifier with flags (big-endian), length, FD flags, reserved, raw length
/// code of classic frames, data. Returns the packet's length.
fn frame_packet(frame: &Frame, packet: &mut [u8; FD_MTU]) -> usize {
    let mut id = match frame.id() {
        Id::Standard(id) => u32::from(id.raw()),
        Id::Extended(id) => id.raw() | id_flag::EXTENDED,
    };
    let mut length = CLASSIC_MTU;
    packet[4] = frame.data_len() as u8;
    match frame.format() {
        Format::Classic => packet[7] = raw_length_code(frame),
        Format::Remote => {
            id |= id_flag::REMOTE;
            packet[4] = frame.dlc().min(8);
            packet[7] = raw_length_code(frame);
        }
        Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } => {
            length = FD_MTU;
            let set = |on, bit| if on { bit } else { 0 };
            packet[5] = fd_flag::FD
                | set(bit_rate_switch, fd_flag::BIT_RATE_SWITCH)
                | set(error_state_indicator, fd_flag::ERROR_STATE_INDICATOR);
        }
    }
    packet[..4].copy_from_slice(&id.to_be_bytes());
    packet[8..8 + frame.data_len()].copy_from_slice(frame.data());
    length
}

fn error_packet(error: &ErrorFrame, packet: &mut [u8; FD_MTU]) -> usize {
    packet[..4].copy_from_slice(&(error.class | id_flag::ERROR).to_be_bytes());
    packet[4] = error.data.len() as u8;
    packet[8..16].copy_from_slice(&error.data);
    CLASSIC_MTU
}

/// Returns the length code if it is above 8, else 0 [linux/can.h, len8_dlc].
fn raw_length_code(frame: &Frame) -> u8 {
    if frame.dlc() > 8 { frame.dlc() } else { 0 }
}
