//! Certificates against vectors made elsewhere, and what must not be believed.

use std::println;
use std::vec::Vec;

use waywarden_testkit::bytes_of;
use waywarden_work::{NoMeter, RecordedOperations};

use super::super::credential::public_key;
use super::super::{
    AuthenticationSuite, EcdheEcdsa, FourQSchnorrQ, MlKem512FnDsa512, MlKem768MlDsa44,
};
use super::*;
use waywarden_key_suites::{Entropy, Secret, SignatureScheme};
use waywarden_testkit::{blocks, flipped, seeded_bytes, spread_bits};

/// Certificates that were made elsewhere, as they stand in the file of this repository.
const VECTORS: &str = include_str!("../../../../../vectors/lasan.txt");

const SUBJECT: Name = Name(*b"ECUID0");
const AUTHORITY: Name = Name(*b"CAAUTH");
const SIGNER: Secret = Secret::from_bytes([0xCA; 32]);

fn profile(name: &str) -> LasanProfile {
    match name {
        "as-published" => LasanProfile::AsPublished,
        "hardened" => LasanProfile::Hardened,
        "compact" => LasanProfile::Compact,
        other => panic!("no profile {other}"),
    }
}

/// Reads one certificate of the file, and makes it again.
fn meets<S: AuthenticationSuite>(fields: &std::collections::BTreeMap<&str, &str>) {
    let field = |name: &str| bytes_of(fields[name]);
    let array = |name: &str| <[u8; 32]>::try_from(field(name)).unwrap();
    let time = |name: &str| NetworkTime(u64::from_be_bytes(field(name).try_into().unwrap()));
    let profile = profile(fields["profile"]);
    let role = match field("role")[0] {
        1 => SubjectRole::SecurityModule,
        _ => SubjectRole::Ecu,
    };
    let key = field("key");
    let mut own = [0; 4096];
    let secret = Secret::from_bytes(array("secret"));
    let length = public_key(&S::default(), profile, role, &secret, &mut own).unwrap();
    assert_eq!(own[..length], key);
    let signer = S::Signature::signing_key(&Secret::from_bytes(array("signer")));
    assert_eq!(
        S::Signature::public_key(&signer).as_ref(),
        field("signerkey")
    );
    let statement = CertificateStatement {
        subject: Name(field("subject").try_into().unwrap()),
        role,
        validity: Validity {
            first: time("first"),
            last: time("last"),
        },
        key: &key,
        authority: Name(field("authority").try_into().unwrap()),
    };
    let mut made = [0; 8192];
    let length = issue(&S::default(), profile, &statement, &signer, &mut made).unwrap();
    let expected = field("bytes");
    assert_eq!(made[..length], expected, "{fields:?}");
    let authority = (statement.authority, &field("signerkey")[..]);
    let expects = Expected {
        profile,
        subject: statement.subject,
        role,
        key_length: key.len(),
        authority,
        time: Some(statement.validity.first),
    };
    let verified = verify(&S::default(), &mut NoMeter, &expected, &expects);
    assert_eq!(verified, Ok((&key[..], statement.validity)));
}

#[test]
fn known_answers_are_met() {
    let (mut p256, mut fourq) = (0, 0);
    for fields in blocks(VECTORS).filter(|fields| fields["kind"] == "certificate") {
        match fields["suite"] {
            "p256" => {
                meets::<EcdheEcdsa>(&fields);
                p256 += 1;
            }
            "fourq" => {
                meets::<FourQSchnorrQ>(&fields);
                fourq += 1;
            }
            other => panic!("no suite {other}"),
        }
    }
    assert_eq!((p256, fourq), (5, 3));
}

/// A certificate of an ECU that holds from 1,000 to 2,000, and what is expected of it.
struct Issued {
    bytes: Vec<u8>,
    key: Vec<u8>,
    signer: Vec<u8>,
    profile: LasanProfile,
}

impl Issued {
    fn new<S: AuthenticationSuite>(profile: LasanProfile) -> Self {
        let signer = S::Signature::signing_key(&SIGNER);
        let mut key = std::vec![0; 4096];
        let secret = Secret::from_bytes([0x22; 32]);
        let length =
            public_key(&S::default(), profile, SubjectRole::Ecu, &secret, &mut key).unwrap();
        key.truncate(length);
        let statement = CertificateStatement {
            subject: SUBJECT,
            role: SubjectRole::Ecu,
            validity: Validity {
                first: NetworkTime(1_000),
                last: NetworkTime(2_000),
            },
            key: &key,
            authority: AUTHORITY,
        };
        let mut out = std::vec![0; 8192];
        let length = issue(&S::default(), profile, &statement, &signer, &mut out).unwrap();
        out.truncate(length);
        Issued {
            bytes: out,
            key,
            signer: S::Signature::public_key(&signer).as_ref().to_vec(),
            profile,
        }
    }

    fn expected(&self) -> Expected<'_> {
        Expected {
            profile: self.profile,
            subject: SUBJECT,
            role: SubjectRole::Ecu,
            key_length: self.key.len(),
            authority: (AUTHORITY, &self.signer),
            time: Some(NetworkTime(1_500)),
        }
    }
}

fn refused<S: AuthenticationSuite>(bytes: &[u8], expected: &Expected<'_>) -> CertificateError {
    let meter = &mut RecordedOperations::new();
    verify(&S::default(), meter, bytes, expected).expect_err("it was believed")
}

const PROFILES: [LasanProfile; 3] = [
    LasanProfile::AsPublished,
    LasanProfile::Hardened,
    LasanProfile::Compact,
];

fn is_refused_when_cut_or_changed<S: AuthenticationSuite>() {
    let mut entropy = Entropy::new(seeded_bytes("certificates cut and changed"));
    for profile in PROFILES {
        println!("{} {profile:?}", S::NAME);
        let issued = Issued::new::<S>(profile);
        let expected = issued.expected();
        let genuine = verify(&S::default(), &mut NoMeter, &issued.bytes, &expected);
        assert_eq!(genuine.map(|(key, _)| key), Ok(&issued.key[..]));
        for length in 0..issued.bytes.len() {
            let error = refused::<S>(&issued.bytes[..length], &expected);
            assert_eq!(error, CertificateError::Length, "{length} bytes");
        }
        let longer = [&issued.bytes[..], &[0]].concat();
        assert_eq!(refused::<S>(&longer, &expected), CertificateError::Length);
        for bit in spread_bits(issued.bytes.len(), || entropy.draw().as_bytes()[0]) {
            let changed = flipped(&issued.bytes, bit);
            let error = refused::<S>(&changed, &expected);
            let signs_validity = profile != LasanProfile::AsPublished;
            match bit / 8 {
                0..6 => assert_eq!(error, CertificateError::Subject),
                6 if signs_validity => assert_eq!(error, CertificateError::Role),
                // A time that is changed may be over, and may not have come.
                7..23 if signs_validity => {}
                _ => assert!(
                    matches!(
                        error,
                        CertificateError::Signature | CertificateError::Authority
                    ),
                    "byte {}: {error:?}",
                    bit / 8
                ),
            }
        }
    }
}

#[test]
fn what_is_cut_or_changed_is_refused() {
    is_refused_when_cut_or_changed::<EcdheEcdsa>();
    is_refused_when_cut_or_changed::<FourQSchnorrQ>();
    is_refused_when_cut_or_changed::<MlKem768MlDsa44>();
}

#[cfg(feature = "fn-dsa")]
#[test]
fn what_is_cut_or_changed_is_refused_with_fn_dsa() {
    is_refused_when_cut_or_changed::<MlKem512FnDsa512>();
}

#[test]
fn every_expectation_is_looked_at() {
    type S = FourQSchnorrQ;
    for profile in PROFILES {
        let issued = Issued::new::<S>(profile);
        let published = profile == LasanProfile::AsPublished;
        let genuine = issued.expected();
        let other = Name(*b"ECUID1");
        let subject = Expected {
            subject: other,
            ..genuine
        };
        assert_eq!(
            refused::<S>(&issued.bytes, &subject),
            CertificateError::Subject
        );
        let authority = Expected {
            authority: (other, genuine.authority.1),
            ..genuine
        };
        assert_eq!(
            refused::<S>(&issued.bytes, &authority),
            CertificateError::Authority
        );
        let signer = Expected {
            authority: (AUTHORITY, &issued.key),
            ..genuine
        };
        assert_eq!(
            refused::<S>(&issued.bytes, &signer),
            CertificateError::Signature
        );
        let believed = |expected: &Expected<'_>| {
            let verified = verify(&S::default(), &mut NoMeter, &issued.bytes, expected);
            verified.map(|_| ()).err()
        };
        let role = Expected {
            role: SubjectRole::SecurityModule,
            ..genuine
        };
        let wrong = Some(CertificateError::Role).filter(|_| !published);
        assert_eq!(believed(&role), wrong, "as published nothing says so");
        for (time, error) in [
            (999, Some(CertificateError::NotYet)),
            (1_000, None),
            (2_000, None),
            (2_001, Some(CertificateError::Expired)),
        ] {
            let time = Expected {
                time: Some(NetworkTime(time)),
                ..genuine
            };
            assert_eq!(believed(&time), error.filter(|_| !published));
        }
    }
}

/// A certificate of one profile is none of another, and none of another suite.
#[test]
fn certificates_stay_where_they_belong() {
    let of = PROFILES.map(Issued::new::<FourQSchnorrQ>);
    for (at, issued) in of.iter().enumerate() {
        for (profile, other) in PROFILES.iter().zip(&of) {
            let expected = other.expected();
            let verified = verify(&FourQSchnorrQ, &mut NoMeter, &issued.bytes, &expected);
            let same = PROFILES[at] == *profile;
            // An ECU's key in `compact` is an offer, and of the same length here.
            let alike =
                PROFILES[at] != LasanProfile::AsPublished && *profile != LasanProfile::AsPublished;
            assert_eq!(verified.is_ok(), same || alike, "{at} {profile:?}");
        }
    }
}

#[test]
fn a_buffer_that_is_too_short_is_refused() {
    let signer = <FourQSchnorrQ as AuthenticationSuite>::Signature::signing_key(&SIGNER);
    let issued = Issued::new::<FourQSchnorrQ>(LasanProfile::Hardened);
    let statement = CertificateStatement {
        subject: SUBJECT,
        role: SubjectRole::Ecu,
        validity: Validity::ALWAYS,
        key: &issued.key,
        authority: AUTHORITY,
    };
    for length in 0..issued.bytes.len() {
        let mut out = [0; 512];
        let made = issue(
            &FourQSchnorrQ,
            LasanProfile::Hardened,
            &statement,
            &signer,
            &mut out[..length],
        );
        assert_eq!(made, Err(CertificateError::Length));
    }
}
