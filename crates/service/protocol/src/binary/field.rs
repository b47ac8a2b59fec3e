//! Fields of the binary form.

use waywarden_v2x_wire::ieee1609dot2::{HashedId8, ThreeDLocation};

use crate::bounds::{cut, location};
use crate::{CertificateQuery, RefusedRequest, Status};

/// Reads fields from the front of a frame.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    fn take(&mut self, field: &str, length: usize) -> Result<&'a [u8], RefusedRequest> {
        let Some((taken, rest)) = self.rest.split_at_checked(length) else {
            let left = self.rest.len();
            return Err(malformed(format!(
                "{field}: {length} bytes are announced, and the frame has {left} more"
            )));
        };
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn array<const LENGTH: usize>(
        &mut self,
        field: &str,
    ) -> Result<[u8; LENGTH], RefusedRequest> {
        let Some((taken, rest)) = self.rest.split_first_chunk() else {
            let left = self.rest.len();
            return Err(malformed(format!(
                "{field}: it has {LENGTH} bytes, and the frame has {left} more"
            )));
        };
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn u8(&mut self, field: &str) -> Result<u8, RefusedRequest> {
        self.array(field).map(u8::from_be_bytes)
    }

    pub(super) fn u16(&mut self, field: &str) -> Result<u16, RefusedRequest> {
        self.array(field).map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self, field: &str) -> Result<u32, RefusedRequest> {
        self.array(field).map(u32::from_be_bytes)
    }

    pub(super) fn u64(&mut self, field: &str) -> Result<u64, RefusedRequest> {
        self.array(field).map(u64::from_be_bytes)
    }

    /// Reads octets with a length of two bytes.
    pub(super) fn short(&mut self, field: &str) -> Result<&'a [u8], RefusedRequest> {
        let length = self.u16(field)?;
        self.take(field, usize::from(length))
    }

    /// Reads octets with a length of four bytes.
    pub(super) fn long(&mut self, field: &str) -> Result<&'a [u8], RefusedRequest> {
        let length = self.u32(field)?;
        self.take(field, length as usize)
    }

    /// Reads a text with a length of two bytes.
    pub(super) fn short_text(&mut self, field: &str) -> Result<String, RefusedRequest> {
        text(field, self.short(field)?)
    }

    /// Reads a text with a length of four bytes.
    pub(super) fn long_text(&mut self, field: &str) -> Result<String, RefusedRequest> {
        text(field, self.long(field)?)
    }

    pub(super) fn id(&mut self, field: &str) -> Result<HashedId8, RefusedRequest> {
        self.array(field).map(HashedId8)
    }

    /// Reads the flags of optional fields, of which these are known.
    pub(super) fn flags(&mut self, known: u8) -> Result<u8, RefusedRequest> {
        let flags = self.u8("flags")?;
        match flags & !known {
            0 => Ok(flags),
            _ => Err(malformed(format!(
                "flags: {flags:#04x} has bits that are not known; {known:#04x} are"
            ))),
        }
    }

    pub(super) fn location(&mut self, field: &str) -> Result<ThreeDLocation, RefusedRequest> {
        let latitude = i32::from_be_bytes(self.array(field)?);
        let longitude = i32::from_be_bytes(self.array(field)?);
        let elevation = self.u16(field)?;
        location(latitude, longitude, elevation)
            .map_err(|range| malformed(format!("{field}: {range}")))
    }

    /// Reads how a certificate is named: by itself or by its HashedId8.
    pub(super) fn certificate(&mut self) -> Result<CertificateQuery, RefusedRequest> {
        match self.u8("certificate")? {
            BY_ITSELF => {
                let certificate = self.long("certificate")?.to_vec();
                Ok(CertificateQuery::Certificate(certificate))
            }
            BY_ID => Ok(CertificateQuery::Id(self.id("certificate")?)),
            other => Err(malformed(format!(
                "certificate: 0 (a certificate) or 1 (a HashedId8) is expected, not {other}"
            ))),
        }
    }

    /// Ends the frame.
    pub(super) fn end(&self) -> Result<(), RefusedRequest> {
        match self.rest.len() {
            0 => Ok(()),
            more => Err(malformed(format!(
                "{more} bytes follow the last field of the frame"
            ))),
        }
    }
}

/// Writes fields to the back of a frame.
pub(super) struct Writer {
    bytes: Vec<u8>,
    /// The field that its length does not fit.
    too_long: Option<&'static str>,
}

impl Writer {
    /// Begins with so many zero bytes.
    pub(super) fn new(reserved: usize) -> Self {
        Self {
            bytes: vec![0; reserved],
            too_long: None,
        }
    }

    pub(super) fn u8(&mut self, number: u8) {
        self.bytes.push(number);
    }

    pub(super) fn u16(&mut self, number: u16) {
        self.array(&number.to_be_bytes());
    }

    pub(super) fn u32(&mut self, number: u32) {
        self.array(&number.to_be_bytes());
    }

    pub(super) fn u64(&mut self, number: u64) {
        self.array(&number.to_be_bytes());
    }

    pub(super) fn array(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes how many entries follow.
    pub(super) fn count(&mut self, field: &'static str, entries: usize) {
        match u16::try_from(entries) {
            Ok(entries) => self.u16(entries),
            Err(_) => self.too_long = Some(field),
        }
    }

    /// Writes octets with a length of two bytes.
    pub(super) fn short(&mut self, field: &'static str, bytes: &[u8]) {
        self.count(field, bytes.len());
        self.array(bytes);
    }

    /// Writes octets with a length of four bytes.
    pub(super) fn long(&mut self, field: &'static str, bytes: &[u8]) {
        match u32::try_from(bytes.len()) {
            Ok(length) => self.u32(length),
            Err(_) => self.too_long = Some(field),
        }
        self.array(bytes);
    }

    /// Writes a text with a length of two bytes, cut to the longest reason.
    pub(super) fn reason(&mut self, text: &str) {
        self.short("reason", cut(text).as_bytes());
    }

    pub(super) fn location(&mut self, location: &ThreeDLocation) {
        self.array(&location.latitude.0.to_be_bytes());
        self.array(&location.longitude.0.to_be_bytes());
        self.u16(location.elevation.0);
    }

    /// Writes a certificate.
    pub(super) fn certificate(&mut self, certificate: &[u8]) {
        self.u8(BY_ITSELF);
        self.long("certificate", certificate);
    }

    /// Writes the HashedId8 of a certificate.
    pub(super) fn certificate_id(&mut self, id: HashedId8) {
        self.u8(BY_ID);
        self.array(&id.0);
    }

    /// Returns the bytes.
    pub(super) fn finish(self) -> Result<Vec<u8>, RefusedRequest> {
        match self.too_long {
            None => Ok(self.bytes),
            Some(field) => Err(RefusedRequest::new(
                Status::TooLong,
                format!("{field}: longer than its length can say"),
            )),
        }
    }
}

const BY_ITSELF: u8 = 0;
const BY_ID: u8 = 1;

/// Refuses a frame.
pub(super) fn malformed(reason: String) -> RefusedRequest {
    RefusedRequest::new(Status::Malformed, reason)
}

fn text(field: &str, bytes: &[u8]) -> Result<String, RefusedRequest> {
    let text = std::str::from_utf8(bytes).map_err(|_| malformed(format!("{field}: not UTF-8")))?;
    Ok(text.to_owned())
}
