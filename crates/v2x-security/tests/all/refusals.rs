//! Each result of the standard that a receiver can produce, by a message that produces it and
//! nothing else: the same message without its one flaw is accepted. The table is that of
//! docs/protocols/1609dot2.md.

#![expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]

use std::collections::BTreeSet;

use waywarden_v2x_security::hash::{HashFunction, certificate_digest, hash};
use waywarden_v2x_security::profile::SecurityProfile;
use waywarden_v2x_security::{Profiles, ReceptionContext, ResultCode, Verifier};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CircularRegion, Elevation, GeographicRegion, HashBasedRevocationInfo, Latitude,
    Longitude, Psid, ThreeDLocation, Time32, Time64, TwoDLocation,
};

use crate::world::{Holder, ISSUER_IS_CRACA, Message, NOW, Named, Spec, now, signed_crl};

const MINUTE: u64 = 60_000_000;

/// A place near which everything is.
const HERE: TwoDLocation = TwoDLocation {
    latitude: Latitude(435_551_000),
    longitude: Longitude(103_036_000),
};

fn at(place: TwoDLocation) -> Option<ThreeDLocation> {
    Some(ThreeDLocation {
        latitude: place.latitude,
        longitude: place.longitude,
        elevation: Elevation(4_100),
    })
}

/// Ten kilometres around.
const AROUND: GeographicRegion<'static> = GeographicRegion::Circular(CircularRegion {
    center: HERE,
    radius: 10_000,
});

/// Everything that demands something.
const STRICT: SecurityProfile = SecurityProfile {
    needs_generation_time: true,
    needs_generation_location: true,
    needs_expiry_time: true,
    distance: Some(5_000),
    checks_certificate_expiry: true,
    chain_max: 3,
    crl_tolerance: Some(MINUTE),
    ..SecurityProfile::DEFAULT
};

struct World {
    root: Holder,
    authority: Holder,
    station: Holder,
}

impl World {
    /// A root, an authority and a station, with these changes.
    fn new(authority: &Spec, station: &Spec) -> Self {
        let root = Holder::issue(&Spec::authority(1), None);
        let authority = Holder::issue(authority, Some(&root));
        let station = Holder::issue(station, Some(&authority));
        Self {
            root,
            authority,
            station,
        }
    }

    fn plain() -> Self {
        Self::new(&Spec::authority(2), &Spec::station(3))
    }

    fn verifier(&self, profile: SecurityProfile) -> Verifier {
        let mut verifier = Verifier::default().with_profiles(Profiles::all(profile));
        verifier.add_trust_anchor(&self.root.certificate).unwrap();
        verifier
    }
}

/// A message with everything that a strict profile demands.
fn whole(named: Named<'_>) -> Message<'_> {
    Message {
        expires: Some(Time64(now().0 + MINUTE)),
        place: at(HERE),
        named,
        ..Message::new()
    }
}

fn here(now: Time64) -> ReceptionContext<'static> {
    ReceptionContext {
        place: Some(HERE),
        ..ReceptionContext::at(now)
    }
}

/// What came out: the code, and the table's words.
struct Matrix(BTreeSet<&'static str>);

impl Matrix {
    /// `flawed` is refused so, and `sound` is accepted, by the same verifier.
    fn row(
        &mut self,
        code: ResultCode,
        verifier: &mut Verifier,
        (flawed, then): (&[u8], &ReceptionContext<'_>),
        (sound, now): (&[u8], &ReceptionContext<'_>),
    ) {
        let refusal = verifier.verify(flawed, then).expect_err(code.name());
        assert_eq!(refusal.code, code, "{refusal}");
        println!("{refusal}");
        if let Err(refusal) = verifier.verify(sound, now) {
            panic!("{code}: the sound one: {refusal}");
        }
        self.0.insert(code.name());
    }
}

#[test]
fn every_result_has_its_message() {
    let mut matrix = Matrix(BTreeSet::new());
    parsing(&mut matrix);
    chains(&mut matrix);
    consistency(&mut matrix);
    internal_and_local(&mut matrix);
    relevance(&mut matrix);
    let all = ResultCode::ALL.iter().map(|code| code.name());
    let missing: Vec<_> = all.filter(|name| !matrix.0.contains(name)).collect();
    // Nothing is refused with these two: the first is no refusal, the second says that no rule
    // applies.
    assert_eq!(missing, ["success", "unknown"]);
}

fn parsing(matrix: &mut Matrix) {
    use ResultCode::*;
    let world = World::plain();
    let named = [&world.authority];
    let named = Named::Certificates(&named);
    let now = here(now());
    let mut verifier = world.verifier(SecurityProfile::DEFAULT);
    let mut sound = (0_u8..).map(|at| {
        let payload = [at];
        let message = Message {
            payload: &payload,
            ..whole(named)
        };
        message.sign(&world.station)
    });
    let mut next = || sound.next().unwrap();
    let truncated = &next()[..200];
    matrix.row(
        ParsingInvalidInput,
        &mut verifier,
        (truncated, &now),
        (&next(), &now),
    );
    let mut foreign = next();
    // The alternative of the content: of an extension that there is not.
    foreign[1] = 0x85;
    let critical = ParsingUnsupportedCriticalInformationField;
    matrix.row(critical, &mut verifier, (&foreign, &now), (&next(), &now));
    let unsecured = [3, 0x80, 1, 7];
    matrix.row(
        InconsistentInputParameters,
        &mut verifier,
        (&unsecured, &now),
        (&next(), &now),
    );
    let stranger = Holder::issue(&Spec::station(9), Some(&world.authority));
    let unknown = Message {
        named: Named::Digest,
        ..whole(named)
    }
    .sign(&stranger);
    matrix.row(
        ParsingCertificateNotFound,
        &mut verifier,
        (&unknown, &now),
        (&next(), &now),
    );
    let mut strict = world.verifier(SecurityProfile {
        crl_tolerance: None,
        ..STRICT
    });
    let timeless = Message {
        made: None,
        ..whole(named)
    }
    .sign(&world.station);
    let code = ParsingGenerationTimeNotAvailable;
    matrix.row(code, &mut strict, (&timeless, &now), (&next(), &now));
    let placeless = Message {
        place: None,
        ..whole(named)
    }
    .sign(&world.station);
    let code = ParsingGenerationLocationNotAvailable;
    matrix.row(code, &mut strict, (&placeless, &now), (&next(), &now));
    let mut wrong = next();
    *wrong.last_mut().unwrap() ^= 1;
    matrix.row(
        CryptoVerificationFailure,
        &mut strict,
        (&wrong, &now),
        (&next(), &now),
    );
}

fn chains(matrix: &mut Matrix) {
    use ResultCode::*;
    let now = here(now());
    let plain = World::plain();
    let alone = whole(Named::Certificates(&[])).sign(&plain.station);
    let named = [&plain.authority];
    let chain = whole(Named::Certificates(&named)).sign(&plain.station);
    let mut verifier = plain.verifier(SecurityProfile::DEFAULT);
    let code = ChainNotEnoughInformationToConstructChain;
    matrix.row(code, &mut verifier, (&alone, &now), (&chain, &now));

    let other = Holder::issue(&Spec::authority(7), None);
    let foreign = Holder::issue(&Spec::station(8), Some(&other));
    let named = [&other];
    let untrusted = whole(Named::Certificates(&named)).sign(&foreign);
    let mut verifier = plain.verifier(SecurityProfile::DEFAULT);
    matrix.row(
        ChainEndedAtUntrustedRoot,
        &mut verifier,
        (&untrusted, &now),
        (&chain, &now),
    );

    let mut holders = vec![plain.root.clone()];
    for seed in 20..30 {
        holders.push(Holder::issue(&Spec::authority(seed), holders.last()));
    }
    let deep = Holder::issue(&Spec::station(31), holders.last());
    let above: Vec<&Holder> = holders.iter().skip(1).rev().collect();
    let long = whole(Named::Certificates(&above)).sign(&deep);
    let mut verifier = plain.verifier(SecurityProfile::DEFAULT);
    let code = ChainWasTooLongForImplementation;
    matrix.row(code, &mut verifier, (&long, &now), (&chain, &now));

    // Of these the flaw is in the authority's or the station's certificate.
    let flaws: [(ResultCode, Spec, Spec); 3] = [
        (
            ChainInconsistentStartTimes,
            Spec::authority(2),
            Spec {
                start: NOW - 40_000,
                ..Spec::station(3)
            },
        ),
        (
            ChainInconsistentExpiryTimes,
            Spec {
                hours: 20,
                ..Spec::authority(2)
            },
            Spec::station(3),
        ),
        (
            ChainInconsistentChainPermissions,
            Spec {
                issue: &[(Some(&[36, 37]), 1, 0)],
                ..Spec::authority(2)
            },
            Spec::station(3),
        ),
    ];
    for (code, authority, station) in flaws {
        let world = World::new(&authority, &station);
        let named = [&world.authority];
        let flawed = whole(Named::Certificates(&named)).sign(&world.station);
        let mut verifier = world.verifier(SecurityProfile::DEFAULT);
        matrix.row(code, &mut verifier, (&flawed, &now), (&chain, &now));
    }
    revocation(matrix);
}

fn revocation(matrix: &mut Matrix) {
    use ResultCode::*;
    let root = Holder::issue(&Spec::authority(1), None);
    let craca = root.id();
    let [.., a, b, c] = craca.0;
    let spec = |seed| Spec {
        craca: [a, b, c],
        ..Spec::station(seed)
    };
    let station = Holder::issue(&spec(3), Some(&root));
    let revoked = Holder::issue(&spec(4), Some(&root));
    let now = here(now());
    let named = Named::Certificates(&[]);
    let sound = whole(named).sign(&station);
    let flawed = whole(named).sign(&revoked);
    let profile = SecurityProfile {
        crl_tolerance: Some(MINUTE),
        ..SecurityProfile::DEFAULT
    };
    let signer = Spec {
        app: &[(256, Some(ISSUER_IS_CRACA))],
        ..Spec::station(5)
    };
    let signer = Holder::issue(&signer, Some(&root));
    let verifier = || {
        let mut profiles = Profiles::all(profile);
        profiles.set(Psid(256), SecurityProfile::REVOCATION_LIST);
        let mut verifier = Verifier::default().with_profiles(profiles);
        verifier.add_trust_anchor(&root.certificate).unwrap();
        verifier
    };
    let list = |times, entries: &[_]| signed_crl(&signer, times, craca, entries);
    let certificate: Certificate<'_> = parse(&revoked.certificate).unwrap();
    let entries = [HashBasedRevocationInfo {
        id: certificate_digest(&certificate).unwrap().id_10(),
        expiry: Time32(NOW + 100_000),
        unknown: Default::default(),
    }];
    let mut own = verifier();
    own.apply_crl(&list((NOW - 60, NOW + 60), &entries), &now)
        .unwrap();
    matrix.row(
        ChainCertificateRevoked,
        &mut own,
        (&flawed, &now),
        (&sound, &now),
    );
    let mut own = verifier();
    own.apply_crl(&list((NOW - 900, NOW - 600), &[]), &now)
        .unwrap();
    let refusal = own.verify(&sound, &now).unwrap_err();
    assert_eq!(refusal.code, ChainOverdueCrl);
    own.apply_crl(&list((NOW - 60, NOW + 60), &[]), &now)
        .unwrap();
    assert!(own.verify(&sound, &now).is_ok());
    matrix.0.insert(ChainOverdueCrl.name());
}

fn consistency(matrix: &mut Matrix) {
    use ResultCode::*;
    let plain = World::plain();
    let region = World::new(
        &Spec::authority(2),
        &Spec {
            region: Some(AROUND),
            ..Spec::station(3)
        },
    );
    let profile = SecurityProfile {
        past: None,
        future: None,
        checks_replay: false,
        ..SecurityProfile::DEFAULT
    };
    let named = [&plain.authority];
    let message = whole(Named::Certificates(&named));
    let long_ago = Time64(now().0 - 120 * MINUTE);
    let later = Time64(now().0 + 24 * 60 * MINUTE);
    let flawed = [
        (
            ConsistencyFutureCertificateAtGenerationTime,
            Message {
                made: Some(long_ago),
                ..message
            },
        ),
        (
            ConsistencyExpiredCertificateAtGenerationTime,
            Message {
                made: Some(later),
                expires: None,
                ..message
            },
        ),
        (
            ConsistencyExpiryDateTooEarly,
            Message {
                made: None,
                expires: Some(long_ago),
                ..message
            },
        ),
        (
            ConsistencyExpiryDateTooLate,
            Message {
                expires: Some(later),
                ..message
            },
        ),
        (
            ConsistencyUnauthorizedPsid,
            Message {
                psid: 999,
                ..message
            },
        ),
    ];
    let sound = message.sign(&plain.station);
    for (code, flawed) in flawed {
        let mut verifier = plain.verifier(profile);
        let now = here(now());
        let flawed = flawed.sign(&plain.station);
        matrix.row(code, &mut verifier, (&flawed, &now), (&sound, &now));
    }
    let named = [&region.authority];
    let message = whole(Named::Certificates(&named));
    let far = TwoDLocation {
        latitude: Latitude(445_551_000),
        ..HERE
    };
    let unknown = TwoDLocation {
        latitude: Latitude(900_000_001),
        ..HERE
    };
    let sound = message.sign(&region.station);
    let profile = SecurityProfile {
        needs_generation_location: true,
        ..profile
    };
    for (code, place) in [
        (ConsistencyGenerationLocationOutsideValidityRegion, far),
        (ConsistencyNoGenerationLocation, unknown),
    ] {
        let mut verifier = region.verifier(profile);
        let now = here(now());
        let flawed = Message {
            place: at(place),
            ..message
        }
        .sign(&region.station);
        matrix.row(code, &mut verifier, (&flawed, &now), (&sound, &now));
    }
}

fn internal_and_local(matrix: &mut Matrix) {
    use ResultCode::*;
    let world = World::plain();
    let named = [&world.authority];
    let message = whole(Named::Certificates(&named));
    let now = here(now());
    let mut verifier = world.verifier(SecurityProfile::DEFAULT);
    let early = Message {
        expires: Some(self::now()),
        ..message
    }
    .sign(&world.station);
    let sound = message.sign(&world.station);
    let code = InternalConsistencyExpiryTimeBeforeGenerationTime;
    matrix.row(code, &mut verifier, (&early, &now), (&sound, &now));

    let data = b"elsewhere";
    let digest = hash(HashFunction::Sha256, data)
        .as_bytes()
        .try_into()
        .unwrap();
    let hashed = |payload| {
        let message = Message {
            external: Some(digest),
            payload,
            ..message
        };
        message.sign(&world.station)
    };
    let with = |data| ReceptionContext {
        external_data: Some(data),
        ..now
    };
    let code = InternalConsistencyExtDataHashDoesntMatch;
    let one = hashed(b"1");
    matrix.row(
        code,
        &mut verifier,
        (&one, &with(b"other")),
        (&one, &with(data)),
    );
    let code = InternalConsistencyNoExtDataHashProvided;
    let two = hashed(b"2");
    matrix.row(code, &mut verifier, (&two, &now), (&two, &with(data)));
    let code = InternalConsistencyNoExtDataHashPresent;
    let three = Message {
        payload: b"3",
        ..message
    }
    .sign(&world.station);
    matrix.row(code, &mut verifier, (&three, &with(data)), (&three, &now));

    let four = Message {
        payload: b"4",
        ..message
    }
    .sign(&world.station);
    let wants = |psid| ReceptionContext {
        psid: Some(Psid(psid)),
        ..now
    };
    let code = LocalConsistencyPsidsDontMatch;
    matrix.row(
        code,
        &mut verifier,
        (&four, &wants(32)),
        (&four, &wants(135)),
    );

    let short = SecurityProfile {
        chain_max: 2,
        ..SecurityProfile::DEFAULT
    };
    let mut verifier = world.verifier(short);
    let near = Holder::issue(&Spec::station(5), Some(&world.root));
    let near = whole(Named::Certificates(&[])).sign(&near);
    let code = LocalConsistencyChainWasTooLongForSdee;
    matrix.row(code, &mut verifier, (&sound, &now), (&near, &now));
}

fn relevance(matrix: &mut Matrix) {
    use ResultCode::*;
    let world = World::plain();
    let named = [&world.authority];
    let message = whole(Named::Certificates(&named));
    let profile = SecurityProfile {
        crl_tolerance: None,
        ..STRICT
    };
    let sound = message.sign(&world.station);
    let far = TwoDLocation {
        latitude: Latitude(436_551_000),
        ..HERE
    };
    let minutes = |count: u64| here(Time64(now().0 + count * MINUTE));
    let distant = Message {
        place: at(far),
        ..message
    }
    .sign(&world.station);
    let lasting = Message {
        expires: Some(Time64(now().0 + 600 * MINUTE)),
        ..message
    };
    let lasting = lasting.sign(&world.station);
    let rows: [(ResultCode, &[u8], ReceptionContext<'_>); 4] = [
        (RelevanceGenerationTimeTooFarInPast, &lasting, minutes(11)),
        (RelevanceExpiryTimeInPast, &sound, minutes(2)),
        (RelevanceGenerationLocationTooDistant, &distant, minutes(0)),
        (
            RelevanceGenerationTimeTooFarInFuture,
            &sound,
            here(Time64(now().0 - MINUTE)),
        ),
    ];
    for (code, flawed, then) in rows {
        let mut verifier = world.verifier(profile);
        matrix.row(code, &mut verifier, (flawed, &then), (&sound, &minutes(0)));
    }
    let mut verifier = world.verifier(profile);
    let again = Message {
        payload: b"another",
        ..message
    }
    .sign(&world.station);
    assert!(verifier.verify(&sound, &minutes(0)).is_ok());
    let code = RelevanceReplayedSpdu;
    matrix.row(
        code,
        &mut verifier,
        (&sound, &minutes(0)),
        (&again, &minutes(0)),
    );

    // A certificate that ends in a moment, and a message that does not say when it was made.
    let brief = Spec {
        start: NOW - 3_600,
        hours: 1,
        ..Spec::station(6)
    };
    let ending = Holder::issue(&Spec { hours: 2, ..brief }, Some(&world.authority));
    let ended = Holder::issue(&brief, Some(&world.authority));
    let profile = SecurityProfile {
        checks_certificate_expiry: true,
        ..SecurityProfile::DEFAULT
    };
    let mut verifier = world.verifier(profile);
    let message = Message {
        made: Some(Time64(now().0 - MINUTE)),
        expires: None,
        ..message
    };
    let (flawed, sound) = (message.sign(&ended), message.sign(&ending));
    matrix.row(
        CertificateExpired,
        &mut verifier,
        (&flawed, &minutes(0)),
        (&sound, &minutes(0)),
    );
}
