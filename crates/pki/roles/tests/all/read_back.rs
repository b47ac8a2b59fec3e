//! Contents of a certificate are read back as they were written.

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyStore, SoftwareStore, Uses};
use waywarden_v2x_pki::{
    Authority, Contents, GeographicPoint, IssueGroup, PermissionRange, Region, Seeds, SspPermission,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Duration, EndEntityType, Psid, Time32};

/// A place, so far north and east of another.
fn beside(place: GeographicPoint, north: i32, east: i32) -> GeographicPoint {
    GeographicPoint {
        latitude: place.latitude + north,
        longitude: place.longitude + east,
    }
}

fn region(random: &mut Random) -> Option<Region> {
    let base = GeographicPoint {
        latitude: random.below(400_000_000) as i32,
        longitude: random.below(900_000_000) as i32,
    };
    let far = 5_000_000;
    match random.below(5) {
        0 => None,
        1 => Some(Region::Circle(base, 500)),
        2 => Some(Region::Rectangles(vec![(
            beside(base, far, 0),
            beside(base, 0, far),
        )])),
        3 => Some(Region::Polygon(vec![
            base,
            beside(base, far, 0),
            beside(base, 0, far),
        ])),
        _ => Some(Region::Countries(vec![(276, vec![]), (56, vec![1, 2])])),
    }
}

#[test]
fn contents_are_read_back_as_they_were_written() {
    let mut random = Random::of_test("contents_are_read_back_as_they_were_written");
    let mut store = SoftwareStore::<4>::new();
    let mut seeds = Seeds::new(random.bytes(32).try_into().unwrap());
    let key = store
        .generate(Curve::P256, Uses::SIGN, &seeds.next())
        .unwrap();
    for round in 0..40_u8 {
        let bits = random.bytes(3);
        let mut contents =
            Contents::new(Time32(700_000_000), Duration::Hours(u16::from(round) + 1))
                .permitting(Psid(36), &bits)
                .permitting(Psid(u64::from(round) + 1_000), &[]);
        contents.name = (round % 2 == 0).then(|| format!("name {round}"));
        contents.region = region(&mut random);
        contents.assurance = (round % 3 == 0).then_some(round);
        contents
            .permissions
            .push((Psid(99), SspPermission::Opaque(bits.clone())));
        let range = match round % 3 {
            0 => PermissionRange::All,
            1 => PermissionRange::Opaque(vec![bits.clone(), vec![]]),
            _ => PermissionRange::Bitmap {
                value: bits.clone(),
                mask: vec![0xFF; 3],
            },
        };
        contents.issues = vec![
            IssueGroup {
                applications: Some(vec![(Psid(36), range)]),
                min_chain_length: 2,
                chain_length_range: i64::from(round % 3) - 1,
                ee_type: EndEntityType::ENROL,
            },
            IssueGroup::all(),
        ];
        let root = Authority::root(&mut store, key, &contents, &mut seeds).unwrap();
        let certificate: Certificate<'_> = parse(root.credential().certificate().bytes()).unwrap();
        let read = Contents::of(&certificate.to_be_signed).unwrap();
        assert_eq!(format!("{read:?}"), format!("{contents:?}"));
    }
}
