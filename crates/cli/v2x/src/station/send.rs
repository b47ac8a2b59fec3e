//! Messages of `--send`: JSON in files, encoded, under their applications.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_command_line::terminal::plain;
use waywarden_v2x_messages::{Message, MessageError, ValueError};
use waywarden_v2x_station::RepeatedMessage;
use waywarden_v2x_station::content::name_in_header;
use waywarden_v2x_station::repetition::REPEATED_MAX;
use waywarden_v2x_wire::application::application;
use waywarden_v2x_wire::ieee1609dot2::Psid;
use waywarden_v2x_wire::wsmp::PSID_MAX;

/// Period of a message whose option names none, in milliseconds.
const PERIOD_MS: u64 = 1_000;
/// Periods that a message may have, in milliseconds.
const PERIODS_MS: RangeInclusive<u64> = 10..=3_600_000;
/// The longest file, in bytes.
const FILE_MAX: usize = 1 << 20;
/// The longest message, in bytes: `itsGnMaxSduSize` \[EN 302 636-4-1 Annex H\] less the header of
/// BTP.
const MESSAGE_MAX: usize = 1_398 - 4;

/// A file with a message, and its period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SendOption {
    path: PathBuf,
    period_ms: u64,
}

/// A message to send, and the name of its file.
pub(super) struct MessageOfFile {
    pub(super) file: String,
    /// Name of the message, as `SPATEM`.
    pub(super) name: &'static str,
    pub(super) message: RepeatedMessage,
}

/// Content of a file, as `inspect --format json` shows a message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileContent {
    kind: String,
    release: Option<u8>,
    standard: Option<String>,
    psid: Option<Application>,
    value: Value,
    /// The parts with their places, and what `inspect` remarks on: `value` has all of it.
    #[serde(default, rename = "parts")]
    _parts: IgnoredAny,
    #[serde(default, rename = "remark")]
    _remark: IgnoredAny,
}

/// An application by its number or as text.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "psid: an application is expected: its number, or as text a name or a number"
)]
enum Application {
    Number(u64),
    Text(String),
}

/// Reads `--send`: `FILE` or `FILE@MILLISECONDS`.
pub(super) fn option(text: &str) -> Result<SendOption, String> {
    let are_digits = |period: &str| period.bytes().all(|byte| byte.is_ascii_digit());
    let (path, period) = match text.rsplit_once('@') {
        Some((path, period)) if are_digits(period) => (path, Some(period)),
        _ => (text, None),
    };
    let period_ms = match period {
        None => PERIOD_MS,
        Some(digits) => {
            let number = digits.parse().ok();
            let number = number.filter(|number| PERIODS_MS.contains(number));
            number.ok_or_else(|| {
                let (least, most) = (PERIODS_MS.start(), PERIODS_MS.end());
                format!("the period after @ is from {least} to {most} milliseconds")
            })?
        }
    };
    match path.is_empty() {
        true => Err("give FILE.json or FILE.json@MILLISECONDS".to_owned()),
        false => Ok(SendOption {
            path: path.into(),
            period_ms,
        }),
    }
}

/// Reads the files and encodes their messages.
pub(super) fn load(options: &[SendOption]) -> Result<Vec<MessageOfFile>, Failure> {
    if options.len() > REPEATED_MAX {
        return Err(Failure::new(format_args!(
            "--send: a station sends at most {REPEATED_MAX} files"
        )));
    }
    options.iter().map(read).collect()
}

fn read(option: &SendOption) -> Result<MessageOfFile, Failure> {
    let bytes = files::bytes(&option.path, FILE_MAX)?;
    let file = name_of(&option.path);
    let content: FileContent = serde_json::from_slice(&bytes)
        .map_err(|error| Failure::new(format_args!("{file}:{}: {error}", error.line())))?;
    let encoded = encode(&content);
    let (name, mut message) = encoded.map_err(|why| Failure::new(format_args!("{file}: {why}")))?;
    message.period_us = option.period_ms * 1_000;
    Ok(MessageOfFile {
        file,
        name,
        message,
    })
}

fn name_of(path: &Path) -> String {
    plain(&path.display().to_string()).into_owned()
}

fn encode(content: &FileContent) -> Result<(&'static str, RepeatedMessage), String> {
    let layout = layout(content)?;
    let bytes = layout
        .write(&content.value)
        .map_err(|error| place(&error))?;
    if bytes.len() > MESSAGE_MAX {
        return Err(format!(
            "value: the message has {} bytes, and a packet has room for {MESSAGE_MAX}: send less \
             in it",
            bytes.len()
        ));
    }
    let name = match (layout.port(), name_in_header(layout.port(), &bytes)) {
        (None, Some(name)) => name,
        (Some(_), Some(name)) if name == layout.kind() => name,
        // Messages of SAE J2735 without a name here go by the application of the file.
        (None, None) => layout.kind(),
        (port, _) => {
            // The releases write it in two ways.
            let header = content.value.get("header");
            let is_old = header.is_some_and(|header| header.get("messageID").is_some());
            let field = match (port, is_old) {
                (None, _) => "messageId",
                (Some(_), true) => "header.messageID",
                (Some(_), false) => "header.messageId",
            };
            return Err(format!(
                "value.{field}: it is not the number of a {}",
                layout.kind()
            ));
        }
    };
    let psid = psid(content, name)?;
    if layout.port().is_none() && psid.0 > PSID_MAX {
        return Err(format!(
            "psid: {} has no place in a WAVE short message: it is at most {PSID_MAX}",
            psid.0
        ));
    }
    let message = RepeatedMessage {
        psid,
        port: layout.port(),
        message: bytes,
        period_us: 0,
    };
    Ok((name, message))
}

/// Finds the layout of a kind in its release, by the version of the protocol in the header.
fn layout(content: &FileContent) -> Result<Message, String> {
    let newest = Message::find(&content.kind, content.release);
    let newest = newest.map_err(|error| match error {
        MessageError::UnknownKind(_) => format!("kind: {error}"),
        _ => format!("release: {error}"),
    })?;
    let protocol = content.value.pointer("/header/protocolVersion");
    let protocol = protocol.and_then(Value::as_u64);
    let is_meant = |one: &Message| {
        one.release() == newest.release() && one.protocol().map(u64::from) == protocol
    };
    let found = Message::of_kind(newest.kind())
        .find(is_meant)
        .unwrap_or(newest);
    match &content.standard {
        Some(standard) if standard != found.standard() => Err(format!(
            "standard: the layout of {} is of {}; give this or leave it out",
            found.kind(),
            found.standard()
        )),
        _ => Ok(found),
    }
}

/// Returns the application of a message: the one of the file, or that of its name.
fn psid(content: &FileContent, name: &str) -> Result<Psid, String> {
    match &content.psid {
        Some(Application::Number(number)) => Ok(Psid(*number)),
        Some(Application::Text(text)) => {
            application(text).map_err(|error| format!("psid: {text:?} is no application; {error}"))
        }
        None => application(name).map_err(|_| {
            format!("psid: no application is known for {name}: give its number, as \"psid\": 130")
        }),
    }
}

fn place(error: &ValueError) -> String {
    let path = error.path();
    match path.as_str() {
        "" => format!("value: {error}"),
        list if list.starts_with('[') => format!("value{error}"),
        _ => format!("value.{error}"),
    }
}

#[cfg(test)]
mod tests;
