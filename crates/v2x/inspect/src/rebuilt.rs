//! The public key of an implicit certificate, rebuilt from its issuer's \[1609.2 §5.3.2\].

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_ecverify::{Curve, EncodedPoint, Point, rebuild};
use waywarden_v2x_security::encoded;
use waywarden_v2x_security::hash::{HashFunction, hash, hash_canonical};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, IssuerIdentifier, PublicVerificationKey, VerificationKeyIndicator,
};

use waywarden_v2x_input::records;

/// Certificate hash and public key of an issuer.
#[derive(Debug)]
pub struct Issuer {
    /// The SHA-256 of its whole certificate.
    hash: Vec<u8>,
    /// Its public key.
    key: Point,
}

/// A key in SEC 1's forms, in hexadecimal digits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Rebuilt {
    /// Compressed, 33 bytes.
    pub compressed: String,
    /// Uncompressed, 65 bytes.
    pub uncompressed: String,
}

impl Issuer {
    /// Takes the issuer's certificate.
    ///
    /// # Errors
    /// It is no certificate with a key of 256 bits in it.
    pub fn of_certificate(bytes: &[u8]) -> Result<Self, String> {
        let certificate: Certificate<'_> =
            parse(bytes).map_err(|error| format!("no certificate: {error}"))?;
        let VerificationKeyIndicator::VerificationKey(key) =
            certificate.to_be_signed.verify_key_indicator
        else {
            return Err(
                "implicit itself, so that its key is not in it; give --issuer-hash and \
                        --issuer-key"
                    .to_owned(),
            );
        };
        let (curve, point) = match &key {
            PublicVerificationKey::EcdsaNistP256(point) => (Curve::P256, point),
            PublicVerificationKey::EcdsaBrainpoolP256r1(point) => (Curve::BrainpoolP256r1, point),
            _ => return Err("its key has not 256 bits, as that of implicit ones has".to_owned()),
        };
        let key =
            Point::decode(curve, &encoded(point)).map_err(|error| format!("its key: {error}"))?;
        let hash = hash_canonical(HashFunction::Sha256, &certificate)
            .map_err(|error| error.to_string())?;
        let hash = hash.as_bytes().to_vec();
        Ok(Self { hash, key })
    }

    /// Takes the SHA-256 of the issuer's certificate, and its public key on P-256 as SEC 1 encodes
    /// it.
    ///
    /// # Errors
    /// The key is no point of P-256.
    pub fn given(hash: [u8; 32], key: &[u8]) -> Result<Self, String> {
        let point = EncodedPoint::from_sec1(key).map_err(|error| error.to_string())?;
        let key = Point::decode(Curve::P256, &point).map_err(|error| error.to_string())?;
        Ok(Self {
            hash: hash.to_vec(),
            key,
        })
    }

    /// Rebuilds the key of a certificate.
    ///
    /// # Errors
    /// It is not implicit, is of another issuer, or gives no key.
    pub fn rebuild(&self, certificate: &Certificate<'_>) -> Result<Rebuilt, String> {
        let VerificationKeyIndicator::ReconstructionValue(value) =
            certificate.to_be_signed.verify_key_indicator
        else {
            return Err("an explicit certificate has its key: nothing to rebuild".to_owned());
        };
        let named = match certificate.issuer {
            IssuerIdentifier::Sha256AndDigest(id)
            | IssuerIdentifier::Sha384AndDigest(id)
            | IssuerIdentifier::Sm3AndDigest(id) => id.0.to_vec(),
            IssuerIdentifier::SelfIssued(_) => Vec::new(),
        };
        if !self.hash.ends_with(&named) || named.is_empty() {
            let given = records::show(self.hash.get(24..).unwrap_or(&[]));
            let named = records::show(&named);
            return Err(format!(
                "its issuer is {named}, and the one given is {given}"
            ));
        }
        let own = hash_canonical(HashFunction::Sha256, &*certificate.to_be_signed)
            .map_err(|error| error.to_string())?;
        let both = [own.as_bytes(), &self.hash].concat();
        let e = hash(HashFunction::Sha256, &both);
        let issuer = self.key.uncompressed();
        let key = rebuild(self.key.curve(), e.as_bytes(), &encoded(&value), &issuer)
            .map_err(|error| error.to_string())?;
        Ok(Rebuilt {
            compressed: records::show(key.to_sec1_compressed().as_ref()),
            uncompressed: records::show(key.to_sec1_uncompressed().as_ref()),
        })
    }
}
