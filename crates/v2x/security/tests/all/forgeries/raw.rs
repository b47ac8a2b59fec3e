//! Certificates and messages put together from bytes, signed although the parser may refuse them.

use p256::FieldBytes;
use p256::elliptic_curve::PrimeField;
use p256::elliptic_curve::sec1::ToSec1Point;
use p256::{ProjectivePoint, Scalar};
use waywarden_testkit_v2x::world::{Holder, sign};
use waywarden_v2x_security::hash::{HashFunction, hash, hash_for_signature};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Ieee1609Dot2Content, Ieee1609Dot2Data, SignedData,
};

pub(crate) fn signed(message: &[u8]) -> SignedData<'_> {
    let data: Ieee1609Dot2Data<'_> = parse(message).unwrap();
    match data.content {
        Ieee1609Dot2Content::Signed(signed) => signed,
        other => panic!("{other:?}"),
    }
}

/// Returns the signed bytes of a message.
pub(crate) fn tbs_of(message: &[u8]) -> Vec<u8> {
    signed(message).tbs_data.bytes().unwrap().to_vec()
}

/// Replaces bytes that occur once.
pub(crate) fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let places = bytes.windows(from.len()).enumerate();
    let places: Vec<usize> = places
        .filter_map(|(at, window)| (window == from).then_some(at))
        .collect();
    let [at] = places[..] else {
        panic!("{from:02x?} occurs at {places:?}");
    };
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

/// The parts of a message, encoded.
#[derive(Clone)]
pub(crate) struct Parts {
    /// The protocol version, the alternative of the content, and the hash function.
    pub(crate) head: Vec<u8>,
    pub(crate) tbs: Vec<u8>,
    pub(crate) signer: Vec<u8>,
    pub(crate) signature: Vec<u8>,
}

impl Parts {
    /// Of a message that is signed with a point of P-256.
    pub(crate) fn of(message: &[u8]) -> Self {
        let tbs = tbs_of(message);
        let signature = message.len() - 66;
        Self {
            head: message[..3].to_vec(),
            signer: message[3 + tbs.len()..signature].to_vec(),
            signature: message[signature..].to_vec(),
            tbs,
        }
    }

    pub(crate) fn message(&self) -> Vec<u8> {
        [&self.head, &self.tbs, &self.signer, &self.signature]
            .map(|part| &part[..])
            .concat()
    }

    /// With another signature.
    pub(crate) fn signed(&self, signature: &[u8]) -> Vec<u8> {
        let signature = signature.to_vec();
        Self {
            signature,
            ..self.clone()
        }
        .message()
    }

    /// With another signer.
    pub(crate) fn named(&self, signer: &[u8]) -> Vec<u8> {
        let signer = signer.to_vec();
        Self {
            signer,
            ..self.clone()
        }
        .message()
    }
}

/// The choice of P-256, then R as a point, then s.
pub(crate) fn signature(key: &Scalar, digest: &[u8]) -> Vec<u8> {
    let (odd, r, s) = sign(key, digest);
    [&[0x80, 0x82 | u8::from(odd)], &r[..], &s[..]].concat()
}

fn digest_of(data: &[u8], signer: &[u8]) -> Vec<u8> {
    let [data, signer] = [data, signer].map(|bytes| hash(HashFunction::Sha256, bytes));
    let digest = hash_for_signature(HashFunction::Sha256, &data, &signer);
    digest.as_bytes().to_vec()
}

/// Signs these bytes, with these certificates in the message, the signer's first.
pub(crate) fn message(tbs: &[u8], certificates: &[&[u8]], key: &Scalar) -> Vec<u8> {
    let count = [0x81, 1, certificates.len() as u8];
    Parts {
        head: vec![3, 0x81, 0],
        tbs: tbs.to_vec(),
        signer: [&count, &certificates.concat()[..]].concat(),
        signature: signature(key, &digest_of(tbs, certificates[0])),
    }
    .message()
}

/// Returns the bytes of a certificate that its issuer signs.
pub(crate) fn tbs_of_certificate(certificate: &[u8]) -> Vec<u8> {
    let certificate: Certificate<'_> = parse(certificate).unwrap();
    certificate.to_be_signed.bytes().unwrap().to_vec()
}

/// An explicit certificate with other contents, signed by its issuer.
pub(crate) fn certificate(honest: &Holder, tbs: &[u8], issuer: &Holder) -> Vec<u8> {
    let own = tbs_of_certificate(&honest.certificate);
    let head = &honest.certificate[..honest.certificate.len() - own.len() - 66];
    let signature = signature(&issuer.key, &digest_of(tbs, &issuer.certificate));
    let mut certificate = [head, tbs, &signature].concat();
    // A certificate's signature has the x-coordinate alone.
    let form = certificate.len() - 65;
    certificate[form] = 0x80;
    certificate
}

/// The y-coordinate of the point with this x-coordinate.
pub(crate) fn y_of(odd: bool, x: &[u8; 32]) -> [u8; 32] {
    use p256::elliptic_curve::sec1::FromSec1Point;
    let encoded = [&[2 + u8::from(odd)], &x[..]].concat();
    let encoded = p256::Sec1Point::from_bytes(&encoded).unwrap();
    let point = p256::AffinePoint::from_sec1_point(&encoded).unwrap();
    point.to_sec1_point(false).as_bytes()[33..]
        .try_into()
        .unwrap()
}

/// The public key of a private one: x, y.
pub(crate) fn public(key: &Scalar) -> ([u8; 32], [u8; 32]) {
    let point = (ProjectivePoint::GENERATOR * key)
        .to_affine()
        .to_sec1_point(false);
    let bytes = point.as_bytes();
    (
        bytes[1..33].try_into().unwrap(),
        bytes[33..].try_into().unwrap(),
    )
}

/// The same scalar with the other sign.
pub(crate) fn negated(s: &[u8]) -> [u8; 32] {
    let s: Scalar = Option::from(Scalar::from_repr(FieldBytes::try_from(s).unwrap())).unwrap();
    (-s).to_bytes().into()
}
