//! A small world to verify in: a root, authorities and stations that sign, with keys from a seed.

mod messages;

use p256::ecdsa::SigningKey;
use p256::elliptic_curve::ops::Reduce;
use p256::elliptic_curve::sec1::ToSec1Point;
use p256::{FieldBytes, ProjectivePoint, Scalar};
use waywarden_v2x_security::hash::{
    HashFunction, certificate_digest, hash, hash_canonical, hash_for_signature,
};
use waywarden_v2x_wire::coer::{
    CoerOctets, Null, Raw, SequenceOf, Text, UnknownAdditions, emit, length, parse,
};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateBase, CertificateId, CertificateType, CrlContents, CrlPriorityInfo,
    CrlSeries, CurvePoint, Duration, EcdsaSignature, EndEntityType, GeographicRegion,
    HashAlgorithm, HashBasedRevocationInfo, HashedId3, HashedId8, HeaderInfo, Ieee1609Dot2Content,
    Ieee1609Dot2Data, IssuerIdentifier, LinkageData, PayloadParts, Psid, PsidGroupPermissions,
    PsidSsp, PsidSspRange, PublicVerificationKey, ServiceSpecificPermissions, Signature,
    SignedData, SignedDataPayload, SignerIdentifier, SspRange, SubjectPermissions, ThreeDLocation,
    Time32, Time64, ToBeSignedCertificate, ToBeSignedData, ToBeSignedHashIdCrl,
    TypeSpecificCrlContents, ValidityPeriod, VerificationKeyIndicator, Version1, Version3,
};

/// Time of the test world, in seconds since 2004.
pub const NOW: u32 = 700_000_000;

/// The same time in microseconds.
pub fn now() -> Time64 {
    Time64(u64::from(NOW) * 1_000_000)
}

/// A group of applications that may be given: which (`None`: all), least length of chain, range.
pub type Group = (Option<&'static [u64]>, i64, i64);

/// Contents of a certificate to be issued.
#[derive(Clone, Copy)]
pub struct Spec {
    /// True for an implicit certificate (ECQV).
    pub implicit: bool,
    /// Start of its validity, in seconds since 2004.
    pub start: u32,
    /// Length of its validity, in hours.
    pub hours: u16,
    /// Region of its validity; `None` for everywhere.
    pub region: Option<GeographicRegion<'static>>,
    /// Applications, with their permissions: bitmaps, but for the opaque ones of application 256.
    pub app: &'static [(u64, Option<&'static [u8]>)],
    /// Groups of applications that may be given.
    pub issue: &'static [Group],
    /// The CRACA that revokes it: the last bytes of its HashedId8, zeros for none.
    pub craca: [u8; 3],
    /// Linkage data in place of a name.
    pub linkage: Option<LinkageData>,
    /// Seed of its key.
    pub seed: u8,
}

impl Spec {
    /// A certificate that may sign messages of these applications.
    pub const fn station(seed: u8) -> Self {
        Self {
            implicit: false,
            start: NOW - 3_600,
            hours: 24,
            region: None,
            app: &[(32, None), (36, Some(&[1, 0xFF])), (37, None), (135, None)],
            issue: &[],
            craca: [0; 3],
            linkage: None,
            seed,
        }
    }

    /// A certificate that may issue others for all applications.
    pub const fn authority(seed: u8) -> Self {
        Self {
            start: NOW - 36_000,
            hours: 1_000,
            app: &[],
            issue: &[(None, 1, -1)],
            ..Self::station(seed)
        }
    }
}

/// A certificate and its key.
#[derive(Clone)]
pub struct Holder {
    /// The encoded certificate.
    pub certificate: Vec<u8>,
    /// The private signing key.
    pub key: Scalar,
}

/// Stands where the key goes.
pub const NO_KEY: VerificationKeyIndicator<'static> = VerificationKeyIndicator::VerificationKey(
    PublicVerificationKey::EcdsaNistP256(CurvePoint::Fill),
);

fn scalar(seed: u8, what: &str) -> Scalar {
    let digest = hash(HashFunction::Sha256, format!("{seed} {what}").as_bytes());
    let bytes = FieldBytes::try_from(digest.as_bytes()).unwrap();
    <Scalar as Reduce<FieldBytes>>::reduce(&bytes)
}

fn compressed(point: ProjectivePoint) -> (bool, [u8; 32]) {
    let encoded = point.to_affine().to_sec1_point(true);
    let bytes = encoded.as_bytes();
    (bytes[0] == 3, bytes[1..].try_into().unwrap())
}

fn point(odd: bool, x: &[u8; 32]) -> CurvePoint<'_, 32> {
    match odd {
        false => CurvePoint::CompressedY0(x),
        true => CurvePoint::CompressedY1(x),
    }
}

/// Signs a digest: whether R's y is odd, r and s.
pub fn sign(key: &Scalar, digest: &[u8]) -> (bool, [u8; 32], [u8; 32]) {
    let key = SigningKey::from_bytes(&key.to_bytes()).unwrap();
    let (signature, recovery): (p256::ecdsa::Signature, p256::ecdsa::RecoveryId) =
        key.sign_prehash_recoverable(digest);
    let (r, s) = signature.split_bytes();
    (recovery.is_y_odd(), r.into(), s.into())
}

/// Encodes a value.
pub fn written<T: waywarden_v2x_wire::coer::CoerEncode>(value: &T) -> Vec<u8> {
    let mut buffer = vec![0; length(value).unwrap()];
    emit(value, &mut buffer).unwrap();
    buffer
}

/// The permission to make revocation lists of series 0 for the signer's issuer, the CRACA.
pub const ISSUER_IS_CRACA: &[u8] = &[0, 1, 1, 1, 1, 0, 0];

/// A signed list of revoked certificates.
pub fn signed_crl(
    signer: &Holder,
    (issued, next): (u32, u32),
    craca: HashedId8,
    entries: &[HashBasedRevocationInfo<'_>],
) -> Vec<u8> {
    let message = MessageContents {
        psid: 256,
        made: None,
        payload: &written(&crl(issued, next, craca, entries)),
        ..MessageContents::new()
    };
    message.sign(signer)
}

/// A list of revoked certificates.
pub fn crl<'a>(
    issued: u32,
    next: u32,
    craca: HashedId8,
    entries: &'a [HashBasedRevocationInfo<'a>],
) -> CrlContents<'a> {
    CrlContents {
        version: Version1,
        crl_series: CrlSeries(0),
        crl_craca: craca,
        issue_date: Time32(issued),
        next_crl: Time32(next),
        priority_info: CrlPriorityInfo {
            priority: None,
            unknown: UnknownAdditions::default(),
        },
        contents: TypeSpecificCrlContents::FullHash(ToBeSignedHashIdCrl {
            crl_serial: 1,
            entries: SequenceOf::new(entries).unwrap(),
            unknown: UnknownAdditions::default(),
        }),
    }
}

impl Holder {
    /// Issues a certificate, to itself without an issuer.
    pub fn issue(spec: &Spec, issuer: Option<&Self>) -> Self {
        let app: Vec<PsidSsp<'_>> = spec.app.iter().map(permission).collect();
        let ranges: Vec<Vec<PsidSspRange<'_>>> = spec.issue.iter().map(ranges).collect();
        let groups: Vec<PsidGroupPermissions<'_>> =
            spec.issue.iter().zip(&ranges).map(group).collect();
        let id = match (spec.linkage, spec.issue) {
            (Some(linkage), _) => CertificateId::LinkageData(linkage),
            (None, []) => CertificateId::None(Null),
            (None, _) => CertificateId::Name(Text::new("authority").unwrap()),
        };
        let validity = ValidityPeriod {
            start: Time32(spec.start),
            duration: Duration::Hours(spec.hours),
        };
        let tbs = ToBeSignedCertificate {
            craca_id: HashedId3(spec.craca),
            region: spec.region,
            app_permissions: (!app.is_empty()).then(|| SequenceOf::new(&app).unwrap()),
            cert_issue_permissions: (!groups.is_empty()).then(|| SequenceOf::new(&groups).unwrap()),
            ..ToBeSignedCertificate::new(id, validity, NO_KEY)
        };
        Self::certify(tbs, spec.implicit, spec.seed, issuer)
    }

    /// Issues a certificate with these contents and a key from a seed; the key in `tbs` is ignored.
    pub fn certify(
        tbs: ToBeSignedCertificate<'_>,
        implicit: bool,
        seed: u8,
        issuer: Option<&Self>,
    ) -> Self {
        let own = scalar(seed, "key");
        let ephemeral = scalar(seed, "issuer's part");
        let public = match implicit {
            false => ProjectivePoint::GENERATOR * own,
            true => ProjectivePoint::GENERATOR * (own + ephemeral),
        };
        let (odd, x) = compressed(public);
        let tbs = ToBeSignedCertificate {
            verify_key_indicator: match implicit {
                false => VerificationKeyIndicator::VerificationKey(
                    PublicVerificationKey::EcdsaNistP256(point(odd, &x)),
                ),
                true => VerificationKeyIndicator::ReconstructionValue(point(odd, &x)),
            },
            ..tbs
        };
        let issuer_digest = issuer.map(Self::digest);
        let above = match &issuer_digest {
            Some((digest, _)) => digest.clone(),
            None => hash(HashFunction::Sha256, &[]).as_bytes().to_vec(),
        };
        let data = hash_canonical(HashFunction::Sha256, &tbs).unwrap();
        let digest = hash(
            HashFunction::Sha256,
            &[data.as_bytes(), &above[..]].concat(),
        );
        let (kind, signature_parts, key) = match (implicit, issuer) {
            (true, Some(issuer)) => {
                let bytes = FieldBytes::try_from(digest.as_bytes()).unwrap();
                let e = <Scalar as Reduce<FieldBytes>>::reduce(&bytes);
                let contribution = e * ephemeral + issuer.key;
                (CertificateType::Implicit, None, e * own + contribution)
            }
            _ => {
                let signer = issuer.map_or(own, |issuer| issuer.key);
                let signature = sign(&signer, digest.as_bytes());
                (CertificateType::Explicit, Some(signature), own)
            }
        };
        let signature = signature_parts.as_ref().map(|(_, r, s)| {
            Signature::EcdsaNistP256(EcdsaSignature {
                r: CurvePoint::XOnly(r),
                s,
            })
        });
        let certificate = Certificate::new(CertificateBase {
            version: Version3,
            kind,
            issuer: match issuer_digest {
                None => IssuerIdentifier::SelfIssued(HashAlgorithm::Sha256),
                Some((_, id)) => IssuerIdentifier::Sha256AndDigest(id),
            },
            to_be_signed: Raw::new(tbs),
            signature,
        })
        .unwrap();
        Self {
            certificate: written(&certificate),
            key,
        }
    }

    /// Returns the hash of its certificate and what it is called by.
    pub fn digest(&self) -> (Vec<u8>, HashedId8) {
        let digest = certificate_digest(&parse(&self.certificate).unwrap()).unwrap();
        (digest.as_bytes().to_vec(), digest.id_8())
    }

    /// Returns the HashedId8 of its certificate.
    pub fn id(&self) -> HashedId8 {
        self.digest().1
    }
}

fn permission<'a>(&(psid, ssp): &(u64, Option<&'a [u8]>)) -> PsidSsp<'a> {
    PsidSsp {
        psid: Psid(psid),
        ssp: ssp.map(|ssp| match psid {
            // Those of signers of revocation lists are opaque to others.
            256 => ServiceSpecificPermissions::Opaque(ssp),
            _ => ServiceSpecificPermissions::Bitmap(CoerOctets::new(ssp).unwrap()),
        }),
    }
}

fn ranges((psids, ..): &Group) -> Vec<PsidSspRange<'static>> {
    let psids = psids.unwrap_or(&[]).iter();
    let range = |&psid| PsidSspRange {
        psid: Psid(psid),
        range: Some(SspRange::All(Null)),
    };
    psids.map(range).collect()
}

fn group<'a>(
    ((psids, least, range), own): (&Group, &'a Vec<PsidSspRange<'a>>),
) -> PsidGroupPermissions<'a> {
    PsidGroupPermissions {
        subject: match psids {
            None => SubjectPermissions::All(Null),
            Some(_) => SubjectPermissions::Explicit(SequenceOf::new(own).unwrap()),
        },
        min_chain_length: *least,
        chain_length_range: *range,
        ee_type: EndEntityType::APP,
    }
}

/// Form in which a message names its signer.
#[derive(Clone, Copy)]
pub enum Named<'h> {
    /// By the HashedId8 of its certificate.
    Digest,
    /// By its certificate and these above it.
    Certificates(&'h [&'h Holder]),
}

/// Contents of a message to be signed.
#[derive(Clone, Copy)]
pub struct MessageContents<'h> {
    /// Application that the message is of.
    pub psid: u64,
    /// Generation time.
    pub made: Option<Time64>,
    /// Expiry time.
    pub expires: Option<Time64>,
    /// Generation location.
    pub place: Option<ThreeDLocation>,
    /// Unsecured data in the message.
    pub payload: &'h [u8],
    /// The SHA-256 of data that is elsewhere.
    pub external: Option<[u8; 32]>,
    /// Form of the signer identifier.
    pub named: Named<'h>,
}

/// Signs a payload under a header, the signer named so.
pub fn sign_data(
    payload: PayloadParts<'_>,
    header_info: HeaderInfo<'_>,
    named: SignerIdentifier<'_>,
    signer: &Holder,
) -> Vec<u8> {
    let payload = SignedDataPayload::new(payload).unwrap();
    let tbs = ToBeSignedData {
        payload,
        header_info,
    };
    let own = hash_canonical(HashFunction::Sha256, &tbs).unwrap();
    let whole = certificate_digest(&parse(&signer.certificate).unwrap()).unwrap();
    let digest = hash_for_signature(HashFunction::Sha256, &own, &whole);
    let (odd, r, s) = sign(&signer.key, digest.as_bytes());
    let data = Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Signed(SignedData {
            hash_id: HashAlgorithm::Sha256,
            tbs_data: Raw::new(tbs),
            signer: named,
            signature: Signature::EcdsaNistP256(EcdsaSignature {
                r: point(odd, &r),
                s: &s,
            }),
        }),
    };
    written(&data)
}
