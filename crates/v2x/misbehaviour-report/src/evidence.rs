//! Evidence checked: the accused signed the message, and the message shows what is observed.

use alloc::sync::Arc;
use core::fmt;

use waywarden_v2x_security::region::{Borders, contains, is_known};
use waywarden_v2x_security::{Refusal, Verified, Verifier, verify_signature_by};
use waywarden_v2x_wire::bsm::{BASIC_SAFETY_MESSAGE, MessageFrame};
use waywarden_v2x_wire::coer::{Silent, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Ieee1609Dot2Content, Ieee1609Dot2Data, Latitude, Longitude, SignedData,
    SignerIdentifier, ThreeDLocation, Time64, TwoDLocation,
};
use waywarden_v2x_wire::uper::{self, UperReader};
use waywarden_v2x_wire::{ParseFault, WireError};

use crate::ObservationKind;
use crate::layout::{AID_BSM, IEEE_1609_DOT_2, V2xPduStream};

/// Maximum number of messages that are searched for the certificate of their signer.
const SEARCHED_MAX: usize = 16;

/// The message that a report is about, with a valid signature.
#[derive(Clone, Debug)]
pub struct Evidence<'m> {
    /// Encoded message.
    pub bytes: &'m [u8],
    /// The message.
    pub message: SignedData<'m>,
    /// Certificate of its signer, the accused.
    pub accused: Arc<Verified>,
    /// Generation time of the message; `None` if it has none.
    pub made: Option<Time64>,
}

/// Reason why evidence proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvidenceFault {
    /// Messages of another protocol than IEEE 1609.2.
    OtherProtocol(u8),
    /// The message is no secured data.
    Wire(WireError),
    /// The message is not signed.
    NotSigned,
    /// No certificate of the signer is in the evidence or known.
    NoCertificate,
    /// The certificate, or the signature of the message.
    Signature(Refusal),
}

/// Result of comparing a message with an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The message itself shows it.
    Yes,
    /// The message shows that it is wrong.
    No,
    /// The message alone cannot tell, or the observation is not known.
    Unknown,
}

/// Returns the encoded certificate of a signer that is named by certificates.
pub(crate) fn first_certificate<'m>(signer: &SignerIdentifier<'m>) -> Option<&'m [u8]> {
    match signer {
        SignerIdentifier::Certificate(list) => list.iter().next()?.ok()?.bytes(),
        _ => None,
    }
}

impl<'m> Evidence<'m> {
    /// Verifies that the signer of a stream's subject signed it: its certificate, whose issuer must
    /// be known, and the signature, whatever the message says. Costs two signatures at most.
    ///
    /// # Errors
    /// [`EvidenceFault`].
    pub fn verify(verifier: &Verifier, stream: &V2xPduStream<'m>) -> Result<Self, EvidenceFault> {
        if stream.protocol != IEEE_1609_DOT_2 {
            return Err(EvidenceFault::OtherProtocol(stream.protocol));
        }
        let bytes = stream.subject().ok_or(EvidenceFault::NotSigned)?.0;
        let message = signed(bytes)?;
        let accused = accused(verifier, stream, &message)?;
        verify_signature_by(&message, &accused).map_err(EvidenceFault::Signature)?;
        Ok(Self {
            bytes,
            message,
            accused,
            made: message.tbs_data.header_info.generation_time,
        })
    }

    /// Compares the message with an observation. Borders decide about countries.
    #[must_use]
    pub fn shows(&self, kind: ObservationKind, borders: &dyn Borders) -> Shown {
        match self.accused.view() {
            Ok(certificate) => shows(kind, &self.message, &certificate, borders),
            Err(_) => Shown::Unknown,
        }
    }
}

/// Reads a message that has to be signed.
fn signed(bytes: &[u8]) -> Result<SignedData<'_>, EvidenceFault> {
    let data: Ieee1609Dot2Data<'_> = parse(bytes).map_err(EvidenceFault::Wire)?;
    match data.content {
        Ieee1609Dot2Content::Signed(message) => Ok(message),
        _ => Err(EvidenceFault::NotSigned),
    }
}

/// Finds the certificate of the subject's signer: in the message, beside the messages, in another
/// of them, or among those that the verifier knows.
fn accused(
    verifier: &Verifier,
    stream: &V2xPduStream<'_>,
    message: &SignedData<'_>,
) -> Result<Arc<Verified>, EvidenceFault> {
    let verified = |bytes: &[u8]| {
        let verified = verifier.verify_certificate(bytes);
        verified.map_err(EvidenceFault::Signature)
    };
    if let Some(own) = first_certificate(&message.signer) {
        return verified(own);
    }
    let SignerIdentifier::Digest(id) = message.signer else {
        return Err(EvidenceFault::NoCertificate);
    };
    if let Some(known) = verifier.store().find(id) {
        return Ok(Arc::clone(known));
    }
    let is_named = |bytes: &[u8]| {
        let view: Result<Certificate<'_>, _> = parse(bytes);
        let digest = view
            .ok()
            .and_then(|view| waywarden_v2x_security::hash::certificate_digest(&view));
        digest.is_some_and(|digest| digest.id_8() == id)
    };
    let beside = stream.certificate.as_ref().and_then(|one| one.view().ok());
    let beside = beside.and_then(|view| view.bytes());
    if let Some(beside) = beside.filter(|bytes| is_named(bytes)) {
        return verified(beside);
    }
    let others = stream.pdus.iter().take(SEARCHED_MAX).flatten();
    let mut others = others.filter_map(|pdu| first_certificate(&signed(pdu.0).ok()?.signer));
    match others.find(|bytes| is_named(bytes)) {
        Some(other) => verified(other),
        None => Err(EvidenceFault::NoCertificate),
    }
}

/// Compares a message with an observation and its signer's certificate.
#[must_use]
pub fn shows(
    kind: ObservationKind,
    message: &SignedData<'_>,
    certificate: &Certificate<'_>,
    borders: &dyn Borders,
) -> Shown {
    let header = &message.tbs_data.header_info;
    let own = &certificate.to_be_signed;
    match kind {
        ObservationKind::MessageIdIncWithHeaderInfo => match message_id(message) {
            _ if header.psid != AID_BSM => Shown::No,
            Some(id) => yes(i64::from(id) != BASIC_SAFETY_MESSAGE),
            None => Shown::Unknown,
        },
        // The profile of basic safety messages: a time, and neither place nor end.
        ObservationKind::HeaderIncWithSecurityProfile => yes(header.generation_time.is_none()
            || header.expiry_time.is_some()
            || header.generation_location.is_some()),
        ObservationKind::HeaderPsidIncWithCertificate => {
            let mut permissions = own.app_permissions.iter().flatten().flatten();
            yes(permissions.all(|one| one.psid != header.psid))
        }
        // Part II of a message is not parsed.
        ObservationKind::MessageIncWithSsp => Shown::Unknown,
        ObservationKind::HeaderTimeOutsideCertificateValidity => {
            let validity = &own.validity_period;
            let made = header.generation_time;
            made.map_or(Shown::No, |made| {
                yes(!(validity.start()..validity.end()).contains(&made))
            })
        }
        ObservationKind::MessageLocationOutsideCertificateValidity => {
            outside(certificate, position(message), borders)
        }
        ObservationKind::HeaderLocationOutsideCertificateValidity => {
            let place = header.generation_location;
            let place = place.map(
                |ThreeDLocation {
                     latitude,
                     longitude,
                     ..
                 }| TwoDLocation {
                    latitude,
                    longitude,
                },
            );
            outside(certificate, place, borders)
        }
        ObservationKind::LongitudinalAccelerationTooLarge => match acceleration(message) {
            Some(value) => yes(value > ACCELERATION_MAX),
            None => Shown::Unknown,
        },
    }
}

fn yes(shown: bool) -> Shown {
    match shown {
        true => Shown::Yes,
        false => Shown::No,
    }
}

/// Compares a place with the certificate's own region.
fn outside(
    certificate: &Certificate<'_>,
    place: Option<TwoDLocation>,
    borders: &dyn Borders,
) -> Shown {
    // A region that only the issuer has is not looked up.
    let Some(region) = &certificate.to_be_signed.region else {
        return Shown::Unknown;
    };
    match place.filter(is_known) {
        None => Shown::No,
        Some(place) => match contains(region, &place, borders) {
            Some(is_inside) => yes(!is_inside),
            None => Shown::Unknown,
        },
    }
}

/// Returns the payload of a message, in the clear.
fn payload<'m>(message: &SignedData<'m>) -> Option<&'m [u8]> {
    let data = message.tbs_data.payload.data.as_ref()?.view().ok()?;
    match data.content {
        Ieee1609Dot2Content::Unsecured(payload) => Some(payload),
        _ => None,
    }
}

/// Returns the identifier of a message of J2735: an extension bit and 15 bits.
fn message_id(message: &SignedData<'_>) -> Option<u16> {
    let id = u16::from_be_bytes(*payload(message)?.first_chunk()?);
    (id < 0x8000).then_some(id)
}

/// Returns the position in a basic safety message.
fn position(message: &SignedData<'_>) -> Option<TwoDLocation> {
    let frame: MessageFrame<'_> = uper::parse(payload(message)?).ok()?;
    let MessageFrame::BasicSafety(bsm) = frame else {
        return None;
    };
    let (latitude, longitude) = (bsm.core.latitude.value(), bsm.core.longitude.value());
    Some(TwoDLocation {
        latitude: Latitude(i32::try_from(latitude).ok()?),
        longitude: Longitude(i32::try_from(longitude).ok()?),
    })
}

/// The largest value of an acceleration, as its 12 bits: not known.
const ACCELERATION_MAX: u64 = 4_001;

/// Bits of a basic safety message before the longitudinal acceleration: three flags, counter,
/// identifier, time, position, accuracy, transmission, speed, heading and steering.
const BEFORE_ACCELERATION: u32 = 3 + 7 + 32 + 16 + 31 + 32 + 16 + 32 + 3 + 13 + 15 + 8;

/// Returns the 12 bits of the longitudinal acceleration, whose range they exceed: a parser of the
/// message refuses what this has to show.
fn acceleration(message: &SignedData<'_>) -> Option<u64> {
    const ID: u64 = BASIC_SAFETY_MESSAGE as u64;
    let mut reader = UperReader::new(payload(message)?, Silent);
    if reader.bits(16).ok()? != ID {
        return None;
    }
    let read = reader.open(|reader| {
        let mut left = BEFORE_ACCELERATION;
        while left > 0 {
            let bits = left.min(64);
            reader.bits(bits)?;
            left -= bits;
        }
        let value = reader.bits(12)?;
        let _ = reader.rest();
        Ok::<u64, WireError>(value)
    });
    read.ok()
}

impl fmt::Display for EvidenceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherProtocol(kind) => {
                write!(f, "evidence of type {kind}; only IEEE 1609.2 (2) is read")
            }
            Self::Wire(WireError {
                fault: ParseFault::Truncated(_),
                ..
            }) => f.write_str("the embedded message is cut off"),
            Self::Wire(error) => write!(f, "the embedded message: {error}"),
            Self::NotSigned => f.write_str("the embedded message is not signed"),
            Self::NoCertificate => {
                f.write_str("the certificate of the embedded message is not in the report")
            }
            Self::Signature(refusal) => write!(f, "the embedded message: {refusal}"),
        }
    }
}

impl core::error::Error for EvidenceFault {}
