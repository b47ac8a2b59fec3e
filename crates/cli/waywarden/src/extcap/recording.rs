//! A recording of the V2X security service as an interface: each message with its verdict.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_command_line::messages;
use waywarden_v2x_input::records::show;
use waywarden_v2x_link::capture::{CaptureDirection, CaptureWriter, CapturedPacket};
use waywarden_v2x_security::time::to_unix;
use waywarden_v2x_service_protocol::json::JsonVerdictEvent;
use waywarden_v2x_service_protocol::verdict::VerdictEvent;
use waywarden_v2x_station::network::MessageEnvelope;
use waywarden_v2x_wire::detect::{Envelope, detect};
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Psid};

use super::Pipe;
use super::pace::{CaptureEnd, LOOK_EVERY, Pace, Speed};
use super::verdict::PacketVerdict;

/// The longest line: a message and a payload of 64 KiB each in hexadecimal digits, and the rest.
const LINE_MAX: u64 = 1 << 20;
/// The address of frames that came from no link.
const NO_LINK: [u8; 6] = [2, 0, 0, 0, 0, 0];
const BROADCAST: [u8; 6] = [0xFF; 6];
const GEONETWORKING: u16 = 0x8947;
const WSMP: u16 = 0x88DC;
/// EtherType for local experiments: of bytes that are no message.
const UNKNOWN: u16 = 0x88B5;
/// First bytes of an MCAP file.
const MCAP: &[u8] = b"\x89MCAP";

/// Options of the interface waywarden-recording.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "waywarden-recording")]
pub(super) struct RecordingOptions {
    /// The recording, in JSON Lines.
    #[arg(long, value_name = "FILE")]
    recording: Option<PathBuf>,
    /// Read what is there without waiting, then go on as the service writes.
    #[arg(long)]
    follow: bool,
}

impl RecordingOptions {
    /// Returns the first option that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        match (&self.recording, self.follow) {
            (Some(_), _) => Some("--recording"),
            (None, true) => Some("--follow"),
            (None, false) => None,
        }
    }
}

/// Writes the messages of a recording, each at its time.
pub(super) fn capture(
    options: &RecordingOptions,
    speed: Speed,
    pipe: Pipe<'_>,
) -> Result<(), Failure> {
    let Some(path) = options.recording.as_deref() else {
        return Err(Failure::new("--recording: give a recording of the service"));
    };
    let mut lines = Lines::open(path)?;
    let end = CaptureEnd::watch();
    let speed = if options.follow { Speed::Max } else { speed };
    let mut writer = match CaptureWriter::new(pipe.open()?, &path.display().to_string()) {
        Ok(writer) => writer,
        Err(error) => return pipe.fault(&error),
    };
    let pace = Pace::begin(speed);
    let mut first = None;
    while !end.has_come() {
        let Some(event) = lines.next()? else {
            if options.follow {
                std::thread::sleep(LOOK_EVERY);
                continue;
            }
            lines.tell_of_rest();
            return Ok(());
        };
        let begun = *first.get_or_insert(event.received.0);
        // Clocks may be set back: such a message comes at once.
        let since = Duration::from_micros(event.received.0.saturating_sub(begun));
        pace.wait(since, &end);
        let comment = comment(&event);
        let unix = to_unix(event.received).and_then(|unix| u64::try_from(unix).ok());
        let packet = CapturedPacket {
            time: Duration::from_micros(unix.unwrap_or(0)),
            direction: CaptureDirection::Inbound,
            frame: &frame(&event.message),
            comment: &comment,
        };
        if let Err(error) = writer.write(&packet) {
            return pipe.fault(&error);
        }
    }
    Ok(())
}

fn comment(event: &VerdictEvent) -> String {
    let verification = &event.verification;
    let signer = verification.signer.map(|id| show(&id.0));
    let reason = match verification.payload_fault() {
        Some(fault) if verification.reason.is_empty() => fault,
        _ => &verification.reason,
    };
    PacketVerdict {
        is_accepted: verification.is_accepted(),
        result: verification.result.name(),
        signer: signer.as_deref(),
        psid: verification.psid.map(|psid| psid.0),
        reason: Some(reason),
    }
    .comment()
}

/// The frame of Ethernet around a message: a packet as it came, a bare message in a WAVE short
/// message of our own.
fn frame(message: &[u8]) -> Vec<u8> {
    let Ok(found) = detect(message) else {
        return ethernet(UNKNOWN, message);
    };
    // Before the packet may stand the family of C-V2X, one byte.
    let packet = match found.family {
        Some(_) => message.get(1..).unwrap_or_default(),
        None => message,
    };
    match found.envelope {
        Envelope::GeoNetworking(_) => ethernet(GEONETWORKING, packet),
        Envelope::Wsm(_) => ethernet(WSMP, packet),
        Envelope::Bare => {
            let psid = match &found.data.content {
                Ieee1609Dot2Content::Signed(signed) => signed.tbs_data.header_info.psid,
                _ => Psid(0),
            };
            let envelope = MessageEnvelope::wsmp_from(NO_LINK, psid);
            let framed = envelope.frame(found.spdu);
            // Too long for a WAVE short message.
            framed.unwrap_or_else(|_| ethernet(UNKNOWN, message))
        }
    }
}

fn ethernet(number: u16, packet: &[u8]) -> Vec<u8> {
    [&BROADCAST[..], &NO_LINK, &number.to_be_bytes(), packet].concat()
}

/// The lines of a recording, as far as they are whole.
struct Lines<'a> {
    path: &'a Path,
    input: BufReader<File>,
    /// The beginning of a line whose end is not written yet.
    line: Vec<u8>,
    number: u64,
}

impl<'a> Lines<'a> {
    fn open(path: &'a Path) -> Result<Self, Failure> {
        let mut input = BufReader::new(files::open(path)?);
        let head = input.fill_buf();
        let head = head.map_err(|error| Failure::file(path.display(), &error))?;
        if head.starts_with(MCAP) {
            return Err(Failure::new(format_args!(
                "{}: a recording in MCAP; have the service record in the format json-lines",
                path.display()
            )));
        }
        Ok(Self {
            path,
            input,
            line: Vec::new(),
            number: 0,
        })
    }

    /// Returns the next verdict; none where no whole line is there.
    fn next(&mut self) -> Result<Option<VerdictEvent>, Failure> {
        let room = LINE_MAX.saturating_sub(self.line.len() as u64);
        let mut part = (&mut self.input).take(room);
        let read = part.read_until(b'\n', &mut self.line);
        read.map_err(|error| Failure::file(self.path.display(), &error))?;
        let wrong = |number: u64, why: &dyn std::fmt::Display| {
            Failure::new(format_args!(
                "{}:{number}: no verdict of the service ({why}); give a recording in the format \
                 json-lines",
                self.path.display()
            ))
        };
        if self.line.last() != Some(&b'\n') {
            if self.line.len() as u64 >= LINE_MAX {
                return Err(wrong(self.number + 1, &"a line above 1 MiB"));
            }
            return Ok(None);
        }
        self.number += 1;
        let event = serde_json::from_slice::<JsonVerdictEvent>(&self.line);
        let event = event.map_err(|error| wrong(self.number, &error))?;
        let event = VerdictEvent::try_from(event);
        let event = event.map_err(|refused| wrong(self.number, &refused.reason))?;
        self.line.clear();
        Ok(Some(event))
    }

    /// A service that is killed leaves a part of a line.
    fn tell_of_rest(&self) {
        if !self.line.is_empty() {
            messages::warning(format_args!(
                "{}:{}: the line has no end and is skipped: the service was killed, or is writing",
                self.path.display(),
                self.number + 1
            ));
        }
    }
}
