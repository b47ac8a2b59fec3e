//! Errors of messages that are read and written.

use core::fmt;

use waywarden_v2x_wire::WireError;

use crate::catalogue::Message;
use crate::error::{ValueError, short};

/// Reason why a message was not read or written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MessageError {
    /// No kind is given, and the bytes have no header that names one.
    NoHeader,
    /// A kind without layout.
    UnknownKind(String),
    /// A release without layout; those of the kind that have one.
    UnknownRelease(u8, Vec<Message>),
    /// A standard of which none of these layouts is.
    OtherStandard(String, Vec<Message>),
    /// Several releases have the kind, and none is given.
    SeveralReleases(Vec<Message>),
    /// The bytes can be read as each of these, which divide them into different fields.
    ReadingsDiffer(Vec<Message>),
    /// The value can be written as each of these, which gives different bytes.
    WritingsDiffer(Vec<Message>),
    /// The bytes are none of these, each with its first fault.
    NotRead(Vec<(Message, WireError)>),
    /// The value is none of these, each with the first part that it cannot have.
    NotWritten(Vec<(Message, ValueError)>),
}

impl MessageError {
    /// Returns the stable name of the cause, for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoHeader => "no-header",
            Self::UnknownKind(_) => "kind",
            Self::UnknownRelease(..) | Self::SeveralReleases(_) => "release",
            Self::OtherStandard(..) => "standard",
            Self::ReadingsDiffer(_) | Self::WritingsDiffer(_) => "releases-differ",
            Self::NotRead(_) => "not-read",
            Self::NotWritten(_) => "value",
        }
    }

    /// Returns the place of the fault: in the bytes, as `byte 7`, or in the value, as
    /// `header.stationID`. Of several releases it is that of the one that came furthest. `None`
    /// where there is no place.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        match self {
            Self::NotRead(refused) => {
                let furthest = refused.iter().map(|(_, fault)| fault.offset).max();
                furthest.map(|offset| format!("byte {offset}"))
            }
            Self::NotWritten(refused) => {
                let deepest = refused.iter().max_by_key(|(_, error)| error.depth());
                let path = deepest.map(|(_, error)| error.path());
                path.filter(|path| !path.is_empty())
            }
            _ => None,
        }
    }

    /// Returns the way to mend it, if there is one that holds for all such faults.
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::NoHeader | Self::UnknownKind(_) => Some(format!("give one of {}", kinds())),
            Self::UnknownRelease(_, all) => {
                Some(match all.iter().any(|one| one.release().is_some()) {
                    true => format!("give that of {}", names(all)),
                    false => "give none".to_owned(),
                })
            }
            Self::SeveralReleases(_) | Self::ReadingsDiffer(_) | Self::WritingsDiffer(_) => {
                Some("give the release".to_owned())
            }
            Self::OtherStandard(_, all) => {
                let standards: Vec<&str> = all.iter().map(Message::standard).collect();
                Some(format!("give {} or leave it out", standards.join(", ")))
            }
            Self::NotRead(_) | Self::NotWritten(_) => None,
        }
    }

    /// Says it of a document, with the member that it is about, as
    /// `value.header.stationID: -1 is not within 0..4294967295`.
    #[must_use]
    pub fn in_document(&self) -> String {
        let member = match self {
            Self::NoHeader | Self::UnknownKind(_) => "kind",
            Self::UnknownRelease(..)
            | Self::SeveralReleases(_)
            | Self::ReadingsDiffer(_)
            | Self::WritingsDiffer(_) => "release",
            Self::OtherStandard(..) => "standard",
            Self::NotRead(_) | Self::NotWritten(_) => "value",
        };
        if let Self::NotWritten(refused) = self
            && let [(_, error)] = refused.as_slice()
        {
            return error.clone().within(member.to_owned()).to_string();
        }
        format!("{member}: {self}")
    }
}

/// Names all kinds of messages.
fn kinds() -> String {
    let mut kinds: Vec<&str> = Message::all().map(|one| one.kind()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.join(", ")
}

fn names(all: &[Message]) -> String {
    let names: Vec<String> = all.iter().map(ToString::to_string).collect();
    names.join(", ")
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHeader => f.write_str("no header of ETSI ITS or SAE J2735 names the kind")?,
            Self::UnknownKind(kind) => {
                write!(f, "{}: no kind of message with a layout", short(kind))?;
            }
            Self::UnknownRelease(release, all) => {
                let kind = all.first().map_or("", |one| one.kind());
                write!(f, "{kind} of release {release} has no layout")?;
            }
            Self::OtherStandard(standard, all) => {
                let kind = all.first().map_or("", Message::kind);
                write!(f, "no layout of this {kind} is of {}", short(standard))?;
            }
            Self::SeveralReleases(all) => {
                write!(f, "there are {}", names(all))?;
            }
            Self::ReadingsDiffer(all) => {
                let all = names(all);
                write!(f, "the bytes can be read as {all}, and do not say which")?;
            }
            Self::WritingsDiffer(all) => {
                let all = names(all);
                write!(f, "the value can be written as {all}, in different bytes")?;
            }
            Self::NotRead(refused) => faults(f, refused)?,
            Self::NotWritten(refused) => faults(f, refused)?,
        }
        match self.remedy() {
            Some(remedy) => write!(f, ": {remedy}"),
            None => Ok(()),
        }
    }
}

fn faults(f: &mut fmt::Formatter<'_>, refused: &[(Message, impl fmt::Display)]) -> fmt::Result {
    for (at, (message, fault)) in refused.iter().enumerate() {
        let before = if at == 0 { "" } else { "; " };
        write!(f, "{before}not {message}: {fault}")?;
    }
    Ok(())
}

impl core::error::Error for MessageError {}
