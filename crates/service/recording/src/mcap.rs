//! MCAP with messages of ROS 2: profile `ros2`, schema `ros2msg`, encoding `cdr`.
//!
//! What is buffered is one chunk. It goes to the file when it is whole, so that a file that ends
//! early has whole chunks and at most one that is torn.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use ::mcap::records::MessageHeader;
use ::mcap::write::NoSeek;
use ::mcap::{McapError, WriteOptions};
use waywarden_v2x_security::time::to_unix;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::cdr::Cdr;
use super::encoder::Encoder;
use waywarden_v2x_service_protocol::verdict::VerdictEvent;

/// The topic of verdicts.
const TOPIC: &str = "/v2x/verified";
/// The type of messages.
const MESSAGE_TYPE: &str = "waywarden_msgs/msg/VerifiedMessage";
/// Its definition, and those that it needs, as readers of `ros2msg` expect them.
const DEFINITION: &str = concat!(
    include_str!("../../../../examples/ros2/waywarden_msgs/msg/VerifiedMessage.msg"),
    "================================================================================\n",
    "MSG: builtin_interfaces/Time\n",
    "int32 sec\n",
    "uint32 nanosec\n",
);
/// Name of the writing library, for the header of a file.
const LIBRARY: &str = concat!("waywarden ", env!("CARGO_PKG_VERSION"));

/// Returns true if a file's first bytes are those of a recording.
pub(super) fn is_beginning(bytes: &[u8]) -> bool {
    // The record's opcode and its length come between.
    const HEADER: usize = 1 + 8;
    let Some(header) = bytes.strip_prefix(::mcap::MAGIC) else {
        return false;
    };
    let names = header.get(HEADER..).unwrap_or_default();
    let after_profile = names.strip_prefix(b"\x04\0\0\0ros2");
    let library = after_profile.and_then(|rest| rest.get(4..));
    library.is_some_and(|library| library.starts_with(b"waywarden "))
}

/// Writes MCAP.
pub struct Mcap<W: Write> {
    writer: ::mcap::Writer<NoSeek<BufWriter<W>>>,
    channel: u16,
    cdr: Cdr,
    buffered: usize,
}

impl<W: Write + Send> Mcap<W> {
    /// Begins a file.
    ///
    /// # Errors
    ///
    /// What the file says.
    pub fn new(out: W) -> io::Result<Self> {
        let options = WriteOptions::new()
            .profile("ros2")
            .library(LIBRARY)
            .compression(None)
            // Whole chunks alone are written, and `flush` says when.
            .disable_seeking(true)
            .chunk_size(None);
        let mut writer = options
            .create(NoSeek::new(BufWriter::new(out)))
            .map_err(io_error)?;
        let schema = writer
            .add_schema(MESSAGE_TYPE, "ros2msg", DEFINITION.as_bytes())
            .map_err(io_error)?;
        let channel = writer
            .add_channel(schema, TOPIC, "cdr", &BTreeMap::new())
            .map_err(io_error)?;
        Ok(Self {
            writer,
            channel,
            cdr: Cdr::default(),
            buffered: 0,
        })
    }
}

impl<W: Write + Send> Encoder for Mcap<W> {
    fn push(&mut self, event: &VerdictEvent) -> io::Result<usize> {
        encode(self.cdr.begin(), event);
        let time = unix_nanoseconds(event.received);
        let header = MessageHeader {
            channel_id: self.channel,
            // The format has 32 bits; the message has all.
            sequence: event.sequence as u32,
            log_time: time,
            publish_time: time,
        };
        let message = self.cdr.bytes();
        self.writer
            .write_to_known_channel(&header, message)
            .map_err(io_error)?;
        self.buffered += message.len();
        Ok(self.buffered)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.buffered = 0;
        self.writer.flush().map_err(io_error)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.writer.finish().map(drop).map_err(io_error)
    }
}

/// Writes the fields of `VerifiedMessage.msg`, in its order.
fn encode(cdr: &mut Cdr, event: &VerdictEvent) {
    let verification = &*event.verification;
    time(cdr, Some(event.received))
        .u64(event.received.0)
        .u64(event.sequence)
        .u64(u64::try_from(event.latency.as_micros()).unwrap_or(u64::MAX))
        .bool(verification.is_accepted())
        .string(verification.result.name())
        .u8(verification.report as u8)
        .string(verification.payload_fault().unwrap_or(&verification.reason))
        .sequence(verification.certificate.as_ref().map_or(&[], |id| &id.0))
        .string(&verification.field)
        .sequence(verification.signer.as_ref().map_or(&[], |id| &id.0))
        .bool(verification.psid.is_some())
        .u64(verification.psid.map_or(0, |psid| psid.0));
    optional(cdr, verification.permissions.as_deref());
    let made = verification.generation_time;
    time(cdr.bool(made.is_some()), made).u64(made.map_or(0, |time| time.0));
    let place = verification.generation_location;
    cdr.bool(place.is_some())
        .i32(place.map_or(0, |place| place.latitude.0))
        .i32(place.map_or(0, |place| place.longitude.0))
        .u16(place.map_or(0, |place| place.elevation.0))
        .sequence(&event.message);
    optional(cdr, verification.payload.as_deref());
}

/// Writes whether there are bytes, and the bytes.
fn optional(cdr: &mut Cdr, bytes: Option<&[u8]>) {
    cdr.bool(bytes.is_some())
        .sequence(bytes.unwrap_or_default());
}

/// Writes a `builtin_interfaces/Time`: 0 for no time, and the last one that it holds (in 2038) for
/// later ones.
fn time(cdr: &mut Cdr, time: Option<Time64>) -> &mut Cdr {
    const SECOND: u64 = 1_000_000_000;
    let nanoseconds = time.map_or(0, unix_nanoseconds);
    match i32::try_from(nanoseconds / SECOND) {
        Ok(seconds) => cdr.i32(seconds).u32((nanoseconds % SECOND) as u32),
        Err(_) => cdr.i32(i32::MAX).u32(SECOND as u32 - 1),
    }
}

/// A time in nanoseconds since 1970 UTC; 2^63 - 1 (in 2262) for later ones, as readers have it.
fn unix_nanoseconds(time: Time64) -> u64 {
    let microseconds = to_unix(time).unwrap_or(i64::MAX);
    u64::try_from(microseconds.saturating_mul(1_000)).unwrap_or(0)
}

fn io_error(error: McapError) -> io::Error {
    match error {
        McapError::Io(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidData, other),
    }
}
