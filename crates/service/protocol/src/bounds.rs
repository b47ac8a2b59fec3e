//! Bounds on the contents of a request, in either form.

use waywarden_v2x_wire::ieee1609dot2::{
    Elevation, LATITUDE_UNKNOWN, LONGITUDE_UNKNOWN, Latitude, Longitude, ThreeDLocation,
};

use super::{
    CertificateQuery, ClientToken, EncryptRequest, EncryptionKeyOf, MESSAGE_BYTES_MAX,
    MESSAGES_MAX, PERMISSIONS_BYTES_MAX, REASON_BYTES_MAX, RECIPIENTS_MAX, RefusedRequest, Request,
    RequestedOperation, SECURED_BYTES_MAX, SignRequest, Status, TOKEN_BYTES_MAX,
};

impl Request {
    /// Checks the request against the protocol's bounds. Both forms do so when they decode one.
    ///
    /// # Errors
    /// [`Status::TooLong`] or [`Status::Malformed`], with the field and its bound.
    pub fn check(&self) -> Result<(), RefusedRequest> {
        match &self.operation {
            RequestedOperation::Sign(sign) => check_sign(sign),
            RequestedOperation::Verify(verify) => secured(&verify.message),
            RequestedOperation::VerifyMany(messages) => {
                count("messages", messages.len(), MESSAGES_MAX)?;
                let mut messages = messages.iter();
                messages.try_for_each(|one| secured(&one.message))
            }
            RequestedOperation::Encrypt(encrypt) => check_encrypt(encrypt),
            RequestedOperation::Decrypt(decrypt) => secured(&decrypt.message),
            RequestedOperation::CertificateStatus(CertificateQuery::Certificate(certificate)) => {
                message("certificate", certificate)
            }
            RequestedOperation::Authenticate(token) => check_token(token),
            RequestedOperation::CertificateStatus(CertificateQuery::Id(_))
            | RequestedOperation::Statistics
            | RequestedOperation::Health
            | RequestedOperation::Subscribe
            | RequestedOperation::ChangeCertificate(_) => Ok(()),
        }
    }
}

fn check_sign(sign: &SignRequest) -> Result<(), RefusedRequest> {
    message("payload", &sign.payload)?;
    let permissions = sign.permissions.as_deref().unwrap_or_default();
    length("permissions", permissions.len(), PERMISSIONS_BYTES_MAX)
}

fn check_encrypt(encrypt: &EncryptRequest) -> Result<(), RefusedRequest> {
    message("data", &encrypt.data)?;
    count("recipients", encrypt.recipients.len(), RECIPIENTS_MAX)?;
    encrypt.recipients.iter().try_for_each(|one| match one {
        EncryptionKeyOf::Certificate(certificate) => message("certificate", certificate),
        EncryptionKeyOf::Known(_) => Ok(()),
    })
}

fn check_token(token: &ClientToken) -> Result<(), RefusedRequest> {
    length("token", token.0.len(), TOKEN_BYTES_MAX)?;
    let is_text = !token.0.is_empty() && token.0.iter().all(u8::is_ascii_graphic);
    match is_text {
        true => Ok(()),
        false => Err(RefusedRequest::new(
            Status::Malformed,
            "token: 1 to 256 printable ASCII characters without spaces are expected",
        )),
    }
}

fn message(field: &str, bytes: &[u8]) -> Result<(), RefusedRequest> {
    length(field, bytes.len(), MESSAGE_BYTES_MAX)
}

fn secured(message: &[u8]) -> Result<(), RefusedRequest> {
    length("message", message.len(), SECURED_BYTES_MAX)
}

fn length(field: &str, bytes: usize, most: usize) -> Result<(), RefusedRequest> {
    match bytes <= most {
        true => Ok(()),
        false => Err(too_long(field, bytes, most)),
    }
}

/// Refuses a field of so many bytes.
pub(super) fn too_long(field: &str, bytes: usize, most: usize) -> RefusedRequest {
    let reason = format!("{field}: {bytes} bytes; at most {most} are taken");
    RefusedRequest::new(Status::TooLong, reason)
}

/// Checks how many entries a list has.
pub(super) fn count(field: &str, entries: usize, most: usize) -> Result<(), RefusedRequest> {
    let status = match entries {
        0 => Status::Malformed,
        entries if entries > most => Status::TooLong,
        _ => return Ok(()),
    };
    let reason = format!("{field}: {entries} entries; 1 to {most} are expected");
    Err(RefusedRequest::new(status, reason))
}

/// Returns a text cut to the longest reason, between two characters.
pub(super) fn cut(text: &str) -> &str {
    let mut end = text.len().min(REASON_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Makes a location of the standard's numbers; an error is the range that one of them is out of.
pub(super) fn location(
    latitude: i32,
    longitude: i32,
    elevation: u16,
) -> Result<ThreeDLocation, &'static str> {
    if !(-900_000_000..=LATITUDE_UNKNOWN).contains(&latitude) {
        return Err("latitude: -900000000 to 900000001 is expected");
    }
    if !(-1_799_999_999..=LONGITUDE_UNKNOWN).contains(&longitude) {
        return Err("longitude: -1799999999 to 1800000001 is expected");
    }
    Ok(ThreeDLocation {
        latitude: Latitude(latitude),
        longitude: Longitude(longitude),
        elevation: Elevation(elevation),
    })
}
