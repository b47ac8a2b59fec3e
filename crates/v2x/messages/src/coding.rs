//! Messages whose kind or release is not given: the kind is that of the header, the release the one
//! that can be read or written. Nothing is guessed: releases that differ are told.

use serde_json::{Value, json};
use waywarden_v2x_wire::detect::unsecured;

use crate::catalogue::Message;
use crate::message_error::MessageError;
use crate::readings::{OtherReading, Reading, Readings};
use crate::write::Constraints;

impl Message {
    /// Returns the message of a kind and release, in the newest version of its standard. Without a
    /// release there has to be one only.
    ///
    /// # Errors
    /// [`MessageError`] names what there is.
    pub fn find(kind: &str, release: Option<u8>) -> Result<Self, MessageError> {
        let asked = Self::of_release(kind, release)?;
        match asked.as_slice() {
            [newest, others @ ..] if others.iter().all(|one| one.release() == newest.release()) => {
                Ok(*newest)
            }
            _ => Err(MessageError::SeveralReleases(asked)),
        }
    }

    /// Returns the messages of a kind, whose letters may be of either case, or those of a release,
    /// the newest version of its standard first.
    fn of_release(kind: &str, release: Option<u8>) -> Result<Vec<Self>, MessageError> {
        let all: Vec<Self> = Self::of_kind(kind).collect();
        let mut asked = all.clone();
        asked.retain(|one| release.is_none() || one.release() == release);
        match (all.is_empty(), release) {
            (true, _) => Err(MessageError::UnknownKind(kind.to_owned())),
            (false, Some(release)) if asked.is_empty() => {
                Err(MessageError::UnknownRelease(release, all))
            }
            _ => Ok(asked),
        }
    }
}

/// A message that was read, and what other releases make of its bytes.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The message and its release.
    pub message: Message,
    /// The value as JSON \[X.697\].
    pub value: Value,
    /// The other releases of its kind.
    pub others: Vec<(Message, OtherReading)>,
    /// Kind that the header names, where it is not that of the message.
    pub header: Option<&'static str>,
}

impl Decoded {
    /// Takes one of the readings of bytes whose header names this kind, if it names one.
    #[must_use]
    pub fn of(taken: &Reading, readings: &Readings, named: Option<&'static str>) -> Self {
        Self {
            message: taken.message,
            value: taken.value.clone(),
            others: readings.beside(taken),
            header: named.filter(|named| *named != taken.message.kind()),
        }
    }

    /// Returns the standard by whose layout the message was read, and its version; `None` if the
    /// layout keeps the content as bytes: its edition is not known.
    #[must_use]
    pub fn standard(&self) -> Option<&'static str> {
        match self.message.number_without_content(&self.value) {
            Some(_) => None,
            None => Some(self.message.standard()),
        }
    }

    /// Says what else is to be known of the reading; `None` if nothing is.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        let header = match self.header {
            Some(kind) => Some(format!("the header is that of a {kind}")),
            None => {
                let fault = self.message.other_number(&self.value);
                fault.map(|error| error.to_string())
            }
        };
        let number = self.message.number_without_content(&self.value);
        let raw = number.map(|number| {
            format!("message {number} has no layout: its bytes are kept, its edition is not known")
        });
        // UPER encodes the bounds of other parts: beyond them the bytes could not be read.
        let broken = self.message.write_under(&self.value, Constraints::All);
        let broken = broken.err().map(|error| error.to_string());
        let others = self.others.iter();
        let others = others.map(|(message, reading)| reading.remark(message));
        let remarks = header.into_iter().chain(raw).chain(broken).chain(others);
        let remarks: Vec<String> = remarks.collect();
        (!remarks.is_empty()).then(|| remarks.join("; "))
    }

    /// Returns all of it as a JSON object: `kind`, `release` where there are releases, `standard`
    /// where it is known, `remark` where there is one, `value`. [`MessageDocument`] reads it.
    ///
    /// [`MessageDocument`]: crate::MessageDocument
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut all = json!({ "kind": self.message.kind() });
        if let Some(standard) = self.standard() {
            all["standard"] = standard.into();
        }
        if let Some(release) = self.message.release() {
            all["release"] = release.into();
        }
        if let Some(remark) = self.remark() {
            all["remark"] = remark.into();
        }
        all["value"] = self.value.clone();
        all
    }
}

/// Reads a message that fills all of `bytes`: of the kind that its header names, and of the release
/// that can be read, unless they are given.
///
/// # Errors
/// No kind or release of these; no release can be read; several can be read, divide the bits into
/// different fields, and none is given.
pub fn decode(
    bytes: &[u8],
    kind: Option<&str>,
    release: Option<u8>,
) -> Result<Decoded, MessageError> {
    let named = unsecured(bytes).map(|found| found.kind());
    let kind = kind.or(named).ok_or(MessageError::NoHeader)?;
    let asked = Message::of_release(kind, release)?;
    let readings = Readings::of(kind, bytes);
    let is_asked = |one: &&Reading| asked.contains(&one.message);
    // A release that is asked for is taken even if another one names more.
    let mut taken = readings.read.iter().chain(&readings.partial);
    let Some(first) = taken.find(is_asked) else {
        let refused = readings.refused.into_iter();
        let refused = refused.filter(|(one, _)| asked.contains(one));
        return Err(MessageError::NotRead(refused.collect()));
    };
    if release.is_none() && !readings.are_alike() {
        return Err(MessageError::ReadingsDiffer(
            readings.read.into_iter().map(|one| one.message).collect(),
        ));
    }
    Ok(Decoded::of(first, &readings, named))
}

/// Writes a message of a kind: of the release that has such a value, unless it is given. Returns
/// the layout by which it was written, too.
///
/// # Errors
/// No kind or release of these; no release has the value; several have, write different bytes, and
/// none is given. A value has to keep all rules of its layout, and to have the number of its kind
/// in its header.
pub fn encode(
    kind: &str,
    release: Option<u8>,
    value: &Value,
) -> Result<(Message, Vec<u8>), MessageError> {
    encode_by(kind, release, None, value)
}

/// The same, by a layout of the standard, if one is given.
pub(crate) fn encode_by(
    kind: &str,
    release: Option<u8>,
    standard: Option<&str>,
    value: &Value,
) -> Result<(Message, Vec<u8>), MessageError> {
    let (mut written, mut refused) = (Vec::new(), Vec::new());
    let meant = meant(Message::of_release(kind, release)?, value);
    let is_of = |one: &&Message| standard.is_none_or(|standard| one.standard() == standard);
    let asked: Vec<Message> = meant.iter().filter(is_of).copied().collect();
    if let (Some(standard), true) = (standard, asked.is_empty()) {
        return Err(MessageError::OtherStandard(standard.to_owned(), meant));
    }
    for message in asked {
        match message.write_whole(value) {
            Ok(bytes) => written.push((message, bytes)),
            Err(error) => refused.push((message, error)),
        }
    }
    let Some(first) = written.first() else {
        return Err(MessageError::NotWritten(refused));
    };
    match written.iter().all(|(_, bytes)| *bytes == first.1) {
        true => Ok(written.swap_remove(0)),
        false => Err(MessageError::WritingsDiffer(
            written.into_iter().map(|(message, _)| message).collect(),
        )),
    }
}

/// Returns the messages of the version of the protocol that a value has in its header. If there are
/// none, the newest one of each release.
fn meant(all: Vec<Message>, value: &Value) -> Vec<Message> {
    let given = value
        .pointer("/header/protocolVersion")
        .and_then(Value::as_u64);
    let is_meant = |one: &Message| one.protocol().map(u64::from) == given;
    let any = all.iter().any(is_meant);
    let mut kept: Vec<Message> = Vec::new();
    for one in all {
        let is_newest = !kept.iter().any(|other| other.release() == one.release());
        let is_kept = if any { is_meant(&one) } else { is_newest };
        if is_kept {
            kept.push(one);
        }
    }
    kept
}
