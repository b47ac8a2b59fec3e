//! Payloads to sign, encrypt, decrypt or send: one input of any bytes, a line of hexadecimal digits
//! for each, or JSON.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files::{self, OutputFile};
use waywarden_command_line::places::Readers;
use waywarden_command_line::terminal::plain;
use waywarden_v2x_input::records;
use waywarden_v2x_messages::parse_json;

/// The longest payload, in bytes, and the longest line.
const PAYLOAD_MAX: usize = 1 << 20;

const ONE_IN_RAW: &str = "--format raw: takes one message, for nothing would separate two; use hex";

/// The form of messages in the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PayloadFormat {
    /// A line of hexadecimal digits for each.
    #[default]
    Hex,
    /// The bytes alone: one message.
    Raw,
}

/// Destination and form of messages.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct MessageOutput {
    /// The form of the output.
    #[arg(long, value_enum, default_value_t)]
    format: PayloadFormat,
    /// The file to write [default: standard output]. It appears when it is complete, and replaces
    /// one that is there; a symbolic link is refused.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl MessageOutput {
    /// Opens the output.
    pub(crate) fn open(&self) -> Result<MessageWriter, Failure> {
        self.open_for(Readers::Usual)
    }

    /// The same, for what is secret: a file that only its owner can read.
    pub(crate) fn open_private(&self) -> Result<MessageWriter, Failure> {
        self.open_for(Readers::Owner)
    }

    fn open_for(&self, readers: Readers) -> Result<MessageWriter, Failure> {
        let path = self.output.as_deref().unwrap_or(Path::new("-"));
        Ok(MessageWriter {
            format: self.format,
            output: OutputFile::create_unlinked(path, readers)?,
            count: 0,
        })
    }
}

/// Writes messages.
pub(crate) struct MessageWriter {
    format: PayloadFormat,
    output: OutputFile,
    count: usize,
}

impl MessageWriter {
    /// Adds a message.
    pub(crate) fn write(&mut self, message: &[u8]) -> Result<(), Failure> {
        self.count += 1;
        let written = match self.format {
            PayloadFormat::Hex => writeln!(self.output, "{}", records::show(message)),
            PayloadFormat::Raw if self.count > 1 => {
                return Err(Failure::new(ONE_IN_RAW));
            }
            PayloadFormat::Raw => self.output.write_all(message),
        };
        written.map_err(Failure::writing)
    }

    /// Adds messages that are all there: none is written if the form has room for one only.
    pub(crate) fn write_all(&mut self, messages: &[Vec<u8>]) -> Result<(), Failure> {
        if self.format == PayloadFormat::Raw && messages.len() > 1 {
            return Err(Failure::new(ONE_IN_RAW));
        }
        messages.iter().try_for_each(|message| self.write(message))
    }

    /// Puts the file in its place.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.output.finish()
    }
}

/// Reads the whole of the input, at most `most` bytes; returns its name, too.
pub(crate) fn whole(path: &Path, most: usize) -> Result<(String, Vec<u8>), Failure> {
    if path != Path::new("-") {
        return Ok((path.display().to_string(), files::bytes(path, most)?));
    }
    let (name, mut bytes) = (name_of(path), Vec::new());
    let read = io::stdin().take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::file(&name, &error))?;
    match bytes.len() > most {
        true => Err(Failure::new(format_args!(
            "{name}: longer than {most} bytes"
        ))),
        false => Ok((name, bytes)),
    }
}

/// Reads JSON from the bytes of an input of this name.
pub(crate) fn json(name: &str, bytes: &[u8]) -> Result<Value, Failure> {
    parse_json(bytes).map_err(|error| {
        let (line, why) = (error.line(), plain(error.reason()));
        Failure::new(format_args!("{}:{line}: {why}", plain(name)))
    })
}

fn name_of(path: &Path) -> String {
    match path == Path::new("-") {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

/// Hands each payload to `take`, with its place: the whole of the input, or each line.
pub(crate) fn each(
    path: &Path,
    lines: bool,
    mut take: impl FnMut(&str, &[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if !lines {
        let (name, bytes) = whole(path, PAYLOAD_MAX)?;
        return take(&name, &bytes);
    }
    let name = name_of(path);
    let input: Box<dyn Read> = match path == Path::new("-") {
        true => Box::new(io::stdin()),
        false => Box::new(files::open(path)?),
    };
    let failed = |error: io::Error| Failure::file(&name, &error);
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    for number in 1_usize.. {
        line.clear();
        let most = 2 * PAYLOAD_MAX as u64 + 2;
        let read = (&mut input).take(most).read_until(b'\n', &mut line);
        if read.map_err(failed)? == 0 {
            break;
        }
        let text = std::str::from_utf8(&line).unwrap_or("?").trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let place = format!("{name}:{number}");
        let bytes = records::hex(text).filter(|bytes| bytes.len() <= PAYLOAD_MAX);
        let bytes = bytes.ok_or_else(|| {
            Failure::new(format_args!(
                "{place}: give one payload a line, as hexadecimal digits, two for each byte, and \
                 at most {PAYLOAD_MAX} bytes"
            ))
        })?;
        take(&place, &bytes)?;
    }
    Ok(())
}
