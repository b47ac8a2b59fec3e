//! Implicit certificates, from the request to the key: both sides, and what goes wrong.

use waywarden_ecverify::{Curve, EncodedPoint, Point};
use waywarden_testkit::{Random, cases};
use waywarden_testkit_v2x::WrappedStore;
use waywarden_v2x_keys::ecqv::{EcqvError, EcqvRequest, Issuer, extract, issue, receive, request};
use waywarden_v2x_keys::{KeyError, KeyHandle, KeyStore, Nonce, NonceForm, SoftwareStore, Uses};
use waywarden_v2x_wire::coer::{CoerOctets, SequenceOf, Text, parse};
use waywarden_v2x_wire::hash::{HashFunction, hash};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, CrlSeries, CurvePoint, Duration, Psid, PsidSsp,
    PublicVerificationKey, ServiceSpecificPermissions, Time32, ToBeSignedCertificate,
    ValidityPeriod, VerificationKeyIndicator,
};

use crate::support::{all_uses, verified};

const CURVES: [Curve; 2] = [Curve::P256, Curve::BrainpoolP256r1];

type Store = SoftwareStore<8>;

/// A certificate of a station, still without its key.
fn contents<'a>(name: &'a str, permissions: &'a [PsidSsp<'a>]) -> ToBeSignedCertificate<'a> {
    let id = CertificateId::Name(Text::new(name).unwrap());
    let validity = ValidityPeriod {
        start: Time32(700_000_000),
        duration: Duration::Hours(169),
    };
    let no_key = PublicVerificationKey::EcdsaNistP256(CurvePoint::Fill);
    let no_key = VerificationKeyIndicator::VerificationKey(no_key);
    ToBeSignedCertificate {
        crl_series: CrlSeries(7),
        app_permissions: Some(SequenceOf::new(permissions).unwrap()),
        ..ToBeSignedCertificate::new(id, validity, no_key)
    }
}

fn permissions() -> [PsidSsp<'static>; 2] {
    let bitmap = ServiceSpecificPermissions::Bitmap(CoerOctets::new(&[1, 0xFF]).unwrap());
    [(32, None), (36, Some(bitmap))].map(|(psid, ssp)| PsidSsp {
        psid: Psid(psid),
        ssp,
    })
}

/// An issuer and a requester, each with a store of its own.
struct Parties {
    random: Random,
    authority: Store,
    authority_key: KeyHandle,
    issuer: Issuer,
    station: Store,
    request: EcqvRequest,
}

impl Parties {
    fn new(test: &str, curve: Curve) -> Self {
        let mut random = Random::of_test(test);
        let (mut authority, mut station) = (Store::new(), Store::new());
        let authority_key = authority
            .generate(curve, Uses::ISSUE_IMPLICIT, &random.array())
            .unwrap();
        let issuer = Issuer {
            public: authority.public_key(authority_key).unwrap(),
            digest: hash(HashFunction::Sha256, b"the issuer's certificate"),
        };
        let request = request(&mut station, curve, &random.array()).unwrap();
        Self {
            random,
            authority,
            authority_key,
            issuer,
            station,
            request,
        }
    }

    /// Issues for a requester's public key.
    fn issue_for(&mut self, public: &Point, name: &str) -> Result<(Vec<u8>, [u8; 32]), EcqvError> {
        let mut buffer = [0; 300];
        let issued = issue(
            &mut self.authority,
            self.authority_key,
            &self.issuer,
            public,
            contents(name, &permissions()),
            &self.random.array(),
            &mut buffer,
        )?;
        Ok((issued.certificate.to_vec(), issued.r))
    }

    fn issued(&mut self, name: &str) -> (Vec<u8>, [u8; 32]) {
        let public = self.request.public;
        self.issue_for(&public, name).unwrap()
    }

    fn received(&mut self, certificate: &[u8], r: &[u8; 32]) -> Result<KeyHandle, EcqvError> {
        let certificate: Certificate<'_> = parse(certificate).unwrap();
        let key = self.request.key;
        receive(
            &mut self.station,
            key,
            &certificate,
            &self.issuer,
            r,
            Uses::SIGN,
        )
    }
}

#[test]
fn a_key_that_was_issued_signs_for_its_certificate() {
    for curve in CURVES {
        let mut parties = Parties::new("a_key_that_was_issued_signs_for_its_certificate", curve);
        for _ in 0..cases(6) {
            let (bytes, r) = parties.issued("station");
            let key = parties.received(&bytes, &r).unwrap();
            let certificate: Certificate<'_> = parse(&bytes).unwrap();
            // The reconstruction value is compressed on the wire.
            assert!(matches!(
                &certificate.to_be_signed.verify_key_indicator,
                VerificationKeyIndicator::ReconstructionValue(
                    CurvePoint::CompressedY0(_) | CurvePoint::CompressedY1(_)
                )
            ));
            let public = extract(&certificate, &parties.issuer).unwrap();
            let digest: [u8; 32] = parties.random.array();
            let signature =
                parties
                    .station
                    .sign(key, &digest, Nonce::Deterministic, NonceForm::Point);
            assert_eq!(verified(&public, &digest, &signature.unwrap()), Ok(()));
            parties.station.retire(key).unwrap();
        }
        // The request's key serves many certificates, and the issuer keeps no ephemeral key.
        let free = (0..8).filter(|seed| {
            let made = parties.authority.generate(curve, Uses::SIGN, &[*seed; 32]);
            made.is_ok()
        });
        assert_eq!(free.count(), 7);
    }
}

#[test]
fn another_r_certificate_or_request_gives_no_key() {
    for curve in CURVES {
        let mut parties = Parties::new("another_r_certificate_or_request_gives_no_key", curve);
        let (bytes, r) = parties.issued("station");
        let (other_bytes, other_r) = parties.issued("another");
        for bit in 0..cases(16) {
            let mut changed = r;
            let place = parties.random.index(256);
            changed[place / 8] ^= 1 << (place % 8);
            let refused = parties.received(&bytes, &changed);
            let expected = [
                EcqvError::OtherKey,
                EcqvError::Key(KeyError::ScalarOutOfRange),
            ];
            assert!(expected.contains(&refused.unwrap_err()), "{bit}");
        }
        assert_eq!(parties.received(&bytes, &other_r), Err(EcqvError::OtherKey));
        assert_eq!(parties.received(&other_bytes, &r), Err(EcqvError::OtherKey));
        // Issued for another's request.
        let mut elsewhere = Store::new();
        let seed = parties.random.array();
        let other = request(&mut elsewhere, curve, &seed).unwrap();
        let (bytes_of_other, r_of_other) = parties.issue_for(&other.public, "station").unwrap();
        let refused = parties.received(&bytes_of_other, &r_of_other);
        assert_eq!(refused, Err(EcqvError::OtherKey));
        // A key that was refused is not kept: the store has all its other places.
        let free = (0..8).filter(|seed| {
            let made = parties.station.generate(curve, Uses::SIGN, &[*seed; 32]);
            made.is_ok()
        });
        assert_eq!(free.count(), 7);
    }
}

#[test]
fn a_changed_certificate_gives_no_key() {
    let mut parties = Parties::new("a_changed_certificate_gives_no_key", Curve::P256);
    let (bytes, r) = parties.issued("station");
    assert!(parties.received(&bytes, &r).is_ok());
    let mut refused = 0;
    for bit in 0..8 * bytes.len() {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let Ok(certificate) = parse::<Certificate<'_>>(&changed) else {
            continue;
        };
        let key = parties.request.key;
        let received = receive(
            &mut parties.station,
            key,
            &certificate,
            &parties.issuer,
            &r,
            Uses::SIGN,
        );
        let error = received.unwrap_err();
        let expected = matches!(error, EcqvError::OtherKey | EcqvError::Certificate(_));
        assert!(expected, "bit {bit}: {error:?}");
        refused += 1;
    }
    assert!(
        refused > 100,
        "{refused} changed certificates could be read"
    );
}

#[test]
fn another_issuer_is_refused() {
    let mut parties = Parties::new("another_issuer_is_refused", Curve::P256);
    let (bytes, r) = parties.issued("station");
    let right = parties.issuer;
    // Another key under the same certificate, another certificate, another curve.
    let key = parties
        .authority
        .generate(Curve::P256, all_uses(), &[1; 32])
        .unwrap();
    parties.issuer.public = parties.authority.public_key(key).unwrap();
    assert_eq!(parties.received(&bytes, &r), Err(EcqvError::OtherKey));
    parties.issuer = Issuer {
        digest: hash(HashFunction::Sha256, b"another certificate"),
        ..right
    };
    let why = "the certificate names another issuer";
    assert_eq!(
        parties.received(&bytes, &r),
        Err(EcqvError::Certificate(why))
    );
    let key = parties
        .authority
        .generate(Curve::BrainpoolP256r1, all_uses(), &[1; 32])
        .unwrap();
    parties.issuer = Issuer {
        public: parties.authority.public_key(key).unwrap(),
        ..right
    };
    let refused = parties.received(&bytes, &r).unwrap_err();
    let expected = matches!(refused, EcqvError::OtherKey | EcqvError::Certificate(_));
    assert!(expected, "{refused:?}");
}

#[test]
fn an_issuer_keeps_to_its_curve_its_use_and_its_buffer() {
    let mut parties = Parties::new("an_issuer_keeps_to_its_curve", Curve::P256);
    let mut elsewhere = Store::new();
    let other = request(&mut elsewhere, Curve::BrainpoolP256r1, &[1; 32]).unwrap();
    let refused = parties.issue_for(&other.public, "station");
    assert_eq!(refused.unwrap_err(), EcqvError::Key(KeyError::OtherCurve));
    for curve in [Curve::P384, Curve::BrainpoolP384r1] {
        let refused = request(&mut elsewhere, curve, &[1; 32]).unwrap_err();
        let expected = matches!(refused, EcqvError::Key(KeyError::Unsupported { .. }));
        assert!(expected, "{refused:?}");
    }
    let wrong = parties
        .authority
        .generate(Curve::P256, Uses::SIGN, &[1; 32])
        .unwrap();
    let right = std::mem::replace(&mut parties.authority_key, wrong);
    let public = parties.request.public;
    let refused = parties.issue_for(&public, "station").unwrap_err();
    let expected = matches!(refused, EcqvError::Key(KeyError::NotForThisUse { .. }));
    assert!(expected, "{refused:?}");
    parties.authority_key = right;
    let (bytes, _) = parties.issued("station");
    for length in 0..bytes.len() {
        let permissions = permissions();
        let mut buffer = vec![0; length];
        let refused = issue(
            &mut parties.authority,
            right,
            &parties.issuer,
            &public,
            contents("station", &permissions),
            &[1; 32],
            &mut buffer,
        );
        assert!(
            matches!(refused.err(), Some(EcqvError::Emit(_))),
            "{length}"
        );
    }
    // None of the refusals left an ephemeral key behind.
    let free = (0..8).filter(|seed| {
        let made = parties
            .authority
            .generate(Curve::P256, Uses::SIGN, &[*seed; 32]);
        made.is_ok()
    });
    assert_eq!(free.count(), 6);
}

/// A request that the ephemeral key cancels: the certificate's point would be at infinity.
#[test]
fn a_request_opposite_to_the_ephemeral_key_is_refused() {
    let mut parties = Parties::new("a_request_opposite_to_the_ephemeral_key", Curve::P256);
    let mut other = Store::new();
    let ephemeral = other
        .generate(Curve::P256, Uses::RECONSTRUCT, &[7; 32])
        .unwrap();
    let public = other.public_key(ephemeral).unwrap();
    let opposite = match public.y()[31] & 1 {
        1 => EncodedPoint::CompressedY0(public.x()),
        _ => EncodedPoint::CompressedY1(public.x()),
    };
    let opposite = Point::decode(Curve::P256, &opposite).unwrap();
    let mut outcome = |request: &Point| {
        issue(
            // Its ephemeral keys all have one seed.
            &mut WrappedStore::with_seed(&mut parties.authority, [7; 32]),
            parties.authority_key,
            &parties.issuer,
            request,
            contents("station", &permissions()),
            &[7; 32],
            &mut [0; 300],
        )
        .err()
    };
    let infinity = Some(EcqvError::Key(KeyError::Infinity));
    assert_eq!(outcome(&opposite), infinity);
    assert_eq!(outcome(&public), None, "the double is a point");
}
