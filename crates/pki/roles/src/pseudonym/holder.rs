//! A station: one request, many certificates.

use waywarden_ecverify::{Curve, Point};
use waywarden_v2x_keys::butterfly::{ExpansionFunction, Purpose};
use waywarden_v2x_keys::ecqv::{self, EcqvError};
use waywarden_v2x_keys::{KeyError, KeyHandle, KeyStore, Nonce, NonceForm, Uses, compressed};
use waywarden_v2x_security::hash::{HashFunction, hash, hash_for_signature};
use waywarden_v2x_security::{Verified, verify_signature};
use waywarden_v2x_signing::{
    Credential, DecryptionKeys, Recipient, Seed, decrypt, encrypt, hash_of, wire_key, written,
};
use waywarden_v2x_wire::coer::{Raw, SequenceOf, UnknownAdditions, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    CertificateType, HashAlgorithm, Ieee1609Dot2Content, Ieee1609Dot2Data, PublicVerificationKey,
    SignerIdentifier, Time32, ToBeSignedCertificate, VerificationKeyIndicator,
};
use waywarden_v2x_wire::ieee1609dot2dot1::{
    AcaEeInterfacePdu, AdditionalParams, ButterflyExpansion, ButterflyParamsOriginal,
    EeRaCertRequest, EeRaInterfacePdu, ScmsContent, ScmsPdu, SignedCertificateRequest, Version2,
};
use zeroize::Zeroizing;

use super::SECURITY_MANAGEMENT;
use super::error::{OpenResponseError, PseudonymError};
use super::message::{data, pdu};
use super::period::CertificatePosition;
use crate::contents::Contents;
use crate::seeds::Seeds;

/// The secrets of a request: two caterpillar keys and their expansion keys.
///
/// The registration authority has the expansion keys, too. The caterpillar keys stay in the
/// holder's store, and never change.
pub struct PseudonymHolder {
    signing: KeyHandle,
    encryption: KeyHandle,
    expansion_keys: Zeroizing<[[u8; 16]; 2]>,
}

/// A certificate, and its private key in the holder's store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pseudonym {
    /// The certificate, encoded.
    pub certificate: Vec<u8>,
    /// Its private key.
    pub key: KeyHandle,
}

impl PseudonymHolder {
    /// Makes the keys of a request, on the curve of the pseudonym authority.
    ///
    /// # Errors
    /// What the store says.
    pub fn generate<S: KeyStore + ?Sized>(
        store: &mut S,
        curve: Curve,
        seeds: &mut Seeds,
    ) -> Result<Self, KeyError> {
        let signing = store.generate(curve, Uses::EXPAND, &seeds.next())?;
        let encryption = store.generate(curve, Uses::EXPAND, &seeds.next())?;
        let random = seeds.next();
        let (halves, _) = random.as_chunks::<16>();
        Ok(Self::new([signing, encryption], [halves[0], halves[1]]))
    }

    /// Takes keys that were made before: the caterpillar keys for signing and encryption, for
    /// [`Uses::EXPAND`], and their expansion keys.
    #[must_use]
    pub fn new([signing, encryption]: [KeyHandle; 2], expansion_keys: [[u8; 16]; 2]) -> Self {
        Self {
            signing,
            encryption,
            expansion_keys: Zeroizing::new(expansion_keys),
        }
    }

    /// Returns the caterpillar keys, for signing and for encryption.
    #[must_use]
    pub fn keys(&self) -> [KeyHandle; 2] {
        [self.signing, self.encryption]
    }

    /// Returns their expansion keys, to be kept with them.
    #[must_use]
    pub fn expansion_keys(&self) -> &[[u8; 16]; 2] {
        &self.expansion_keys
    }

    /// Makes the request: what the certificates are to say, signed with the enrolment certificate,
    /// encrypted to the registration authority. Periods and key indicators are the authorities'.
    ///
    /// # Errors
    /// [`PseudonymError`].
    pub fn request<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        contents: &Contents,
        enrolment: &Credential,
        authority: &Recipient,
        now: Time32,
        seeds: &mut Seeds,
    ) -> Result<Vec<u8>, PseudonymError> {
        let [signing, encryption] = [
            store.public_key(self.signing)?,
            store.public_key(self.encryption)?,
        ];
        let [by, encryption_by] = &*self.expansion_keys;
        let request = contents.with(|contents| {
            let tbs_cert = ToBeSignedCertificate {
                verify_key_indicator: VerificationKeyIndicator::VerificationKey(key_of(&signing)?),
                ..contents
            };
            let params = ButterflyParamsOriginal {
                signing_expansion: ButterflyExpansion::Aes128(by),
                encryption_key: wire_key(&encryption)?,
                encryption_expansion: ButterflyExpansion::Aes128(encryption_by),
            };
            let request = EeRaCertRequest {
                version: Version2,
                generation_time: now,
                kind: CertificateType::Implicit,
                tbs_cert,
                additional_params: Some(AdditionalParams::Original(params)),
                unknown: UnknownAdditions::default(),
            };
            Ok(pdu(ScmsContent::EeRa(EeRaInterfacePdu::CertRequest(
                request,
            )))?)
        })?;
        let request = Zeroizing::new(request);
        let signed = Zeroizing::new(signed_request(store, &request, enrolment, seeds)?);
        let seed = Seed::new(*seeds.next());
        let recipients = core::slice::from_ref(authority);
        Ok(encrypt(store, recipients, &signed, &seed)?)
    }

    /// Opens what the registration authority gives for a position: checks that the pseudonym
    /// authority signed it, decrypts it, and computes the private key, which is compared with the
    /// certificate. The holder's store has one key more then, and three at the same time.
    ///
    /// # Errors
    /// [`OpenResponseError`]; the store then has no key more.
    pub fn open<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        authority: &Verified,
        position: CertificatePosition,
        response: &[u8],
    ) -> Result<Pseudonym, OpenResponseError> {
        let encrypted = checked(authority, response)?;
        let [by, encryption_by] = &*self.expansion_keys;
        let f = position.expand(&ExpansionFunction::new(Purpose::Encryption, encryption_by));
        let cocoon = store.expand(self.encryption, &f, Uses::AGREE)?;
        let opened = open_with(store, cocoon, encrypted);
        store.retire(cocoon)?;
        let opened = opened?;
        let (certificate, r) = answer(&opened)?;
        let issuer = ecqv::Issuer {
            public: authority.public_key().ok_or(NO_KEY)?,
            digest: *authority.digest(),
        };
        let f = position.expand(&ExpansionFunction::new(Purpose::Signing, by));
        let cocoon = store.expand(self.signing, &f, Uses::RECONSTRUCT)?;
        let view = parse(&certificate)?;
        let key = ecqv::receive(store, cocoon, &view, &issuer, &r, Uses::SIGN);
        store.retire(cocoon)?;
        Ok(Pseudonym {
            key: key?,
            certificate,
        })
    }
}

const NO_KEY: OpenResponseError = OpenResponseError::Key(EcqvError::Certificate(
    "the authority's certificate gives no key",
));

/// A public key of a curve with implicit certificates, as certificates have it.
fn key_of(point: &Point) -> Result<PublicVerificationKey<'_>, KeyError> {
    match point.curve() {
        Curve::P256 => Ok(PublicVerificationKey::EcdsaNistP256(compressed(point))),
        Curve::BrainpoolP256r1 => Ok(PublicVerificationKey::EcdsaBrainpoolP256r1(compressed(
            point,
        ))),
        curve => Err(KeyError::Unsupported {
            operation: "butterfly certificates",
            curve,
        }),
    }
}

/// Signs a request with an enrolment certificate.
fn signed_request<S: KeyStore + ?Sized>(
    store: &mut S,
    request: &[u8],
    enrolment: &Credential,
    seeds: &mut Seeds,
) -> Result<Vec<u8>, PseudonymError> {
    let function = hash_of(enrolment.curve());
    let own = enrolment.certificate().view()?;
    let of_signer = waywarden_v2x_security::hash::hash_certificate(function, &own)?;
    let digest = hash_for_signature(function, &hash(function, request), &of_signer);
    let nonce = Nonce::Hedged {
        entropy: &seeds.next(),
    };
    let signature = store.sign(enrolment.key(), digest.as_bytes(), nonce, NonceForm::Point)?;
    let signer = [own];
    let signed = SignedCertificateRequest {
        hash_algorithm: match function {
            HashFunction::Sha256 => HashAlgorithm::Sha256,
            HashFunction::Sha384 => HashAlgorithm::Sha384,
        },
        request: parse::<Raw<'_, ScmsPdu<'_>>>(request)?,
        signer: SignerIdentifier::Certificate(SequenceOf::new(&signer).ok_or(
            PseudonymError::Message {
                field: "signer",
                why: "one certificate",
            },
        )?),
        signature: signature.wire(),
    };
    let signed = written(&signed)?;
    Ok(written(&data(
        Ieee1609Dot2Content::SignedCertificateRequest(&signed),
    ))?)
}

/// Checks the pseudonym authority's signature; returns the encrypted data under it.
fn checked<'r>(authority: &Verified, response: &'r [u8]) -> Result<&'r [u8], OpenResponseError> {
    let outer: Ieee1609Dot2Data<'_> = parse(response)?;
    let wrong = |field, why| OpenResponseError::Message { field, why };
    let Ieee1609Dot2Content::Signed(signed) = outer.content else {
        return Err(wrong("content", "signedData"));
    };
    let SignerIdentifier::Certificate(signer) = &signed.signer else {
        return Err(wrong("signer", "the pseudonym authority's certificate"));
    };
    // Its bytes are those that were verified: no other encoding is taken.
    let own = authority.view()?;
    let mut signer = signer.iter();
    let is_own = signer.next().transpose()?.and_then(|one| one.bytes()) == Some(authority.bytes());
    if !is_own || signer.next().is_some() {
        return Err(wrong("signer", "the pseudonym authority's certificate"));
    }
    if signed.tbs_data.header_info.psid != SECURITY_MANAGEMENT {
        return Err(wrong("psid", "35"));
    }
    let key = authority.public_key().ok_or(NO_KEY)?;
    verify_signature(&signed, &own, &key, None).map_err(OpenResponseError::Signature)?;
    let payload = signed.tbs_data.payload.data.map(|data| data.view());
    match payload.transpose()?.map(|data| data.content) {
        Some(Ieee1609Dot2Content::Unsecured(encrypted)) => Ok(encrypted),
        _ => Err(wrong("payload", "unsecuredData")),
    }
}

/// Decrypts with a cocoon key.
fn open_with<S: KeyStore + ?Sized>(
    store: &mut S,
    cocoon: KeyHandle,
    encrypted: &[u8],
) -> Result<Zeroizing<Vec<u8>>, OpenResponseError> {
    let public = store.public_key(cocoon)?;
    let wrong = |_| EcqvError::Certificate("no encryption on this curve");
    let own = Recipient::response_key(&wire_key(&public).map_err(wrong)?).map_err(wrong)?;
    let keys = DecryptionKeys::new().with_private_key(own, cocoon);
    Ok(decrypt(store, &keys, encrypted)?)
}

/// The certificate and the private key reconstruction value.
fn answer(opened: &[u8]) -> Result<(Vec<u8>, Zeroizing<[u8; 32]>), OpenResponseError> {
    let wrong = |field, why| OpenResponseError::Message { field, why };
    let ScmsContent::AcaEe(AcaEeInterfacePdu::CertResponse(answer)) =
        parse::<ScmsPdu<'_>>(opened)?.content
    else {
        return Err(wrong("content", "acaEeCertResponse"));
    };
    let r = answer.private_key_info;
    let r = r.ok_or(wrong("privateKeyInfo", "of an implicit certificate"))?;
    let certificate = answer.certificate.bytes().unwrap_or(&[]).to_vec();
    Ok((certificate, Zeroizing::new(*r)))
}
