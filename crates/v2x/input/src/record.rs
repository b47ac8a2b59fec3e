//! One place of a file that may have a message or a certificate, and what is found in it.

use waywarden_v2x_wire::detect::{FoundSpdu, NoSpdu, detect, detect_in};
use waywarden_v2x_wire::ieee1609dot2::Time64;
use waywarden_v2x_wire::link::LinkType;

/// Bytes of a file that may be a message or a certificate.
#[derive(Clone, Debug)]
pub struct Record {
    /// The file and the place in it.
    pub place: String,
    /// What stands before it in its line.
    pub label: Option<String>,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// When it was captured.
    pub captured: Option<Time64>,
    /// Of what it is a frame, if it is one.
    pub frame: Option<Frame>,
    /// Why there are no bytes, where a capture has a packet that is broken.
    pub broken: Option<String>,
}

/// What a capture says of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The number of its link type.
    pub link: u32,
    /// How long it was on the link, in bytes: longer than what is there, if the capture cut it.
    pub length: u32,
}

/// Why no message was found.
#[derive(Debug)]
pub enum NoMessage {
    /// It is a frame of other traffic, which is of no concern here.
    Other,
    /// It cannot be read.
    Unread(String),
    /// It needs something that is not supported, such as another algorithm.
    Unsupported(String),
}

impl Record {
    /// Bytes of a place that stand by themselves.
    pub fn of(place: String, bytes: Vec<u8>) -> Self {
        Self {
            place,
            label: None,
            bytes,
            captured: None,
            frame: None,
            broken: None,
        }
    }

    /// Whether it came from a capture.
    pub fn is_packet(&self) -> bool {
        self.frame.is_some() || self.broken.is_some()
    }

    /// Finds the message in it: in a frame of its link, or in bytes that do not say what they are.
    pub fn find(&self) -> Result<FoundSpdu<'_>, NoMessage> {
        let unread = |why: String| Err(NoMessage::Unread(why));
        if let Some(why) = &self.broken {
            return unread(why.clone());
        }
        let Some(frame) = self.frame else {
            return detect(&self.bytes).map_err(|error| missed(&error, error.to_string()));
        };
        let link = match LinkType::from_number(frame.link) {
            Ok(link) => link,
            Err(error) => return unread(error.to_string()),
        };
        let kept = self.bytes.len();
        detect_in(link, &self.bytes).or_else(|error: NoSpdu| match frame.length {
            _ if error.is_other_traffic() => Err(NoMessage::Other),
            length if length as usize > kept => unread(format!(
                "{error}; the capture has {kept} of the frame's {length} bytes"
            )),
            _ => Err(missed(&error, error.to_string())),
        })
    }
}

fn missed(error: &NoSpdu, why: String) -> NoMessage {
    match error.is_unsupported() {
        true => NoMessage::Unsupported(why),
        false => NoMessage::Unread(why),
    }
}
