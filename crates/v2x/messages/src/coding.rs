//! Messages whose kind or release is not given: the kind is that of the header, the release the one
//! that can be read or written. Nothing is guessed: releases that differ are told.

use serde_json::{Value, json};
use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::detect::unsecured;

use crate::catalogue::Message;
use crate::message_error::MessageError;
use crate::readings::{Reading, Readings, is_version};

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
        let of_kind = Self::all().filter(|one| one.kind().eq_ignore_ascii_case(kind));
        let all: Vec<Self> = of_kind.collect();
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

/// Bytes under a release that was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherReading {
    /// It divides the bits into the same fields: at most names differ.
    Same,
    /// It divides them into other fields.
    Different,
    /// It can be read, with values or additions that this release does not name.
    Partial,
    /// It cannot be read; the first fault.
    Refused(WireError),
}

impl Decoded {
    /// Says what else is to be known of the reading; `None` if nothing is.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        let header = self.header;
        let header = header.map(|kind| format!("the header is that of a {kind}"));
        let others = self.others.iter().map(|(message, reading)| match reading {
            OtherReading::Same => format!("{message} divides the bits into the same fields"),
            OtherReading::Different => {
                format!("{message} can be read, too, and divides the bits into other fields")
            }
            OtherReading::Partial => {
                format!("{message} can be read, with values or additions that it does not name")
            }
            OtherReading::Refused(fault) => format!("not {message}: {fault}"),
        });
        let remarks: Vec<String> = header.into_iter().chain(others).collect();
        (!remarks.is_empty()).then(|| remarks.join("; "))
    }

    /// Returns all of it as a JSON object: `kind`, `release` where there are releases, `standard`,
    /// `remark` where there is one, `value`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let message = &self.message;
        let mut all = json!({ "kind": message.kind(), "standard": message.standard() });
        if let Some(release) = message.release() {
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
    let is_other = |one: &&Reading| one.message != first.message;
    let read = readings.read.iter().filter(is_other);
    let read = read.map(|one| match one.is_alike(first) {
        true => (one.message, OtherReading::Same),
        false => (one.message, OtherReading::Different),
    });
    let partial = readings.partial.iter().filter(is_other);
    let partial = partial.map(|one| (one.message, OtherReading::Partial));
    // That the header names another version is no finding.
    let refused = readings.refused.iter();
    let refused = refused.filter(|(_, fault)| !is_version(fault));
    let refused = refused.map(|(one, fault)| (*one, OtherReading::Refused(*fault)));
    Ok(Decoded {
        message: first.message,
        value: first.value.clone(),
        others: read.chain(partial).chain(refused).collect(),
        header: named.filter(|named| *named != first.message.kind()),
    })
}

/// Writes a message of a kind: of the release that has such a value, unless it is given. Returns
/// the layout by which it was written, too.
///
/// # Errors
/// No kind or release of these; no release has the value; several have, write different bytes, and
/// none is given.
pub fn encode(
    kind: &str,
    release: Option<u8>,
    value: &Value,
) -> Result<(Message, Vec<u8>), MessageError> {
    let (mut written, mut refused) = (Vec::new(), Vec::new());
    for message in meant(Message::of_release(kind, release)?, value) {
        match message.write(value) {
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
