//! Messages put together and taken apart.

use waywarden_ecverify::{Curve, Point};
use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm};
use waywarden_v2x_security::encoded;
use waywarden_v2x_security::hash::{HashFunction, hash};
use waywarden_v2x_signing::{
    Credential, PayloadToSign, SignError, SignerForm, SigningOptions, UnsignedMessage,
};
use waywarden_v2x_signing::{sign, written};
use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::ieee1609dot2::{
    HashedId8, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, PublicVerificationKey, Time32,
    Time64, Version3,
};
use waywarden_v2x_wire::ieee1609dot2dot1::{ScmsContent, ScmsPdu};

use super::SECURITY_MANAGEMENT;
use super::error::PseudonymError;
use crate::seeds::Seeds;

/// Writes one message of a public key infrastructure.
pub(super) fn pdu(content: ScmsContent<'_>) -> Result<Vec<u8>, EmitError> {
    written(&ScmsPdu::new(content))
}

/// Says what of a message is not as expected.
pub(super) fn wrong(field: &'static str, why: &'static str) -> PseudonymError {
    PseudonymError::Message { field, why }
}

/// Wraps secured data.
pub(super) fn data(content: Ieee1609Dot2Content<'_>) -> Ieee1609Dot2Data<'_> {
    Ieee1609Dot2Data {
        version: Version3,
        content,
    }
}

/// The hash by which an answer names its request.
pub(super) fn request_hash(request: &[u8]) -> HashedId8 {
    hash(HashFunction::Sha256, request).id_8()
}

/// A time in the microseconds of messages.
pub(super) fn microseconds(time: Time32) -> Time64 {
    Time64(u64::from(time.0) * 1_000_000)
}

/// Signs what an authority says to a station.
pub(super) fn signed<S: KeyStore + ?Sized>(
    store: &mut S,
    credential: &Credential,
    payload: &[u8],
    now: Time32,
    seeds: &mut Seeds,
) -> Result<Vec<u8>, SignError> {
    let header = HeaderInfo {
        generation_time: Some(microseconds(now)),
        ..HeaderInfo::new(SECURITY_MANAGEMENT)
    };
    let message = UnsignedMessage {
        payload: PayloadToSign::Data(payload),
        header,
    };
    let options = SigningOptions {
        signer: SignerForm::Certificate,
        form: NonceForm::Point,
        nonce: Nonce::Hedged {
            entropy: &seeds.next(),
        },
    };
    sign(store, credential, &message, &options)
}

/// Reads a public key of a curve with implicit certificates.
pub(super) fn verification_point(key: &PublicVerificationKey<'_>) -> Option<Point> {
    let (curve, point) = match key {
        PublicVerificationKey::EcdsaNistP256(point) => (Curve::P256, encoded(point)),
        PublicVerificationKey::EcdsaBrainpoolP256r1(point) => {
            (Curve::BrainpoolP256r1, encoded(point))
        }
        _ => return None,
    };
    Point::decode(curve, &point).ok()
}
