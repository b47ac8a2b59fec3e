//! One place of a file that may have a message or a certificate, and what is found in it.

use std::fmt::Write as _;

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::detect::{
    Envelope, FoundSpdu, NoSpdu, ReadingRefusal, Unsecured, detect, detect_in, refused_readings,
    unsecured,
};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, CertificateType, Time64};
use waywarden_v2x_wire::link::LinkType;
use waywarden_v2x_wire::{ParseFault, WireError};

use super::foreign::foreign;

/// Bytes of a file that may be a message or a certificate.
#[derive(Clone, Debug)]
pub struct InputRecord {
    /// The file and the place in it.
    pub place: String,
    /// The label before the record in its line.
    pub label: Option<String>,
    /// Bytes of the message or certificate.
    pub bytes: Vec<u8>,
    /// Time of capture.
    pub captured: Option<Time64>,
    /// Link type and length of a frame, if the record is one.
    pub frame: Option<CapturedFrame>,
    /// Reason why there are no bytes, where a capture has a packet that is broken.
    pub broken: Option<String>,
    /// Way in which a text was read to get the bytes, where it can be read otherwise.
    pub remark: Option<String>,
}

/// Facts about a frame in a capture.
#[derive(Clone, Copy, Debug)]
pub struct CapturedFrame {
    /// The number of its link type.
    pub link: u32,
    /// Length on the link, in bytes: longer than the record, if the capture cut the frame.
    pub length: u32,
}

/// Reason why no message was found.
#[derive(Debug)]
pub enum NoMessage {
    /// It is a frame of other traffic, which is of no concern here.
    Other,
    /// It cannot be read.
    Unread(String),
    /// It needs something that is not supported, such as another algorithm.
    Unsupported(String),
}

/// Kind of a record, for every command alike.
#[derive(Debug)]
pub enum Recognized<'a> {
    /// A certificate.
    Certificate(Box<Certificate<'a>>),
    /// An SPDU, and the layers around it.
    Message(Box<FoundSpdu<'a>>),
    /// A frame of other traffic, which is of no concern here.
    Other,
    /// Neither.
    Unread(Unrecognized),
}

/// A record without a message or a certificate that can be read.
#[derive(Debug)]
pub struct Unrecognized {
    /// The name of what it is, as far as that is known.
    pub kind: &'static str,
    /// Human-readable reason, with all that was tried.
    pub why: String,
    /// True if it needs something that is not supported, such as another algorithm.
    pub is_unsupported: bool,
    /// A message in the clear, in the layers around it.
    pub clear: Option<NoSpdu>,
}

/// Returns true if bytes begin as a certificate does: its preamble, then version 3, then its kind.
pub fn begins_as_certificate(bytes: &[u8]) -> bool {
    matches!(bytes, [0x00 | 0x80, 3, 0 | 1, ..])
}

/// Returns true for a whole certificate or message: secured, or a packet or a message in the clear
/// whose own lengths end where the bytes do. A header of ETSI ITS says too little for that.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    if parse::<Certificate<'_>>(bytes).is_ok() {
        return true;
    }
    match detect(bytes) {
        Ok(_) => true,
        Err(error) if matches!(error.refusal, ReadingRefusal::Unsecured(_)) => true,
        Err(_) => {
            let alone = unsecured(bytes);
            alone.is_some_and(|alone| !matches!(alone, Unsecured::Its { .. }))
        }
    }
}

/// Returns the name of a kind of certificate.
pub fn certificate_kind(certificate: &Certificate<'_>) -> &'static str {
    match certificate.kind {
        CertificateType::Explicit => "explicit-certificate",
        CertificateType::Implicit => "implicit-certificate",
    }
}

/// Returns the name of the format around a message.
#[must_use]
pub fn envelope(envelope: &Envelope<'_>) -> &'static str {
    match envelope {
        Envelope::Bare => "SPDU",
        Envelope::Wsm(_) => "WSM",
        Envelope::GeoNetworking(_) => "GeoNetworking",
    }
}

impl InputRecord {
    /// Recognizes what the record is. Of UDP datagrams only those of `udp_ports` are looked at; if
    /// there are none, all are, and those that do not read as a message are other traffic.
    pub fn recognize(&self, udp_ports: &[u16]) -> Recognized<'_> {
        let mut certificate = None;
        if !self.is_packet() {
            match parse::<Certificate<'_>>(&self.bytes) {
                Ok(read) => return Recognized::Certificate(Box::new(read)),
                Err(error) => certificate = Some(error),
            }
        }
        match self.find_on(udp_ports) {
            Ok(found) => Recognized::Message(Box::new(found)),
            Err(NoMessage::Other) => Recognized::Other,
            Err(NoMessage::Unread(why)) => Recognized::Unread(self.unread(certificate, why, false)),
            Err(NoMessage::Unsupported(why)) => {
                Recognized::Unread(self.unread(certificate, why, true))
            }
        }
    }

    /// Names a record that is no message and no certificate, with how its text was read.
    fn unread(&self, no_certificate: Option<WireError>, why: String, no: bool) -> Unrecognized {
        let refusal = self.refusal();
        let mut unread = self.named(no_certificate, why, no, refusal.as_ref());
        unread.clear = refusal.filter(|one| one.clear_message().is_some());
        if let Some(remark) = &self.remark {
            let _ = write!(unread.why, "; {remark}");
        }
        unread
    }

    fn named(
        &self,
        no_certificate: Option<WireError>,
        why: String,
        no: bool,
        refusal: Option<&NoSpdu>,
    ) -> Unrecognized {
        let found = refusal.and_then(NoSpdu::kind);
        let named = |kind, why, is_unsupported| Unrecognized {
            kind,
            why,
            is_unsupported,
            clear: None,
        };
        let Some(no_certificate) = no_certificate else {
            return named(found.unwrap_or("unknown"), why, no);
        };
        if begins_as_certificate(&self.bytes) {
            let is_unsupported = matches!(no_certificate.fault, ParseFault::UnknownCritical(_));
            return named("certificate", no_certificate.to_string(), is_unsupported);
        }
        // The header of a network that could be read says more than a first byte.
        if let Some(kind) = found {
            return named(kind, why, no);
        }
        if let Some(alone) = unsecured(&self.bytes) {
            return named(alone.kind(), alone.to_string(), false);
        }
        let kind = match self.bytes.first() {
            Some(3) => "SPDU",
            _ => "unknown",
        };
        let mut all = match foreign(&self.bytes) {
            Some(other) => other.to_owned(),
            None => why,
        };
        all.push_str(". Tried: ");
        refused_readings(&self.bytes, |refused| {
            let _ = write!(all, "{}; ", refused.attempt());
        });
        let _ = write!(all, "certificate: {no_certificate}");
        named(kind, all, no)
    }

    /// Returns the reading that came furthest, if it found no SPDU.
    fn refusal(&self) -> Option<NoSpdu> {
        match (self.frame, self.is_packet()) {
            (Some(frame), _) => {
                let link = LinkType::from_number(frame.link).ok()?;
                detect_in(link, &self.bytes).err()
            }
            (None, true) => None,
            (None, false) => detect(&self.bytes).err(),
        }
    }

    /// Bytes of a place that stand by themselves.
    pub fn of(place: String, bytes: Vec<u8>) -> Self {
        Self {
            place,
            label: None,
            bytes,
            captured: None,
            frame: None,
            broken: None,
            remark: None,
        }
    }

    /// Returns true if the record came from a capture.
    pub fn is_packet(&self) -> bool {
        self.frame.is_some() || self.broken.is_some()
    }

    /// Finds the message in it: in a frame of its link, or in bytes that do not say what they are.
    pub fn find(&self) -> Result<FoundSpdu<'_>, NoMessage> {
        self.find_on(&[])
    }

    /// The same, of UDP datagrams only in those of `udp_ports`, unless there are none.
    pub fn find_on(&self, udp_ports: &[u16]) -> Result<FoundSpdu<'_>, NoMessage> {
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
        let found = detect_in(link, &self.bytes);
        let datagram = match &found {
            Ok(found) => found.datagram,
            Err(error) => error.datagram,
        };
        // A port that the user names has messages: what does not read there is reported.
        let is_named = datagram.is_some_and(|datagram| datagram.uses(udp_ports));
        if datagram.is_some() && !udp_ports.is_empty() && !is_named {
            return Err(NoMessage::Other);
        }
        found.or_else(|error: NoSpdu| match frame.length {
            _ if error.is_other_traffic() && !is_named => Err(NoMessage::Other),
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
