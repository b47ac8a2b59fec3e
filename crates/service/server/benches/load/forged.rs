//! Messages that a stranger sends unsigned: each brings a fresh forged certificate of an authority.

use std::time::Duration;

use waywarden_v2x_keys::KeyStore as _;
use waywarden_v2x_signing::{
    PayloadToSign, Seed, SignerForm, SigningOptions, UnsignedMessage, sign,
};
use waywarden_v2x_wire::coer::{NestedEncoding, parse};
use waywarden_v2x_wire::hash::certificate_digest;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Duration as Validity, HashedId8, HeaderInfo, Time64,
};

use crate::support::{CAM, World};
use crate::traffic::Due;

/// A message whose signer is not known and whose `requestedCertificate` is forged. Both change from
/// one to the next, without a signature being made.
pub(crate) struct Forgery {
    message: Vec<u8>,
    certificate: Vec<u8>,
    /// Offset of the signer's name.
    signer: usize,
    /// Offset of the certificate.
    brought: usize,
}

impl Forgery {
    /// Forges certificates under the root of a world, made at this time.
    pub(crate) fn new(world: &mut World, made: Time64) -> Self {
        let (mut holder, _) = world.vehicle(Validity::Years(1));
        let certificate = world.authority.credential().certificate().bytes().to_vec();
        let view: Certificate<'_> = parse(&certificate).unwrap();
        let header = HeaderInfo {
            generation_time: Some(made),
            requested_certificate: Some(NestedEncoding::Value(&view)),
            ..HeaderInfo::new(CAM)
        };
        let message = UnsignedMessage {
            payload: PayloadToSign::Data(b"where a vehicle is"),
            header,
        };
        let entropy = Seed::new([7; 32]).derive("signature", 0);
        let capabilities = holder.store.capabilities(holder.credential.curve());
        let options = SigningOptions {
            signer: SignerForm::Digest,
            form: waywarden_v2x_keys::NonceForm::Point,
            nonce: capabilities.nonce(&entropy),
        };
        let message = sign(&mut holder.store, &holder.credential, &message, &options).unwrap();
        let HashedId8(id) = holder.credential.id();
        Self {
            signer: place(&message, &id),
            brought: place(&message, &certificate),
            message,
            certificate,
        }
    }

    /// Returns the message of a number: its certificate has a signature of its own, which is wrong,
    /// and the message claims to be signed by that certificate.
    pub(crate) fn message(&mut self, number: u64) -> Vec<u8> {
        // The signature stands at the end of a certificate.
        let end = self.certificate.len();
        self.certificate[end - 8..].copy_from_slice(&(number + 1).to_be_bytes());
        let view: Certificate<'_> = parse(&self.certificate).unwrap();
        let HashedId8(id) = certificate_digest(&view).unwrap().id_8();
        self.message[self.signer..self.signer + 8].copy_from_slice(&id);
        self.message[self.brought..self.brought + end].copy_from_slice(&self.certificate);
        self.message.clone()
    }

    /// Returns `rate` messages a second for this time.
    pub(crate) fn messages(&mut self, rate: u32, lasts: Duration) -> Vec<Due> {
        let count = (f64::from(rate) * lasts.as_secs_f64()) as u64;
        let due = |number: u64| Due {
            after: Duration::from_secs_f64(number as f64 / f64::from(rate)),
            message: self.message(number),
        };
        (0..count).map(due).collect()
    }
}

fn place(message: &[u8], part: &[u8]) -> usize {
    let mut all = message.windows(part.len());
    all.position(|window| window == part).unwrap()
}
