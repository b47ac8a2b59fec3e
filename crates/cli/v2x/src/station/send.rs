//! Messages of `--send`: JSON in files, encoded, under their applications.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_command_line::terminal::plain;
use waywarden_v2x_messages::MessageDocument;
use waywarden_v2x_station::RepeatedMessage;
use waywarden_v2x_station::content::name_in_header;
use waywarden_v2x_station::repetition::REPEATED_MAX;
use waywarden_v2x_wire::application::application;
use waywarden_v2x_wire::ieee1609dot2::Psid;
use waywarden_v2x_wire::wsmp::PSID_MAX;

use crate::payloads;

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
    let failed = |why: String| Failure::new(format_args!("{file}: {}", plain(&why)));
    let content = payloads::json(&file, &bytes)?;
    let content = MessageDocument::of(&content).map_err(|error| failed(error.to_string()))?;
    let (name, mut message) = encode(&content).map_err(failed)?;
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

fn encode(content: &MessageDocument<'_>) -> Result<(&'static str, RepeatedMessage), String> {
    let (layout, bytes) = content.encode().map_err(|error| error.in_document())?;
    if bytes.len() > MESSAGE_MAX {
        return Err(format!(
            "value: the message has {} bytes, and a packet has room for {MESSAGE_MAX}: send less \
             in it",
            bytes.len()
        ));
    }
    // Messages of SAE J2735 without a name here go by the application of the file.
    let name = match layout.port() {
        None => name_in_header(None, &bytes).unwrap_or(layout.kind()),
        Some(_) => layout.kind(),
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

/// Returns the application of a message: the one of the file, or that of its name.
fn psid(content: &MessageDocument<'_>, name: &str) -> Result<Psid, String> {
    let Some(given) = content.psid else {
        return application(name).map_err(|_| {
            format!("psid: no application is known for {name}: give its number, as \"psid\": 130")
        });
    };
    match (given.as_u64(), given.as_str()) {
        (Some(number), _) => Ok(Psid(number)),
        (None, Some(text)) => {
            application(text).map_err(|error| format!("psid: {text:?} is no application; {error}"))
        }
        (None, None) => Err(
            "psid: an application is expected: its number, or as text a name or a number"
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests;
