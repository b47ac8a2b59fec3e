//! Whatever a station asks for: what it gets is within its profile.

use waywarden_testkit::{Random, seeds};
use waywarden_v2x_pki::Contents;
use waywarden_v2x_pki::enrolment::{MemoryRegistry, StationRegistry as _};
use waywarden_v2x_wire::coer::{CoerOctets, Null, SequenceOf, Text, parse};
use waywarden_v2x_wire::etsi102941::CertificateSubjectAttributes;
use waywarden_v2x_wire::etsi103097::its_aid::{CAM, CERTIFICATE_REQUEST};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, CircularRegion, Duration, EndEntityType, GeographicRegion,
    Latitude, Longitude, PsidGroupPermissions, PsidSsp, ServiceSpecificPermissions,
    SubjectAssurance, SubjectPermissions, Time32, TwoDLocation, ValidityPeriod,
};

use super::forge::{By, Enrolment, changed_enrolment};
use super::world::{STATION, World, credential_contents};
use crate::support::{NOW, START};

fn keep<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn permission(random: &mut Random) -> PsidSsp<'static> {
    let bits = [
        [1, 0xC0],
        [1, 0x80],
        [1, 0x00],
        [1, 0xE0],
        [2, 0xC0],
        [1, 0xFF],
    ];
    let bits = &keep(bits)[random.index(6)];
    PsidSsp {
        psid: [
            CERTIFICATE_REQUEST,
            CERTIFICATE_REQUEST,
            CERTIFICATE_REQUEST,
            CAM,
        ][random.index(4)],
        ssp: match random.below(8) {
            0 => None,
            1 => Some(ServiceSpecificPermissions::Opaque(bits)),
            _ => Some(ServiceSpecificPermissions::Bitmap(
                CoerOctets::new(bits).unwrap(),
            )),
        },
    }
}

/// Attributes of any kind, most of them near to what is granted.
fn attributes(random: &mut Random) -> CertificateSubjectAttributes<'static> {
    let seldom = |random: &mut Random| random.once_in(6);
    let id = match random.below(8) {
        0 => Some(CertificateId::Name(Text::new("car").unwrap())),
        1 => Some(CertificateId::BinaryId(CoerOctets::new(&[7]).unwrap())),
        2 => Some(CertificateId::None(Null)),
        _ => None,
    };
    let start = [
        0,
        START.0 - 4_000,
        START.0 + 50,
        START.0 + 100_000,
        u32::MAX,
    ];
    let durations = [
        Duration::Hours(0),
        Duration::Hours(24),
        Duration::Years(2),
        Duration::Years(3),
        Duration::Years(u16::MAX),
    ];
    let center = TwoDLocation {
        latitude: Latitude(500_000_000),
        longitude: Longitude(100_000_000),
    };
    let group = PsidGroupPermissions {
        subject: SubjectPermissions::All(Null),
        min_chain_length: 1,
        chain_length_range: 0,
        ee_type: EndEntityType::APP,
    };
    let groups = vec![group; random.index(2)].leak();
    let count = random.index(3);
    let permissions: Vec<_> = (0..=count).map(|_| permission(random)).collect();
    CertificateSubjectAttributes {
        id,
        validity_period: (!seldom(random)).then(|| ValidityPeriod {
            start: Time32(start[random.index(5)]),
            duration: durations[random.index(5)],
        }),
        region: seldom(random).then_some(GeographicRegion::Circular(CircularRegion {
            center,
            radius: 1_000,
        })),
        assurance_level: seldom(random).then_some(SubjectAssurance([0xE0])),
        app_permissions: (!seldom(random)).then(|| SequenceOf::new(permissions.leak()).unwrap()),
        cert_issue_permissions: seldom(random).then(|| SequenceOf::new(groups).unwrap()),
        unknown: Default::default(),
    }
}

fn check(contents: &Contents) {
    assert_eq!((&contents.name, contents.assurance), (&None, None));
    assert!(contents.issues.is_empty() && contents.requests.is_empty());
    let lifetime = contents.duration.microseconds();
    assert!(lifetime <= Duration::Years(3).microseconds());
    let start = u64::from(contents.start.0) * 1_000_000;
    assert!(start + 3_600_000_000 >= NOW.0);
    assert!(start + lifetime <= NOW.0 + Duration::Years(3).microseconds());
    let allowed = Contents::new(START, Duration::Hours(1));
    for (psid, ssp) in &contents.permissions {
        assert_eq!(*psid, CERTIFICATE_REQUEST);
        let allowed = [0x00, 0x40, 0x80, 0xC0].map(|bits| {
            let contents = allowed.clone().permitting(CERTIFICATE_REQUEST, &[1, bits]);
            contents.permissions[0].1.clone()
        });
        assert!(allowed.contains(ssp), "{ssp:?}");
    }
}

#[test]
fn whatever_is_asked_for_is_within_the_profile_or_refused() {
    let (mut granted, mut refused) = (0, 0);
    let mut world = World::new("within_the_profile");
    let count = seeds(150);
    for seed in 0..count {
        let mut random = Random::new(seed);
        // All requests are made at one time, so that none may be forgotten.
        let station = world.registry.station(STATION).unwrap().unwrap();
        world.registry = MemoryRegistry::new(1);
        world.registry.register(station);
        let key = world.key();
        let (request, _) = world.ask_enrolment(key, &credential_contents(), NOW);
        let asked = attributes(&mut random);
        let inner = changed_enrolment(&mut world, &request, |inner| inner.attributes = asked);
        let signer = By::OwnKey(world.canonical);
        let request = Enrolment::by(key, signer).sealed(&mut world, &inner);
        match world.answer_enrolment(&request, NOW).outcome {
            Ok(issued) => {
                let certificate: Certificate<'_> = parse(&issued.certificate).unwrap();
                println!("seed {seed}: granted");
                check(&Contents::of(&certificate.to_be_signed).unwrap());
                assert!(asked.cert_issue_permissions.is_none());
                assert!(asked.app_permissions.is_some());
                granted += 1;
            }
            Err(_) => refused += 1,
        }
        use waywarden_v2x_keys::KeyStore as _;
        world.store.retire(key).unwrap();
    }
    println!("{granted} granted, {refused} refused");
    assert!(granted > 0 && refused > 0);
}
